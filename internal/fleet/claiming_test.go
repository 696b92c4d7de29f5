package fleet_test

import (
	"context"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// pass advances the clock as a worker would see it, and has each node record its workers:
// alive is called as often as a worker should call.
func (f *fixture) pass(d time.Duration, nodes []*fleet.Engine, alive func()) {
	f.T.Helper()
	const step = lease / 3
	for ; d > 0; d -= step {
		f.Advance(step)
		alive()
		for _, node := range nodes {
			if err := node.RecordPresence(context.Background()); err != nil {
				f.T.Fatal(err)
			}
		}
	}
}

// notClaimingSince is since when the only worker of an account does not claim, as its owner sees it.
func (f *fixture) notClaimingSince(w atelier.Wallet) time.Time {
	f.T.Helper()
	f.Advance(time.Second) // for so long it may show what it has shown before
	n, err := f.Fleet.Network(context.Background(), w, false)
	if err != nil || !n.Workers[0].Own {
		f.T.Fatalf("the workers are %+v, %v", n.Workers, err)
	}
	return n.Workers[0].NotClaimingSince
}

// A worker that sends heartbeats and never claims serves no model: fallback workers get the
// jobs, and jobs that only it offers fail. It serves them again as soon as it claims.
func TestAWorkerThatDoesNotClaimServesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
		second := f.startNode()
		nodes := []*fleet.Engine{f.Fleet, second}
		cpu, gpu := f.connectFallback(wil, model), f.connectAt(second, eve, model, other)
		connected := f.Now()
		first := f.mustSubmit(ann, "first")
		beat := func() {
			gpu.beat(apitype.Heartbeat{})
			cpu.beat(apitype.Heartbeat{})
		}
		f.pass(2*lease, nodes, beat)
		cpu.wantJob("two leases after it connected", "")
		if since := f.notClaimingSince(eve); !since.IsZero() || f.demand(model).ServedBy != atelier.ServedByWorkers {
			t.Errorf("two leases after it connected: not claiming since %v, %+v", since, f.demand(model))
		}

		f.pass(lease/3, nodes, beat)
		f.passReserve(cpu, beat, second)
		lost := f.mustSubmit(ann, "lost", ofModel(other))
		cpu.MustFail(cpu.wantJob("later", "first"), atelier.FailError)
		if since := f.notClaimingSince(eve); !since.Equal(connected) {
			t.Errorf("it does not claim since %v, want %v", since, connected)
		}
		if d := f.demand(model); d.ServedBy != atelier.ServedByPreview || d.WorkersReady != 1 {
			t.Errorf("the demand counts it: %+v", d)
		}
		f.checkOffers()
		if f.unserved(first.ID) || !f.unserved(lost.ID) {
			t.Errorf("not served: %v, %v; want only the second", f.unserved(first.ID), f.unserved(lost.ID))
		}
		f.pass(noWorkerTimeout, nodes, beat)
		f.checkOffers()
		if got := f.job(lost.ID); got.Error.Code != atelier.FailNoWorker {
			t.Errorf("the job that only it offers is %s, %+v", got.State, got.Error)
		}

		// A claim while it is unavailable does not count: it cannot get a job.
		gpu.beat(apitype.Heartbeat{Unavailable: away})
		gpu.wantJob("while it is unavailable", "")
		gpu.beat(apitype.Heartbeat{})
		f.pass(lease/3, nodes, beat)
		if f.notClaimingSince(eve).IsZero() {
			t.Error("a claim while it is unavailable counts")
		}

		f.mustSubmit(ann, "second")
		gpu.wantJob("when it claims again", "second")
		if since := f.notClaimingSince(eve); !since.IsZero() {
			t.Errorf("it claims, but not since %v", since)
		}
		f.mustSubmit(ann, "third")
		cpu.wantJob("when the other claims again", "")
		f.Audit()
	})
}

// A worker serves its models while it claims at intervals, while a claim of it waits, and
// while it is full, whichever nodes it calls.
func TestWorkersThatTakeJobsServe(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
		second := f.startNode()
		nodes := []*fleet.Engine{second, f.Fleet}
		cpu, gpu := f.connectFallback(wil, model), f.connect(eve)
		want := func(when string) {
			t.Helper()
			if since := f.notClaimingSince(eve); !since.IsZero() {
				t.Errorf("%s: not claiming since %v", when, since)
			}
			cpu.wantJob(when, "")
		}

		// It claims without waiting at one node, and then calls the other.
		calls := 0
		f.pass(6*lease, nodes, func() {
			cpu.beat(apitype.Heartbeat{})
			if calls++; calls%5 == 0 {
				gpu.at(second).wantJob("with nothing to do", "")
			}
			f.Advance(time.Second)
			gpu.beat(apitype.Heartbeat{})
		})
		want("after claims at intervals")

		// It renders for long, and reports to the other node.
		held := gpu.leased(ann, "held")
		f.mustSubmit(ann, "next")
		f.pass(6*lease, nodes, func() {
			cpu.beat(apitype.Heartbeat{})
			if _, err := gpu.at(second).progress(held, 0.5); err != nil {
				t.Fatal(err)
			}
		})
		want("while it is full")

		// When it is done, it has time to claim, also as the other node sees it.
		gpu.finish(held)
		if err := second.RecordPresence(t.Context()); err != nil {
			t.Fatal(err)
		}
		want("when it has completed")
		gpu.MustFail(gpu.wantJob("when it has completed", "next"), atelier.FailError)

		// A claim that waits is enough, however long it waits.
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		f.ClaimWaits.Clear()
		go func() {
			defer close(ended)
			_, _ = f.Fleet.ClaimJob(ctx, eve, gpu.ID, time.Hour)
		}()
		f.ClaimWaits.Wait(t, 1)
		f.pass(6*lease, nodes, func() { cpu.beat(apitype.Heartbeat{}) })
		want("while a claim waits")
		cancel()
		<-ended
		f.Audit()
	})
}

