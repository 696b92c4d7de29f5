package fleet

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// clockSlack is how much longer than its lease a worker may report that a part of its
// render took: its clock may differ.
const clockSlack = 5 * time.Second

// countDone adds a finished render to its worker's counters of the day. What the
// worker reports is limited to what is possible.
func (e *Engine) countDone(tx *store.Tx, w atelier.Worker, j store.StoredJob, m Metrics, now time.Time) error {
	if w.Network == atelier.NetworkNode {
		return nil // a task of the service, not a render
	}
	held := now.Sub(j.StartedAt)
	m = m.within(held + clockSlack)
	var counters []store.Counter
	for _, c := range []struct {
		name  string
		value float64
	}{
		{"jobCompleteWorker", 1},
		{"workSecWorker", held.Seconds()},
		{"renderSecCompleteWorker", m.Render},
		{"modelSwitchSecWorker", m.ModelSwitch},
		{"primingSecWorker", m.Priming},
	} {
		if n := counted(c.name, c.value); n > 0 {
			counters = append(counters, store.Counter{Name: c.name, Value: n})
		}
	}
	return tx.Count(now.UTC().Format(time.DateOnly), w.Wallet, w.Network, w.NFTTokenID, counters...)
}

// within limits reported times to what is possible.
func (m Metrics) within(most time.Duration) Metrics {
	for _, part := range []*float64{&m.Render, &m.ModelSwitch, &m.Priming} {
		*part = max(0, min(*part, most.Seconds()))
	}
	return m
}

// counted is the stored value of a counter: a whole number, or seconds as
// milliseconds.
func counted(name string, value float64) int64 {
	if name == "jobCompleteWorker" || name == "jobErrorWorker" {
		return int64(value)
	}
	return int64(value * 1000)
}

// countError adds a render that failed.
func (e *Engine) countError(tx *store.Tx, j store.StoredJob) error {
	worker, ok := e.presence.peek(j.WorkerID)
	if !ok || worker.Network == atelier.NetworkNode {
		return nil // this node does not know the worker
	}
	return tx.Count(e.opts.Now().UTC().Format(time.DateOnly), worker.Wallet, worker.Network, worker.NFTTokenID, store.Counter{Name: "jobErrorWorker", Value: 1})
}

// peek returns a worker that this node knows, connected or not.
func (p *presence) peek(id atelier.WorkerID) (atelier.Worker, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.seen[id]; s != nil {
		return s.worker, true
	}
	return atelier.Worker{}, false
}
