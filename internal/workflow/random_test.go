package workflow_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// Random plans, whose workers complete, fail, drop, hang and filter as the dice
// say, while the account runs out of money, resumes and cancels: all end as the
// model says, and their logs, their money and their moves are right at every
// step. The name of a case has its seed: -run with it plays it again.
//
//atelier:norace
func TestRandomPlans(t *testing.T) {
	t.Parallel()
	seen := newMoves()
	play := func(t *testing.T, o store.Options, first, last uint64) {
		f := newFixture(t, o, full)
		for seed := first; seed < last; seed++ {
			t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { newGame(t, f, seed, seen).play() })
		}
		f.T = t
		f.Audit()
	}
	t.Run("play", func(t *testing.T) {
		const groups, each = 2, 120
		for i := range uint64(groups) {
			t.Run(fmt.Sprint("sqlite/", i), func(t *testing.T) {
				t.Parallel()
				play(t, storetest.SQLite(t), i*each, i*each+each/uint64(thin()))
			})
		}
		t.Run("postgres", func(t *testing.T) {
			t.Parallel()
			play(t, storetest.Postgres(t), 10_000, 10_000+uint64(36/min(thin(), 3)))
		})
	})
}

// game plays one puzzle.
type game struct {
	*fixture
	puzzle
	r       *rand.Rand
	owner   atelier.Account
	granted atelier.Money
	id      string
	seen    *moves
	claims  []int          // how often each step was claimed
	jobs    []*atelier.Job // that the worker has
}

func newGame(t *testing.T, f *fixture, seed uint64, seen *moves) *game {
	f.T = t
	g := &game{fixture: f, puzzle: newPuzzle(seed), r: rand.New(rand.NewPCG(seed, 2)), seen: seen}
	g.claims = make([]int, len(g.nodes))
	g.granted = 1000 * atelier.MoneyUnit
	if g.r.IntN(3) == 0 { // too little
		g.granted = atelier.Money(g.r.Int64N(int64(6 * atelier.MoneyUnit)))
	}
	g.owner = f.AddAccount(atelier.Account{Wallet: atelier.Wallet(fmt.Sprint("0xseed", seed))}, billing.Credits{Spark: g.granted})
	return g
}

func (g *game) play() {
	s, err := g.e.Start(g.T.Context(), g.owner, plan(g.steps()...))
	if err != nil {
		g.T.Fatalf("start: %v", err)
	}
	g.id = s.Workflow.WorkflowID
	cancelAt := -1
	if g.r.IntN(5) == 0 {
		cancelAt = g.r.IntN(3 * len(g.nodes))
	}
	for turn := 0; ; turn++ {
		w := g.check()
		if w.Status.Terminal() {
			g.wantEnd(w)
			return
		}
		if turn == cancelAt {
			g.cancel(w)
			return
		}
		if turn > 500 {
			g.T.Fatalf("it does not end: %s", statuses(w))
		}
		g.turn(w)
	}
}

// turn does one of the things that can be done.
func (g *game) turn(w apitype.Workflow) {
	var can []func()
	if len(g.jobs) < 3 && g.queued() > 0 {
		can = append(can, g.claim, g.claim)
	}
	if len(g.jobs) > 0 {
		can = append(can, g.work, g.work)
	}
	if strings.Contains(statuses(w), "="+string(atelier.StatusWaitingForUser)) && (len(can) == 0 || g.r.IntN(4) == 0) {
		can = append(can, g.goOn)
	}
	if len(can) == 0 {
		g.T.Fatalf("nothing can be done: %s", statuses(w))
	}
	can[g.r.IntN(len(can))]()
}

func (g *game) claim() { g.jobs = append(g.jobs, g.worker.MustClaim()) }

// work has the worker do with one of its jobs what the dice say.
func (g *game) work() {
	k := g.r.IntN(len(g.jobs))
	j := g.jobs[k]
	if g.r.IntN(4) == 0 {
		if _, err := g.Fleet.Progress(g.T.Context(), wil, g.worker.ID, j.ID, apitype.JobProgress{Progress: g.r.Float64(), Message: "on it"}); err != nil {
			g.T.Fatalf("progress: %v", err)
		}
	}
	i, err := strconv.Atoi(strings.TrimPrefix(j.Owner.Part, "step/"))
	if err != nil {
		g.T.Fatal(err)
	}
	g.jobs = slices.Delete(g.jobs, k, k+1)
	b, results := g.behave(i, g.claims[i])
	g.claims[i]++
	switch b {
	case completes, completesSome:
		slots := slices.Clone(j.Spec.Artifacts)
		g.r.Shuffle(len(slots), func(a, b int) { slots[a], slots[b] = slots[b], slots[a] })
		err = g.worker.Deliver(j, slots[:results], nil)
	case fails:
		err = g.worker.Fail(j, []string{atelier.FailError, atelier.FailOutOfMemory, atelier.FailLoraMismatch}[g.r.IntN(3)])
	case drops:
		err = g.worker.Fail(j, atelier.FailDropped)
	case filters:
		err = g.worker.Fail(j, atelier.FailContentFiltered)
	case hangs:
		g.hang()
		if err := g.complete(j); !atelier.HasCode(err, atelier.CodeJobLost) { // it comes back too late
			g.T.Errorf("a worker that had lost its job completed it: %v", err)
		}
	}
	if err != nil {
		g.T.Fatalf("%s: %v", j.Owner.Part, err)
	}
}

