package fleet

import (
	"context"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// jobCache caches the jobs that this node has queued and leased, as they were then,
// so that a claim need not read a job that was just written, nor a completion one
// that the claim has read. It decides nothing: the row may have changed on another
// node, and every change compares it.
type jobCache struct {
	mu   sync.Mutex
	jobs map[atelier.JobID]store.StoredJob
}

// mostJobs is the size of the cache: when it is full, it is emptied. Jobs that
// ended on other nodes stay in it until then. Jobs with large arguments are not
// cached.
const (
	mostJobs     = 4096
	mostJobBytes = 16 << 10
)

func (m *jobCache) put(j store.StoredJob) {
	if weigh(j.Spec.Arguments, mostJobBytes) < 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.jobs == nil || len(m.jobs) >= mostJobs {
		m.jobs = map[atelier.JobID]store.StoredJob{}
	}
	m.jobs[j.ID] = j
}

func (m *jobCache) get(id atelier.JobID) (store.StoredJob, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j, ok := m.jobs[id]
	return j, ok
}

// remove returns a job and removes it from the cache: it ends now, or has changed.
func (m *jobCache) remove(id atelier.JobID) (store.StoredJob, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j, ok := m.jobs[id]
	delete(m.jobs, id)
	return j, ok
}

// leased finds a job that a worker reports as done, in the cache or in the
// database.
func (e *Engine) leased(ctx context.Context, workerID atelier.WorkerID, jobID atelier.JobID) (j store.StoredJob, cached bool, err error) {
	if j, ok := e.cache.remove(jobID); ok && j.State == atelier.JobLeased && j.WorkerID == workerID {
		return j, true, nil
	}
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		j, err = tx.Job(jobID)
		return err
	})
	return j, false, err
}

// weigh subtracts the approximate memory of a value from budget. It stops when
// nothing is left.
func weigh(v any, budget int) int {
	const one = 64
	switch v := v.(type) {
	case string:
		return budget - one - len(v)
	case []any:
		for _, item := range v {
			if budget = weigh(item, budget); budget < 0 {
				return budget
			}
		}
	case map[string]any:
		for name, item := range v {
			if budget = weigh(item, budget-len(name)); budget < 0 {
				return budget
			}
		}
	}
	return budget - one
}
