package run

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/store"
)

// Serve works on runs until ctx ends, and then hands over those under way: another
// node, or the next process, continues them.
func (e *Engine) Serve(ctx context.Context) {
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	sub := e.bus.Subscribe(queuedTopic, cancelledTopic)
	defer sub.Close()
	kept := time.Time{}
	for {
		if now := e.opts.Now(); now.Sub(kept) >= e.opts.Lease/3 || now.Before(kept) {
			if err := e.keepLease(ctx); err == nil {
				kept = now
				e.beginServing(work) // not before it has a lease: another node would take its runs
			} else if ctx.Err() == nil {
				e.opts.Log.Warn("renew lease of chat runs failed", "error", err)
				if now.Sub(kept) > e.opts.Lease {
					e.stopAll(errLost) // another node may have them
				}
			}
		}
		if err := errors.Join(e.stopEnded(ctx), e.takeIdle(ctx)); err != nil && ctx.Err() == nil {
			e.opts.Log.Warn("look for chat runs failed", "error", err)
		}
		if !clock.Wait(ctx, sub.C(), e.opts.Lease/3) {
			break
		}
	}
	e.endServing()
	stop(errDraining)
	e.ended.Wait()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := e.db.Write(last, func(tx *store.Tx) error { return tx.ForgetNode(e.node) }); err != nil {
		e.opts.Log.Warn("end lease of chat runs failed", "error", err)
	}
	e.bus.Publish(queuedTopic)
}

func (e *Engine) beginServing(work context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.serving = work
}

func (e *Engine) endServing() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.serving = nil
}

// The reasons for which the work on a run ends before the run does.
var (
	errDraining  = errors.New("run: the node is shutting down")
	errLost      = errors.New("run: another node has the run, or it is over")
	errCancelled = errors.New("run: the run was cancelled")
)

// keepLease renews the lease of this node. It gives back the runs that the node has and
// does not work on: an outage of the database has interrupted the work, or has hidden
// that the run was stored.
func (e *Engine) keepLease(ctx context.Context) error {
	now := e.opts.Now()
	return e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.GiveBackRuns(e.node, e.places.IDs()); err != nil {
			return err
		}
		return tx.KeepNode(e.node, now.Add(e.opts.Lease), now.Add(-time.Hour))
	})
}

// stopAll ends the work on all runs of this node.
func (e *Engine) stopAll(why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, x := range e.running {
		x.stop(why)
	}
}

// stopEnded ends the work on runs that another node has ended.
func (e *Engine) stopEnded(ctx context.Context) error {
	e.mu.Lock()
	running := maps.Clone(e.running)
	e.mu.Unlock()
	var ended []atelier.RunID
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		ended, err = tx.EndedRuns(slices.Collect(maps.Keys(running)))
		return err
	})
	for _, id := range ended {
		running[id].stop(errCancelled) // not the work that a decision has begun since
	}
	return err
}

// signal ends the work on a run that was cancelled. It reports whether this node was
// working on it.
func (e *Engine) signal(id atelier.RunID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	x := e.running[id]
	if x != nil {
		x.stop(errCancelled)
	}
	return x != nil
}

// takenAtOnce is how many runs are looked for at once.
const takenAtOnce = 16

// takeIdle takes the runs that wait for a node, as many as this one has space for. A
// run that cannot be taken does not keep the others from it.
func (e *Engine) takeIdle(ctx context.Context) error {
	for {
		full, most := e.places.Full()
		if most == 0 || !e.isServing() {
			return nil
		}
		var idle []store.IdleRun
		err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
			idle, err = tx.IdleRuns(e.opts.Now(), takenAtOnce, full, most, pictureBytes)
			return err
		})
		if err != nil {
			return err
		}
		taken := 0
		for _, r := range idle {
			if e.places.Has(r.ID) || !e.reserve(r.Wallet, r.ID, r.Bytes+pictureMemory(r.Files)) {
				continue
			}
			ok, err := e.take(ctx, r)
			if !ok {
				e.unreserve(r.ID)
			}
			if atelier.IsOutage(err) {
				return err
			}
			if err != nil {
				e.opts.Log.Error("take chat run failed", "run", r.ID, "error", err)
			}
			if ok {
				taken++
			}
		}
		if taken == 0 {
			return nil
		}
	}
}

// take takes one run. What an earlier node held for it is released, and a run whose
// node has died is marked as resumed.
func (e *Engine) take(ctx context.Context, idle store.IdleRun) (ok bool, err error) {
	var r *record
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		ok = false
		if err := tx.LockAccount(idle.Wallet); err != nil { // before the run, as in all changes
			return err
		}
		row, err := tx.LockRun(idle.Wallet, idle.ID)
		if err != nil || row.Takeovers != idle.Takeovers || !row.Status.Active() {
			return err
		}
		if r, err = decode(row); err != nil {
			return err
		}
		r.now = e.now()
		if ok, err = tx.TakeRun(row, e.node); err != nil || !ok {
			return err
		}
		r.row.Node, r.row.Takeovers = e.node, row.Takeovers+1
		if row.Status == atelier.StatusQueued {
			return nil // nothing was begun
		}
		for _, kind := range []string{"llm/", "tool/"} {
			if err := e.billing.DropAll(tx, row.Wallet, kind+string(row.ID)+"/"); err != nil {
				return err
			}
		}
		if row.Node == "" {
			return nil // it was handed over
		}
		r.state.Resumes++
		r.emit(apitype.RunResumed{Reason: "interrupted"})
		return e.update(tx, r, row.Status)
	})
	if err != nil || !ok {
		return false, err
	}
	e.execute(r.row, r.request, r.state)
	return true, nil
}

// nodeBounds limit the runs that a node works on at once, by their documents and the pictures that their models are
// shown.
var nodeBounds = admission.Bounds{
	All: admission.Load{Count: 1024, Bytes: 64 << 20}, Large: admission.Load{Count: 1024, Bytes: 48 << 20},
	Account: admission.Load{Count: 64, Bytes: 16 << 20}, Small: 512 << 10,
}

// isServing reports whether the node takes runs.
func (e *Engine) isServing() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.serving != nil
}

// reserve takes a place for a run of an account. It reports false when all places are taken:
// the run is taken when another has ended.
func (e *Engine) reserve(w atelier.Wallet, id atelier.RunID, bytes int64) bool {
	e.mu.Lock() // Serve waits for what has a place when it ends
	defer e.mu.Unlock()
	if e.serving == nil || !e.places.Take(w, id, bytes) {
		return false
	}
	e.ended.Add(1)
	return true
}

// unreserve gives a place back.
func (e *Engine) unreserve(id atelier.RunID) {
	e.offer(e.places.Free(id))
	e.ended.Done()
}

// offer has runs looked for if some found no place.
func (e *Engine) offer(isWanted bool) {
	if isWanted {
		e.bus.Publish(queuedTopic)
	}
}
