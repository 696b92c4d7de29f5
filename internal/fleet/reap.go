package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
)

// reap ends leases that were not renewed. It sleeps until the next lease ends, or, without
// a lease, until one begins.
func (e *Engine) reap(ctx context.Context) {
	sub := e.bus.Subscribe(leaseTopic)
	defer sub.Close()
	for {
		wait, err := e.expire(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			e.opts.Log.Warn("lease expiry check failed", "error", err)
			wait = e.opts.Lease
		}
		// A lease that begins now ends after the next one, so a nudge matters only
		// when no lease is held.
		var began <-chan struct{}
		if wait == idle {
			began = sub.C()
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-began:
		}
		timer.Stop()
	}
}

// idle is how long the reaper sleeps when nothing is leased: a lost nudge, or an
// operator's command, takes effect within this time.
const idle = time.Minute

// expire drops the jobs whose lease expired, ends those that an operator has given up,
// and returns when to check again.
func (e *Engine) expire(ctx context.Context) (time.Duration, error) {
	var (
		due, lost []store.StoredJob
		next      time.Time
	)
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		if lost, err = tx.UnresolvedJobs(true, "", 100); err != nil {
			return err
		}
		if due, err = tx.DueJobs(e.opts.Now(), 100); err != nil || len(due) > 0 {
			return err
		}
		next, err = tx.NextLease()
		return err
	})
	if err != nil {
		e.outage.failed()
		return 0, err
	}
	grace := e.outage.answered(e.opts.Now(), e.opts.Lease)
	if grace > 0 {
		due = nil
	}
	var errs []error // one job that cannot be dropped must not block the others
	for _, j := range due {
		errs = append(errs, e.drop(ctx, j, "The worker stopped reporting and did not come back."))
	}
	for _, j := range lost {
		errs = append(errs, e.giveUp(ctx, j))
	}
	switch err := errors.Join(errs...); {
	case err != nil:
		return 0, err
	case len(due)+len(lost) > 0:
		return 0, nil // there may be more
	case grace > 0:
		return grace, nil
	case next.IsZero():
		return idle, nil
	}
	return max(next.Sub(e.opts.Now()), time.Millisecond), nil
}

