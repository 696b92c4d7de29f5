package fleet_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/worktest"
)

// A simulation of workers that need time to load another model, on a clock that only
// the simulation moves.
const (
	switchTime = 10 * time.Second
	renderTime = 2 * time.Second
)

// simWorker is a worker of the simulation.
type simWorker struct {
	testWorker
	loaded string
	job    *atelier.Job
	until  time.Time
}

// arrival is a job that an account submits at a time.
type arrival struct {
	at     time.Duration
	wallet atelier.Wallet
	model  string
}

// course is how a simulation went.
type course struct {
	switches int
	jobs     int
	took     time.Duration
	waits    map[atelier.Wallet]time.Duration // from submitting to completing, of all jobs of an account
}

// newSimFixture is an engine on a clock that stands still, and a storage that has every
// object.
func newSimFixture(tb testing.TB, o store.Options) *fixture {
	tb.Helper()
	f := &fixture{Env: enginetest.New(tb, o, func(o *enginetest.Options) {
		o.Full = true
		o.Fleet = fleet.Options{Lease: lease}
	})}
	f.Freeze()
	f.stopNode = f.RunFleet(f.Fleet)
	return f
}

// simulate lets two workers render what arrives. With reports they report which model
// they have loaded.
func simulate(tb testing.TB, o store.Options, arrivals []arrival, reports bool) course {
	tb.Helper()
	f := newSimFixture(tb, o)
	wil := f.account("wil", 0)
	models := simModels(arrivals)
	workers := []*simWorker{{testWorker: f.connect(wil, models...)}, {testWorker: f.connect(wil, models...)}}
	wallets := map[atelier.Wallet]bool{}
	for _, a := range arrivals {
		if !wallets[a.wallet] {
			f.account(string(a.wallet[2:]), 1<<40)
			wallets[a.wallet] = true
		}
	}
	out := course{waits: map[atelier.Wallet]time.Duration{}}
	submitted := map[atelier.JobID]time.Time{}
	began := f.Now()
	for out.jobs < len(arrivals) {
		for len(submitted) < len(arrivals) && !began.Add(arrivals[len(submitted)].at).After(f.Now()) {
			a := arrivals[len(submitted)]
			submitted[f.mustSubmit(a.wallet, fmt.Sprint(len(submitted)), ofModel(a.model)).ID] = f.Now()
		}
		for _, w := range workers {
			w.step(&out, submitted, reports)
		}
		next := f.Now().Add(time.Second) // an idle worker asks again
		if isBusy := func(w *simWorker) bool { return w.job != nil }; isBusy(workers[0]) && isBusy(workers[1]) {
			next = slices.MinFunc([]time.Time{workers[0].until, workers[1].until, f.Now().Add(lease / 3)}, time.Time.Compare)
		}
		if n := len(submitted); n < len(arrivals) && began.Add(arrivals[n].at).Before(next) { // jobs arrive at the same time in every course
			next = began.Add(arrivals[n].at)
		}
		f.Advance(next.Sub(f.Now()))
	}
	out.took = f.Now().Sub(began)
	return out
}

// step is what a worker does now.
func (w *simWorker) step(out *course, submitted map[atelier.JobID]time.Time, reports bool) {
	w.f.T.Helper()
	now := w.f.Now()
	if w.job != nil && w.until.After(now) {
		if _, err := w.progress(w.job, 0); err != nil {
			w.f.T.Fatal(err)
		}
		return
	}
	if w.job != nil {
		if err := w.complete(w.job, "a0", "a1"); err != nil {
			w.f.T.Fatal(err)
		}
		out.waits[w.job.Wallet] += now.Sub(submitted[w.job.ID])
		out.jobs++
	}
	if w.job = w.Claim(0); w.job == nil {
		return
	}
	if w.until = now.Add(renderTime); w.loaded == w.job.Spec.ModelID {
		return
	}
	w.until = w.until.Add(switchTime)
	if w.loaded != "" {
		out.switches++
	}
	if w.loaded = w.job.Spec.ModelID; reports {
		w.beat(apitype.Heartbeat{Loaded: []string{w.loaded}})
	}
}

