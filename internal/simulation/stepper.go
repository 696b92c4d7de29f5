package simulation

import (
	"sync"
	"testing/synctest"
)

// stepper is where the goroutines of a node wait before each call of the database, until they are let through,
// one after the other. So they act in an order that does not depend on how they are scheduled.
type stepper struct {
	mu      sync.Mutex
	waiting []chan struct{}
}

func (g *stepper) wait() {
	mine := make(chan struct{})
	g.mu.Lock()
	g.waiting = append(g.waiting, mine)
	g.mu.Unlock()
	<-mine
}

// next lets the first one through, and waits until all wait again. It reports false when none was waiting.
func (g *stepper) next() bool {
	synctest.Wait()
	g.mu.Lock()
	if len(g.waiting) == 0 {
		g.mu.Unlock()
		return false
	}
	first := g.waiting[0]
	g.waiting = g.waiting[1:]
	g.mu.Unlock()
	close(first)
	synctest.Wait()
	return true
}
