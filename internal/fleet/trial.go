package fleet

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/fleet/schedule"
	"github.com/atelier-project/atelier/internal/store"
)

func isLow(w *waiter) bool { return !w.worker.LowSince.IsZero() && !w.worker.Fallback }

// limitLow has the workers whose standing is low leave the models that workers in good standing
// serve to those, also while they are busy: it would take the next job each time that it failed at one.
// When a trial is due, it may get one job of them. What goes to a vendor stays with the worker.
func (d *dispatcher) limitLow(tx *store.Tx, group []*waiter, now time.Time) error {
	known := map[atelier.WorkerID]*waiter{} // a worker may have many claims
	for _, w := range group {
		if !isLow(w) {
			continue
		}
		if same := known[w.worker.ID]; same != nil {
			w.models, w.better = same.models, same.better
			continue
		}
		known[w.worker.ID] = w
		models := slices.DeleteFunc(slices.Clone(w.models), func(m string) bool { return d.engine.mayKeepRef(w.worker, m) })
		better, err := tx.BetterServed(d.network, models)
		if err != nil {
			return err
		}
		if len(better) == 0 {
			continue
		}
		s, err := tx.Standing(store.NameOf(w.worker))
		switch {
		case errors.Is(err, store.ErrNotFound): // it is well again
		case err != nil:
			return err
		case s.TrialAt.After(now):
			w.models = slices.DeleteFunc(slices.Clone(w.models), func(m string) bool { return slices.Contains(better, m) })
		default:
			w.better = better
		}
	}
	return nil
}

// lockTrials reads which workers may get a trial now, and locks that: their sessions may claim on
// several nodes. Those that claim together share a trial.
func (m *matching) lockTrials() error {
	names := map[*schedule.Worker]store.WorkerName{}
	for i, w := range m.workers {
		if len(w.Better) > 0 {
			names[w] = store.NameOf(m.group[i].worker)
		}
	}
	byName := func(a, b *schedule.Worker) int { return names[a].Compare(names[b]) }
	for _, w := range slices.SortedFunc(maps.Keys(names), byName) {
		w.Name = string(names[w].Wallet) + "/" + names[w].Name
		s, err := m.tx.LockStanding(names[w])
		switch {
		case errors.Is(err, store.ErrNotFound): // it is well again
			w.Better = nil
		case err != nil:
			return err
		case !s.TrialAt.After(m.wanted.Now):
			w.Trials = 1
		}
	}
	return nil
}

// beginTrial records that a claim got a trial, if a job of the model is one.
func (m *matching) beginTrial(claim int, model string) error {
	if !slices.Contains(m.workers[claim].Better, model) {
		return nil
	}
	return m.tx.BeginTrial(store.NameOf(m.group[claim].worker), m.wanted.Now)
}
