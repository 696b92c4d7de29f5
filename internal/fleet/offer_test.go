package fleet_test

import (
	"context"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

const other = "chroma1-hd_fp8_scaled" // a model that few workers offer

// at is the yard as seen from another node on its database.
func (y *yard) at(e *fleet.Engine) *yard {
	return &yard{t: y.t, db: y.db, blobs: y.blobs, bill: y.bill, e: e}
}

// fallback connects a worker that stands in for others.
func (y *yard) fallback(w atelier.Wallet, models ...string) hand {
	y.t.Helper()
	worker, err := y.e.Connect(context.Background(), w, fleet.NewWorker{Name: "stand-in", Network: atelier.NetworkFast, Models: models, Capacity: 8, Fallback: true})
	if err != nil {
		y.t.Fatal(err)
	}
	return hand{y, w, worker.ID}
}

func (h hand) leave() {
	h.y.t.Helper()
	if err := h.y.e.Disconnect(context.Background(), h.w, h.id); err != nil {
		h.y.t.Fatal(err)
	}
}

func (h hand) drain(draining bool) {
	h.y.t.Helper()
	if err := h.y.e.DrainWorker(context.Background(), h.id, draining); err != nil {
		h.y.t.Fatal(err)
	}
}

// wantJob claims without waiting.
func (h hand) wantJob(when, part string) *atelier.Job {
	h.y.t.Helper()
	j := h.claim(0)
	got := ""
	if j != nil {
		got = j.Owner.Part
	}
	if got != part {
		h.y.t.Errorf("%s: it got %q, want %q", when, got, part)
	}
	return j
}

func ofModel(id string) func(*fleet.Submission) {
	return func(s *fleet.Submission) { s.Spec.ModelID = id }
}

// A fallback worker gets a job only while no other connected worker offers its
// model, on whichever node that is connected. The nodes hear nothing of each
// other but through the database.
func TestFallbackGetsWhatNobodyElseOffers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil, eve := y.account("ann", 900), y.account("wil", 0), y.account("eve", 0)
		cpu := y.fallback(wil, model, other)
		elsewhere := y.at(y.node())
		gpu := elsewhere.connect(eve, model)

		y.mustSubmit(ann, "first")
		y.mustSubmit(ann, "second")
		y.mustSubmit(ann, "rest", ofModel(other))
		cpu.wantJob("beside a worker with the model", "rest")
		cpu.wantJob("with nothing else to do", "")
		held := gpu.must()
		cpu.wantJob("while that worker is busy", "")

		gpu.drain(true)
		cpu.wantJob("while that worker drains", "second")
		gpu.drain(false)
		y.mustSubmit(ann, "third")
		cpu.wantJob("when it drains no more", "")

		gpu.leave() // it drops what it held
		got := []string{cpu.must().Owner.Part, cpu.must().Owner.Part}
		if got[0] != held.Owner.Part || got[1] != "third" {
			t.Errorf("after that worker left: got %q, want %q and third", got, held.Owner.Part)
		}

		// A worker of another network is no reason to wait.
		if _, err := elsewhere.e.Connect(t.Context(), eve, fleet.NewWorker{Name: "slow", Network: atelier.NetworkRelaxed, Models: []string{model}, Capacity: 1}); err != nil {
			t.Fatal(err)
		}
		y.mustSubmit(ann, "fourth")
		cpu.wantJob("beside a worker of another network", "fourth")
		y.audit()
	})
}

