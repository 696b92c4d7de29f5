package workflow

import (
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// planCache caches plans. A plan never changes, and every fact about a workflow needs
// it: a plan of twelve steps is read two dozen times. Callers must not write to a plan
// from the cache.
type planCache struct {
	mu     sync.Mutex
	recent map[atelier.WorkflowID]cachedPlan
	before map[atelier.WorkflowID]cachedPlan // the recent ones before the last change of generation
	weight int64                             // of the recent ones
}

// cachedPlan is a plan and about how much memory it takes.
type cachedPlan struct {
	plan
	weight int64
}

// cacheWeight is how much memory the recent plans may take. The ones before may take as
// much.
const cacheWeight = 16 << 20

// plan finds the plan of a workflow, in the cache or with read.
func (s *planCache) plan(id atelier.WorkflowID, read func() ([]byte, error)) (p plan, err error) {
	if p, found := s.get(id); found {
		return p, nil
	}
	text, err := read()
	if err == nil {
		err = wire.Unmarshal(text, &p)
	}
	if err == nil {
		s.add(id, p, text)
	}
	return p, err
}

func (s *planCache) get(id atelier.WorkflowID) (plan, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, found := s.recent[id]; found {
		return p.plan, true
	}
	p, found := s.before[id]
	if found {
		s.addRecent(id, p)
	}
	return p.plan, found
}

// add adds a plan. The text is its stored form.
func (s *planCache) add(id atelier.WorkflowID, p plan, text []byte) {
	weight := int64(len(id)) + wire.Weight(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addRecent(id, cachedPlan{p, weight})
}

// addRecent adds a plan to the recent ones. The caller holds the lock.
func (s *planCache) addRecent(id atelier.WorkflowID, p cachedPlan) {
	if s.recent == nil || s.weight+p.weight > cacheWeight {
		s.recent, s.before, s.weight = map[atelier.WorkflowID]cachedPlan{}, s.recent, 0
	}
	s.weight += p.weight - s.recent[id].weight
	s.recent[id] = p
}