// drop takes a job from a worker that has stopped reporting. The first time it is tried
// again, the second time it fails. A job with a pending cancel is cancelled.
func (e *Engine) drop(ctx context.Context, seen store.StoredJob, why string) error {
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		j, err := tx.LockJob(seen.ID)
		if err != nil {
			return err
		}
		if j.State != atelier.JobLeased || j.Leases != seen.Leases || j.Lease.After(seen.Lease) {
			return nil // the lease was renewed, or is another one
		}
		tx.OnCommit(func() { e.expired.Inc() })
		return e.endLease(tx, j, why)
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// stopLeases is how many leases of time a worker has to stop a cancelled job.
const stopLeases = 3

// leaseEnd is when a lease that is renewed now ends: no later than the deadline of the
// render, nor of stopping a cancelled one. There is no deadline for stopping a render
// at a vendor.
func (e *Engine) leaseEnd(j store.StoredJob, now time.Time) time.Time {
	end := now.Add(e.opts.Lease)
	if last := e.renderDeadline(j); !last.IsZero() && last.Before(end) {
		end = last
	}
	if j.Cancel && j.ExternalRef == "" {
		asked := j.CancelAt
		if asked.Before(j.StartedAt) {
			asked = j.StartedAt
		}
		if last := asked.Add(stopLeases * e.opts.Lease); last.Before(end) {
			end = last
		}
	}
	return end
}

// renderDeadline is when a render has taken too long; zero when there is no limit.
// Node tasks limit their time themselves.
func (e *Engine) renderDeadline(j store.StoredJob) time.Time {
	if e.opts.RenderTimeout == 0 || j.Network == atelier.NetworkNode {
		return time.Time{}
	}
	return j.StartedAt.Add(e.opts.RenderTimeout)
}

// endLease ends a lease that expired or may not be renewed, inside a transaction that
// has locked the job.
func (e *Engine) endLease(tx *store.Tx, j store.StoredJob, why string) error {
	last := e.renderDeadline(j)
	switch {
	case j.ExternalRef != "": // the vendor may still render it
		return e.requeueUnresolved(tx, j, why)
	case !j.Cancel && !last.IsZero() && !j.Lease.Before(last):
		return e.end(tx, j, atelier.JobFailed, atelier.JobError{
			Code: atelier.FailError, Message: fmt.Sprintf("The render took longer than the limit of %v.", e.opts.RenderTimeout), Retryable: true})
	}
	return e.dropIn(tx, j, lapseSilent, why)
}

// dropIn is drop inside a transaction that has locked the job. code says how the worker failed at it.
func (e *Engine) dropIn(tx *store.Tx, j store.StoredJob, code, why string) error {
	if j.Cancel || j.Attempt >= atelier.MaxAttempts {
		state, message := atelier.JobFailed, why+" It was the second attempt."
		if j.Cancel {
			state, message = atelier.JobCancelled, why
		}
		return e.end(tx, j, state, atelier.JobError{Code: atelier.FailDropped, Message: message, Retryable: true})
	}
	if err := tx.LockAccount(j.Wallet); err != nil { // lock order: account, then purse and owner
		return err
	}
	if err := e.billing.Release(tx, j.Wallet, billing.Cause(j.ID, j.Attempt)); err != nil {
		return err
	}
	again := j
	again.Attempt++
	again.ExternalRef, again.Unresolved = "", 0 // a worker that drops a job knows that no vendor renders it
	charge, err := e.billing.Hold(tx, j.Wallet, billing.Cause(j.ID, again.Attempt), j.Terms, j.Cost)
	if refused := (*atelier.Error)(nil); errors.As(err, &refused) { // the account cannot pay for another attempt
		return e.end(tx, j, atelier.JobFailed, atelier.JobError{Code: atelier.FailDropped, Message: why, Retryable: true})
	}
	if err != nil {
		return err
	}
	now := e.opts.Now()
	if err := e.recordFailure(tx, j, now); err != nil {
		return err
	}
	if err := e.noteLapse(tx, j, code, why); err != nil {
		return err
	}
	again.Charge = charge
	if again.Network = networkOf(again); again.Network != j.Network {
		if err := tx.MoveJob(j.Job, again.Network, now); err != nil {
			return err
		}
		j.Network = again.Network
	}
	return e.requeue(tx, again, j, atelier.JobError{Code: atelier.FailDropped, Message: why})
}

// avoidFor is how long other workers are preferred for a job that was dropped. After that
// it may go to any, also when others never claim.
const avoidFor = 5 * time.Minute

// requeue returns a dropped job to the queue for its next attempt, and reports to
// its owner how the attempt ended.
func (e *Engine) requeue(tx *store.Tx, next, j store.StoredJob, fault atelier.JobError) (err error) {
	now := e.opts.Now()
	if j.UnservedSince, err = tx.RequeueJob(next, now, now.Add(avoidFor)); err != nil {
		return err
	}
	tx.OnCommit(func() { e.nudgeQueued(j.Job) })
	if h := e.hooks[j.Owner.Kind]; h.Dropped != nil {
		j.Error = fault
		if err := e.noteReserve(tx, &j.Job); err != nil {
			return err
		}
		return h.Dropped(tx, j.Job)
	}
	return nil
}

// freeReturns is how many leases of a job may end because the renderer of a worker is
// away without counting as an attempt. With it no job goes round without end. A job that
// was being rendered has none: it may be what ended the renderer.
const freeReturns = 3

// maxUnavailable is how many characters of a failure say why a worker is unavailable, as in a
// heartbeat.
const maxUnavailable = 300

// takeBack requeues a job whose worker cannot render for now. The worker gets no job until
// it reports that it is available.
func (e *Engine) takeBack(tx *store.Tx, w atelier.Worker, j store.StoredJob, message string) error {
	why := because("The renderer of the worker is not available", message)
	if w.Unavailable == "" { // a heartbeat may have said more
		reason := cmp.Or(shorten(strings.TrimSpace(message), maxUnavailable), "The renderer is not available.")
		if err := tx.SetUnavailable(w.ID, reason, e.opts.Now()); err != nil && !errors.Is(err, store.ErrNotFound) { // it may be gone
			return err
		}
		if err := tx.NoteAbsences(e.opts.Now()); err != nil {
			return err
		}
		tx.OnCommit(func() {
			e.presence.change(w.ID, func(w *atelier.Worker) { w.Unavailable = reason })
			e.workerChanged(w.Network)
		})
	}
	switch {
	case j.ExternalRef != "": // the vendor may still render it
		return e.requeueUnresolved(tx, j, why)
	case j.Leases > freeReturns || j.Progress > 0:
		return e.dropIn(tx, j, atelier.FailUnavailable, why)
	}
	return e.requeue(tx, j, j, atelier.JobError{Code: atelier.FailUnavailable, Message: why})
}

// because is a sentence, with the reason of a worker if it gave one.
func because(what, reason string) string {
	if reason = strings.TrimRight(strings.TrimSpace(reason), "."); reason == "" {
		return what + "."
	}
	return what + ": " + reason + "."
}

// end ends a leased job without a result and frees its money.
func (e *Engine) end(tx *store.Tx, j store.StoredJob, state atelier.JobState, fault atelier.JobError) error {
	if err := tx.LockAccount(j.Wallet); err != nil {
		return err
	}
	now := e.opts.Now()
	if err := tx.EndJob(j.ID, j.WorkerID, state, fault, now); err != nil {
		return err
	}
	if err := e.billing.Release(tx, j.Wallet, billing.Cause(j.ID, j.Attempt)); err != nil {
		return err
	}
	e.countTime(tx, j, now)
	if state == atelier.JobFailed {
		if err := e.recordFailure(tx, j, now); err != nil {
			return err
		}
	}
	j.State, j.Error, j.EndedAt = state, fault, now
	return e.reportEnded(tx, j, nil)
}

// Expire drops the jobs whose lease expired.
func (e *Engine) Expire(ctx context.Context) error {
	for {
		wait, err := e.expire(ctx)
		if err != nil || wait > 0 {
			return err
		}
	}
}
