package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/store"
)

// A job records when it is queued whether a connected worker offers its model. Later,
// workers connect and leave on any node: watchOffers updates the queued jobs, and ends
// those that have waited too long.

// NoWorkerDeadline is when a queued job fails whose model no connected worker has offered
// since a time; zero when jobs wait without limit.
func (e *Engine) NoWorkerDeadline(since time.Time) time.Time {
	if e.opts.NoWorkerTimeout <= 0 {
		return time.Time{}
	}
	return since.Add(e.opts.NoWorkerTimeout).UTC()
}

// watchOffers checks the offers whenever a worker has connected or left, when a job has
// waited too long, and periodically: a nudge can be lost, and a job can be queued at
// the moment at which the last worker leaves.
func (e *Engine) watchOffers(ctx context.Context) {
	sub := e.bus.Subscribe(offersTopic)
	defer sub.Close()
	for {
		wait, err := e.CheckOffers(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			e.opts.Log.Warn("check for unserved jobs failed", "error", err)
			wait = e.HeartbeatInterval()
		}
		if !clock.Sleep(ctx, soonest) { // however often workers change what they offer
			return
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

// offersBatch is how many jobs of a kind are read at once.
const offersBatch = 100

// CheckOffers updates the queued jobs whose model is served, or not served, since their
// last update, fails those that have waited too long, and returns when to check again.
func (e *Engine) CheckOffers(ctx context.Context) (time.Duration, error) {
	if err := e.noteAbsences(ctx); err != nil {
		return 0, err
	}
	postponed := map[store.ModelIn]time.Duration{}
	for more := true; more; {
		more = false
		changed, expired, err := e.staleOffers(ctx, postponed)
		if err != nil {
			return 0, err
		}
		var errs []error // one job that cannot be changed must not block the others
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
	wait, err := e.nextOffers(ctx)
	for _, d := range postponed {
		if d > 0 {
			wait = min(wait, max(d, soonest))
		}
	}
	return wait, err
}

// staleOffers lists the jobs that record their model as served, or not served, when it
// is not so, and those that have waited too long. postponed has, for models that are not
// served, how long their jobs do not record that yet; it is decided once in a check.
func (e *Engine) staleOffers(ctx context.Context, postponed map[store.ModelIn]time.Duration) (changed, expired []atelier.JobID, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		changed, expired = nil, nil
		now := e.opts.Now()
		models, err := tx.UnservedModels(now)
		if err != nil {
			return err
		}
		for _, m := range models {
			if _, decided := postponed[m]; !decided {
				postponed[m] = e.losses.note(m, e.opts.Now())
			}
			if postponed[m] > 0 {
				continue
			}
			ids, err := tx.QueuedOf(m, now, offersBatch)
			if err != nil {
				return err
			}
			changed = append(changed, ids...)
		}
		ids, err := tx.ServedAgain(now, offersBatch)
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

// Workers that come and go again and again must not have all queued jobs of a model
// rewritten each time. The jobs record lossesAtOnce times in quick succession that their
// model is not served any more, and then lossesPerSecond times in a second.
const (
	lossesAtOnce    = 4
	lossesPerSecond = 0.1
)

// losses counts how often models were not served any more.
type losses struct {
	mu     sync.Mutex
	recent map[store.ModelIn]*admission.Bucket
}

// note counts that a model is not served any more, unless that happened too often recently: then
// it returns how long to wait before it counts.
func (l *losses) note(m store.ModelIn, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.recent[m]
	if b == nil {
		b = &admission.Bucket{}
		if l.recent == nil {
			l.recent = map[store.ModelIn]*admission.Bucket{}
		}
		l.recent[m] = b
	}
	return b.Take(now, lossesPerSecond, lossesAtOnce, 1)
}

// comingBack is how much longer workers have to connect again after this node or the
// database was down. No job fails for lack of a worker before. It is a lease, as for
// their reports, or as long as a job may wait when that is shorter.
func (e *Engine) comingBack() time.Duration {
	shorter := max(0, e.opts.Lease-e.opts.NoWorkerTimeout)
	return max(0, e.outage.answered(e.opts.Now(), e.opts.Lease)-shorter)
}

// soonest is the shortest time between two checks.
const soonest = 100 * time.Millisecond

// nextOffers is when to check again: when the next job has waited too long, or fallback workers
// may take the next one, or after lookAgain.
func (e *Engine) nextOffers(ctx context.Context) (wait time.Duration, err error) {
	wait = lookAgain
	now := e.opts.Now()
	var first, release time.Time
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		if release, err = tx.FirstRelease(now); err != nil || e.opts.NoWorkerTimeout == 0 {
			return err
		}
		first, err = tx.FirstUnserved()
		return err
	})
	if err == nil && !first.IsZero() {
		wait = min(wait, max(first.Add(e.opts.NoWorkerTimeout).Sub(now), e.comingBack(), soonest))
	}
	if err == nil && !release.IsZero() {
		wait = min(wait, max(release.Sub(now), soonest))
	}
	return wait, err
}

// markServed updates whether a queued job records its model as served, and reports it
// to the owner. It returns false when nothing has changed, or the job is not queued.
func (e *Engine) markServed(ctx context.Context, id atelier.JobID) (bool, error) {
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		j, err := tx.MarkServed(id, e.opts.Now())
		if err != nil {
			return err
		}
		if j.UnservedSince.IsZero() { // a fallback worker may take what was reserved
			tx.OnCommit(func() { e.bus.Publish(queueTopic(j.Network)) })
		}
		return e.reportServed(tx, j)
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// reportServed reports to the owner of a queued job whether a connected worker may take it.
func (e *Engine) reportServed(tx *store.Tx, j store.StoredJob) error {
	if err := e.noteReserve(tx, &j.Job); err != nil {
		return err
	}
	if h := e.hooks[j.Owner.Kind]; h.Served != nil {
		return h.Served(tx, j.Job)
	}
	return nil
}

// failUnserved ends a job whose model no connected worker has offered for too long, and
// releases its money. It returns false when one offers it now, or the job is not
// queued.
func (e *Engine) failUnserved(ctx context.Context, id atelier.JobID) (bool, error) {
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		j, err := tx.LockJob(id)
		if err != nil {
			return err
		}
		if err := tx.LockAccount(j.Wallet); err != nil { // lock order: account, then purse and owner
			return err
		}
		now := e.opts.Now()
		fault := atelier.JobError{Code: atelier.FailNoWorker, Retryable: true, Message: fmt.Sprintf(
			"No worker that offers %s on the %s network was available for %s.", j.Spec.ModelID, j.Network, atelier.Minutes(e.opts.NoWorkerTimeout))}
		if err := tx.FailUnserved(id, now.Add(-e.opts.NoWorkerTimeout), fault, now); err != nil {
			return err
		}
		if err := e.billing.Release(tx, j.Wallet, billing.Cause(j.ID, j.Attempt)); err != nil {
			return err
		}
		j.State, j.Error, j.EndedAt, j.UnservedSince = atelier.JobFailed, fault, now, time.Time{}
		return e.reportEnded(tx, j, nil)
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