// A worker that holds fewer jobs than it can and does not claim serves nothing. It keeps the
// jobs that it holds.
func TestAWorkerThatIsNotFullMustClaim(t *testing.T) {
	t.Parallel()
	f := newFrozenFixture(t, storetest.SQLite(t))
	ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
	cpu := f.connectFallback(wil, model)
	gpu := testWorker{f.Connect(eve, apitype.WorkerSpec{Models: []string{model}, Capacity: 2}), f}
	held := gpu.leased(ann, "held")
	f.mustSubmit(ann, "next")
	f.pass(3*lease, []*fleet.Engine{f.Fleet}, func() {
		cpu.beat(apitype.Heartbeat{})
		if _, err := gpu.progress(held, 0.5); err != nil {
			t.Fatal(err)
		}
	})
	f.passReserve(cpu, func() {
		cpu.beat(apitype.Heartbeat{})
		if _, err := gpu.progress(held, 0.5); err != nil {
			t.Fatal(err)
		}
	})
	cpu.wantJob("while the other does not claim", "next")
	gpu.finish(held)
}

// A node that was down, or has lost its database, gives workers time to claim again.
func TestWorkersHaveTimeToClaimAfterAStop(t *testing.T) {
	t.Parallel()
	f := newFrozenFixture(t, storetest.SQLite(t))
	ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
	cpu, gpu := f.connectFallback(wil, model), f.connect(eve)
	f.mustSubmit(ann, "one")
	f.stopNode()
	f.Advance(time.Hour)
	f.Fleet = f.startNode()
	nodes := []*fleet.Engine{f.Fleet}
	f.pass(2*lease/3, nodes, func() {
		cpu.beat(apitype.Heartbeat{})
		gpu.beat(apitype.Heartbeat{})
	})
	cpu.wantJob("two thirds of a lease after the start", "")
	gpu.MustFail(gpu.wantJob("when it claims", "one"), atelier.FailError)
	f.mustSubmit(ann, "two")
	f.pass(lease, nodes, func() {
		cpu.beat(apitype.Heartbeat{})
		gpu.beat(apitype.Heartbeat{})
	})
	cpu.wantJob("when the other has claimed", "")
}

// A worker that completes jobs of one model, and only seems to serve another, does not keep the
// jobs of that one from fallback workers.
func TestALateJobBesideOtherModels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, bob, wil, eve := f.account("ann", 900), f.account("bob", 9000), f.account("wil", 0), f.account("eve", 0)
		nodes := []*fleet.Engine{f.Fleet}
		cpu, gpu := f.connectFallback(wil, model), f.connect(eve, other)
		offer := func(models ...string) {
			t.Helper()
			gpu.beat(apitype.Heartbeat{Models: models})
		}
		f.mustSubmit(ann, "late")
		rare := func(s *fleet.Submission) { s.Spec.ModelID = other }
		for range 40 { // while it holds a job of its model, it offers both models
			offer(other)
			f.mustSubmit(bob, "own", rare)
			held := gpu.wantJob("of its model", "own")
			offer(other, model)
			f.pass(lease, nodes, func() {
				cpu.beat(apitype.Heartbeat{})
				if _, err := gpu.progress(held, 0.5); err != nil {
					t.Fatal(err)
				}
			})
			gpu.finish(held)
			if j := cpu.Claim(0); j != nil {
				if j.Owner.Part != "late" {
					t.Errorf("the fallback worker got %s", j.Owner.Part)
				}
				return
			}
		}
		t.Error("the fallback worker never got the job")
	})
}

// A job that the workers that serve its model leave for long goes to a fallback worker,
// unless one of them completes jobs.
func TestALateJobGoesToAFallback(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
		second := f.startNode()
		nodes := []*fleet.Engine{f.Fleet, second}
		cpu, gpu := f.connectFallback(wil, model), f.connectAt(second, eve, model)
		held := gpu.leased(ann, "held")
		report := func() {
			cpu.beat(apitype.Heartbeat{})
			if _, err := gpu.progress(held, 0.5); err != nil {
				t.Fatal(err)
			}
		}
		f.mustSubmit(ann, "first")
		f.mustSubmit(ann, "second")
		f.mustSubmit(ann, "third")
		f.pass(fallbackAfter-lease/3, nodes, report)
		cpu.wantJob("a moment before", "")
		f.pass(lease/3, nodes, report)
		f.mustSubmit(ann, "fourth")
		cpu.MustFail(cpu.wantJob("when it has waited for long", "first"), atelier.FailError)

		// The worker completes a job, so that the queue moves: the rest is left to it, also what
		// has waited for long.
		gpu.finish(held)
		held = gpu.wantJob("when it is done", "second")
		f.pass(fallbackAfter-lease/3, nodes, report)
		cpu.wantJob("while the other completes jobs", "")

		// A job that was dropped has waited since then.
		f.pass(lease/3, nodes, report)
		gpu.MustFail(held, atelier.FailDropped)
		cpu.MustFail(cpu.wantJob("while the other drops jobs", "third"), atelier.FailError)
		cpu.MustFail(cpu.wantJob("while the other drops jobs", "fourth"), atelier.FailError)
		cpu.wantJob("with a job that was dropped", "")
		f.Audit()
	})
}
