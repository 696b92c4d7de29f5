package schedule_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/fleet/schedule"
)

// A simulation of workers that need time to load another model, on their own clock.
const (
	loadTime   = 10 * time.Second
	renderTime = 2 * time.Second
	atFront    = 10 // how many jobs are read at the front of the queue
)

// arrival is a job that an account submits.
type arrival struct {
	at      time.Duration // after the beginning
	account int
	model   string
}

// simulation is a queue in which accounts take turns, and the workers that render it.
type simulation struct {
	now      time.Time
	queue    []queued
	turns    map[int]int64 // the last turn of an account
	front    int64
	workers  []*simWorker
	switches int
	jobs     map[int]int           // how many an account has begun
	waits    map[int]time.Duration // from submitting to completing, of all jobs of an account
}

type queued struct {
	schedule.Job
	account int
	latest  time.Time // when it has to begin; zero while it may be passed over
}

type simWorker struct {
	schedule.Worker
	memory string // the model in it
	until  time.Time
}

// simulate has two workers render what arrives. With reports they report which model
// they have loaded.
func simulate(t *testing.T, arrivals []arrival, reports bool) *simulation {
	s := &simulation{now: now, turns: map[int]int64{}, jobs: map[int]int{}, waits: map[int]time.Duration{}}
	var models []string
	for _, a := range arrivals {
		models = append(models, a.model)
	}
	for i := range 2 {
		s.workers = append(s.workers, &simWorker{Worker: schedule.Worker{ID: atelier.WorkerID(fmt.Sprint("w", i)), Models: models, Capacity: 1}})
	}
	for next := 0; next < len(arrivals) || len(s.queue) > 0; s.now = s.now.Add(time.Second) {
		for ; next < len(arrivals) && !now.Add(arrivals[next].at).After(s.now); next++ {
			s.submit(next, arrivals[next])
		}
		s.match(reports)
		s.checkOverdue(t)
	}
	return s
}

// submit queues a job at the next turn of its account.
func (s *simulation) submit(i int, a arrival) {
	s.turns[a.account] = max(s.turns[a.account], s.front) + 1
	s.queue = append(s.queue, queued{account: a.account,
		Job: schedule.Job{ID: atelier.JobID(fmt.Sprint(i)), Model: a.model, Start: s.turns[a.account], CreatedAt: s.now}})
	slices.SortStableFunc(s.queue, func(a, b queued) int { return cmp.Compare(a.Start, b.Start) })
}

// match has the idle workers claim, and begins what is decided.
func (s *simulation) match(reports bool) {
	snapshot := schedule.Snapshot{Now: s.now}
	var idle []*simWorker
	for _, w := range s.workers {
		if w.until.After(s.now) {
			snapshot.Renders = append(snapshot.Renders, schedule.Render{Worker: w.ID, Model: w.memory, Remaining: w.until.Sub(s.now)})
			continue
		}
		if w.Free, w.Loaded = 1, nil; reports && w.memory != "" {
			w.Loaded = []string{w.memory}
		}
		idle = append(idle, w)
		snapshot.Claims = append(snapshot.Claims, &w.Worker)
	}
	for i, j := range s.queue {
		if i < atFront {
			snapshot.Due = append(snapshot.Due, j.Job)
		} else {
			snapshot.Further = append(snapshot.Further, j.Job)
		}
	}
	decision := schedule.Assign(snapshot)
	for _, id := range decision.Left {
		if j := s.find(id); j.LeftAt.IsZero() {
			j.LeftAt = s.now
		}
	}
	for _, a := range decision.Assignments {
		if a.Passed != "" {
			s.find(a.Passed).PassedAt = s.now
		}
		s.front = max(s.front, a.Front)
		s.begin(idle[a.Claim], jobOf(snapshot, a).ID)
	}
}

// checkOverdue checks that a job which may not be passed over any longer waits only for jobs
// before it.
func (s *simulation) checkOverdue(t *testing.T) {
	for i := range s.queue {
		j := &s.queue[i]
		if j.latest.IsZero() && !j.PassedAt.IsZero() && s.now.Sub(j.PassedAt) >= hold(j.Job) {
			j.latest = s.now.Add(time.Duration(i+1) * (loadTime + renderTime))
		}
		if !j.latest.IsZero() && s.now.After(j.latest) {
			t.Errorf("job %s has waited for %v, and is passed over for %v", j.ID, s.now.Sub(j.CreatedAt), s.now.Sub(j.PassedAt))
		}
	}
}

