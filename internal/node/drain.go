package node

import (
	"context"
	"sync"

	"github.com/atelier-project/atelier/internal/worker"
)

// drainable is a renderer that can be told to begin no more renders: a worker gives jobs that it
// has not begun to others, and ends those that it has.
type drainable struct {
	worker.Renderer
	draining chan struct{} // closed when it begins no more

	mu     sync.Mutex
	active int
	idle   chan struct{} // closed when it drains and renders nothing
	inner  <-chan struct{}
	merged chan struct{} // closed after inner or draining
}

func newDrainable(r worker.Renderer) *drainable {
	return &drainable{Renderer: r, draining: make(chan struct{}), idle: make(chan struct{})}
}

// Render implements worker.Renderer.
func (d *drainable) Render(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	d.mu.Lock()
	d.active++
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.active--; d.active == 0 && d.isDraining() {
			close(d.idle)
		}
	}()
	return d.Renderer.Render(ctx, t)
}

// drain begins no more renders. The channel is closed when those that have begun have ended. It
// is called once.
func (d *drainable) drain() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.draining)
	if d.active == 0 {
		close(d.idle)
	}
	return d.idle
}

func (d *drainable) isDraining() bool {
	select {
	case <-d.draining:
		return true
	default:
		return false
	}
}

// State implements worker.Monitored.
func (d *drainable) State() (worker.State, <-chan struct{}) {
	var (
		state   worker.State
		changed <-chan struct{}
	)
	if m, ok := d.Renderer.(worker.Monitored); ok {
		state, changed = m.State()
	}
	if d.isDraining() {
		state.Unavailable = "The connection of this worker was changed or removed."
		state.Cause = "the worker stops"
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.merged == nil || d.inner != changed {
		d.inner, d.merged = changed, make(chan struct{})
		merged := d.merged
		go func() {
			defer close(merged)
			select {
			case <-changed: // never, if it is nil
			case <-d.draining:
			}
		}()
	}
	return state, d.merged
}

var _ worker.Monitored = (*drainable)(nil)
