package bus

// Subscription receives the nudges of its topics.
type Subscription struct {
	hub   *hub
	c     chan struct{}
	seats []seat // guarded by hub.mu; nil once closed
}

// C delivers nudges. It holds one: any number of nudges that come while the subscriber is
// busy become one. It is never closed, so that a loop over it ends only with its own
// context.
func (s *Subscription) C() <-chan struct{} { return s.c }

// Close stops the nudges. Closing twice is harmless.
func (s *Subscription) Close() { s.hub.leave(s) }