func (s *simulation) find(id atelier.JobID) *queued {
	return &s.queue[slices.IndexFunc(s.queue, func(j queued) bool { return j.ID == id })]
}

// begin has a worker render a job.
func (s *simulation) begin(w *simWorker, id atelier.JobID) {
	j := s.find(id)
	s.jobs[j.account]++
	w.until = s.now.Add(renderTime)
	if w.memory != j.Model {
		w.until = w.until.Add(loadTime)
		if w.memory != "" {
			s.switches++
		}
		w.memory = j.Model
	}
	s.waits[j.account] += w.until.Sub(j.CreatedAt)
	s.queue = slices.DeleteFunc(s.queue, func(q queued) bool { return q.ID == id })
}

// few are some jobs of a few accounts and models, which come at once or by and by.
func few(r *rand.Rand) (out []arrival) {
	accounts, kinds, span := 1+r.IntN(5), 1+r.IntN(len(models)), 1+r.IntN(90)
	for range 1 + r.IntN(40) {
		out = append(out, arrival{time.Duration(r.IntN(span)) * time.Second, r.IntN(accounts), models[r.IntN(kinds)]})
	}
	return out
}

// mixed is a queue of three models: jobs of twelve accounts, some with many jobs at once,
// others with few now and then.
func mixed(r *rand.Rand) (out []arrival) {
	for account := range 12 {
		for i := range 16 {
			switch {
			case account < 6:
				out = append(out, arrival{0, account, models[r.IntN(len(models))]})
			case i < 6:
				out = append(out, arrival{time.Duration(r.IntN(150)) * time.Second, account, models[r.IntN(len(models))]})
			}
		}
	}
	return out
}

// minority is a queue in which most jobs are of one model and arrive as fast as it can be
// rendered without switches, and a few of others, from accounts of their own.
func minority(r *rand.Rand) (out []arrival) {
	for i := range 240 {
		out = append(out, arrival{time.Duration(i) * 1100 * time.Millisecond, i % 5, "most"})
	}
	at := time.Duration(20+r.IntN(50)) * time.Second
	for i := range 6 {
		model := fmt.Sprint("rare", i)
		out = append(out, arrival{at, 5 + i, model}, arrival{time.Duration(120+r.IntN(110)) * time.Second, 11 + i, model})
	}
	return out
}

// Workers that report what they have loaded load another model far less often than in the order
// of the queue, and no account waits more than twice as long. In short queues it may wait for the
// time of a switch besides, and a few queues have some switches more.
func TestSimulations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		queue func(*rand.Rand) []arrival
		seeds uint64
		fewer int           // how many times fewer switches there are in all
		more  int           // how many more there may be in one queue
		spare time.Duration // how much longer than twice as long a job may wait, in the mean of its account
	}{
		{name: "few", queue: few, seeds: 500, fewer: 2, more: 3, spare: loadTime},
		{name: "mixed", queue: mixed, seeds: 10, fewer: 5},
		{name: "minority", queue: minority, seeds: 10, fewer: 1},
	} {
		var fair, kept int
		for seed := range c.seeds {
			arrivals := c.queue(rand.New(rand.NewPCG(seed, 3)))
			slices.SortStableFunc(arrivals, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
			inOrder, reported := simulate(t, arrivals, false), simulate(t, arrivals, true)
			fair, kept = fair+inOrder.switches, kept+reported.switches
			if reported.switches > inOrder.switches+c.more {
				t.Errorf("%s, seed %d: %d switches, and %d in the order of the queue", c.name, seed, reported.switches, inOrder.switches)
			}
			for account, wait := range reported.waits {
				if fair := inOrder.waits[account]; wait > 2*fair+time.Duration(inOrder.jobs[account])*c.spare {
					t.Errorf("%s, seed %d: account %d waited %v, and %v in the order of the queue", c.name, seed, account, wait, fair)
				}
			}
		}
		if c.fewer*kept > fair {
			t.Errorf("%s: %d switches instead of %d", c.name, kept, fair)
		}
	}
}
