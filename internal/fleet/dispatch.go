package fleet

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// dispatcher leases the jobs of one network to the claims that wait on this node,
// many of them in one transaction, as package schedule decides. Fallback workers get the jobs of
// models that no other connected worker, on any node, serves or has served a moment ago, and those
// that the others leave.
type dispatcher struct {
	engine  *Engine
	network atelier.Network
	wake    chan struct{}

	mu      sync.Mutex
	waiting []*waiter // in the order of arrival
	closed  bool      // the node is draining

	peers peers
}

// waiter is one claim that waits.
type waiter struct {
	worker  atelier.Worker
	models  []string              // whose jobs it may get now
	late    []string              // whose jobs it may get when they have waited for long
	waited  []string              // whose jobs it may get when they are not reserved any more
	better  []string              // whose jobs it may get as a trial, because its standing is low
	answer  chan *store.StoredJob // receives one answer; nil when it gets no job
	leaving bool
}

func newDispatcher(e *Engine, n atelier.Network) *dispatcher {
	return &dispatcher{engine: e, network: n, wake: make(chan struct{}, 1), peers: peers{left: map[atelier.JobID]time.Time{}}}
}

// lookAgain is how long a lost nudge can delay a claim that waits.
const lookAgain = 20 * time.Second

// run dispatches whenever a job is queued or a claim arrives.
func (d *dispatcher) run(ctx context.Context) {
	sub := d.engine.bus.Subscribe(queueTopic(d.network))
	defer sub.Close()
	slow := time.NewTicker(lookAgain)
	defer slow.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sub.C():
		case <-d.wake:
		case <-slow.C:
		}
		for d.dispatch(ctx) {
		}
	}
}

// nudge has run dispatch soon.
func (d *dispatcher) nudge() {
	select {
	case d.wake <- struct{}{}:
	default: // it is about to
	}
}

// claim waits for a job until ctx ends.
func (d *dispatcher) claim(ctx context.Context, w atelier.Worker) *store.StoredJob {
	me := &waiter{worker: w, answer: make(chan *store.StoredJob, 1)}
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.waiting = append(d.waiting, me)
	d.evictClaims(me)
	d.mu.Unlock()
	if signal := d.engine.opts.ClaimWaits; signal != nil {
		signal()
	}
	d.nudge()
	if ctx.Err() != nil { // it has no time to wait, but may take a job that is queued now
		d.dispatch(context.WithoutCancel(ctx))
	}
	select {
	case j := <-me.answer:
		return j
	case <-ctx.Done():
	}
	select {
	case j := <-me.answer:
		return j
	default:
	}
	d.mu.Lock()
	if i := slices.Index(d.waiting, me); i >= 0 {
		d.waiting = slices.Delete(d.waiting, i, i+1)
		d.mu.Unlock()
		return nil
	}
	me.leaving = true // it is being matched now
	d.mu.Unlock()
	return <-me.answer
}

// evictClaims answers the oldest claims of workers that have more of them waiting
// than they can use. The caller holds the lock.
func (d *dispatcher) evictClaims(of ...*waiter) {
	if len(of) == 0 {
		return
	}
	excess := map[atelier.WorkerID]int{}
	for _, w := range of {
		excess[w.worker.ID] = -(w.worker.Capacity + spareClaims)
	}
	for _, w := range d.waiting {
		if _, ok := excess[w.worker.ID]; ok {
			excess[w.worker.ID]++
		}
	}
	d.waiting = slices.DeleteFunc(d.waiting, func(w *waiter) bool {
		if excess[w.worker.ID] <= 0 {
			return false
		}
		excess[w.worker.ID]--
		w.answer <- nil
		return true
	})
}

// leaseNext leases a queued job to a worker, if there is one.
func (d *dispatcher) leaseNext(ctx context.Context, w atelier.Worker) (*store.StoredJob, error) {
	me := &waiter{worker: w}
	given, err := d.match(ctx, []*waiter{me})
	return given[me], err
}

// close ends the claims that wait, and refuses later ones.
func (d *dispatcher) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, w := range d.waiting {
		w.answer <- nil
	}
	d.waiting = nil
}

// batch is how many claims are matched in one transaction.
const batch = 64

// dispatch leases jobs to the claims that wait. It reports whether calling it again may
// lease more.
func (d *dispatcher) dispatch(ctx context.Context) bool {
	d.mu.Lock()
	group := slices.Clone(d.waiting[:min(batch, len(d.waiting))])
	d.waiting = slices.Delete(d.waiting, 0, len(group))
	d.mu.Unlock()
	if len(group) == 0 {
		return false
	}
	given, err := d.match(ctx, group)
	if err != nil && ctx.Err() == nil {
		d.engine.opts.Log.Warn("dispatch failed", "network", d.network, "error", err)
	}
	return d.answerClaims(group, given)
}

// answerClaims answers the claims that got a job. The others keep waiting, before those
// that arrived meanwhile.
func (d *dispatcher) answerClaims(group []*waiter, given map[*waiter]*store.StoredJob) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	var still []*waiter
	for _, w := range group {
		switch j := given[w]; {
		case j != nil:
			w.answer <- j
		case w.leaving || d.closed:
			w.answer <- nil
		default:
			still = append(still, w)
		}
	}
	d.waiting = slices.Concat(still, d.waiting)
	d.evictClaims(still...)
	return len(given) > 0 && len(d.waiting) > 0
}

func isFallback(w *waiter) bool { return w.worker.Fallback }

