package schedule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/fleet/schedule"
)

var (
	now    = time.UnixMilli(1_700_000_000_000)
	models = []string{"flux", "qwen", "sdxl"}
)

// jobOf is an assigned job.
func jobOf(s schedule.Snapshot, a schedule.Assignment) schedule.Job {
	if a.IsFurther {
		return s.Further[a.Job]
	}
	return s.Due[a.Job]
}

// describe says in words who gets what.
func describe(s schedule.Snapshot, d schedule.Decision) string {
	var out []string
	for _, a := range d.Assignments {
		text := fmt.Sprintf("%s gets %s", s.Claims[a.Claim].ID, jobOf(s, a).ID)
		if a.Passed != "" {
			text += " before " + string(a.Passed)
		}
		out = append(out, text)
	}
	for _, id := range slices.Compact(slices.Clone(d.Left)) {
		out = append(out, string(id)+" is left")
	}
	return strings.Join(out, ", ")
}

// job is a job that was queued a minute ago.
func job(id atelier.JobID, model string, change ...func(*schedule.Job)) schedule.Job {
	j := schedule.Job{ID: id, Model: model, CreatedAt: now.Add(-time.Minute)}
	for _, set := range change {
		set(&j)
	}
	return j
}

// passed is for a job that was first passed over after it had waited, so long ago.
func passed(waited, ago time.Duration) func(*schedule.Job) {
	return func(j *schedule.Job) { j.PassedAt, j.CreatedAt = now.Add(-ago), now.Add(-ago-waited) }
}

// left is for a job that is left to another worker since then.
func left(ago time.Duration) func(*schedule.Job) {
	return func(j *schedule.Job) { j.LeftAt = now.Add(-ago) }
}

func late(j *schedule.Job)       { j.IsLate = true }
func external(j *schedule.Job)   { j.IsExternal = true }
func noFallback(j *schedule.Job) { j.NoFallback = true }
func forAnn(j *schedule.Job)     { j.Takers = []atelier.Wallet{"0xann"} }

// avoidedBy is for a job that some workers have dropped.
func avoidedBy(ids ...atelier.WorkerID) func(*schedule.Job) {
	return func(j *schedule.Job) { j.AvoidedBy = ids }
}

// worker is a worker that renders one job at once, of any model, and reports no loaded models.
func worker(id atelier.WorkerID, change ...func(*schedule.Worker)) *schedule.Worker {
	w := &schedule.Worker{ID: id, Wallet: "0xwil", Models: models, Capacity: 1, Free: 1}
	for _, set := range change {
		set(w)
	}
	return w
}

func has(models ...string) func(*schedule.Worker) {
	return func(w *schedule.Worker) { w.Loaded = models }
}

func offers(models ...string) func(*schedule.Worker) {
	return func(w *schedule.Worker) { w.Models = models }
}

// holds is for a worker that renders a number of jobs at once, and has some.
func holds(jobs, capacity int) func(*schedule.Worker) {
	return func(w *schedule.Worker) { w.Capacity, w.Free = capacity, capacity-jobs }
}

// got is for a worker that got jobs of these models since it has reported, the newest first.
func got(models ...string) func(*schedule.Worker) {
	return func(w *schedule.Worker) { w.Recent = models }
}

// low is for a worker of low standing that may get a number of trials: workers in good standing
// serve flux too.
func low(trials int) func(*schedule.Worker) {
	return func(w *schedule.Worker) { w.Better, w.Trials = []string{"flux"}, trials }
}

// sessionOf is for a session of a worker.
func sessionOf(name string) func(*schedule.Worker) {
	return func(w *schedule.Worker) { w.Name = name }
}

func last(j *schedule.Job) { j.IsLast = true }

func ends(w *schedule.Worker)                            { w.IsEnding = true }
func ofAnn(w *schedule.Worker)                           { w.Wallet = "0xAnn" }
func fallback(w *schedule.Worker)                        { w.Fallback = true }
func takesLate(w *schedule.Worker)                       { w.Models, w.Late = nil, models }
func atVendor(w *schedule.Worker)                        { w.External = []string{"flux"} }
func claims(list ...*schedule.Worker) []*schedule.Worker { return list }
func jobs(list ...schedule.Job) []schedule.Job           { return list }

// renders is what a worker renders for some more seconds.
func renders(id atelier.WorkerID, model string, remaining time.Duration) []schedule.Render {
	return []schedule.Render{{Worker: id, Model: model, Remaining: remaining}}
}

