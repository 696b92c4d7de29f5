package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
)

// A job says when it is queued whether a connected worker offers its model.
// Afterwards workers come and go, on any node: watchOffers brings what queued
// jobs say up to date, and ends those that have waited too long.

// watchOffers looks whenever a worker has come or gone, when a job has waited
// too long, and now and then, because a nudge can be lost and a job be queued at
// the very moment at which the last worker leaves.
func (e *Engine) watchOffers(ctx context.Context) {
	sub := e.bus.Subscribe(offersTopic)
	defer sub.Close()
	for {
		if err := e.noteOffers(ctx); err != nil && ctx.Err() == nil {
			e.opts.Log.Warn("cannot note what connected workers offer", "error", err)
		}
		wait, err := e.checkOffers(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			e.opts.Log.Warn("cannot check which queued jobs have a worker", "error", err)
			wait = e.HeartbeatInterval()
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-sub.C():
		}
		timer.Stop()
	}
}

// noteOffers notes what the workers offer that connected to an earlier version,
// which did not note it: before an upgrade, or while one goes on.
func (e *Engine) noteOffers(ctx context.Context) error {
	var workers []atelier.Worker
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		workers, err = tx.WorkersWithoutOffers()
		return err
	})
	for _, w := range workers {
		err = errors.Join(err, e.db.Write(ctx, func(tx *store.Tx) error { return tx.InsertOffers(w) }))
	}
	return err
}

// offersBatch is how many jobs of a kind are looked at in one go.
const offersBatch = 100

// CheckOffers brings what queued jobs say about their workers up to date, and
// fails those that have waited too long, now.
func (e *Engine) CheckOffers(ctx context.Context) error {
	_, err := e.checkOffers(ctx)
	return err
}

// checkOffers is CheckOffers, and says when to look again.
func (e *Engine) checkOffers(ctx context.Context) (time.Duration, error) {
	for more := true; more; {
		more = false
		changed, expired, err := e.staleOffers(ctx)
		if err != nil {
			return 0, err
		}
		var errs []error // a job that cannot be changed keeps no other from it
		note := func(done bool, err error) {
			more = more || done
			errs = append(errs, err)
		}
		for _, id := range changed {
			note(e.markServed(ctx, id))
		}
		for _, id := range expired {
			note(e.failUnserved(ctx, id))
		}
		if err := errors.Join(errs...); err != nil {
			return 0, err
		}
	}
	return e.nextOffers(ctx)
}

// staleOffers lists the jobs that say something of their model that is not so,
// and those that have waited too long.
func (e *Engine) staleOffers(ctx context.Context) (changed, expired []atelier.JobID, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		changed, expired = nil, nil
		models, err := tx.UnservedModels()
		if err != nil {
			return err
		}
		for _, m := range models {
			ids, err := tx.QueuedOf(m, offersBatch)
			if err != nil {
				return err
			}
			changed = append(changed, ids...)
		}
		ids, err := tx.ServedAgain(offersBatch)
		if err != nil {
			return err
		}
		changed = append(changed, ids...)
		if e.opts.NoWorkerTimeout > 0 && e.comingBack() == 0 {
			expired, err = tx.UnservedBefore(e.opts.Now().Add(-e.opts.NoWorkerTimeout), offersBatch)
		}
		return err
	})
	if err != nil {
		e.outage.failed()
	}
	return changed, expired, err
}

// comingBack is how much longer workers have to connect again after this node or
// the database was away, during which no job fails for want of one: a lease, as
// for their reports, or as long as a job may wait when that is shorter.
func (e *Engine) comingBack() time.Duration {
	shorter := max(0, e.opts.Lease-e.opts.NoWorkerTimeout)
	return max(0, e.outage.answered(e.opts.Now(), e.opts.Lease)-shorter)
}

// soonest is how soon jobs are looked at again that should have ended by now.
const soonest = 100 * time.Millisecond

// nextOffers is how long the next job may still wait, or until the next look.
func (e *Engine) nextOffers(ctx context.Context) (wait time.Duration, err error) {
	wait = lookAgain
	if e.opts.NoWorkerTimeout == 0 {
		return wait, nil
	}
	var first time.Time
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		first, err = tx.FirstUnserved()
		return err
	})
	if err == nil && !first.IsZero() {
		wait = min(wait, max(first.Add(e.opts.NoWorkerTimeout).Sub(e.opts.Now()), e.comingBack(), soonest))
	}
	return wait, err
}

// markServed brings what a queued job says of its model up to date, and tells
// its owner. It reports false when that is so already, or it is not queued.
func (e *Engine) markServed(ctx context.Context, id atelier.JobID) (bool, error) {
	err := e.db.WriteRelaxed(ctx, func(tx *store.Tx) error { // what is lost is found again
		j, err := tx.MarkServed(id, e.opts.Now())
		if err != nil {
			return err
		}
		return e.tellServed(tx, j)
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// tellServed tells the owner of a queued job whether somebody offers its model.
func (e *Engine) tellServed(tx *store.Tx, j store.StoredJob) error {
	if h := e.hooks[j.Owner.Kind]; h.Served != nil {
		return h.Served(tx, j.Job)
	}
	return nil
}

// failUnserved ends a job that no connected worker has offered to do for too
// long. Its money is free again. It reports false when one does now, or the job
// is not queued.
func (e *Engine) failUnserved(ctx context.Context, id atelier.JobID) (bool, error) {
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		j, err := tx.LockJob(id)
		if err != nil {
			return err
		}
		if err := tx.LockAccount(j.Wallet); err != nil { // before its money and its owner, as everywhere
			return err
		}
		now := e.opts.Now()
		fault := atelier.JobError{Code: atelier.FailNoWorker, Retryable: true, Message: fmt.Sprintf(
			"No worker that offers %s on the %s network has connected within %v.", j.Spec.ModelID, j.Network, e.opts.NoWorkerTimeout)}
		if err := tx.FailUnserved(id, now.Add(-e.opts.NoWorkerTimeout), fault, now); err != nil {
			return err
		}
		if err := e.billing.Release(tx, j.Wallet, billing.Cause(j.ID, j.Attempt)); err != nil {
			return err
		}
		j.State, j.Error, j.EndedAt, j.UnservedSince = atelier.JobFailed, fault, now, time.Time{}
		return e.ended(tx, j, nil)
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
