package fleet

import (
	"context"
	"time"
)

// RemoveSilent records which workers were seen and removes the others, now.
func (e *Engine) RemoveSilent(ctx context.Context) error { return e.presence.write(ctx) }

// NextOffers is how long the watch over queued jobs sleeps.
func (e *Engine) NextOffers(ctx context.Context) (time.Duration, error) { return e.nextOffers(ctx) }