// The rules, each with what is decided and what is not. What a worker could get, and does not,
// it gets when there is nothing else. What it never gets it does not get then either.
func TestAssign(t *testing.T) {
	t.Parallel()
	twice, onTrial := worker("w", holds(1, 2)), worker("low", low(1), holds(0, 2))
	for _, c := range []struct {
		rule      string
		claims    []*schedule.Worker
		due       []schedule.Job
		further   []schedule.Job
		renders   []schedule.Render
		want      string
		couldGet  string // pairs of a worker and a job, as in "w one"
		neverGets string
	}{
		{
			rule:   "jobs go out in the order that they are due, to the claims in the order of arrival",
			claims: claims(worker("first"), worker("second")),
			due:    jobs(job("one", "flux"), job("two", "sdxl"), job("three", "flux")),
			want:   "first gets one, second gets two", couldGet: "first two, first three, second one",
		},
		{
			rule:   "a worker gets only jobs of models that it offers",
			claims: claims(worker("w", offers("sdxl"))),
			due:    jobs(job("one", "flux"), job("two", "sdxl")),
			want:   "w gets two", neverGets: "w one",
		},
		{
			rule:   "a worker gets as many jobs as it has space for, however many claims it has waiting",
			claims: claims(twice, twice, worker("full", holds(1, 1))),
			due:    jobs(job("one", "flux"), job("two", "flux")),
			want:   "w gets one", couldGet: "w two", neverGets: "full one, full two",
		},
		{
			rule:   "a job that is late goes also to workers that take late jobs of its model",
			claims: claims(worker("w", fallback, takesLate)),
			due:    jobs(job("one", "flux"), job("two", "flux", late)),
			want:   "w gets two", neverGets: "w one",
		},
		{
			rule:   "a job that a vendor may be rendering goes to a worker that may ask this vendor",
			claims: claims(worker("other"), worker("w", atVendor)),
			due:    jobs(job("one", "flux", external), job("two", "sdxl", external)),
			want:   "w gets one", neverGets: "other one, w two",
		},
		{
			rule:   "a job for the workers of some accounts goes to no other, and to no fallback worker",
			claims: claims(worker("other"), worker("fallback", ofAnn, fallback), worker("ann", ofAnn)),
			due:    jobs(job("one", "flux", forAnn), job("two", "flux")),
			want:   "ann gets one, other gets two", couldGet: "fallback two", neverGets: "other one, fallback one",
		},
		{
			rule:   "a job that is kept from fallback workers goes to none, however late it is",
			claims: claims(worker("fallback", fallback, takesLate), worker("w", offers("sdxl"))),
			due:    jobs(job("one", "flux", noFallback, late), job("two", "sdxl")),
			want:   "w gets two", neverGets: "fallback one, w one",
		},
		{
			rule:   "a job that a worker has dropped goes to another one",
			claims: claims(worker("w"), worker("other")),
			due:    jobs(job("one", "flux", avoidedBy("w")), job("two", "flux")),
			want:   "other gets one, w gets two", couldGet: "other two", neverGets: "w one",
		},
		{
			rule:   "a worker of low standing leaves the models that others serve better, and gets those that they do not",
			claims: claims(worker("low", low(0))),
			due:    jobs(job("one", "flux"), job("two", "sdxl")),
			want:   "low gets two", neverGets: "low one",
		},
		{
			rule:   "sessions of one worker share a trial, and another worker has its own",
			claims: claims(worker("one", low(1), sessionOf("low")), worker("two", low(1), sessionOf("low")), worker("lone", low(1))),
			due:    jobs(job("a", "flux"), job("b", "flux"), job("c", "flux")),
			want:   "one gets a, lone gets b", couldGet: "lone a, lone c, one b, one c, two a, two b, two c",
		},
		{
			rule:   "when a trial is due it gets one such job, in its turn, and no last attempt",
			claims: claims(onTrial, onTrial, worker("good")),
			due:    jobs(job("one", "flux", last), job("two", "flux"), job("three", "flux")),
			want:   "good gets one, low gets two", couldGet: "low three, good two, good three", neverGets: "low one",
		},

		{
			rule:   "a job goes to a worker that has its model loaded, although another has waited longer",
			claims: claims(worker("first"), worker("warm", has("flux"))),
			due:    jobs(job("one", "flux"), job("two", "flux")),
			want:   "warm gets one, first gets two", couldGet: "first one",
		},
		{
			rule:   "a worker that can begin now comes before one that ends another job, although that has waited longer",
			claims: claims(worker("ending", ends), worker("idle")),
			due:    jobs(job("one", "flux")),
			want:   "idle gets one", couldGet: "ending one",
		},
		{
			rule:   "also when both have the model loaded",
			claims: claims(worker("ending", has("flux"), ends), worker("idle", has("flux"))),
			due:    jobs(job("one", "flux"), job("two", "flux")),
			want:   "idle gets one, ending gets two", couldGet: "ending one, idle two",
		},
		{
			rule:   "a worker takes jobs of its loaded model before those whose turn it is, and marks the first of each model that it passes over",
			claims: claims(worker("w", has("flux"))),
			due:    jobs(job("one", "sdxl"), job("two", "sdxl"), job("three", "flux"), job("four", "flux")),
			want:   "w gets three before one", couldGet: "w one, w two, w four",
		},
		{
			rule:   "a job is passed over for the first time once: the others of its model need no mark",
			claims: claims(worker("w", has("flux"))),
			due:    jobs(job("one", "sdxl"), job("two", "sdxl", passed(time.Minute, time.Second)), job("three", "flux")),
			want:   "w gets three", couldGet: "w one, w two",
		},
		{
			rule:   "also when two workers pass over it at once",
			claims: claims(worker("w", has("flux")), worker("x", has("flux"))),
			due:    jobs(job("one", "sdxl"), job("two", "flux"), job("three", "flux")),
			want:   "w gets two before one, x gets three", couldGet: "w one, x one",
		},
		{
			rule:   "when it is taken, the next of its model gets the mark",
			claims: claims(worker("first"), worker("w", has("flux"))),
			due:    jobs(job("one", "sdxl", passed(time.Minute, time.Second)), job("two", "sdxl"), job("three", "flux")),
			want:   "first gets one, w gets three before two", couldGet: "w one, w two",
		},
		{
			rule:   "a worker takes jobs of its loaded model also from further back",
			claims: claims(worker("w", has("flux"))),
			due:    jobs(job("one", "sdxl")), further: jobs(job("two", "flux", avoidedBy("w")), job("three", "flux")),
			want: "w gets three before one", couldGet: "w one", neverGets: "w two",
		},
		{
			rule:   "a worker that reports no loaded models does not look further back",
			claims: claims(worker("w", offers("flux"))),
			due:    jobs(job("one", "sdxl")), further: jobs(job("two", "flux")),
			want: "", couldGet: "w two", neverGets: "w one",
		},
		{
			rule:   "a worker of one job at once that got a job of another model has replaced what it reported",
			claims: claims(worker("w", has("flux"), got("sdxl"))),
			due:    jobs(job("one", "flux"), job("two", "sdxl")),
			want:   "w gets two before one", couldGet: "w one",
		},
		{
			rule:   "a worker of several jobs at once has both",
			claims: claims(worker("w", has("flux"), got("sdxl"), holds(1, 2))),
			due:    jobs(job("one", "flux"), job("two", "sdxl")),
			want:   "w gets one", couldGet: "w two",
		},

		{
			rule:   "a job may be passed over for half as long as it had waited",
			claims: claims(worker("w", has("flux"))),
			due:    jobs(job("one", "sdxl", passed(40*time.Second, 20*time.Second-1)), job("two", "flux")),
			want:   "w gets two", couldGet: "w one",
		},
		{
			rule:   "and no longer",
			claims: claims(worker("w", has("flux"))),
			due:    jobs(job("one", "sdxl", passed(40*time.Second, 20*time.Second)), job("two", "flux")),
			want:   "w gets one", couldGet: "w two",
		},
		{
			rule:   "for 7 seconds at least",
			claims: claims(worker("w", has("flux"))),
			due:    jobs(job("one", "sdxl", passed(0, 7*time.Second-1)), job("two", "flux")),
			want:   "w gets two", couldGet: "w one",
		},
		{
			rule:   "for 30 seconds at most",
			claims: claims(worker("w", has("flux"))),
			due:    jobs(job("one", "sdxl", passed(time.Hour, 30*time.Second)), job("two", "flux")),
			want:   "w gets one", couldGet: "w two",
		},
		{
			rule:   "an overdue job comes before one of the loaded model further back",
			claims: claims(worker("w", has("flux"))),
			due:    jobs(job("one", "sdxl", passed(time.Minute, time.Minute))), further: jobs(job("two", "flux")),
			want: "w gets one", couldGet: "w two",
		},
		{
			rule:   "a worker keeps its model when another takes the overdue job",
			claims: claims(worker("cold", has("qwen")), worker("warm", has("flux"))),
			due:    jobs(job("one", "sdxl", passed(time.Minute, time.Minute)), job("two", "flux")),
			want:   "cold gets one, warm gets two", couldGet: "warm one, cold two",
		},

		{
			rule:   "a worker that has to load another model prefers one that no other worker renders",
			claims: claims(worker("w", has("qwen"))),
			due:    jobs(job("one", "flux"), job("two", "sdxl")), renders: renders("other", "flux", time.Hour),
			want: "w gets two before one", couldGet: "w one",
		},
		{
			rule:   "else it takes the first",
			claims: claims(worker("w", has("qwen"))),
			due:    jobs(job("one", "flux"), job("two", "flux")), renders: renders("other", "flux", time.Hour),
			want: "w gets one", couldGet: "w two",
		},
		{
			rule:   "what it renders itself does not count",
			claims: claims(worker("w", has("qwen"), holds(1, 2))),
			due:    jobs(job("one", "flux")), renders: renders("w", "flux", time.Second),
			want: "w gets one",
		},
		{
			rule:   "it leaves a job to a worker that renders this model and will soon be done",
			claims: claims(worker("w", has("qwen"))),
			due:    jobs(job("one", "flux")), renders: renders("other", "flux", 3*time.Second),
			want: "one is left", couldGet: "w one",
		},
		{
			rule:   "one job to each such worker",
			claims: claims(worker("w", has("qwen"))),
			due:    jobs(job("one", "flux"), job("two", "flux")), renders: renders("other", "flux", time.Second),
			want: "w gets two before one, one is left", couldGet: "w one",
		},
		{
			rule:   "for 3 seconds",
			claims: claims(worker("w", has("qwen"))),
			due:    jobs(job("one", "flux", left(3*time.Second))), renders: renders("other", "flux", time.Second),
			want: "w gets one",
		},
		{
			rule:   "a worker that reports no loaded models leaves none",
			claims: claims(worker("w")),
			due:    jobs(job("one", "flux")), renders: renders("other", "flux", time.Second),
			want: "w gets one",
		},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			s := schedule.Snapshot{Now: now, Claims: c.claims, Due: c.due, Further: c.further, Renders: c.renders}
			if got := describe(s, schedule.Assign(s)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			for _, p := range alternatives(c.couldGet) {
				if got, want := assignAlone(s, p.worker, p.job), p.worker+" gets "+p.job; got != want {
					t.Errorf("with nothing else: got %q, want %q", got, want)
				}
			}
			for _, p := range alternatives(c.neverGets) {
				if got := assignAlone(s, p.worker, p.job); got != "" {
					t.Errorf("with nothing else: got %q, want nothing", got)
				}
			}
		})
	}
}

