package fleet

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// Connect opens a session for a worker.
func (e *Engine) Connect(ctx context.Context, w atelier.Wallet, n apitype.WorkerSpec) (atelier.Worker, error) {
	now := e.opts.Now()
	worker := atelier.Worker{
		ID: atelier.WorkerID(mint.OrderedUUID()), Wallet: w, Name: n.Name, Network: n.Network, Models: unique(n.Models), Loaded: []string{},
		Capacity: n.Capacity, Fallback: n.Fallback, NFTTokenID: n.NFTTokenID, Version: n.Version, GPU: n.GPU, CreatedAt: now, SeenAt: now,
		ClaimedAt: now,
	}
	worker.Models = e.permitted(worker, worker.Models)
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		if err := e.mayConnect(tx, w, now); err != nil {
			return err
		}
		if err := e.claimNFT(tx, w, n.NFTTokenID, now); err != nil {
			return err
		}
		tx.OnCommit(func() { e.offersChanged(worker.Network) })
		if err := e.adoptStanding(tx, &worker); err != nil {
			return err
		}
		if err := tx.InsertWorker(worker); err != nil {
			return err
		}
		if err := e.noteOffered(tx, worker); err != nil {
			return err
		}
		return e.recordConnect(tx, worker)
	})
	if err != nil {
		return atelier.Worker{}, err
	}
	e.presence.see(worker, e.presence.begin())
	return worker, nil
}

// mayConnect refuses an account that has as many workers as it may have.
func (e *Engine) mayConnect(tx *store.Tx, w atelier.Wallet, now time.Time) error {
	if e.opts.Sessions == nil || e.opts.Sessions(w) == 0 {
		return nil
	}
	if err := tx.LockAccount(w); err != nil { // concurrent calls count too
		return err
	}
	n, err := tx.CountWorkers(w, e.ConnectedSince(now))
	if err == nil && n >= e.opts.Sessions(w) {
		err = admission.TooManyOf(e.opts.Lease, "This account has %d workers connected, which is the limit. Disconnect one first.", n)
	}
	return err
}

// unique removes repeated items from a list.
func unique(list []string) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, item := range list {
		if !seen[item] {
			seen[item] = true
			out = append(out, item)
		}
	}
	return out
}

// Lease is how long a worker holds a job without reporting progress.
func (e *Engine) Lease() time.Duration { return e.opts.Lease }

// HeartbeatInterval is how often a worker should call.
func (e *Engine) HeartbeatInterval() time.Duration { return e.opts.Lease / 3 }

// silence is how long a worker may not call before it is removed.
func (e *Engine) silence() time.Duration { return e.opts.Lease + e.HeartbeatInterval() }

// ConnectedSince is when a worker that is connected at a time was seen, or later.
func (e *Engine) ConnectedSince(now time.Time) time.Time { return now.Add(-e.silence()) }

// worker finds a wallet's worker and records that it was seen.
func (e *Engine) worker(ctx context.Context, w atelier.Wallet, id atelier.WorkerID) (atelier.Worker, error) {
	if worker, ok := e.presence.recentlySeen(w, id); ok {
		return worker, nil
	}
	var worker atelier.Worker
	began := e.presence.begin()
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		worker, err = tx.Worker(w, id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		missing := atelier.Missing("workerId", string(id), "worker session")
		missing.Message += " It was closed, or did not report for too long. Connect again."
		return worker, missing
	}
	if err == nil {
		worker = e.presence.see(worker, began)
	}
	return worker, err
}

