package workflow

import (
	"sync"

	"github.com/atelier-project/atelier/internal/wire"
)

// shelf keeps plans that were read of late. A plan never changes, and every
// fact about a workflow needs it: a plan of twelve steps is read two dozen
// times. Whoever takes one from here must not write to it.
type shelf struct {
	mu     sync.Mutex
	recent map[string]plan
	before map[string]plan // those that were recent until recent was full
}

// shelfSize is how many plans are recent.
const shelfSize = 512

// plan finds the plan of a workflow. One that is not here is read.
func (s *shelf) plan(id string, read func() ([]byte, error)) (p plan, err error) {
	if p, found := s.take(id); found {
		return p, nil
	}
	text, err := read()
	if err == nil {
		err = wire.Unmarshal(text, &p)
	}
	if err == nil {
		s.put(id, p)
	}
	return p, err
}

func (s *shelf) take(id string) (plan, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, found := s.recent[id]; found {
		return p, true
	}
	p, found := s.before[id]
	if found {
		s.keep(id, p)
	}
	return p, found
}

func (s *shelf) put(id string, p plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(id, p)
}

// keep makes a plan a recent one, with the lock held.
func (s *shelf) keep(id string, p plan) {
	if s.recent == nil || len(s.recent) >= shelfSize {
		s.recent, s.before = map[string]plan{}, s.recent
	}
	s.recent[id] = p
}
