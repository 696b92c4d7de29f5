package workflow

import (
	"encoding/json"
	"sync"

	"github.com/atelier-project/atelier/internal/store"
)

// shelf keeps plans that were read of late. A plan never changes, and every
// fact about a workflow needs it: a plan of twelve steps is read two dozen
// times. Whoever takes one from here must not write to it.
type shelf struct {
	mu    sync.Mutex
	plans map[string]plan
}

// shelfSize is how many plans are kept.
const shelfSize = 256

// plan reads the plan of a workflow.
func (s *shelf) plan(row store.StoredWorkflow) (p plan, err error) {
	s.mu.Lock()
	p, found := s.plans[row.ID]
	s.mu.Unlock()
	if found {
		return p, nil
	}
	if err := json.Unmarshal(row.Plan, &p); err != nil {
		return plan{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plans == nil || len(s.plans) >= shelfSize {
		s.plans = map[string]plan{} // those in use come back soon
	}
	s.plans[row.ID] = p
	return p, nil
}