// A fallback whose claim waits gets the jobs of a worker that leaves as soon as
// it has left.
func TestFallbackIsWokenWhenAWorkerLeaves(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(hand){"disconnects": hand.leave, "drains": func(h hand) { h.drain(true) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t, storetest.SQLite(t))
			ann, wil, eve := y.account("ann", 900), y.account("wil", 0), y.account("eve", 0)
			gpu, cpu := y.connect(eve), y.fallback(wil, model)
			y.mustSubmit(ann, "one")
			came := make(chan *atelier.Job)
			go func() {
				j, _ := y.e.ClaimJob(context.Background(), wil, cpu.id, 10*time.Second)
				came <- j
			}()
			for y.e.Waiting(atelier.NetworkFast) < 1 {
				time.Sleep(time.Millisecond)
			}
			leave(gpu)
			if j := <-came; j == nil || j.Owner.Part != "one" {
				t.Errorf("it got %+v", j)
			}
		})
	}
}

// unserved reports whether a queued job records that no worker offers its model.
func (y *yard) unserved(id atelier.JobID) bool {
	y.t.Helper()
	return !y.job(id).UnservedSince.IsZero()
}

// What a queued job says of its model follows the workers of all nodes.
func TestJobsSayThatNobodyOffersTheirModel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil, eve := y.account("ann", 900), y.account("wil", 0), y.account("eve", 0)
		elsewhere := y.at(y.node())
		check := func(when string, id atelier.JobID, want bool) {
			t.Helper()
			if err := y.e.CheckOffers(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := y.unserved(id); got != want {
				t.Errorf("%s: unserved is %v, want %v", when, got, want)
			}
		}
		j := y.mustSubmit(ann, "one")
		if j.UnservedSince.IsZero() || !y.unserved(j.ID) {
			t.Errorf("with no worker: %+v", j)
		}
		idle := elsewhere.connect(eve, other)
		check("with a worker that offers another model", j.ID, true)
		gpu := elsewhere.connect(eve)
		check("with a worker on another node", j.ID, false)
		if k := y.mustSubmit(ann, "two"); !k.UnservedSince.IsZero() {
			t.Errorf("with a worker on another node: %+v", k)
		}
		gpu.drain(true)
		check("while it drains", j.ID, true)
		gpu.drain(false)
		check("when it drains no more", j.ID, false)
		cpu := y.fallback(wil, model)
		gpu.leave()
		check("with a fallback alone", j.ID, false)
		cpu.leave()
		check("when all have left", j.ID, true)
		idle.leave()

		// A worker that takes a job ends its wait, and one that drops it begins it again.
		gpu = y.connect(eve)
		j = *gpu.must() // one of the two: they may have come in the same millisecond
		if !j.UnservedSince.IsZero() || y.unserved(j.ID) {
			t.Errorf("claimed: %+v", j)
		}
		gpu.leave()
		check("dropped by the last worker", j.ID, true)
		if got := y.job(j.ID); got.State != atelier.JobQueued || got.Attempt != 2 {
			t.Errorf("it is %s in attempt %d", got.State, got.Attempt)
		}
		y.audit()
	})
}

