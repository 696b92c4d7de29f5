package fleet

import (
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Loading another model takes a worker longer than many renders. So a worker that has
// models loaded takes jobs of those first, before jobs of accounts whose turn it is,
// within a bound: a job that is passed over for the first time when it has waited for some
// time may be passed over for half as long again, at least leastHold and at most mostHold.
//
// A job is first passed over when its turn comes, so it waits at most half as long again
// as in the order of the queue, or leastHold longer, which is no more than it takes to
// load a model. How long it waits for its turn is not the same in both orders, though:
// where it is placed in a round of the accounts depends on what was rendered before. The
// other half is for that, so that no job waits more than twice as long.
const (
	leastHold = 5 * time.Second
	mostHold  = 30 * time.Second
)

// mayBePassed reports whether later jobs may be taken before this one.
func mayBePassed(c store.Candidate, now time.Time) bool {
	if c.PassedAt.IsZero() {
		return true
	}
	return now.Sub(c.PassedAt) < min(max(c.PassedAt.Sub(c.CreatedAt)/2, leastHold), mostHold)
}

// hasLoaded reports whether a worker that reports loaded models renders jobs of a model
// without loading another one: it has reported so, or got such a job since. A worker of
// one job at once that got a job of another model since has replaced what it reported.
func hasLoaded(s *store.Standing, model string) bool {
	isOutdated := s.Capacity == 1 && len(s.Recent) > 0 && !slices.Contains(s.Loaded, s.Recent[0])
	return slices.Contains(s.Recent, model) || (!isOutdated && slices.Contains(s.Loaded, model))
}

// plan decides which waiting claim gets which job, inside a transaction.
type plan struct {
	*dispatcher
	tx      *store.Tx
	now     time.Time
	wanted  store.Wanted
	group   []*waiter
	workers map[atelier.WorkerID]*store.Standing
	isWhole bool // the due jobs are all that are wanted

	pairs    []pair
	isTaken  map[atelier.JobID]bool
	hasJob   map[*waiter]bool
	avoided  map[atelier.JobID]map[atelier.WorkerID]bool
	withheld bool // a job at the front was left to other workers
}

// pair is a job for a claim.
type pair struct {
	waiter *waiter
	job    store.Candidate
	front  int64            // where the front of the network is after it
	passed *store.Candidate // a job that is passed over for the first time; may be nil
}

// make plans for the jobs at the front of the queue, which are in the order that they are
// due. Claims whose worker need not load another model come first; the others look further
// back in the queue before they do.
func (p *plan) make(due []store.Candidate) ([]pair, error) {
	p.isTaken, p.hasJob, p.avoided = map[atelier.JobID]bool{}, map[*waiter]bool{}, map[atelier.JobID]map[atelier.WorkerID]bool{}
	for _, c := range due {
		if len(p.pairs) == len(p.group) {
			break
		}
		w, err := p.chooseWaiter(due, c)
		if err != nil {
			return nil, err
		}
		if w != nil {
			if err := p.add(w, c, due); err != nil {
				return nil, err
			}
		}
	}
	further, hasRead := due, p.isWhole
	for _, w := range p.group {
		s := p.workers[w.worker.ID]
		if p.hasJob[w] || s == nil || s.Free < 1 || len(s.Loaded) == 0 {
			continue
		}
		isOverdue, err := p.takeOverdue(w, due)
		if err != nil {
			return nil, err
		}
		if isOverdue {
			continue
		}
		if !hasRead {
			hasRead = true
			if further, err = p.readFurther(); err != nil {
				return nil, err
			}
		}
		if err := p.keepOrSwitch(w, due, further); err != nil {
			return nil, err
		}
	}
	return p.pairs, nil
}

// readFurther reads the jobs further back in the queue whose model the worker of a claim
// without a job has loaded.
func (p *plan) readFurther() ([]store.Candidate, error) {
	loaded := map[string]bool{}
	for _, w := range p.group {
		if s := p.workers[w.worker.ID]; s != nil && s.Free > 0 && len(s.Loaded) > 0 && !p.hasJob[w] {
			for _, m := range slices.Concat(s.Loaded, s.Recent) {
				loaded[m] = true
			}
		}
	}
	models := slices.DeleteFunc(slices.Clone(p.wanted.Models), func(m string) bool { return !loaded[m] })
	if len(models) == 0 {
		return nil, nil
	}
	return p.tx.Further(p.wanted, models, mostSeen)
}

// chooseWaiter chooses a claim for a job without a switch: one whose worker has the model
// loaded, else the one that has waited longest of those that report no loaded models. It
// returns nil when there is none.
func (p *plan) chooseWaiter(due []store.Candidate, c store.Candidate) (first *waiter, err error) {
	for _, w := range p.group {
		s := p.workers[w.worker.ID]
		if s == nil || (len(s.Loaded) > 0 && !hasLoaded(s, c.ModelID)) || (first != nil && len(s.Loaded) == 0) {
			continue
		}
		may, err := p.mayTake(w, c)
		if err != nil {
			return nil, err
		}
		if !may {
			continue
		}
		if len(s.Loaded) == 0 {
			first = w
			continue
		}
		overdue, err := p.firstLeft(w, due, c, func(f store.Candidate) bool { return !mayBePassed(f, p.now) })
		if err != nil {
			return nil, err
		}
		if overdue == nil {
			return w, nil
		}
	}
	return first, nil
}

// isWanted reports whether a claim is for jobs of the model, or for those that have waited as
// long as this one.
func (p *plan) isWanted(w *waiter, c store.Candidate) bool {
	return slices.Contains(w.models, c.ModelID) || (slices.Contains(w.late, c.ModelID) && !c.QueuedAt.After(p.wanted.LateBefore))
}

// mayTake reports whether a claim may get a job.
func (p *plan) mayTake(w *waiter, c store.Candidate) (bool, error) {
	s := p.workers[w.worker.ID]
	if p.hasJob[w] || s == nil || s.Free < 1 || p.isTaken[c.ID] || !p.isWanted(w, c) {
		return false, nil
	}
	if c.External && !p.engine.mayKeepRef(w.worker, c.ModelID) {
		return false, nil
	}
	if len(c.Takers) > 0 && (w.worker.Fallback || !slices.ContainsFunc(c.Takers, w.worker.Wallet.Equal)) {
		p.withheld = true
		return false, nil
	}
	if c.AvoidUntil.IsZero() {
		return true, nil
	}
	if _, known := p.avoided[c.ID][w.worker.ID]; !known {
		avoided, err := p.tx.IsAvoided(p.network, c, w.worker, p.now)
		if err != nil {
			return false, err
		}
		if p.avoided[c.ID] == nil {
			p.avoided[c.ID] = map[atelier.WorkerID]bool{}
		}
		p.avoided[c.ID][w.worker.ID] = avoided
		p.withheld = p.withheld || avoided
	}
	return !p.avoided[c.ID][w.worker.ID], nil
}

// firstLeft is the first of the due jobs before another that a claim could take and that
// has a property; nil when there is none.
func (p *plan) firstLeft(w *waiter, due []store.Candidate, before store.Candidate, has func(store.Candidate) bool) (*store.Candidate, error) {
	for i, f := range due {
		if f.ID == before.ID {
			break
		}
		if !has(f) {
			continue
		}
		if may, err := p.mayTake(w, f); err != nil || may {
			return &due[i], err
		}
	}
	return nil, nil
}

// add plans a job for a claim, and which of the due jobs it passes over. A worker without
// loaded models passes over none.
func (p *plan) add(w *waiter, c store.Candidate, due []store.Candidate) error {
	one := pair{waiter: w, job: c, front: c.Start}
	if len(p.workers[w.worker.ID].Loaded) > 0 {
		first, err := p.firstLeft(w, due, c, func(store.Candidate) bool { return true })
		if err != nil {
			return err
		}
		if first != nil { // accounts that come now are placed behind it, not behind the job that is taken before it
			one.front = min(c.Start, first.Start)
		}
		if one.passed, err = p.firstLeft(w, due, c, p.isHead(due)); err != nil {
			return err
		}
	}
	p.pairs = append(p.pairs, one)
	p.isTaken[c.ID], p.hasJob[w] = true, true
	p.workers[w.worker.ID].Free--
	return nil
}

// isHead returns whether no job of the model of a job was passed over yet: the first of each
// model is enough, because a worker that loads the model for it takes the others as well.
func (p *plan) isHead(due []store.Candidate) func(store.Candidate) bool {
	marked := map[string]bool{}
	for _, o := range p.pairs {
		if o.passed != nil {
			marked[o.passed.ModelID] = true
		}
	}
	for _, f := range due {
		if !f.PassedAt.IsZero() && !p.isTaken[f.ID] {
			marked[f.ModelID] = true
		}
	}
	return func(f store.Candidate) bool { return !marked[f.ModelID] }
}

// takeOverdue plans the first job that may not be passed over any longer, if there is one.
func (p *plan) takeOverdue(w *waiter, due []store.Candidate) (bool, error) {
	c, err := p.firstLeft(w, due, store.Candidate{}, func(f store.Candidate) bool { return !mayBePassed(f, p.now) })
	if err != nil || c == nil {
		return false, err
	}
	return true, p.add(w, *c, due)
}

// keepOrSwitch plans a job further back whose model the worker of a claim has loaded, or
// else the due job that it is best to load another model for: the first whose model no
// other worker renders now, else the first that is not left to one.
func (p *plan) keepOrSwitch(w *waiter, due, further []store.Candidate) error {
	s := p.workers[w.worker.ID]
	for _, c := range further {
		if !hasLoaded(s, c.ModelID) {
			continue
		}
		if may, err := p.mayTake(w, c); err != nil {
			return err
		} else if !may {
			continue
		}
		locked, err := p.tx.LockCandidate(c.ID)
		if err != nil {
			return err
		}
		if locked {
			return p.add(w, c, due)
		}
	}
	var possible []store.Candidate
	for _, c := range due {
		may, err := p.mayTake(w, c)
		if err != nil {
			return err
		}
		if may {
			possible = append(possible, c)
		}
	}
	if len(possible) == 0 {
		return nil
	}
	renders, err := p.tx.LeasedOf(p.network, p.wanted.Models)
	if err != nil {
		return err
	}
	renders = slices.DeleteFunc(renders, func(j store.LeasedJob) bool { return j.WorkerID == w.worker.ID })
	for _, c := range possible {
		if !slices.ContainsFunc(renders, func(j store.LeasedJob) bool { return j.ModelID == c.ModelID }) {
			return p.add(w, c, due)
		}
	}
	for _, c := range possible {
		if !p.leave(c, due, renders) {
			return p.add(w, c, due)
		}
	}
	p.withheld = true
	return nil
}

// noteModel records that a worker got a job of a model, and counts the switch if it has to
// load it in place of another.
func (d *dispatcher) noteModel(tx *store.Tx, id atelier.WorkerID, s *store.Standing, model string) error {
	if len(s.Loaded) == 0 || slices.Contains(s.Recent, model) {
		return nil
	}
	switches := 0
	if !hasLoaded(s, model) {
		switches = 1
		tx.OnCommit(func() { d.engine.switches.Inc() })
	}
	recent := append([]string{model}, s.Recent...)
	s.Recent = recent[:min(len(recent), s.Capacity)]
	return tx.NoteModels(id, s.Recent, switches)
}
