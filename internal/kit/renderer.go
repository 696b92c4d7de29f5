package kit

import (
	"context"

	"github.com/atelier-project/atelier/internal/kit/cpu"
	"github.com/atelier-project/atelier/internal/worker"
)

// Renderer is the CPU renderer. Its zero value is ready for use.
type Renderer struct{ cpu cpu.Renderer }

// Name implements worker.Renderer.
func (r Renderer) Name() string { return r.cpu.Name() }

// Render implements worker.Renderer. A result is determined by the tool, the model, the
// arguments, the inputs and the seed.
func (r Renderer) Render(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	return r.cpu.Render(ctx, t)
}
