package schedule

import (
	"slices"
	"time"

	"github.com/atelier-project/atelier"
)

// LeaveFor is how long a job is left to a worker that renders another job of its model and
// will soon be done.
const LeaveFor = 3 * time.Second

// Assignment is a job for a claim.
type Assignment struct {
	Claim     int           // the index of the claim
	Job       int           // the index of the job: in Due, or in Further
	IsFurther bool          // the job is in Further
	Front     int64         // where the front of the queue is after it
	Passed    atelier.JobID // a job that is passed over for the first time; or empty
}

// Decision is who gets what.
type Decision struct {
	Assignments []Assignment
	Left        []atelier.JobID // jobs that are left to workers that will soon be done
	IsWithheld  bool            // no claim gets a job, and one of the jobs is left to other workers: others may be behind it
}

// Assign decides which claim gets which job, by the rules of this package.
func Assign(s Snapshot) Decision {
	p := decide(s)
	p.IsWithheld = len(p.Assignments) == 0 && (len(p.Left) > 0 || slices.ContainsFunc(s.Claims, p.withholds))
	return p.Decision
}

// Searching lists the workers that need jobs from further back: they have models loaded, and
// get none of their jobs at the front. Further matters only to them.
func (s Snapshot) Searching() []*Worker { return decide(s).searching }

// IsSwitching reports whether a worker would load another model for a job that is not overdue.
// Only then it matters what others render.
func (s Snapshot) IsSwitching() bool { return decide(s).isSwitching }

// plan is a decision that is being made.
type plan struct {
	Snapshot
	Decision
	isServed    []bool                   // the claims that have a job
	free        map[atelier.WorkerID]int // how many more jobs a worker can take
	trials      map[string]int           // how many more trials a worker may get, by trialKey
	isTaken     map[atelier.JobID]bool
	passed      []string // the models of jobs that are passed over for the first time
	searching   []*Worker
	isSwitching bool
}

// decide gives the due jobs to claims whose worker need not load another model for them, and
// then lets the other workers that have models loaded choose.
func decide(s Snapshot) *plan {
	p := &plan{Snapshot: s, isServed: make([]bool, len(s.Claims)), free: map[atelier.WorkerID]int{}, trials: map[string]int{}, isTaken: map[atelier.JobID]bool{}}
	for _, w := range s.Claims {
		p.free[w.ID], p.trials[w.trialKey()] = w.Free, w.Trials
	}
	for i := range s.Due {
		if claim := p.findClaim(i); claim >= 0 {
			p.assign(claim, i)
		}
	}
	for _, isEnding := range []bool{false, true} {
		for claim, w := range s.Claims {
			if w.IsEnding == isEnding && len(w.Loaded) > 0 && !p.isServed[claim] && p.free[w.ID] > 0 {
				p.choose(claim)
			}
		}
	}
	return p
}

// findClaim finds a claim for a due job, of a worker that can begin it now, else of one that
// still ends another. It returns -1 when it finds no claim.
func (p *plan) findClaim(job int) int {
	if claim := p.findClaimOf(job, false); claim >= 0 {
		return claim
	}
	return p.findClaimOf(job, true)
}

// findClaimOf finds the first claim whose worker has the model loaded and no overdue job before
// this one, else the first whose worker reports no loaded models.
func (p *plan) findClaimOf(job int, isEnding bool) int {
	first := -1
	for claim, w := range p.Claims {
		switch {
		case w.IsEnding != isEnding:
		case len(w.Loaded) == 0 && first >= 0, !p.mayTake(claim, &p.Due[job]):
		case len(w.Loaded) == 0:
			first = claim
		case w.HasLoaded(p.Due[job].Model) && p.find(claim, p.Due[:job], p.isOverdue) < 0:
			return claim
		}
	}
	return first
}

// choose assigns a job to a claim whose worker has models loaded: an overdue one, else one of
// a loaded model, else the one that it is best to load another model for.
func (p *plan) choose(claim int) {
	w := p.Claims[claim]
	isLoaded := func(j *Job) bool { return w.HasLoaded(j.Model) }
	for _, has := range []func(*Job) bool{p.isOverdue, isLoaded} {
		if i := p.find(claim, p.Due, has); i >= 0 {
			p.assign(claim, i)
			return
		}
	}
	p.searching = append(p.searching, w)
	if i := p.find(claim, p.Further, isLoaded); i >= 0 {
		p.assignFurther(claim, i)
		return
	}
	i := p.find(claim, p.Due, func(j *Job) bool { return !slices.ContainsFunc(p.Renders, j.isRenderedBeside(w)) })
	if i < 0 {
		i = p.findNotLeft(claim)
	}
	if i >= 0 {
		p.isSwitching = true
		p.assign(claim, i)
	}
}

