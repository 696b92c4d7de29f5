package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
)

// A render at a vendor's can be done, and billed, although we never hear of it.
// Such a job is in doubt: its money stays held and it is offered again, with its
// receipt, until somebody knows. Neither time nor a cancel refunds it.

// mayKeep reports whether a worker may leave a receipt for a job of a model. A
// receipt keeps money held, and charges for a job that was cancelled: that is
// for the service's own workers, which pay a vendor, and for nobody else. Nor
// does anybody else get a job with a receipt.
func (e *Engine) mayKeep(w atelier.Worker, modelID string) bool {
	return e.opts.Receipts != nil && e.opts.Receipts(w.Wallet, modelID)
}

// doubt gives a job back to the queue of which nobody knows what became.
func (e *Engine) doubt(tx *store.Tx, j store.StoredJob, why string) error {
	j.Doubts++
	j.Message = why
	wait := patience(j.Doubts)
	if err := tx.RequeueUnresolved(j.Job, e.opts.Now().Add(wait)); err != nil {
		return err
	}
	tx.OnCommit(func() { time.AfterFunc(wait, func() { e.bus.Publish(queueTopic(j.Network)) }) })
	if h := e.hooks[j.Owner.Kind]; h.Progressed != nil && !j.Cancel {
		return h.Progressed(tx, j.Job)
	}
	return nil
}

// How long a job in doubt waits until it is asked for again.
const (
	firstPatience = 5 * time.Second
	mostPatience  = time.Hour
)

// patience doubles with every doubt.
func patience(doubts int) time.Duration {
	return min(firstPatience<<min(doubts-1, 10), mostPatience)
}

// giveUp ends a job in doubt of which an operator knows that nothing came of
// it. Its money is free again.
func (e *Engine) giveUp(ctx context.Context, j store.StoredJob) error {
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		j, err := tx.LockJob(j.ID)
		if err != nil {
			return err
		}
		if err := tx.LockAccount(j.Wallet); err != nil { // before its money and whoever waits for the job, as everybody does
			return err
		}
		fault := atelier.JobError{Code: atelier.FailError, Message: "Nothing came of it at the vendor's."}
		now := e.opts.Now()
		if err := tx.FailDoubtful(j.ID, fault, now); err != nil {
			return err
		}
		if err := e.billing.Release(tx, j.Wallet, billing.Cause(j.ID, j.Attempt)); err != nil {
			return err
		}
		j.State, j.Error, j.EndedAt = atelier.JobFailed, fault, now
		return e.ended(tx, j, nil)
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil // somebody asks for it just now
	}
	return err
}