// hang lets the lease of the job pass that the worker no longer has in hand,
// and of no other.
func (g *game) hang() {
	for range 2 {
		g.Advance(10 * time.Second)
		if err := g.Fleet.Heartbeat(g.T.Context(), wil, g.worker.ID, apitype.Heartbeat{}); err != nil {
			g.T.Fatalf("hear: %v", err)
		}
		for _, other := range g.jobs {
			if _, err := g.Fleet.Progress(g.T.Context(), wil, g.worker.ID, other.ID, apitype.JobProgress{Progress: 0, Message: ""}); err != nil {
				g.T.Fatalf("progress: %v", err)
			}
		}
	}
	if err := g.Fleet.Expire(g.T.Context()); err != nil {
		g.T.Fatal(err)
	}
}

// goOn resumes, now and then with more money.
func (g *game) goOn() {
	if more := atelier.Money(g.r.Int64N(int64(10 * atelier.MoneyUnit))); g.r.IntN(3) > 0 {
		g.granted += more
		if err := g.Billing.Credit(g.T.Context(), g.owner.Wallet, billing.Credits{Spark: more}); err != nil {
			g.T.Fatal(err)
		}
	}
	if _, err := g.e.Resume(g.T.Context(), g.owner.Wallet, atelier.WorkflowID(g.id), workflow.ResumeRequest{}); err != nil {
		g.T.Fatalf("resume: %v", err)
	}
}

// check holds log, moves and money against what must always be true.
func (g *game) check() apitype.Workflow {
	g.T.Helper()
	w, err := g.e.Workflow(g.T.Context(), g.owner.Wallet, atelier.WorkflowID(g.id))
	if err != nil {
		g.T.Fatal(err)
	}
	if w.Status.Terminal() || g.r.IntN(3) == 0 {
		g.seen.replay(g.T, g.fixture, w)
	}
	b, err := g.Billing.Balance(g.T.Context(), g.owner.Wallet)
	if err != nil {
		g.T.Fatal(err)
	}
	paid := paid(w)
	idle := len(g.jobs) == 0 && (w.Status.Terminal() || w.Status == atelier.StatusWaitingForUser)
	if b.Spark.Net < 0 || b.Spark.Net+b.Spark.Debit != g.granted || b.Spark.Debit < paid || (idle && b.Spark.Debit != paid) {
		g.T.Errorf("net %s, debit %s of %s, and %s was charged: %s", b.Spark.Net, b.Spark.Debit, g.granted, paid, statuses(w))
	}
	return w
}

// paid adds up what the steps of a workflow have cost.
func paid(w apitype.Workflow) (sum atelier.Money) {
	for _, s := range w.Steps {
		if s.Cost.Actual != nil {
			sum += s.Cost.Actual.Spark
		}
	}
	return sum
}

// cancel cancels, and holds what is left against what was there.
func (g *game) cancel(before apitype.Workflow) {
	c, err := g.e.Cancel(g.T.Context(), g.owner.Wallet, atelier.WorkflowID(g.id), "enough")
	if err != nil || !c.Transitioned || c.InFlight != (len(g.jobs) > 0) {
		g.T.Fatalf("cancel with %d jobs in flight: %v, %v, %v", len(g.jobs), c.Transitioned, c.InFlight, err)
	}
	for _, j := range g.jobs {
		if g.r.IntN(2) == 0 {
			err = g.complete(j)
		} else {
			err = g.worker.Fail(j, atelier.FailDropped)
		}
		if err != nil {
			g.T.Fatalf("the end of a cancelled job: %v", err)
		}
	}
	g.jobs = nil
	w := g.check()
	for i, s := range w.Steps {
		if want := before.Steps[i].Status; s.Status != want && (want.Terminal() || s.Status != atelier.StatusCancelled) {
			g.T.Errorf("the step %s was %s and is %s", s.ID, want, s.Status)
		}
	}
	if w.Status != atelier.StatusCancelled || paid(w) != paid(before) || g.queued() > 0 {
		g.T.Errorf("it is %s, paid %s after %s, %d jobs are left", w.Status, paid(w), paid(before), g.queued())
	}
}

// wantEnd holds a workflow that is over against the model.
func (g *game) wantEnd(w apitype.Workflow) {
	whole, steps, made, retries := g.outcome()
	want := string(whole)
	for i := range steps {
		want += fmt.Sprintf(" %s=%s/%d/%d", name(i), steps[i], made[i], retries[i])
	}
	got := string(w.Status)
	for _, s := range w.Steps {
		got += fmt.Sprintf(" %s=%s/%d/%d", s.ID, s.Status, len(s.Artifacts), s.Retry.Count)
	}
	if got != want {
		g.T.Errorf("got %s, want %s", got, want)
	}
	if g.queued() > 0 || len(g.jobs) > 0 {
		g.T.Errorf("it is over, and %d jobs are queued and %d leased", g.queued(), len(g.jobs))
	}
}
