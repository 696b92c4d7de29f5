package fleet

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/store"
)

// presence records in memory which workers this node has seen, and writes it to the
// database a few times per lease, in one transaction for all of them: a thousand idle
// workers cost one small write now and then.
type presence struct {
	engine *Engine
	wake   chan struct{}

	mu      sync.Mutex
	seen    map[atelier.WorkerID]*workerSeen
	changes readMark                 // how often what is known of a worker was replaced or changed
	logins  map[store.WorkerKey]bool // those of the last write, which the database has
}

// workerSeen is what this node knows of a worker.
type workerSeen struct {
	worker  atelier.Worker
	changed readMark             // the number of its last change
	read    time.Time            // when it was read from the database
	at      time.Time            // when it was last seen
	written time.Time            // the last time seen that the database has
	claims  int                  // claims that wait now; the worker counts as seen while one does
	claimed time.Time            // when it last claimed, as this node knows; at first when it connected
	done    map[string]time.Time // when it last completed a job, by model, that the database has not
	writes  admission.Bucket     // its recent writes
	idle    admission.Bucket     // its recent calls without effect

	machine        *store.MachineReport // the newest; nil when it has reported none to this node
	machineWritten time.Time            // when the database got one of this node
}

func newPresence(e *Engine) *presence {
	return &presence{engine: e, wake: make(chan struct{}, 1), seen: map[atelier.WorkerID]*workerSeen{}}
}

// readMark is when a read of workers began, in the changes that were known then.
//
// What a node knows of a worker comes from reads of the database and from changes that it has
// written itself. A read that began before a change may not have found it. So a read begins with
// begin, and see and replace, which take over what it has found, get its mark: they ignore what it
// says of a worker that was changed after it.
type readMark int64

func (p *presence) begin() readMark {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changes
}

// replace takes over a worker that a read has found. It reports false when the worker was
// changed meanwhile. The caller holds the lock.
func (p *presence) replace(s *workerSeen, w atelier.Worker, began readMark) bool {
	if s.changed > began {
		return false
	}
	p.changes++
	s.worker, s.changed = w, p.changes
	return true
}

// change changes what this node knows of a worker, after the database was changed so.
func (p *presence) change(id atelier.WorkerID, change func(*atelier.Worker)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.seen[id]; s != nil {
		p.changes++
		s.changed = p.changes
		change(&s.worker)
	}
}

// see records that a worker was seen, which a read has found, and returns what is known of it.
func (p *presence) see(w atelier.Worker, began readMark) atelier.Worker {
	now := p.engine.opts.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.seen[w.ID]
	if s == nil {
		s = &workerSeen{written: w.SeenAt, claimed: w.ClaimedAt}
		p.seen[w.ID] = s
	}
	before := s.worker
	if p.replace(s, w, began) {
		s.read = now
	}
	if before.ID != "" && before.Draining != s.worker.Draining { // an operator has changed it in the database
		p.engine.offersChanged(w.Network)
	}
	s.at = now
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return s.worker
}

// recentlySeen returns a worker that this node has seen recently, and records that it was
// seen. After half a lease it reports false, so that the worker is read from the
// database again: another node may have removed it, or an operator may drain it.
func (p *presence) recentlySeen(w atelier.Wallet, id atelier.WorkerID) (atelier.Worker, bool) {
	now := p.engine.opts.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.seen[id]
	if s == nil || !s.worker.Wallet.Equal(w) || now.Sub(s.read) > p.engine.opts.Lease/2 {
		return atelier.Worker{}, false
	}
	s.at = now
	return s.worker, true
}

// current is what this node remembers of a worker.
func (p *presence) current(w atelier.Worker) atelier.Worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.seen[w.ID]; s != nil {
		return s.worker
	}
	return w
}

const (
	// followPause is the shortest time between two reads of changed workers, however often
	// they change.
	followPause = 100 * time.Millisecond

	// followBack is how long before the last read a change may be dated that it has not
	// seen: clocks of nodes differ, and a transaction takes time.
	followBack = time.Minute
)