// Heartbeat records that a worker was seen, and what it reports about itself. Jobs that
// it holds go on, whatever that is.
func (e *Engine) Heartbeat(ctx context.Context, w atelier.Wallet, id atelier.WorkerID, r apitype.Heartbeat) error {
	before, err := e.admit(ctx, w, id)
	if err != nil {
		return err
	}
	e.presence.countIdle(id, 1)
	now := before
	if now.Unavailable = strings.TrimSpace(r.Unavailable); r.Models != nil {
		now.Models = e.permitted(before, unique(r.Models))
		now.Loaded = slices.DeleteFunc(slices.Clone(now.Loaded), func(m string) bool { return !slices.Contains(now.Models, m) })
	}
	if r.Loaded != nil {
		now.Loaded = e.permitted(before, unique(r.Loaded))
	}
	for _, model := range now.Loaded {
		if !slices.Contains(now.Models, model) {
			return atelier.Refuse("loadedModels", "names %q, which this worker does not offer.", model)
		}
	}
	if r.Machine != nil {
		if err := checkMachine(*r.Machine); err != nil {
			return err
		}
		e.presence.noteMachine(id, *r.Machine)
	}
	loads, offers := !slices.Equal(now.Loaded, before.Loaded), !slices.Equal(now.Models, before.Models)
	isOther := now.Unavailable != before.Unavailable
	if !loads && !offers && !isOther {
		return nil
	}
	if !e.presence.mayWrite(id) {
		return admission.TooManyOf(time.Second, "This worker changes what it reports too often: wait before the next call.")
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if loads {
			if err := tx.SetLoaded(id, now.Loaded); err != nil {
				return err
			}
		}
		if offers {
			if err := tx.SetOffers(now, e.opts.Now()); err != nil {
				return err
			}
			if err := e.noteOffered(tx, now); err != nil {
				return err
			}
		}
		if isOther {
			if err := tx.SetUnavailable(id, now.Unavailable, e.opts.Now()); err != nil {
				return err
			}
		}
		if !offers && !isOther {
			return nil
		}
		return tx.NoteAbsences(e.opts.Now())
	})
	if errors.Is(err, store.ErrNotFound) { // another node has removed it
		e.presence.forget(id)
		_, err = e.worker(ctx, w, id)
	}
	if err != nil {
		return err
	}
	e.presence.change(id, func(w *atelier.Worker) {
		if loads {
			w.Loaded = now.Loaded
		}
		if offers {
			w.Models = now.Models
		}
		if isOther {
			w.Unavailable = now.Unavailable
		}
	})
	if offers || isOther {
		e.workerChanged(now.Network)
	}
	return nil
}

// workerChanged nudges every node after a worker has reported other models, or whether it
// is available.
func (e *Engine) workerChanged(n atelier.Network) {
	e.bus.Publish(workersTopic)
	e.offersChanged(n)
}

// Claim waits for a job for a worker, and signs what the worker reads for it. It
// returns nil when none came in time.
func (e *Engine) Claim(ctx context.Context, w atelier.Wallet, id atelier.WorkerID, patience time.Duration) (*apitype.Assignment, error) {
	j, err := e.ClaimJob(ctx, w, id, patience)
	if err != nil || j == nil {
		return nil, err
	}
	return e.Assign(ctx, *j)
}

// ClaimJob waits for a job for a worker of this process, which reads files by
// their keys. It returns nil when none came in time.
func (e *Engine) ClaimJob(ctx context.Context, w atelier.Wallet, id atelier.WorkerID, patience time.Duration) (*atelier.Job, error) {
	worker, err := e.admit(ctx, w, id)
	if err != nil {
		return nil, err
	}
	if e.draining.Load() {
		return nil, atelier.Errorf(atelier.CodeUnavailable, "This node is shutting down: claim from another.")
	}
	if err := e.mayClaim(ctx, worker); err != nil {
		e.presence.countIdle(id, 1)
		return nil, err
	}
	if err := e.noteClaiming(ctx, worker); err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	claims, end := e.presence.stay(id)
	defer end()
	if worker.Draining {
		if claims <= worker.Capacity+spareClaims {
			<-wait.Done()
		}
		e.presence.countIdle(id, 1)
		return nil, nil
	}
	j := e.dispatchers[worker.Network].claim(wait, worker)
	if j == nil {
		e.presence.countIdle(id, 1)
		return nil, nil
	}
	return e.handOver(ctx, *j)
}

// noteClaiming records that a worker that was found not to claim claims again.
func (e *Engine) noteClaiming(ctx context.Context, w atelier.Worker) error {
	if w.NotClaimingSince.IsZero() || w.Unavailable != "" {
		return nil
	}
	return e.db.Write(ctx, func(tx *store.Tx) error {
		changed, err := tx.NoteClaiming(w.ID, e.opts.Now())
		tx.OnCommit(func() {
			e.presence.change(w.ID, func(w *atelier.Worker) { w.NotClaimingSince = time.Time{} })
			if changed {
				e.workerChanged(w.Network)
			}
		})
		return err
	})
}

