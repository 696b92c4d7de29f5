package child

import (
	"sync"
	"time"
)

// spareIdle is how long a spare child waits for a job before it is ended.
const spareIdle = time.Minute

// spare is a child that was started in advance: starting one takes as long as
// rendering a small picture. There is one only while jobs keep coming.
type spare struct {
	mu     sync.Mutex
	child  *child
	idle   *time.Timer
	closed bool
}

// nextChild returns a child that waits for its order: the spare one if there is one. It
// starts another spare in the background.
func (r *Renderer) nextChild() (*child, error) {
	p := r.spare.pop()
	if r.opts.Spare {
		go r.startSpare()
	}
	if p != nil {
		return p, nil
	}
	return r.start()
}

// startSpare starts a spare child unless there is one. A failure is
// reported by the job that then has to start its own.
func (r *Renderer) startSpare() {
	s := &r.spare
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.child != nil {
		return
	}
	p, err := r.start()
	if err != nil {
		return
	}
	s.child = p
	s.idle = time.AfterFunc(spareIdle, func() { s.drop(p) })
	if r.opts.SpareStarted != nil {
		r.opts.SpareStarted()
	}
}

// pop removes and returns the spare child, nil when none is running.
func (s *spare) pop() *child {
	s.mu.Lock()
	p := s.child
	s.child = nil
	if p != nil {
		s.idle.Stop()
	}
	s.mu.Unlock()
	if p != nil && p.hasEnded() {
		p.end()
		return nil
	}
	return p
}

// drop ends a spare child that was not used.
func (s *spare) drop(p *child) {
	s.mu.Lock()
	isSpare := s.child == p
	if isSpare {
		s.child = nil
	}
	s.mu.Unlock()
	if isSpare {
		p.end()
	}
}

// Close ends the spare child. Jobs can still be rendered.
func (r *Renderer) Close() {
	r.spare.mu.Lock()
	r.spare.closed = true
	r.spare.mu.Unlock()
	if p := r.spare.pop(); p != nil {
		p.end()
	}
}