// isRenderedBeside returns whether a render is of the model of a job, and by another worker.
func (j *Job) isRenderedBeside(w *Worker) func(Render) bool {
	return func(r Render) bool { return r.Model == j.Model && r.Worker != w.ID }
}

// findNotLeft finds the first due job for a claim that is not left to a worker which renders
// a job of its model and is about to end it. Each such worker is left one job, and each job is
// left for a short while.
func (p *plan) findNotLeft(claim int) int {
	for i := range p.Due {
		j := &p.Due[i]
		if !p.mayTake(claim, j) {
			continue
		}
		ending := 0
		for _, r := range p.Renders {
			if j.isRenderedBeside(p.Claims[claim])(r) && r.Remaining <= LeaveFor {
				ending++
			}
		}
		for _, before := range p.Due[:i] {
			if before.Model == j.Model && !p.isTaken[before.ID] {
				ending--
			}
		}
		if ending <= 0 || (!j.LeftAt.IsZero() && p.Now.Sub(j.LeftAt) >= LeaveFor) {
			return i
		}
		p.Left = append(p.Left, j.ID)
	}
	return -1
}

func (p *plan) isOverdue(j *Job) bool { return j.isOverdue(p.Now) }

// mayTake reports whether a claim may get a job.
func (p *plan) mayTake(claim int, j *Job) bool {
	w := p.Claims[claim]
	return !p.isServed[claim] && p.free[w.ID] > 0 && !p.isTaken[j.ID] && w.offers(j) && !p.mustLeave(w, j)
}

// mustLeave reports whether a job is for other workers than this one.
func (p *plan) mustLeave(w *Worker, j *Job) bool {
	return w.mustLeave(j) || w.isTrial(j) && (j.IsLast || p.trials[w.trialKey()] == 0)
}

// withholds reports whether a job that a worker offers to render is left to others.
func (p *plan) withholds(w *Worker) bool {
	isLeft := func(j Job) bool { return w.Free > 0 && w.offers(&j) && p.mustLeave(w, &j) }
	return slices.ContainsFunc(p.Due, isLeft) || slices.ContainsFunc(p.Further, func(j Job) bool { return w.HasLoaded(j.Model) && isLeft(j) })
}

// find finds the first of some jobs that a claim may get and that has a property. It returns
// -1 when it finds no job.
func (p *plan) find(claim int, jobs []Job, has func(*Job) bool) int {
	for i := range jobs {
		if has(&jobs[i]) && p.mayTake(claim, &jobs[i]) {
			return i
		}
	}
	return -1
}

func (p *plan) assign(claim, job int) {
	p.add(Assignment{Claim: claim, Job: job}, &p.Due[job], p.Due[:job])
}

func (p *plan) assignFurther(claim, job int) {
	p.add(Assignment{Claim: claim, Job: job, IsFurther: true}, &p.Further[job], p.Due)
}

// add assigns a job to a claim, and notes which of the due jobs before it are passed over. A
// worker without loaded models passes over none.
func (p *plan) add(a Assignment, j *Job, before []Job) {
	w := p.Claims[a.Claim]
	a.Front = j.Start
	if len(w.Loaded) > 0 {
		if i := p.find(a.Claim, before, func(*Job) bool { return true }); i >= 0 {
			a.Front = min(j.Start, before[i].Start) // accounts that come now are placed behind it, not behind the job that is taken before it
		}
		if i := p.find(a.Claim, before, p.isHead()); i >= 0 {
			a.Passed = before[i].ID
			p.passed = append(p.passed, before[i].Model)
		}
	}
	p.Assignments = append(p.Assignments, a)
	p.isServed[a.Claim], p.isTaken[j.ID] = true, true
	p.free[w.ID]--
	if w.isTrial(j) {
		p.trials[w.trialKey()]--
	}
}

// isHead returns whether no job of the model of a job was passed over yet: the first of each
// model is enough, because a worker that loads the model for it takes the others as well.
func (p *plan) isHead() func(*Job) bool {
	marked := slices.Clone(p.passed)
	for _, j := range p.Due {
		if !j.PassedAt.IsZero() && !p.isTaken[j.ID] {
			marked = append(marked, j.Model)
		}
	}
	return func(j *Job) bool { return !slices.Contains(marked, j.Model) }
}
