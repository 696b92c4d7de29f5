package fleet

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/fleet/schedule"
	"github.com/atelier-project/atelier/internal/store"
)

// match leases jobs to claims, as many as fit, in one transaction.
func (d *dispatcher) match(ctx context.Context, group []*waiter) (given map[*waiter]*store.StoredJob, err error) {
	wanted, any := d.wantedNow(group)
	if !any {
		return nil, nil
	}
	err = d.engine.db.Read(ctx, func(tx *store.Tx) error {
		any, err = tx.AnyQueued(wanted)
		if err != nil || !any || !slices.ContainsFunc(group, func(w *waiter) bool { return isFallback(w) || isLow(w) }) {
			return err
		}
		if err = d.reserve(tx, group, wanted); err != nil {
			return err
		}
		if err = d.limitLow(tx, group, wanted.Now); err != nil {
			return err
		}
		wanted = d.wanted(group)
		any, err = tx.AnyQueued(wanted)
		return err
	})
	if err != nil || !any {
		return nil, err
	}
	err = d.engine.db.Write(ctx, func(tx *store.Tx) error {
		m := matching{dispatcher: d, tx: tx, group: group, wanted: wanted, avoided: map[dropped]bool{}, lost: map[atelier.JobID]bool{}}
		if given, err = m.run(); err != nil || len(given) > 0 {
			return err
		}
		skipped, err := tx.AnySkipped(wanted, m.listed)
		if skipped { // the other transaction may leave them queued
			tx.OnCommit(func() { time.AfterFunc(lookSoon, d.nudge) })
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return given, nil
}

// lookSoon is how long after a match the jobs are looked at again that another transaction had locked.
const lookSoon = 50 * time.Millisecond

// wantedNow is which jobs the claims could take, by what their workers have reported last. It
// reports false when there is no such job.
func (d *dispatcher) wantedNow(group []*waiter) (store.Wanted, bool) {
	for _, w := range group {
		w.worker, w.late, w.waited, w.better = d.engine.presence.current(w.worker), nil, nil, nil
		if w.models = w.worker.Models; !w.worker.TakesJobs() {
			w.models = nil
		}
	}
	wanted := d.wanted(group)
	return wanted, len(wanted.Models) > 0
}

// matching is that transaction: it reads a snapshot of the queue and the
// workers, package schedule decides, and it leases what is still queued.
type matching struct {
	*dispatcher
	tx      *store.Tx
	group   []*waiter
	wanted  store.Wanted
	workers []*schedule.Worker     // of the claims of the group
	avoided map[dropped]bool       // who leaves which jobs to others, as far as it was read
	lost    map[atelier.JobID]bool // jobs further back that other transactions have locked
	listed  int                    // how many jobs the last read has returned

	isBeside bool // the transaction has locked other rows: it leases only what it has queued, and waits for no lock
}

// dropped is a dropped job, as far as it matters to whether a worker leaves it to others.
type dropped struct {
	model  string
	by     atelier.WorkerID
	worker atelier.WorkerID // which claims now
}

// The bounds of one match: how often the queue is read before the jobs at its front
// are taken in stored order, and how many jobs one read returns.
const (
	mostLooks = 14
	mostSeen  = 512
)

// run leases jobs to the claims, as many as fit.
func (m *matching) run() (map[*waiter]*store.StoredJob, error) {
	limit := 2*len(m.group) + 8
	for look := 1; ; look++ {
		jobs, err := m.tx.Candidates(m.wanted, limit)
		if m.listed = len(jobs); err != nil || len(jobs) == 0 {
			return nil, err
		}
		if err := m.lockWorkers(); err != nil {
			return nil, err
		}
		due, notYet := jobs, []store.Candidate(nil)
		if len(jobs) == limit && look < mostLooks {
			due, notYet = splitDue(jobs)
		}
		s, err := m.read(due, len(jobs) < limit)
		if err != nil {
			return nil, err
		}
		decision := schedule.Assign(s.Snapshot)
		m.peers.note(decision.Left, m.wanted.Now, m.nudge)
		given, err := m.leaseAll(s, decision.Assignments)
		isFull := len(jobs) == limit && limit < mostSeen
		switch {
		case err != nil || len(given) > 0 || look >= mostLooks:
			return given, err
		case m.isBeside:
			return nil, nil // the next claim looks further
		case len(decision.Assignments) > 0: // they are leased elsewhere, or not allowed: the next read is without them
		case len(notYet) > 0:
			for _, c := range notYet {
				if err := m.tx.MoveBack(c); err != nil {
					return nil, err
				}
			}
			limit = min(2*limit, mostSeen)
		case decision.IsWithheld && isFull: // others may be behind those
			limit = min(2*limit, mostSeen)
		default:
			return given, nil
		}
	}
}

// splitDue sorts the jobs at the front of the queue by the place they are due, and
// separates those whose turn it is from those that are due behind the last of them,
// and so behind jobs that were not read yet.
func splitDue(jobs []store.Candidate) (due, notYet []store.Candidate) {
	last := jobs[len(jobs)-1].Turn
	slices.SortStableFunc(jobs, func(a, b store.Candidate) int { return cmp.Compare(a.Due, b.Due) })
	n := slices.IndexFunc(jobs, func(c store.Candidate) bool { return c.Due > last })
	if n < 0 {
		n = len(jobs)
	}
	return jobs[:n], jobs[n:]
}

// lockWorkers reads, once, what the worker of each claim can take. Workers are locked in one
// order, so that two nodes do not wait for each other.
func (m *matching) lockWorkers() error {
	if m.workers != nil {
		return nil
	}
	workers := map[atelier.WorkerID]*schedule.Worker{}
	for _, w := range m.group {
		claimant := &schedule.Worker{ID: w.worker.ID, Wallet: w.worker.Wallet, Fallback: w.worker.Fallback, Models: w.models, Late: slices.Concat(w.late, w.waited), Better: w.better}
		if m.wanted.External {
			claimant.External = slices.DeleteFunc(slices.Concat(w.models, w.late, w.waited), func(model string) bool { return !m.engine.mayKeepRef(w.worker, model) })
		}
		workers[w.worker.ID] = claimant
	}
	spaces, err := m.tx.LockWorkers(slices.Sorted(maps.Keys(workers)), m.isBeside)
	if err != nil {
		return err
	}
	for id, w := range workers {
		s := spaces[id] // one that was removed, or takes no jobs, has no space
		w.Capacity, w.Free, w.Loaded, w.Recent = s.Capacity, s.Free, s.Loaded, s.Recent
		w.IsEnding = s.Held >= s.Capacity
	}
	for _, w := range m.group {
		m.workers = append(m.workers, workers[w.worker.ID])
	}
	return m.lockTrials()
}

// snapshot is what a decision depends on, with the rows of the jobs in it.
type snapshot struct {
	schedule.Snapshot
	due, further []store.Candidate
}

// candidate is the row of an assigned job.
func (s snapshot) candidate(a schedule.Assignment) store.Candidate {
	if a.IsFurther {
		return s.further[a.Job]
	}
	return s.due[a.Job]
}

// read reads what else a decision about the due jobs depends on. Jobs further back, and what
// others render, are read only when they matter to a worker that has models loaded.
func (m *matching) read(due []store.Candidate, isWhole bool) (s snapshot, err error) {
	s = snapshot{Snapshot: schedule.Snapshot{Now: m.wanted.Now, Claims: m.workers}, due: due}
	if s.Due, err = m.describe(due); err != nil || !slices.ContainsFunc(m.workers, func(w *schedule.Worker) bool { return len(w.Loaded) > 0 }) {
		return s, err
	}
	if searching := s.Searching(); len(searching) > 0 && !isWhole {
		if s.further, err = m.readFurther(searching); err != nil {
			return s, err
		}
		if s.Further, err = m.describe(s.further); err != nil {
			return s, err
		}
	}
	if !s.IsSwitching() {
		return s, nil
	}
	leased, err := m.tx.LeasedOf(m.network, m.wanted.Models)
	for _, j := range leased {
		s.Renders = append(s.Renders, schedule.Render{Worker: j.WorkerID, Model: j.ModelID, Remaining: m.engine.renderTimes.remaining(j, s.Now)})
	}
	return s, err
}

// readFurther reads the jobs further back in the queue whose model one of the workers has
// loaded.
func (m *matching) readFurther(workers []*schedule.Worker) ([]store.Candidate, error) {
	models := slices.DeleteFunc(slices.Clone(m.wanted.Models), func(model string) bool {
		return !slices.ContainsFunc(workers, func(w *schedule.Worker) bool { return w.HasLoaded(model) })
	})
	if len(models) == 0 {
		return nil, nil
	}
	further, err := m.tx.Further(m.wanted, models, mostSeen)
	return slices.DeleteFunc(further, func(c store.Candidate) bool { return m.lost[c.ID] }), err
}

// describe describes jobs as a decision needs them.
func (m *matching) describe(list []store.Candidate) ([]schedule.Job, error) {
	out := make([]schedule.Job, len(list))
	for i, c := range list {
		avoidedBy, err := m.avoidedBy(c)
		if err != nil {
			return nil, err
		}
		out[i] = schedule.Job{
			ID: c.ID, Model: c.ModelID, Start: c.Start, IsLate: m.isLate(c), IsExternal: c.External, IsLast: c.Attempt >= atelier.MaxAttempts,
			CreatedAt: c.CreatedAt, PassedAt: c.PassedAt, LeftAt: m.peers.leftAt(c.ID), Takers: c.Takers, NoFallback: c.NoFallback, AvoidedBy: avoidedBy,
		}
	}
	return out, nil
}

// isLate reports whether fallback workers may take a job that is for others, because it has waited
// for long. A job of a model that is reserved is among the candidates when it has; while another
// worker asks for the model as well, it is left to that.
func (m *matching) isLate(c store.Candidate) bool {
	if slices.Contains(m.wanted.Reserved, c.ModelID) {
		return !slices.Contains(m.wanted.Models, c.ModelID)
	}
	return !c.QueuedAt.After(m.wanted.LateBefore)
}

// avoidedBy lists the workers of the group that leave a dropped job to others.
func (m *matching) avoidedBy(c store.Candidate) (out []atelier.WorkerID, err error) {
	if !c.AvoidUntil.After(m.wanted.Now) {
		return nil, nil
	}
	for _, w := range m.group {
		key := dropped{c.ModelID, c.DroppedBy, w.worker.ID}
		if _, known := m.avoided[key]; !known {
			if m.avoided[key], err = m.tx.IsAvoided(m.network, c, w.worker, m.wanted.Now); err != nil {
				return nil, err
			}
		}
		if m.avoided[key] {
			out = append(out, w.worker.ID)
		}
	}
	return out, nil
}

// leaseAll leases jobs to the claims that they are assigned to.
func (m *matching) leaseAll(s snapshot, assignments []schedule.Assignment) (map[*waiter]*store.StoredJob, error) {
	if m.isBeside {
		assignments = slices.DeleteFunc(assignments, func(a schedule.Assignment) bool { return !m.tx.HasQueued(s.candidate(a).ID) })
	}
	if err := m.lockLimited(s, assignments); err != nil {
		return nil, err
	}
	given := map[*waiter]*store.StoredJob{}
	var front int64
	for _, a := range assignments {
		leased, err := m.lease(s.candidate(a), a)
		if err != nil {
			return nil, err
		}
		if leased == nil {
			continue
		}
		given[m.group[a.Claim]] = leased
		front = max(front, a.Front)
		if a.Passed == "" {
			continue
		}
		if err := m.tx.PassJob(a.Passed, m.engine.opts.Now()); err != nil {
			return nil, err
		}
	}
	if front > 0 {
		m.tx.AdvanceFront(m.network, front)
	}
	return given, nil
}

// lockLimited locks the accounts whose plan limits how many jobs run at once, because
// other nodes lease jobs of them too, and those whose jobs may have to be cancelled. It
// comes before any hook, because hooks lock workflows, which come after accounts.
func (m *matching) lockLimited(s snapshot, assignments []schedule.Assignment) error {
	wallets := map[atelier.Wallet]bool{}
	for _, a := range assignments {
		if c := s.candidate(a); c.Limit > 0 || c.Personal {
			wallets[c.Wallet] = true
		}
	}
	for _, w := range slices.Sorted(maps.Keys(wallets)) {
		if err := m.tx.LockAccount(w); err != nil {
			return err
		}
	}
	return nil
}

// lease leases a job to the claim that it is assigned to. It returns nil when that is not
// possible. A job from further back is not locked yet, and may be leased elsewhere.
func (m *matching) lease(c store.Candidate, a schedule.Assignment) (*store.StoredJob, error) {
	if a.IsFurther {
		locked, err := m.tx.LockCandidate(c.ID)
		if err != nil || !locked {
			m.lost[c.ID] = true
			return nil, err
		}
	}
	leased, err := m.engine.lease(m.tx, c, m.group[a.Claim].worker)
	if err != nil || leased == nil {
		return nil, err
	}
	if err := m.beginTrial(a.Claim, c.ModelID); err != nil {
		return nil, err
	}
	return leased, m.noteModel(m.workers[a.Claim], c.ModelID)
}

// noteModel records that a worker got a job of a model, and counts the switch if it has to
// load it in place of another.
func (m *matching) noteModel(w *schedule.Worker, model string) error {
	if len(w.Loaded) == 0 || slices.Contains(w.Recent, model) {
		return nil
	}
	switches := 0
	if !w.HasLoaded(model) {
		switches = 1
		m.tx.OnCommit(func() { m.engine.switches.Inc() })
	}
	recent := append([]string{model}, w.Recent...)
	w.Recent = recent[:min(len(recent), w.Capacity)]
	return m.tx.NoteModels(w.ID, w.Recent, switches)
}