// Next returns a queued job for a worker that has just completed one. It does not
// wait, and returns nil instead of refusing.
func (e *Engine) Next(ctx context.Context, w atelier.Wallet, id atelier.WorkerID) (*apitype.Assignment, error) {
	worker, err := e.worker(ctx, w, id)
	if err != nil || !worker.TakesJobs() || e.draining.Load() {
		return nil, err
	}
	leased, err := e.dispatchers[worker.Network].leaseNext(context.WithoutCancel(ctx), worker)
	if err != nil || leased == nil {
		return nil, err
	}
	j, err := e.handOver(ctx, *leased)
	if err != nil || j == nil {
		return nil, err
	}
	return e.Assign(ctx, *j)
}

// handOver returns a leased job to its worker, unless the caller has left.
func (e *Engine) handOver(ctx context.Context, j store.StoredJob) (*atelier.Job, error) {
	if ctx.Err() != nil { // the caller left before it got the job
		return nil, e.giveBack(context.WithoutCancel(ctx), j)
	}
	return &j.Job, nil
}

// mayClaim refuses a worker that is full.
func (e *Engine) mayClaim(ctx context.Context, w atelier.Worker) error {
	var held, rendering int
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		held, rendering, err = tx.CountLeasedBy(w.ID)
		return err
	})
	if err == nil && atelier.FreePlaces(w.Capacity, held, rendering) <= 0 {
		err = atelier.Errorf(atelier.CodeWorkerFull, "This worker holds %d jobs, which is its capacity of %d, and those being delivered. Complete or fail one first.", held, w.Capacity)
	}
	return err
}

// giveBack requeues a job whose worker left before it got it, without counting an
// attempt.
func (e *Engine) giveBack(ctx context.Context, j store.StoredJob) error {
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		given := j
		var err error
		if given.UnservedSince, err = tx.RequeueJob(j, e.opts.Now(), time.Time{}); err != nil {
			return err
		}
		tx.OnCommit(func() { e.nudgeQueued(given.Job) })
		return e.reportServed(tx, given)
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// Disconnect closes a session. Its unfinished jobs are dropped.
func (e *Engine) Disconnect(ctx context.Context, w atelier.Wallet, id atelier.WorkerID) error {
	worker, err := e.worker(ctx, w, id)
	if err != nil {
		return err
	}
	e.presence.forget(id)
	return e.remove(ctx, worker, e.opts.Now())
}

// remove drops all jobs of a worker and deletes it. It was connected until it left, or,
// when that is zero, until it was seen last.
func (e *Engine) remove(ctx context.Context, w atelier.Worker, left time.Time) error {
	var held []store.StoredJob
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		held, err = tx.LeasedBy(w.ID)
		return err
	})
	if err != nil {
		return err
	}
	if now := e.opts.Now(); left.IsZero() && slices.ContainsFunc(held, func(j store.StoredJob) bool { return j.Lease.After(now) }) {
		return nil // another node has heard it since, and has yet to record that: a lease ends before a worker counts as silent
	}
	for _, j := range held {
		if err := e.drop(ctx, j, "The worker disconnected and did not come back."); err != nil {
			return err
		}
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		tx.OnCommit(func() { e.offersChanged(w.Network) })
		if !left.IsZero() {
			if err := e.recordSeen(tx, map[atelier.WorkerID]seenAt{w.ID: {worker: w, at: left}}, left); err != nil {
				return err
			}
			if err := e.forgetDropped(tx, w, left); err != nil {
				return err
			}
		}
		if err := tx.DeleteWorker(w.ID); err != nil {
			return err
		}
		return tx.NoteAbsences(e.opts.Now())
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil // another node has removed it
	}
	return err
}

// DrainWorker makes a worker get no more jobs, or get them again. also is written in the
// same transaction, and may be nil.
func (e *Engine) DrainWorker(ctx context.Context, id atelier.WorkerID, draining bool, also func(*store.Tx) error) error {
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		tx.OnCommit(func() { e.offersChanged(atelier.NetworkFast, atelier.NetworkRelaxed) })
		if err := tx.DrainWorker(id, draining); err != nil {
			return err
		}
		if err := tx.NoteAbsences(e.opts.Now()); err != nil || also == nil {
			return err
		}
		return also(tx)
	})
	if errors.Is(err, store.ErrNotFound) {
		return atelier.Missing("id", string(id), "worker")
	}
	return err
}

// offersChanged nudges every node to check which models are served, and to match again:
// fallback workers may now get jobs that no other worker offers.
func (e *Engine) offersChanged(networks ...atelier.Network) {
	e.bus.Publish(offersTopic)
	for _, n := range networks {
		e.bus.Publish(queueTopic(n))
	}
}
