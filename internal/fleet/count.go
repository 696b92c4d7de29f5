package fleet

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// countDone adds a finished render to its worker's counters of the day.
func (e *Engine) countDone(tx *store.Tx, w atelier.Worker, j store.StoredJob, m Metrics, now time.Time) error {
	for _, c := range []struct {
		name  string
		value float64
	}{
		{"jobCompleteWorker", 1},
		{"workSecWorker", now.Sub(j.StartedAt).Seconds()},
		{"renderSecCompleteWorker", m.Render},
		{"modelSwitchSecWorker", m.ModelSwitch},
		{"primingSecWorker", m.Priming},
	} {
		if err := tx.Count(now.UTC().Format(time.DateOnly), w.Wallet, w.Network, w.NFTTokenID, c.name, counted(c.name, c.value)); err != nil {
			return err
		}
	}
	return nil
}

// counted is how a counter is stored: whole numbers, and seconds in
// milliseconds.
func counted(name string, value float64) int64 {
	if name == "jobCompleteWorker" || name == "jobErrorWorker" {
		return int64(value)
	}
	return int64(value * 1000)
}

// countError adds a render that came to nothing.
func (e *Engine) countError(tx *store.Tx, j store.StoredJob) error {
	worker, ok := e.presence.peek(j.WorkerID)
	if !ok {
		return nil // of a worker that this node never met
	}
	return tx.Count(e.o.Now().UTC().Format(time.DateOnly), worker.Wallet, worker.Network, worker.NFTTokenID, "jobErrorWorker", 1)
}

// peek returns a worker that this node has met, whether or not it lives.
func (p *presence) peek(id string) (atelier.Worker, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.seen[id]; s != nil {
		return s.worker, true
	}
	return atelier.Worker{}, false
}
