package fleet

import (
	"context"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

const (
	// queueAge is how old the counts of the metrics may be. Anyone may read the metrics,
	// as often as they like.
	queueAge = 2 * time.Second
	// queueWithin is how long counting may take.
	queueWithin = 2 * time.Second
)

// queueCache is how many jobs of all nodes workers have to do, as it was counted last.
type queueCache struct {
	mu      sync.Mutex
	at      time.Time
	waiting int
	running int
	counts  []store.JobCount // by model and network
}

// countQueue counts the queued jobs that a worker could take, and the leased ones. When they
// cannot be counted, the last counts stay: what starts and stops workers by them must not
// take a database that is away for an empty queue.
func (e *Engine) countQueue() (waiting, running int) {
	q := &e.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	e.refresh(q)
	return q.waiting, q.running
}

// queueDepths reports how many jobs of each model wait.
func (e *Engine) queueDepths(set func(v float64, labelValues ...string)) {
	q := &e.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	e.refresh(q)
	for _, c := range q.counts {
		if c.Network != atelier.NetworkNode {
			set(float64(c.Waiting+c.Limited), string(c.Network), c.ModelID)
		}
	}
}

// refresh counts again what was counted too long ago.
func (e *Engine) refresh(q *queueCache) {
	if age := e.opts.Now().Sub(q.at); age >= 0 && age < queueAge {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), queueWithin)
	defer cancel()
	var counts []store.JobCount
	err := e.db.Snapshot(ctx, func(tx *store.Tx) (err error) {
		counts, err = tx.CountJobs()
		return err
	})
	q.at = e.opts.Now()
	if err != nil {
		return
	}
	q.counts, q.waiting, q.running = counts, 0, 0
	for _, c := range counts {
		if c.Network != atelier.NetworkNode { // the nodes do these themselves
			q.waiting += c.Waiting
			q.running += c.Active
		}
	}
}
