package fleet

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// Submission is a job to be done.
type Submission struct {
	ProjectID atelier.ProjectID // minted when empty
	Wallet    atelier.Wallet
	Owner     atelier.JobOwner
	Network   atelier.Network
	Spec      atelier.JobSpec
	Terms     atelier.PaymentTerms
	Cost      atelier.Cost
	NotBefore time.Time // no worker gets it before; zero for at once

	// Takers are the accounts whose workers alone get it, but for fallback workers. Any do if
	// there are none.
	Takers []atelier.Wallet

	// NoFallback keeps it from fallback workers for ever: they have made it before.
	NoFallback bool
}

// Submit holds the money for a job and queues it, in the caller's transaction. When it
// cannot be paid, the error is billing's and nothing is queued. The job says whether a
// connected worker offers its model.
func (e *Engine) Submit(tx *store.Tx, s Submission) (atelier.Job, error) {
	j := store.StoredJob{
		Job: atelier.Job{
			ID: atelier.JobID(mint.OrderedUUID()), ProjectID: s.ProjectID, Wallet: s.Wallet, Owner: s.Owner, Spec: s.Spec,
			Network: s.Network, State: atelier.JobQueued, Attempt: 1, CreatedAt: e.opts.Now(),
		},
		Terms: s.Terms, Cost: s.Cost, NotBefore: s.NotBefore, Takers: s.Takers, NoFallback: s.NoFallback,
	}
	if j.ProjectID == "" {
		j.ProjectID = atelier.ProjectID(mint.OrderedUUID()) // ordered, so that index entries of one time are adjacent
	}
	var err error
	if j.Charge, err = e.billing.Hold(tx, j.Wallet, billing.Cause(j.ID, j.Attempt), j.Terms, j.Cost); err != nil {
		return atelier.Job{}, err
	}
	j.Network, j.ChargedByPlan, j.Held = networkOf(j), j.Charge.ByPlan, j.Charge.Cost.Spark
	if j.UnservedSince, err = tx.InsertJob(j); err != nil {
		return atelier.Job{}, err
	}
	if err := e.noteReserve(tx, &j.Job); err != nil {
		return atelier.Job{}, err
	}
	tx.OnCommit(func() {
		e.cache.put(j)
		e.nudgeQueued(j.Job)
	})
	return j.Job, nil
}

// networkOf is the network of a job that is queued: beyond the fair use of its plan, the relaxed
// one.
func networkOf(j store.StoredJob) atelier.Network {
	if j.Charge.Slow && j.Network == atelier.NetworkFast {
		return atelier.NetworkRelaxed
	}
	return j.Network
}

// nudgeQueued nudges the dispatchers of a network after a job was queued. The check of
// offers reads the whole queue, and runs every lookAgain: it is nudged only when the
// job may have to fail before that.
func (e *Engine) nudgeQueued(j atelier.Job) {
	e.bus.Publish(queueTopic(j.Network))
	if !j.UnservedSince.IsZero() && e.opts.NoWorkerTimeout > 0 && e.opts.NoWorkerTimeout < lookAgain {
		e.bus.Publish(offersTopic)
	}
}

// Cancel ends a job, in the caller's transaction: at once while it is queued, through
// its worker while it is leased. It reports whether a worker has yet to stop. A job
// that is over stays as it is.
func (e *Engine) Cancel(tx *store.Tx, jobID atelier.JobID) (inFlight bool, err error) {
	j, err := tx.LockJob(jobID)
	if err != nil {
		return false, err
	}
	return e.cancel(tx, j, atelier.JobError{})
}

// cancel is Cancel for a job that is locked, with a reason for its owner.
func (e *Engine) cancel(tx *store.Tx, j store.StoredJob, why atelier.JobError) (inFlight bool, err error) {
	switch {
	case j.State == atelier.JobQueued && j.Unresolved > 0: // a vendor may render it: the next worker that gets it stops it there
		tx.OnCommit(func() { e.bus.Publish(queueTopic(j.Network)) })
		return true, tx.ExpediteCancel(j.ID)
	case j.State == atelier.JobQueued:
		if err := tx.CancelQueued(j.ID, why, e.opts.Now()); err != nil {
			return false, err
		}
		j.State, j.Cancel, j.EndedAt, j.Error = atelier.JobCancelled, true, e.opts.Now(), why
		if err := e.billing.Release(tx, j.Wallet, billing.Cause(j.ID, j.Attempt)); err != nil {
			return false, err
		}
		return false, e.reportEnded(tx, j, nil)
	case j.State == atelier.JobLeased:
		return true, tx.AskToCancel(j.ID, e.opts.Now())
	}
	return false, nil
}

// reportEnded reports to the owner of a job that it is over.
func (e *Engine) reportEnded(tx *store.Tx, j store.StoredJob, artifacts []atelier.Artifact) error {
	tx.OnCommit(func() {
		e.ends.Inc(string(j.State))
		e.tally.noteEnd(j.Job)
		e.bus.Publish(endsTopic)
	})
	if h := e.hooks[j.Owner.Kind]; h.Ended != nil {
		return h.Ended(tx, j.Job, artifacts)
	}
	return nil
}
