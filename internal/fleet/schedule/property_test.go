package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/fleet/schedule"
)

// randomSnapshot is a small snapshot in which every rule may apply.
func randomSnapshot(r *rand.Rand) schedule.Snapshot {
	someModels := func(share float64) (out []string) {
		for _, m := range models {
			if r.Float64() < share {
				out = append(out, m)
			}
		}
		return out
	}
	var workers []*schedule.Worker
	for i := range 1 + r.IntN(4) {
		w := &schedule.Worker{ID: atelier.WorkerID(fmt.Sprint("w", i)), Wallet: atelier.Wallet(fmt.Sprint("0x", r.IntN(2))), Fallback: r.IntN(5) == 0,
			Models: someModels(0.8), Late: someModels(0.1), External: someModels(0.3), Capacity: 1 + r.IntN(3)}
		w.Free = r.IntN(w.Capacity + 1)
		if r.IntN(3) > 0 {
			w.Loaded = someModels(0.4)
		}
		if len(w.Loaded) > 0 && r.IntN(3) == 0 {
			w.Recent = []string{models[r.IntN(len(models))]}
		}
		if r.IntN(4) == 0 {
			w.Better, w.Trials = someModels(0.5), r.IntN(2)
		}
		workers = append(workers, w)
	}
	s := schedule.Snapshot{Now: now}
	for range 1 + r.IntN(6) {
		s.Claims = append(s.Claims, workers[r.IntN(len(workers))])
	}
	var queue []schedule.Job
	start := int64(0)
	for i := range 1 + r.IntN(12) {
		start += r.Int64N(3)
		j := schedule.Job{ID: atelier.JobID(fmt.Sprint("j", i)), Model: models[r.IntN(len(models))], Start: start,
			IsLate: r.IntN(5) == 0, IsExternal: r.IntN(8) == 0, IsLast: r.IntN(4) == 0, CreatedAt: now.Add(-time.Duration(r.IntN(90)) * time.Second)}
		if r.IntN(3) == 0 {
			j.PassedAt = j.CreatedAt.Add(time.Duration(r.Int64N(int64(now.Sub(j.CreatedAt)) + 1)))
		}
		if r.IntN(5) == 0 {
			j.LeftAt = now.Add(-time.Duration(r.IntN(6)) * time.Second)
		}
		if r.IntN(8) == 0 {
			j.Takers = []atelier.Wallet{"0x0"}
		}
		j.NoFallback = r.IntN(8) == 0
		if r.IntN(6) == 0 {
			j.AvoidedBy = []atelier.WorkerID{workers[r.IntN(len(workers))].ID}
		}
		queue = append(queue, j)
	}
	n := 1 + r.IntN(len(queue))
	s.Due, s.Further = queue[:n], queue[n:]
	for range r.IntN(4) {
		s.Renders = append(s.Renders, schedule.Render{Worker: atelier.WorkerID(fmt.Sprint("w", r.IntN(6))), Model: models[r.IntN(len(models))],
			Remaining: time.Duration(r.IntN(6)) * time.Second})
	}
	return s
}

// mayRender says in the plainest words whether a worker may render a job.
func mayRender(w *schedule.Worker, j schedule.Job) bool {
	offers := slices.Contains(w.Models, j.Model)
	if j.IsLate && slices.Contains(w.Late, j.Model) {
		offers = true
	}
	if j.IsExternal && !slices.Contains(w.External, j.Model) {
		offers = false
	}
	if len(j.Takers) > 0 && (w.Fallback || !slices.Contains(j.Takers, w.Wallet)) {
		offers = false
	}
	if isTrial(w, j) && (j.IsLast || w.Trials == 0) {
		offers = false
	}
	if j.NoFallback && w.Fallback {
		offers = false
	}
	return offers && !slices.Contains(j.AvoidedBy, w.ID)
}

// isTrial says whether a worker whose standing is low may get a job only as a trial.
func isTrial(w *schedule.Worker, j schedule.Job) bool { return slices.Contains(w.Better, j.Model) }

// hold is how long a job may be passed over: half as long as it had waited before, from 5 to
// 30 seconds.
func hold(j schedule.Job) time.Duration {
	return min(max(j.PassedAt.Sub(j.CreatedAt)/2, 7*time.Second), 30*time.Second)
}

func isOverdue(j schedule.Job) bool { return !j.PassedAt.IsZero() && now.Sub(j.PassedAt) >= hold(j) }

// outcome is a decision about a snapshot, with what follows from it.
type outcome struct {
	schedule.Snapshot
	schedule.Decision
	isTaken  map[atelier.JobID]bool
	isServed map[int]bool             // the claims that got a job
	got      map[atelier.WorkerID]int // jobs
	trials   map[atelier.WorkerID]int // how many of them are trials
}

func newOutcome(s schedule.Snapshot) outcome {
	o := outcome{Snapshot: s, Decision: schedule.Assign(s), isTaken: map[atelier.JobID]bool{}, isServed: map[int]bool{}, got: map[atelier.WorkerID]int{}, trials: map[atelier.WorkerID]int{}}
	for _, a := range o.Assignments {
		o.isTaken[jobOf(s, a).ID], o.isServed[a.Claim] = true, true
		w := s.Claims[a.Claim]
		o.got[w.ID]++
		if isTrial(w, jobOf(s, a)) {
			o.trials[w.ID]++
		}
	}
	return o
}

