package fleet

import (
	"context"
	"sync"

	"github.com/atelier-project/atelier/internal/store"
)

// held remembers the jobs that this node has leased to workers, as they were
// then, so that a completion need not read what the claim has just read. It is
// a memory and decides nothing: the row does, which may have moved on at
// another node.
type held struct {
	mu   sync.Mutex
	jobs map[string]store.StoredJob
}

// mostHeld bounds the memory. Jobs that ended elsewhere stay in it until then.
const mostHeld = 4096

func (h *held) keep(j store.StoredJob) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.jobs == nil || len(h.jobs) >= mostHeld {
		h.jobs = map[string]store.StoredJob{}
	}
	h.jobs[j.ID] = j
}

// take returns a job and forgets it: it is over after this, or has moved on.
func (h *held) take(id string) (store.StoredJob, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	j, ok := h.jobs[id]
	delete(h.jobs, id)
	return j, ok
}

// leased finds a job that a worker says it has done: from memory, or as the
// database knows it.
func (e *Engine) leased(ctx context.Context, workerID, jobID string) (j store.StoredJob, remembered bool, err error) {
	if j, ok := e.held.take(jobID); ok && j.WorkerID == workerID {
		return j, true, nil
	}
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		j, err = tx.Job(jobID)
		return err
	})
	return j, false, err
}
