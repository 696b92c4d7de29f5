package bus

// Subscription is one listener's ear.
type Subscription struct {
	hub   *hub
	c     chan struct{}
	seats []seat // guarded by hub.mu; nil once closed
}

// C delivers nudges. It holds one: any number of nudges that come while the
// subscriber is busy become a single one. It is never closed, so that a loop
// over it ends by its own context and not by a nudge that means something else.
func (s *Subscription) C() <-chan struct{} { return s.c }

// Close stops the nudges. Closing twice is harmless.
func (s *Subscription) Close() { s.hub.leave(s) }