// reserve removes the models that other workers serve from those of the waiting
// fallback workers, also while the other workers are busy, and those that are reserved because
// the others are away for a moment. Jobs that have waited for long stay, if none of those workers
// has completed a job of the model meanwhile (otherwise the queue is long, and moves), or if no
// such worker has served it for long enough.
func (d *dispatcher) reserve(tx *store.Tx, group []*waiter, wanted store.Wanted) error {
	asked := map[string]bool{}
	for _, w := range group {
		if w.worker.Fallback {
			for _, m := range w.models {
				asked[m] = true
			}
		}
	}
	models := slices.Sorted(maps.Keys(asked))
	served, err := tx.ModelsOfOthers(d.network, models)
	if err != nil {
		return err
	}
	models = slices.DeleteFunc(models, func(m string) bool { return slices.Contains(served, m) })
	waited, err := tx.ReservedModels(d.network, models, wanted.Now)
	if err != nil {
		return err
	}
	reserved := slices.Concat(served, waited)
	var late []string
	switch {
	case d.engine.outage.answered(wanted.Now, d.engine.opts.Lease) > 0: // the others may be coming back
		waited = nil
	case d.engine.opts.FallbackAfter > 0:
		if late, err = tx.StalledModels(d.network, served, wanted.LateBefore); err != nil {
			return err
		}
	}
	for _, w := range group {
		if w.worker.Fallback {
			other := func(list []string) func(string) bool { return func(m string) bool { return !slices.Contains(list, m) } }
			w.late, w.waited = slices.DeleteFunc(slices.Clone(late), other(w.models)), slices.DeleteFunc(slices.Clone(waited), other(w.models))
			w.models = slices.DeleteFunc(slices.Clone(w.models), func(m string) bool { return slices.Contains(reserved, m) })
		}
	}
	return nil
}

// lease leases a job to a worker. It returns nil when the account runs as many of its
// class as it may, or the job is no longer queued.
func (e *Engine) lease(tx *store.Tx, c store.Candidate, w atelier.Worker) (*store.StoredJob, error) {
	if c.Limit > 0 {
		n, err := tx.LeasedOfClass(c.Wallet, c.Class)
		if err != nil || n >= c.Limit {
			return nil, err
		}
	}
	j, err := e.leaseRow(tx, c.ID, w.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if c.Personal {
		usable, err := e.recheckLoras(tx, j)
		if err != nil || !usable {
			return nil, err
		}
	}
	if err := e.recheckFilter(tx, &j); err != nil {
		return nil, err
	}
	tx.OnCommit(func() {
		e.cache.put(j)
		e.tally.noteStart(j.Job)
		if j.Network != atelier.NetworkNode && j.Leases == 1 {
			e.waits.Observe(j.StartedAt.Sub(j.CreatedAt).Seconds(), string(j.Network), j.Spec.ModelID)
		}
		e.bus.Publish(leaseTopic)
	})
	if h := e.hooks[j.Owner.Kind]; h.Started != nil {
		err = h.Started(tx, j.Job)
	}
	return &j, err
}

// leaseRow leases a queued job. A job in the cache need not be read, if its row has not
// changed.
func (e *Engine) leaseRow(tx *store.Tx, jobID atelier.JobID, workerID atelier.WorkerID) (store.StoredJob, error) {
	now := e.opts.Now().UTC().Truncate(time.Millisecond) // as a row has it
	until := now.Add(e.opts.Lease)
	if j, ok := e.cache.get(jobID); ok {
		leased, err := tx.LeaseKnown(jobID, j.Attempt, j.Leases, workerID, now, until)
		if err != nil {
			return j, err
		}
		if leased {
			j.Leases++
			j.Counted = 0
			j.State, j.WorkerID, j.StartedAt, j.Lease, j.Progress, j.Message = atelier.JobLeased, workerID, now, until, 0, ""
			j.UnservedSince = time.Time{}
			return j, nil
		}
	}
	return tx.LeaseJob(jobID, workerID, now, until)
}

// recheckFilter turns the content filter on for a render whose account may no longer
// turn it off. It is checked for each render, also when a dropped job is rendered
// again.
func (e *Engine) recheckFilter(tx *store.Tx, j *store.StoredJob) error {
	if j.Spec.SafeContentFilter || j.Network == atelier.NetworkNode {
		return nil
	}
	owner, err := tx.Account(j.Wallet)
	if err != nil || owner.Unfiltered {
		return err
	}
	j.Spec.SafeContentFilter = true
	return tx.SetSpec(j.ID, j.Spec)
}

// wanted is which jobs any of the waiters could take, with the models sorted.
func (d *dispatcher) wanted(group []*waiter) store.Wanted {
	now := d.engine.opts.Now()
	out := store.Wanted{Network: d.network, Now: now, LateBefore: now.Add(-d.engine.opts.FallbackAfter)}
	seen, late, waited := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, w := range group {
		for _, m := range w.models {
			seen[m] = true
			out.External = out.External || d.engine.mayKeepRef(w.worker, m)
		}
		for _, m := range w.late {
			late[m] = true
		}
		for _, m := range w.waited {
			waited[m] = true
		}
	}
	out.Models, out.Late, out.Reserved = slices.Sorted(maps.Keys(seen)), slices.Sorted(maps.Keys(late)), slices.Sorted(maps.Keys(waited))
	return out
}

// Waiting is how many claims wait on this node in a network.
func (e *Engine) Waiting(n atelier.Network) int {
	d := e.dispatchers[n]
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.waiting)
}
