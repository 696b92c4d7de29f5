package workflow

import (
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// planCache keeps plans that were read recently. A plan never changes, and every
// fact about a workflow needs it: a plan of twelve steps is read two dozen
// times. Whoever takes one from here must not write to it.
type planCache struct {
	mu     sync.Mutex
	recent map[atelier.WorkflowID]shelved
	before map[atelier.WorkflowID]shelved // those that were recent until recent was full
	weight int64                          // of the recent ones
}

// shelved is a plan and what it holds of memory, about.
type shelved struct {
	plan
	weight int64
}

// shelfWeight is how much memory the recent plans may hold. As much again may be
// held by those before.
const shelfWeight = 16 << 20

// plan finds the plan of a workflow. One that is not here is read.
func (s *planCache) plan(id atelier.WorkflowID, read func() ([]byte, error)) (p plan, err error) {
	if p, found := s.take(id); found {
		return p, nil
	}
	text, err := read()
	if err == nil {
		err = wire.Unmarshal(text, &p)
	}
	if err == nil {
		s.put(id, p, text)
	}
	return p, err
}

func (s *planCache) take(id atelier.WorkflowID) (plan, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, found := s.recent[id]; found {
		return p.plan, true
	}
	p, found := s.before[id]
	if found {
		s.keep(id, p)
	}
	return p.plan, found
}

// put adds a plan, which was read from a text or is stored as it.
func (s *planCache) put(id atelier.WorkflowID, p plan, text []byte) {
	weight := int64(len(id)) + wire.Weight(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(id, shelved{p, weight})
}

// keep makes a plan a recent one, with the lock held.
func (s *planCache) keep(id atelier.WorkflowID, p shelved) {
	if s.recent == nil || s.weight+p.weight > shelfWeight {
		s.recent, s.before, s.weight = map[atelier.WorkflowID]shelved{}, s.recent, 0
	}
	s.weight += p.weight - s.recent[id].weight
	s.recent[id] = p
}
