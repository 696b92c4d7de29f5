package fleet

import (
	"context"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// The jobs of a model that a worker which is no fallback has offered are reserved for such
// workers for a while after the last of them is lost: workers restart, and a fallback renders
// worse at the same price. How long that is, is the time that a job waits for a worker at most.

// usualReserve is how long jobs are reserved where they wait for a worker without limit.
const usualReserve = 10 * time.Minute

// reserveTime is how long jobs are reserved.
func (e *Engine) reserveTime() time.Duration {
	if e.opts.NoWorkerTimeout > 0 {
		return e.opts.NoWorkerTimeout
	}
	return usualReserve
}

// isTool reports whether workers offer a tool under a name, rather than a model: all of them
// render it equally well.
func (e *Engine) isTool(name string) bool {
	if e.opts.Catalog == nil {
		return false
	}
	_, is := e.opts.Catalog.Tool(name)
	return is
}

// permitted are those of the models which a worker offers that it may be given jobs of.
func (e *Engine) permitted(w atelier.Worker, models []string) []string {
	if !w.Fallback || !e.opts.NoFallback {
		return models
	}
	return slices.DeleteFunc(slices.Clone(models), func(m string) bool { return !e.isTool(m) })
}

// noteOffered records that a worker offers models, which are reserved from now on when it is lost.
func (e *Engine) noteOffered(tx *store.Tx, w atelier.Worker) error {
	if w.Fallback || w.Network == atelier.NetworkNode {
		return nil
	}
	models := slices.DeleteFunc(slices.Clone(w.Models), e.isTool)
	slices.Sort(models) // so that two nodes do not wait for each other
	if err := tx.NoteOffered(w.Network, models, e.reserveTime()); err != nil {
		return err
	}
	return tx.NoteAbsences(e.opts.Now())
}

// noteAbsences records of which models the last worker that is no fallback was lost, and to which
// one has come back, as far as the changes of those workers have not: those that are silent or do
// not claim change nothing themselves, and two that leave at the same time see each other.
func (e *Engine) noteAbsences(ctx context.Context) error {
	var any bool
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		any, err = tx.AnyAbsenceChanged()
		return err
	})
	if err != nil || !any {
		return err
	}
	return e.db.Write(ctx, func(tx *store.Tx) error { return tx.NoteAbsences(e.opts.Now()) })
}

// noteReserve notes with a queued job that no worker may take when a fallback worker may.
func (e *Engine) noteReserve(tx *store.Tx, j *atelier.Job) (err error) {
	if j.FallbackAt = (time.Time{}); j.UnservedSince.IsZero() || e.opts.NoFallback || e.isTool(j.Spec.ModelID) {
		return nil
	}
	now := e.opts.Now()
	if j.FallbackAt, err = tx.ReservedUntil(j.ID, now); !j.FallbackAt.After(now) {
		j.FallbackAt = time.Time{} // the time was over before the job came
	}
	return err
}

// adoptOffers has the workers that are connected when this node starts go by its configuration:
// their sessions may have begun with another one.
func (e *Engine) adoptOffers(ctx context.Context) error {
	return e.db.Write(ctx, func(tx *store.Tx) error {
		workers, err := tx.Workers(time.Time{})
		for _, w := range workers {
			if err == nil {
				err = e.noteOffered(tx, w)
			}
			before := len(w.Models)
			if w.Models = e.permitted(w, w.Models); err == nil && len(w.Models) < before {
				err = tx.SetOffers(w, e.opts.Now())
			}
		}
		return err
	})
}