// follow reads the workers that have reported something to another node: claims that
// wait here, and those that come, go by it at once.
func (p *presence) follow(ctx context.Context) {
	sub := p.engine.bus.Subscribe(workersTopic)
	defer sub.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sub.C():
		}
		if err := p.engine.RefreshWorkers(ctx); err != nil && ctx.Err() == nil {
			p.engine.opts.Log.Warn("read changed workers failed", "error", err)
		}
		if !clock.Sleep(ctx, followPause) {
			return
		}
	}
}

// RefreshWorkers reads the workers that have reported something to another node. Run does so when
// it is nudged.
func (e *Engine) RefreshWorkers(ctx context.Context) error {
	defer func() {
		for _, d := range e.dispatchers {
			d.nudge()
		}
	}()
	return e.presence.refresh(ctx)
}

// refreshReads is how often the changed workers are read when some change meanwhile.
const refreshReads = 3

func (p *presence) refresh(ctx context.Context) error {
	for range refreshReads {
		apply, err := p.readChanged(ctx)
		if err != nil || apply() {
			return err
		}
	}
	return nil // the next calls of those workers read them
}

// readChanged reads the workers that have changed. The function that it returns takes them
// over, and reports false when some changed meanwhile and have to be read again.
func (p *presence) readChanged(ctx context.Context) (apply func() bool, err error) {
	var changed []atelier.Worker
	began := p.begin()
	err = p.engine.db.Read(ctx, func(tx *store.Tx) (err error) {
		changed, err = tx.WorkersChanged(p.engine.opts.Now().Add(-followBack))
		return err
	})
	return func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		all := true
		for _, w := range changed {
			if s := p.seen[w.ID]; s != nil && !p.replace(s, w, began) {
				s.read, all = time.Time{}, false
			}
		}
		return all
	}, err
}

// stay counts a claim that waits. Meanwhile its worker counts as seen. It returns
// how many wait now, and a function that ends the claim.
func (p *presence) stay(id atelier.WorkerID) (claims int, end func()) {
	return p.add(id, 1), func() { p.add(id, -1) }
}

func (p *presence) add(id atelier.WorkerID, n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.seen[id]
	if s == nil {
		return 0
	}
	s.claims += n
	s.at = p.engine.opts.Now()
	if s.worker.Unavailable == "" { // otherwise it cannot get a job
		s.claimed = s.at
	}
	return s.claims
}

// noteDone records that a worker has completed a job of a model. It takes jobs, though it may
// have claimed this one long ago.
func (p *presence) noteDone(id atelier.WorkerID, model string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.seen[id]; s != nil {
		now := p.engine.opts.Now()
		s.at, s.claimed = now, now
		if s.done == nil {
			s.done = map[string]time.Time{}
		}
		s.done[model] = now
	}
}

// lastClaim is when a worker last claimed, as this node knows.
func (p *presence) lastClaim(id atelier.WorkerID) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.seen[id]; s != nil {
		return s.claimed
	}
	return time.Time{}
}

func (p *presence) forget(id atelier.WorkerID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.seen, id)
}

// run writes which workers were seen and removes those that were not, a few times per
// lease, while this node knows any.
func (p *presence) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		for p.hasWorkers() {
			if !clock.Sleep(ctx, p.engine.HeartbeatInterval()) {
				return
			}
			if err := p.engine.RecordPresence(ctx); err != nil && ctx.Err() == nil {
				p.engine.opts.Log.Warn("record workers failed", "error", err)
			}
		}
	}
}

func (p *presence) hasWorkers() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.seen) > 0
}

// count counts the workers without those inside nodes, which do their own tasks.
func (p *presence) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, s := range p.seen {
		if s.worker.Network != atelier.NetworkNode {
			n++
		}
	}
	return n
}