// A worker that is silent for a lease has left, on whichever node it was.
func TestASilentWorkerOffersNothing(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	ann, eve := y.account("ann", 900), y.account("eve", 0)
	y.connect(eve)
	j := y.mustSubmit(ann, "one")
	y.die()
	y.advance(time.Hour)
	y.e = y.node() // which gives the others a lease's time to report
	y.connect(eve, other)
	y.advance(2 * lease)
	if err := y.e.RemoveSilent(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := y.e.CheckOffers(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !y.unserved(j.ID) {
		t.Error("it still counts on a worker that is gone")
	}
}

// Jobs that no worker could take for too long fail, and cost nothing. Others do not:
// neither one that is served meanwhile or leased, nor an unresolved one.
func TestUnservedJobsFail(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o).freeze()
		ann, wil, eve := y.account("ann", 900), y.account("wil", 0), y.account("eve", 0)
		expire := func() {
			t.Helper()
			for _, node := range []*fleet.Engine{y.e, y.node()} { // both look at all of them
				if err := node.CheckOffers(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := func(when string, id atelier.JobID, state atelier.JobState) {
			t.Helper()
			if got := y.job(id); got.State != state || (got.Error.Code == atelier.FailNoWorker) != (state == atelier.JobFailed) || got.Error.Retryable != (state == atelier.JobFailed) {
				t.Errorf("%s: it is %s, %+v, want %s", when, got.State, got.Error, state)
			}
		}
		vendors := y.connect(wil)
		y.mustSubmit(ann, "unresolved")
		unresolved := vendors.must()
		vendors.keep(unresolved, "task 7")
		if err := vendors.fail(unresolved, atelier.FailUnknown); err != nil {
			t.Fatal(err)
		}
		vendors.leave()
		lost, served, held := y.mustSubmit(ann, "lost"), y.mustSubmit(ann, "served", ofModel(other)), y.mustSubmit(ann, "held", ofModel("z_image_bf16"))
		y.want(ann, 860, 40)
		expire()
		want("at once", lost.ID, atelier.JobQueued)
		y.advance(noWorkerTimeout - time.Second)
		expire()
		want("a second before", lost.ID, atelier.JobQueued)
		busy := y.connect(eve, "z_image_bf16")
		busy.must()
		y.connect(eve, other)
		y.advance(2 * time.Second)
		expire()
		want("afterwards", lost.ID, atelier.JobFailed)
		want("with a worker that does not claim", served.ID, atelier.JobQueued)
		want("with a worker", held.ID, atelier.JobLeased)
		want("unresolved", unresolved.ID, atelier.JobQueued)
		y.want(ann, 870, 30)
		y.audit()
	})
}

// Workers cannot connect to a service that does not run: the time in which it
// was away is not the last that they have.
func TestWorkersHaveTimeToComeBackAfterAStop(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t)).freeze()
	ann, eve := y.account("ann", 900), y.account("eve", 0)
	lost, served := y.mustSubmit(ann, "lost"), y.mustSubmit(ann, "served", ofModel(other))
	y.die()
	y.advance(time.Hour)
	y.e = y.node()
	check := func(when string, id atelier.JobID, want atelier.JobState) {
		t.Helper()
		if err := y.e.CheckOffers(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := y.job(id); got.State != want {
			t.Errorf("%s: it is %s, want %s", when, got.State, want)
		}
	}
	check("at the start", lost.ID, atelier.JobQueued)
	check("at the start", served.ID, atelier.JobQueued)
	y.connect(eve, other)
	y.advance(lease)
	check("a lease later", lost.ID, atelier.JobFailed)
	check("with a worker that came back", served.ID, atelier.JobQueued)
	y.want(ann, 890, 10)
	y.audit()
}

// An unresolved job that a worker drops, because the vendor does not render it, waits
// like any other: it records that no worker offers its model, and fails when none
// connects.
func TestAResolvedJobWaitsLikeAnyOther(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o).freeze()
		ann, wil := y.account("ann", 900), y.account("wil", 0)
		vendors := y.connect(wil)
		y.mustSubmit(ann, "one")
		j := vendors.must()
		vendors.keep(j, "task 7")
		if err := vendors.fail(j, atelier.FailUnknown); err != nil {
			t.Fatal(err)
		}
		y.advance(5 * time.Second)
		j = vendors.must()
		vendors.drain(true)
		if err := vendors.fail(j, atelier.FailDropped); err != nil {
			t.Fatal(err)
		}
		if got := y.job(j.ID); got.UnservedSince.IsZero() || got.Unresolved != 0 || got.ExternalRef != "" {
			t.Errorf("given back: unserved since %v, unresolved %d times, ref %q", got.UnservedSince, got.Unresolved, got.ExternalRef)
		}
		y.advance(noWorkerTimeout)
		if err := y.e.CheckOffers(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := y.job(j.ID); got.State != atelier.JobFailed || got.Error.Code != atelier.FailNoWorker {
			t.Errorf("it is %s, %+v", got.State, got.Error)
		}
		y.want(ann, 900, 0)
		y.audit()
	})
}
