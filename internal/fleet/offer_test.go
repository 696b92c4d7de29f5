package fleet_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A fallback worker gets a job only while no other connected worker offers its
// model, on any node. The nodes communicate only through the database.
func TestFallbackGetsUnofferedModels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
		cpu := f.connectFallback(wil, model, other)
		node2 := f.startNode()
		gpu := f.connectAt(node2, eve, model)

		f.mustSubmit(ann, "first")
		f.mustSubmit(ann, "second")
		f.mustSubmit(ann, "rest", ofModel(other))
		cpu.wantJob("beside a worker with the model", "rest")
		cpu.wantJob("with nothing else to do", "")
		held := gpu.wantJob("the worker with the model", "first")
		cpu.wantJob("while that worker is busy", "")

		gpu.drain(true)
		cpu.wantJob("while that worker drains", "")
		gpu.drain(false)
		f.mustSubmit(ann, "third")
		cpu.wantJob("when it drains no more", "")

		gpu.leave() // it drops its job
		f.passReserve(cpu, func() { cpu.beat(apitype.Heartbeat{}) })
		got := []string{cpu.MustClaim().Owner.Part, cpu.MustClaim().Owner.Part, cpu.MustClaim().Owner.Part}
		slices.Sort(got)
		want := []string{held.Owner.Part, "second", "third"}
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("after that worker left: got %q, want %q", got, want)
		}

		// A worker of another network is no reason to wait.
		if _, err := node2.Connect(t.Context(), eve, apitype.WorkerSpec{Name: "slow", Network: atelier.NetworkRelaxed, Models: []string{model}, Capacity: 1}); err != nil {
			t.Fatal(err)
		}
		f.mustSubmit(ann, "fourth")
		cpu.wantJob("beside a worker of another network", "fourth")
		f.Audit()
	})
}

// A fallback whose claim waits gets the jobs of a worker that has left as soon as they
// are not reserved any more.
func TestFallbackIsWokenWhenAWorkerLeaves(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(testWorker){"disconnects": testWorker.leave, "drains": func(worker testWorker) { worker.drain(true) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, storetest.SQLite(t))
			ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
			gpu, cpu := f.connect(eve), f.connectFallback(wil, model)
			f.mustSubmit(ann, "one")
			claimed := make(chan *atelier.Job)
			go func() {
				j, _ := f.Fleet.ClaimJob(context.Background(), wil, cpu.ID, 2*time.Minute)
				claimed <- j
			}()
			f.ClaimWaits.Wait(t, 1)
			leave(gpu)
			f.checkOffers()
			f.Advance(noWorkerTimeout)
			f.checkOffers()
			if j := <-claimed; j == nil || j.Owner.Part != "one" {
				t.Errorf("it got %+v", j)
			}
		})
	}
}

// unserved reports whether a queued job records that no worker offers its model.
func (f *fixture) unserved(id atelier.JobID) bool {
	f.T.Helper()
	return !f.job(id).UnservedSince.IsZero()
}

// A queued job records whether its model is served, by the workers of all nodes.
func TestJobsRecordUnservedModels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
		node2 := f.startNode()
		check := func(when string, id atelier.JobID, want bool) {
			t.Helper()
			f.checkOffers()
			if got := f.unserved(id); got != want {
				t.Errorf("%s: unserved is %v, want %v", when, got, want)
			}
		}
		j := f.mustSubmit(ann, "one")
		if j.UnservedSince.IsZero() || !f.unserved(j.ID) {
			t.Errorf("with no worker: %+v", j)
		}
		idle := f.connectAt(node2, eve, other)
		check("with a worker that offers another model", j.ID, true)
		gpu := f.connectAt(node2, eve, model)
		check("with a worker on another node", j.ID, false)
		if k := f.mustSubmit(ann, "two"); !k.UnservedSince.IsZero() {
			t.Errorf("with a worker on another node: %+v", k)
		}
		gpu.drain(true)
		check("while it drains", j.ID, true)
		gpu.drain(false)
		check("when it drains no more", j.ID, false)
		cpu := f.connectFallback(wil, model)
		gpu.leave()
		check("with a fallback alone, while it is reserved", j.ID, true)
		cpu.leave()
		check("when all have left", j.ID, true)
		idle.leave()

		// The wait of a job ends when a worker claims it, and begins again when the
		// worker drops it.
		gpu = f.connect(eve)
		j = *gpu.MustClaim() // either of the two: they may have been queued in the same millisecond
		if !j.UnservedSince.IsZero() || f.unserved(j.ID) {
			t.Errorf("claimed: %+v", j)
		}
		gpu.leave()
		check("dropped by the last worker", j.ID, true)
		if got := f.job(j.ID); got.State != atelier.JobQueued || got.Attempt != 2 {
			t.Errorf("it is %s in attempt %d", got.State, got.Attempt)
		}
		f.Audit()
	})
}

