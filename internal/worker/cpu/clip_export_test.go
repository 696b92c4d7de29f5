package cpu

import (
	"context"

	"github.com/atelier-project/atelier/internal/studio/film"
	"github.com/atelier-project/atelier/internal/studio/song"
	"github.com/atelier-project/atelier/internal/worker"
)

// WithEngine chooses the engine that a render reads and writes clips with.
func WithEngine(ctx context.Context, e film.Engine) context.Context {
	return context.WithValue(ctx, engineKey{}, e)
}

// Canvas is the size of a clip that a job asks for.
func Canvas(t worker.Task) (w, h int, err error) { return canvas(t, 0, 0) }

// Length is how many frames a job asks for.
func Length(t worker.Task) (int, error) { return length(t, 5) }

// Order is what a job asks of a composer.
func Order(t worker.Task) song.Request { return order(t) }