// countLow counts those whose standing is low.
func (p *presence) countLow() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.seen {
		if !s.worker.LowSince.IsZero() {
			n++
		}
	}
	return n
}

// RecordPresence writes which workers this node has seen. Run does so a few times per
// lease.
func (e *Engine) RecordPresence(ctx context.Context) error { return e.presence.write(ctx) }

// notClaiming is after how many leases a worker that does not claim serves no model.
const notClaiming = 2

// write writes which workers were seen, for how long, and when they claimed. It forgets
// those that this node has not seen, removes those that no node has seen for a lease, and
// records which do not claim.
func (p *presence) write(ctx context.Context) error {
	now := p.engine.opts.Now()
	fresh := map[atelier.WorkerID]seenAt{}
	p.mu.Lock()
	for id, s := range p.seen {
		if s.claims > 0 {
			s.at = now
		}
		if s.claims > 0 && s.worker.Unavailable == "" {
			s.claimed = now
		}
		switch {
		case s.at.After(s.written):
			fresh[id] = seenAt{s.worker, s.at, s.claimed, maps.Clone(s.done), s.machineDue(now, p.engine.opts.Lease)}
		case now.Sub(s.at) > 2*p.engine.opts.Lease:
			delete(p.seen, id)
		}
	}
	p.mu.Unlock()
	var silent, inactive []atelier.Worker
	err := p.engine.db.Write(ctx, func(tx *store.Tx) (err error) {
		if err := p.engine.recordSeen(tx, fresh, now); err != nil {
			return err
		}
		if silent, err = tx.SilentWorkers(p.engine.ConnectedSince(now)); err != nil {
			return err
		}
		inactive, err = tx.NotClaiming(now.Add(-p.engine.opts.Lease))
		return err
	})
	if err != nil {
		p.engine.outage.failed()
		return err
	}
	p.mu.Lock()
	for id, f := range fresh {
		if s := p.seen[id]; s != nil {
			s.written = f.at
			if f.machine != nil {
				s.machineWritten = now
			}
			maps.DeleteFunc(s.done, func(model string, at time.Time) bool { return !at.After(f.done[model]) })
		}
	}
	p.mu.Unlock()
	if err := p.engine.expireLapses(ctx, now); err != nil {
		return err
	}
	if p.engine.outage.answered(now, p.engine.opts.Lease) > 0 {
		return nil
	}
	for _, w := range silent {
		p.forget(w.ID)
		if err := p.engine.remove(ctx, w, time.Time{}); err != nil {
			return err
		}
	}
	return p.noteNotClaiming(ctx, inactive, now)
}

// noteNotClaiming records which of the workers that have not claimed for a lease do not
// claim, so that others get the jobs of their models. A worker that holds as many jobs as it
// can counts as claiming. That is written each lease, so that a worker that completes them
// has time to claim, at any node.
func (p *presence) noteNotClaiming(ctx context.Context, workers []atelier.Worker, now time.Time) error {
	since := now.Add(-notClaiming * p.engine.opts.Lease)
	workers = slices.DeleteFunc(workers, func(w atelier.Worker) bool { return p.lastClaim(w.ID).After(now.Add(-p.engine.opts.Lease)) })
	if len(workers) == 0 {
		return nil
	}
	return p.engine.db.Write(ctx, func(tx *store.Tx) error { // the workers are sorted, so that two nodes do not wait for each other
		for _, w := range workers {
			last, err := tx.NoteNotClaiming(w.ID, since, now)
			if err != nil {
				return err
			}
			if last.IsZero() {
				continue
			}
			tx.OnCommit(func() {
				p.change(w.ID, func(w *atelier.Worker) { w.NotClaimingSince = last })
				p.engine.workerChanged(w.Network)
				p.engine.opts.Log.Warn("worker does not claim: its models count as not served", "worker", w.ID, "name", w.Name, "since", last)
			})
		}
		return tx.NoteAbsences(now)
	})
}
