package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
)

// A vendor may render a job, and bill for it, although the worker that sent it
// there never reports back. Such a job is unresolved: its money stays held, and
// workers get it again, with its ExternalRef, until one reports an outcome. Neither
// time nor a cancel refunds it.

// mayKeepRef reports whether a worker may record an ExternalRef for jobs of a
// model, and get jobs that have one. An ExternalRef keeps money held, and a
// cancelled job that has one may be charged: only the service's own workers, which
// pay a vendor, may do so.
func (e *Engine) mayKeepRef(w atelier.Worker, modelID string) bool {
	return e.opts.KeepsRefs != nil && e.opts.KeepsRefs(w.Wallet, modelID)
}

// requeueUnresolved puts a job whose outcome is unknown back into the queue.
func (e *Engine) requeueUnresolved(tx *store.Tx, j store.StoredJob, why string) error {
	j.Unresolved++
	j.Message = why
	wait := pauseFor(j.Unresolved)
	if err := tx.RequeueUnresolved(j.Job, e.opts.Now().Add(wait)); err != nil {
		return err
	}
	tx.OnCommit(func() { time.AfterFunc(wait, func() { e.bus.Publish(queueTopic(j.Network)) }) })
	if h := e.hooks[j.Owner.Kind]; h.Progressed != nil && !j.Cancel {
		return h.Progressed(tx, j.Job)
	}
	return nil
}

// How long an unresolved job waits before a worker gets it again.
const (
	firstPause = 5 * time.Second
	maxPause   = time.Hour
)

// pauseFor doubles with each time that the outcome was unknown.
func pauseFor(times int) time.Duration {
	return min(firstPause<<min(times-1, 10), maxPause)
}

// Resolve records that the vendor did not render an unresolved job, and has the reaper of
// a node end it. also is written in the same transaction.
func (e *Engine) Resolve(ctx context.Context, id atelier.JobID, also func(tx *store.Tx, j atelier.Job) error) (j atelier.Job, err error) {
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		tx.OnCommit(func() { e.bus.Publish(leaseTopic) })
		if err := tx.ResolveJob(id); err != nil {
			return err
		}
		row, err := tx.Job(id)
		if err != nil {
			return err
		}
		j = row.Job
		return also(tx, j)
	})
	if errors.Is(err, store.ErrNotFound) {
		err = atelier.Missing("jobId", string(id), "unresolved job")
	}
	return j, err
}

// giveUp ends an unresolved job that an operator has given up, because the vendor
// did not render it, and releases its money.
func (e *Engine) giveUp(ctx context.Context, j store.StoredJob) error {
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		j, err := tx.LockJob(j.ID)
		if err != nil {
			return err
		}
		if err := tx.LockAccount(j.Wallet); err != nil { // lock order: account, then purse and owner
			return err
		}
		fault := atelier.JobError{Code: atelier.FailError, Message: "The vendor did not render it."}
		now := e.opts.Now()
		if err := tx.FailUnresolved(j.ID, fault, now); err != nil {
			return err
		}
		if err := e.billing.Release(tx, j.Wallet, billing.Cause(j.ID, j.Attempt)); err != nil {
			return err
		}
		j.State, j.Error, j.EndedAt = atelier.JobFailed, fault, now
		return e.reportEnded(tx, j, nil)
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil // a worker has just claimed it
	}
	return err
}