func simModels(arrivals []arrival) (out []string) {
	for _, a := range arrivals {
		if !slices.Contains(out, a.model) {
			out = append(out, a.model)
		}
	}
	return out
}

// mixed is a queue of three models: jobs of twelve accounts, some with many jobs at once,
// others with few now and then.
func mixed(seed uint64) (out []arrival) {
	r := rand.New(rand.NewPCG(seed, 1))
	models := []string{"one", "two", "three"}
	add := func(at time.Duration, account int) {
		out = append(out, arrival{at, atelier.Wallet(fmt.Sprint("0xsim", account)), models[r.IntN(len(models))]})
	}
	for account := range 6 {
		for range 16 {
			add(0, account)
		}
	}
	for account := 6; account < 12; account++ {
		for range 6 {
			add(time.Duration(r.IntN(150))*time.Second, account)
		}
	}
	slices.SortStableFunc(out, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	return out
}

// minority is a queue in which most jobs are of one model and arrive as fast as it can be
// rendered without switches, and a few of two others, from accounts of their own.
func minority(seed uint64) (out []arrival) {
	r := rand.New(rand.NewPCG(seed, 2))
	for i := range 240 {
		out = append(out, arrival{time.Duration(i) * 1100 * time.Millisecond, atelier.Wallet(fmt.Sprint("0xsim", i%5)), "one"})
	}
	at := []time.Duration{time.Duration(20+r.IntN(50)) * time.Second, time.Duration(120+r.IntN(50)) * time.Second}
	for i, model := range []string{"two", "three", "four", "five", "six", "seven"} {
		out = append(out, arrival{at[0], atelier.Wallet(fmt.Sprint("0xfew", i)), model}, arrival{at[1] + time.Duration(r.IntN(60))*time.Second, atelier.Wallet(fmt.Sprint("0xrare", i)), model})
	}
	slices.SortStableFunc(out, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	return out
}

// worstRatio is how many times as long as in the other course the account waits that waits
// longest so.
func (c course) worstRatio(fair course) (worst float64) {
	for w, wait := range c.waits {
		worst = max(worst, wait.Seconds()/fair.waits[w].Seconds())
	}
	return worst
}

// switchFigures are what simulations of several queues have shown.
type switchFigures struct {
	fair, kept int // switches in the order of the queue, and with loaded models kept, in mixed queues

	// The longest wait of an account, in times of its wait in the order of the queue: in
	// mixed queues, and in those in which few jobs are of other models.
	worst, worstOfFew float64
}

func (g *switchFigures) add(tb testing.TB, seed uint64) {
	tb.Helper()
	run := func(arrivals []arrival) (fair, kept course) {
		return simulate(tb, storetest.SQLite(tb), arrivals, false), simulate(tb, storetest.SQLite(tb), arrivals, true)
	}
	fair, kept := run(mixed(seed))
	g.fair, g.kept, g.worst = g.fair+fair.switches, g.kept+kept.switches, max(g.worst, kept.worstRatio(fair))
	fair, kept = run(minority(seed))
	g.worstOfFew = max(g.worstOfFew, kept.worstRatio(fair))
}

// Workers that report what they have loaded load another model far less often than in the
// order of the queue, and no account waits more than twice as long.
//
//atelier:norace
func TestLoadedModelsAreKept(t *testing.T) {
	t.Parallel()
	worktest.NeedExhaustive(t)
	var g switchFigures
	for _, seed := range []uint64{1, 5} {
		g.add(t, seed)
	}
	if g.fair < 5*g.kept || g.worst > 2 || g.worstOfFew > 2 {
		t.Errorf("%d switches instead of %d, and an account waited %.2f or %.2f times as long", g.kept, g.fair, g.worst, g.worstOfFew)
	}
}
