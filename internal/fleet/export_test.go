package fleet

import "context"

// RemoveSilent writes down who was seen and removes who was not, now.
func (e *Engine) RemoveSilent(ctx context.Context) error { return e.presence.write(ctx) }
