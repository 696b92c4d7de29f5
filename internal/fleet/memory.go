package fleet

import (
	"context"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// memory remembers the jobs that this node has queued and leased, as they were
// then, so that a claim need not read what was just written, nor a completion
// what the claim has read. It decides nothing: the row does, which may have moved
// on at another node.
type memory struct {
	mu   sync.Mutex
	jobs map[string]store.StoredJob
}

// mostJobs bounds the memory: then it begins anew. Jobs that ended elsewhere stay
// in it until then.
const mostJobs = 4096

func (m *memory) keep(j store.StoredJob) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.jobs == nil || len(m.jobs) >= mostJobs {
		m.jobs = map[string]store.StoredJob{}
	}
	m.jobs[j.ID] = j
}

func (m *memory) find(id string) (store.StoredJob, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j, ok := m.jobs[id]
	return j, ok
}

// take returns a job and forgets it: it is over after this, or has moved on.
func (m *memory) take(id string) (store.StoredJob, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j, ok := m.jobs[id]
	delete(m.jobs, id)
	return j, ok
}

// leased finds a job that a worker says it has done: from memory, or as the
// database knows it.
func (e *Engine) leased(ctx context.Context, workerID, jobID string) (j store.StoredJob, remembered bool, err error) {
	if j, ok := e.memory.take(jobID); ok && j.State == atelier.JobLeased && j.WorkerID == workerID {
		return j, true, nil
	}
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		j, err = tx.Job(jobID)
		return err
	})
	return j, false, err
}
