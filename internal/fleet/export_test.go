package fleet

import (
	"context"
	"time"
)

// RemoveSilent writes down who was seen and removes who was not, now.
func (e *Engine) RemoveSilent(ctx context.Context) error { return e.presence.write(ctx) }

// NextOffers is how long the watch over queued jobs sleeps.
func (e *Engine) NextOffers(ctx context.Context) (time.Duration, error) { return e.nextOffers(ctx) }
