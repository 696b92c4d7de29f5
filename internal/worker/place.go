package worker

import (
	"context"
	"sync"
)

// place is one of as many places as a worker renders jobs at once. The loop that has it may claim a
// job, and render it.
type place struct {
	gate chan struct{} // has an element for each place that is taken

	mu      sync.Mutex
	isTaken bool
	leaving sync.WaitGroup
}

// take waits for a place. It reports false when ctx has ended.
func (p *place) take(ctx context.Context) bool {
	if p.has() {
		return true // also when ctx has ended: there may be a job to give back
	}
	select {
	case p.gate <- struct{}{}:
		p.set()
		return true
	case <-ctx.Done():
		return false
	}
}

// tryTake takes a place if one is free, and reports whether it has one.
func (p *place) tryTake() bool {
	if p.has() {
		return true
	}
	select {
	case p.gate <- struct{}{}:
		p.set()
		return true
	default:
		return false
	}
}

func (p *place) has() bool {
	p.leaving.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isTaken
}

func (p *place) set() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isTaken = true
}

// leave leaves the place to others.
func (p *place) leave() {
	p.leaving.Wait()
	p.free()
}

func (p *place) free() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isTaken {
		p.isTaken = false
		<-p.gate
	}
}

// leaveAfter leaves the place to others once a call has succeeded. It does not wait for it.
func (p *place) leaveAfter(call func() error) {
	p.leaving.Go(func() {
		if call() == nil {
			p.free()
		}
	})
}