// alternative is a job that a worker does not get.
type alternative struct{ worker, job string }

func alternatives(text string) (out []alternative) {
	for pair := range strings.SplitSeq(text, ", ") {
		if worker, job, found := strings.Cut(pair, " "); found {
			out = append(out, alternative{worker, job})
		}
	}
	return out
}

// assignAlone decides about one job of a snapshot and one claim.
func assignAlone(s schedule.Snapshot, worker, job string) string {
	claim := slices.IndexFunc(s.Claims, func(w *schedule.Worker) bool { return string(w.ID) == worker })
	queue := slices.Concat(s.Due, s.Further)
	due := slices.IndexFunc(queue, func(j schedule.Job) bool { return string(j.ID) == job })
	alone := schedule.Snapshot{Now: s.Now, Claims: s.Claims[claim : claim+1], Due: queue[due : due+1]}
	return describe(alone, schedule.Assign(alone))
}

// The front of the queue, behind which new accounts are placed, moves to the job that was
// taken, but not beyond the first one that was passed over for it.
func TestFront(t *testing.T) {
	t.Parallel()
	one, two := job("one", "sdxl"), job("two", "flux")
	one.Start, two.Start = 3, 5
	for _, c := range []struct {
		name   string
		worker *schedule.Worker
		want   int64
	}{
		{"the first job", worker("w"), 3},
		{"the second job, before the first", worker("w", has("flux")), 3},
		{"the second job, the first is for others", worker("w", has("flux"), offers("flux")), 5},
	} {
		d := schedule.Assign(schedule.Snapshot{Now: now, Claims: claims(c.worker), Due: jobs(one, two)})
		if len(d.Assignments) != 1 || d.Assignments[0].Front != c.want {
			t.Errorf("%s: got %+v, want one with the front at %d", c.name, d.Assignments, c.want)
		}
	}
}

// A decision in which no claim gets a job says whether one is left to other workers: then jobs
// behind it may be for these claims.
func TestWithheld(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		worker *schedule.Worker
		job    schedule.Job
		want   bool
	}{
		{"a job of another model", worker("w", offers("sdxl")), job("one", "flux", forAnn), false},
		{"a job for another account", worker("w"), job("one", "flux", forAnn), true},
		{"a dropped job", worker("w"), job("one", "flux", avoidedBy("w")), true},
		{"a dropped job, and a full worker", worker("w", holds(1, 1)), job("one", "flux", avoidedBy("w")), false},
		{"a job that it gets", worker("w"), job("one", "flux"), false},
		{"a job for a worker that will soon be done", worker("w", has("sdxl")), job("one", "flux"), true},
	} {
		s := schedule.Snapshot{Now: now, Claims: claims(c.worker), Due: jobs(c.job), Renders: renders("other", "flux", time.Second)}
		if got := schedule.Assign(s).IsWithheld; got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
