package fleet

import (
	"context"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// jobCache remembers the jobs that this node has queued and leased, as they were
// then, so that a claim need not read what was just written, nor a completion
// what the claim has read. It decides nothing: the row does, which may have moved
// on at another node.
type jobCache struct {
	mu   sync.Mutex
	jobs map[atelier.JobID]store.StoredJob
}

// mostJobs bounds the memory: then it begins anew. Jobs that ended elsewhere stay
// in it until then. Those with more to say than most are not kept, and read again.
const (
	mostJobs     = 4096
	mostJobBytes = 16 << 10
)

func (m *jobCache) keep(j store.StoredJob) {
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

func (m *jobCache) find(id atelier.JobID) (store.StoredJob, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j, ok := m.jobs[id]
	return j, ok
}

// take returns a job and forgets it: it is over after this, or has moved on.
func (m *jobCache) take(id atelier.JobID) (store.StoredJob, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j, ok := m.jobs[id]
	delete(m.jobs, id)
	return j, ok
}

// leased finds a job that a worker says it has done: from memory, or as the
// database knows it.
func (e *Engine) leased(ctx context.Context, workerID atelier.WorkerID, jobID atelier.JobID) (j store.StoredJob, remembered bool, err error) {
	if j, ok := e.memory.take(jobID); ok && j.State == atelier.JobLeased && j.WorkerID == workerID {
		return j, true, nil
	}
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		j, err = tx.Job(jobID)
		return err
	})
	return j, false, err
}

// weigh subtracts from room what arguments hold in memory, about. It stops when
// nothing is left.
func weigh(v any, room int) int {
	const one = 64
	switch v := v.(type) {
	case string:
		return room - one - len(v)
	case []any:
		for _, item := range v {
			if room = weigh(item, room); room < 0 {
				return room
			}
		}
	case map[string]any:
		for name, item := range v {
			if room = weigh(item, room-len(name)); room < 0 {
				return room
			}
		}
	}
	return room - one
}