// A worker that does not call for a lease has left, whichever node it was connected
// to.
func TestASilentWorkerOffersNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	ann, eve := f.account("ann", 900), f.account("eve", 0)
	f.connect(eve)
	j := f.mustSubmit(ann, "one")
	f.stopNode()
	f.Advance(time.Hour)
	f.Fleet = f.startNode() // it gives workers one lease of time to report
	f.connect(eve, other)
	f.Advance(2 * lease)
	if err := f.Fleet.RemoveSilent(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.checkOffers()
	if !f.unserved(j.ID) {
		t.Error("its model counts as served by a worker that has left")
	}
}

// Jobs whose model no worker offers for too long fail, and cost nothing. A job that
// is served meanwhile, leased or unresolved does not fail.
func TestUnservedJobsFail(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
		expire := func() {
			t.Helper()
			for _, node := range []*fleet.Engine{f.Fleet, f.startNode()} { // both check all jobs
				if _, err := node.CheckOffers(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := func(when string, id atelier.JobID, state atelier.JobState) {
			t.Helper()
			if got := f.job(id); got.State != state || (got.Error.Code == atelier.FailNoWorker) != (state == atelier.JobFailed) || got.Error.Retryable != (state == atelier.JobFailed) {
				t.Errorf("%s: it is %s, %+v, want %s", when, got.State, got.Error, state)
			}
		}
		vendors := f.connect(wil)
		unresolved := vendors.leased(ann, "unresolved")
		vendors.recordRef(unresolved, "task 7")
		vendors.MustFail(unresolved, atelier.FailUnknown)
		vendors.leave()
		lost, served, held := f.mustSubmit(ann, "lost"), f.mustSubmit(ann, "served", ofModel(other)), f.mustSubmit(ann, "held", ofModel("z_image_bf16"))
		f.wantBalance(ann, 860, 40)
		expire()
		want("at once", lost.ID, atelier.JobQueued)
		f.Advance(noWorkerTimeout - time.Second)
		expire()
		want("a second before", lost.ID, atelier.JobQueued)
		busy := f.connect(eve, "z_image_bf16")
		busy.MustClaim()
		f.connect(eve, other)
		f.Advance(2 * time.Second)
		expire()
		want("afterwards", lost.ID, atelier.JobFailed)
		want("with a worker that does not claim", served.ID, atelier.JobQueued)
		want("with a worker", held.ID, atelier.JobLeased)
		want("unresolved", unresolved.ID, atelier.JobQueued)
		f.wantBalance(ann, 870, 30)
		f.Audit()
	})
}

// Workers cannot connect to a service that is down: they get time to connect when
// it is back.
func TestWorkersHaveTimeToReconnectAfterAStop(t *testing.T) {
	t.Parallel()
	f := newFrozenFixture(t, storetest.SQLite(t))
	ann, eve := f.account("ann", 900), f.account("eve", 0)
	lost, served := f.mustSubmit(ann, "lost"), f.mustSubmit(ann, "served", ofModel(other))
	f.stopNode()
	f.Advance(time.Hour)
	f.Fleet = f.startNode()
	check := func(when string, id atelier.JobID, want atelier.JobState) {
		t.Helper()
		f.checkOffers()
		if got := f.job(id); got.State != want {
			t.Errorf("%s: it is %s, want %s", when, got.State, want)
		}
	}
	check("at the start", lost.ID, atelier.JobQueued)
	check("at the start", served.ID, atelier.JobQueued)
	f.connect(eve, other)
	f.Advance(lease)
	check("a lease later", lost.ID, atelier.JobFailed)
	check("with a worker that claimed back", served.ID, atelier.JobQueued)
	f.wantBalance(ann, 890, 10)
	f.Audit()
}

// An unresolved job that a worker drops, because the vendor does not render it,
// waits like any other job: it records that no worker offers its model, and fails
// when none connects.
func TestAResolvedJobWaitsLikeAnyOther(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 900), f.account("wil", 0)
		vendors := f.connect(wil)
		j := vendors.leased(ann, "one")
		vendors.recordRef(j, "task 7")
		vendors.MustFail(j, atelier.FailUnknown)
		f.Advance(5 * time.Second)
		j = vendors.MustClaim()
		vendors.drain(true)
		vendors.MustFail(j, atelier.FailDropped)
		if got := f.job(j.ID); got.UnservedSince.IsZero() || got.Unresolved != 0 || got.ExternalRef != "" {
			t.Errorf("given back: unserved since %v, unresolved %d times, ref %q", got.UnservedSince, got.Unresolved, got.ExternalRef)
		}
		f.Advance(noWorkerTimeout)
		f.checkOffers()
		if got := f.job(j.ID); got.State != atelier.JobFailed || got.Error.Code != atelier.FailNoWorker {
			t.Errorf("it is %s, %+v", got.State, got.Error)
		}
		f.wantBalance(ann, 900, 0)
		f.Audit()
	})
}
