package run

import (
	"context"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/store"
)

// KeptEvents is how many events of a run are kept.
const KeptEvents = keptEvents

// AppendEvents adds events to the log of a run that waits.
func (e *Engine) AppendEvents(ctx context.Context, w atelier.Wallet, id atelier.RunID, n int) error {
	return e.db.Write(ctx, func(tx *store.Tx) error {
		row, err := tx.LockRun(w, id)
		if err != nil {
			return err
		}
		r, err := decode(row)
		if err != nil {
			return err
		}
		r.now = e.now()
		for i := range n {
			r.emit(apitype.CallProgress{WorkflowSequence: int64(i)})
		}
		return e.update(tx, r, row.Status)
	})
}

// LoseRuns ends the work on all runs, as when the lease could not be renewed.
func (e *Engine) LoseRuns() {
	e.stopAll(errLost)
	e.ended.Wait()
}

// Look has the node look at once whether there is something to do.
func (e *Engine) Look() { e.bus.Publish(queuedTopic) }

// ShrinkBounds makes the bytes that a node works on at once a fraction of what they are.
func (e *Engine) ShrinkBounds(by int64) {
	b := nodeBounds
	for _, n := range []*int64{&b.All.Bytes, &b.Large.Bytes, &b.Account.Bytes, &b.Small} {
		*n /= by
	}
	e.places = admission.NewPlaces[atelier.RunID](b)
}