// waiting lists those of some jobs that a worker may render and that no claim got.
func (o outcome) waiting(w *schedule.Worker, jobs []schedule.Job) (out []schedule.Job) {
	for _, j := range jobs {
		if mayRender(w, j) && !o.isTaken[j.ID] && (!isTrial(w, j) || o.trials[w.ID] < w.Trials) {
			out = append(out, j)
		}
	}
	return out
}

// assigned is one assignment of a decision.
type assigned struct {
	outcome
	schedule.Assignment
	worker *schedule.Worker
	job    schedule.Job
	before []schedule.Job // the due jobs before it
	passed []schedule.Job // those of them that the worker could have got, and that no claim got
}

func (o outcome) assigned(a schedule.Assignment) assigned {
	out := assigned{outcome: o, Assignment: a, worker: o.Claims[a.Claim], job: jobOf(o.Snapshot, a), before: o.Due}
	if !a.IsFurther {
		out.before = o.Due[:a.Job]
	}
	out.passed = o.waiting(out.worker, out.before)
	return out
}

// properties are the rules that every assignment keeps.
var properties = []struct {
	rule  string
	holds func(assigned) bool
}{
	{"a worker gets only jobs that it may render", func(a assigned) bool { return mayRender(a.worker, a.job) }},
	{"a worker gets no more jobs than it has space for", func(a assigned) bool { return a.got[a.worker.ID] <= a.worker.Free }},
	{"a worker whose standing is low gets no more trials than are due", func(a assigned) bool { return a.trials[a.worker.ID] <= a.worker.Trials }},
	{"a worker that reports no loaded models passes over no job", func(a assigned) bool {
		return len(a.worker.Loaded) > 0 || (len(a.passed) == 0 && a.Passed == "")
	}},
	{"an overdue job is not passed over", func(a assigned) bool { return !slices.ContainsFunc(a.passed, isOverdue) }},
	{"among jobs of one model the order stays, unless the first is left to another worker or the second is overdue", func(a assigned) bool {
		isBefore := func(j schedule.Job) bool { return j.Model == a.job.Model && !slices.Contains(a.Left, j.ID) }
		return isOverdue(a.job) || !slices.ContainsFunc(a.passed, isBefore)
	}},
	{"a worker loads another model only for an overdue job, or when there is no job of its models", func(a assigned) bool {
		isLoaded := func(j schedule.Job) bool { return len(a.worker.Loaded) == 0 || a.worker.HasLoaded(j.Model) }
		return isLoaded(a.job) || isOverdue(a.job) || !slices.ContainsFunc(a.waiting(a.worker, slices.Concat(a.Due, a.Further)), isLoaded)
	}},
	{"a job is passed over for the first time once, by a job behind it", func(a assigned) bool {
		isMarked := func(j schedule.Job) bool { return j.ID == a.Passed && j.PassedAt.IsZero() && mayRender(a.worker, j) }
		return a.Passed == "" || slices.ContainsFunc(a.before, isMarked)
	}},
	{"the front of the queue does not go beyond a job that is passed over", func(a assigned) bool {
		return a.Front <= a.job.Start && (len(a.passed) == 0 || a.Front <= a.passed[0].Start)
	}},
}

// Every decision keeps the rules, in thousands of random snapshots, and changes nothing.
func TestProperties(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8000) {
		s := randomSnapshot(rand.New(rand.NewPCG(seed, 1)))
		o := newOutcome(s)
		if len(o.isTaken) != len(o.Assignments) || len(o.isServed) != len(o.Assignments) {
			t.Errorf("seed %d: a claim got two jobs, or two claims got one: %+v", seed, o.Assignments)
		}
		for _, a := range o.Assignments {
			for _, p := range properties {
				if !p.holds(o.assigned(a)) {
					t.Errorf("seed %d: %s: %+v", seed, p.rule, a)
				}
			}
		}
		o.checkIdle(t, seed)
		if !reflect.DeepEqual(s, randomSnapshot(rand.New(rand.NewPCG(seed, 1)))) {
			t.Errorf("seed %d: the decision has changed its snapshot", seed)
		}
	}
}

// checkIdle checks that a claim waits only for jobs that are left to other workers.
func (o outcome) checkIdle(t *testing.T, seed uint64) {
	t.Helper()
	for claim, w := range o.Claims {
		if o.isServed[claim] || o.got[w.ID] == w.Free {
			continue
		}
		for _, j := range o.waiting(w, o.Due) {
			if !slices.Contains(o.Left, j.ID) {
				t.Errorf("seed %d: claim %d of %s waits, and so does job %s", seed, claim, w.ID, j.ID)
			}
		}
	}
}

// What Searching and IsSwitching say is not needed does not change a decision.
func TestWhatIsNotNeeded(t *testing.T) {
	t.Parallel()
	skipped := 0
	for seed := range uint64(4000) {
		whole := randomSnapshot(rand.New(rand.NewPCG(seed, 2)))
		s := schedule.Snapshot{Now: whole.Now, Claims: whole.Claims, Due: whole.Due}
		for _, j := range whole.Further {
			if slices.ContainsFunc(s.Searching(), func(w *schedule.Worker) bool { return w.HasLoaded(j.Model) }) {
				s.Further = append(s.Further, j)
			}
		}
		if s.IsSwitching() {
			s.Renders = whole.Renders
		}
		skipped += len(whole.Further) - len(s.Further) + len(whole.Renders) - len(s.Renders)
		got, want := describe(s, schedule.Assign(s)), describe(whole, schedule.Assign(whole))
		if got != want {
			t.Errorf("seed %d: got %s, and %s with all that there is", seed, got, want)
		}
	}
	if skipped == 0 {
		t.Error("everything was needed")
	}
}
