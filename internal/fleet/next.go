package fleet

import (
	"context"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// nextClaim is the claim of a worker for its next job in the transaction that completes one:
// both are one commit. A nil claim claims nothing.
type nextClaim struct {
	dispatcher *dispatcher
	waiter     *waiter
	leased     *store.StoredJob
	done       bool  // the whole queue was looked at
	err        error // of the claim: the transaction has failed because of it
}

// newClaim is the claim of a worker, or nil when it may not claim in the same transaction.
// Fallback workers and those of low standing claim on their own, after more reads.
func (e *Engine) newClaim(ctx context.Context, w atelier.Wallet, id atelier.WorkerID, wanted bool) *nextClaim {
	if !wanted || e.draining.Load() {
		return nil
	}
	worker, err := e.worker(ctx, w, id)
	if err != nil || !worker.TakesJobs() {
		return nil
	}
	c := &nextClaim{dispatcher: e.dispatchers[worker.Network], waiter: &waiter{worker: worker}}
	if isFallback(c.waiter) || isLow(c.waiter) {
		return nil
	}
	return c
}

func (c *nextClaim) reset() {
	if c != nil {
		c.leased, c.done, c.err = nil, false, nil
	}
}

// match leases a job, if one is queued. On PostgreSQL it leases only a job that the same
// transaction has queued, such as the next step of a workflow, and waits for no lock: the
// transaction has locked an account and its workflow, and the transaction that has the lock
// could be waiting for those.
func (c *nextClaim) match(tx *store.Tx) error {
	if c == nil || !tx.IsAlone() && !tx.HasQueued() {
		return nil
	}
	c.done = tx.IsAlone()
	wanted, any := c.dispatcher.wantedNow([]*waiter{c.waiter})
	if !any {
		return nil
	}
	m := matching{dispatcher: c.dispatcher, tx: tx, group: []*waiter{c.waiter}, wanted: wanted, avoided: map[dropped]bool{}, lost: map[atelier.JobID]bool{}, isBeside: !c.done}
	var given map[*waiter]*store.StoredJob
	given, c.err = m.run()
	c.leased = given[c.waiter]
	return c.err
}

// hasFailed reports whether the claim has undone the completion.
func (c *nextClaim) hasFailed() bool { return c != nil && c.err != nil }

// claimed is the next job of a worker that has completed one: what was leased with the
// completion, or what is queued now.
func (e *Engine) claimed(ctx context.Context, w atelier.Wallet, id atelier.WorkerID, c *nextClaim) (*apitype.Assignment, error) {
	switch {
	case c == nil || c.err != nil || c.leased == nil && !c.done:
		return e.Next(ctx, w, id)
	case c.leased == nil:
		return nil, nil
	}
	j, err := e.handOver(ctx, *c.leased)
	if err != nil || j == nil {
		return nil, err
	}
	return e.Assign(ctx, *j)
}
