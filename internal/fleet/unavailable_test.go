package fleet_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

const away = "ComfyUI at http://127.0.0.1:8188 does not answer."

// failWith reports that a job failed, with a message.
func (w testWorker) failWith(j *atelier.Job, code, message string) {
	w.f.T.Helper()
	if err := w.Fleet().Fail(context.Background(), w.Wallet, w.ID, j.ID, atelier.JobError{Code: code, Message: message}); err != nil {
		w.f.T.Fatal(err)
	}
}

func (f *fixture) demand(model string) atelier.ModelDemand {
	f.T.Helper()
	d, err := f.Fleet.Demand(context.Background())
	if err != nil {
		f.T.Fatal(err)
	}
	return d.Models[model][atelier.NetworkFast]
}

// A worker that reports that it is unavailable gets no job and serves no model, until it
// reports otherwise.
func TestAnUnavailableWorkerGetsNoJobs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 900), f.account("wil", 0)
		worker, standIn := f.connect(wil), f.connectFallback(wil, model)
		held := worker.leased(ann, "held")
		worker.beat(apitype.Heartbeat{Loaded: []string{model}, Unavailable: "  " + away})
		if d := f.demand(model); d.WorkersReady != 1 || d.WorkersLoaded != 0 || d.ServedBy != atelier.ServedByExpected {
			t.Errorf("the demand counts it: %+v", d)
		}
		if err := worker.send(held, "a0", "a1"); err != nil {
			t.Errorf("what it holds: %v", err)
		}
		f.mustSubmit(ann, "first")
		if j := worker.next(); j != nil {
			t.Errorf("it got %s with a completion", j.Owner.Part)
		}
		worker.wantJob("while it is unavailable", "")
		f.passReserve(standIn, func() {
			worker.beat(apitype.Heartbeat{Unavailable: away})
			standIn.beat(apitype.Heartbeat{})
		})
		got := standIn.wantJob("a fallback worker meanwhile", "first")
		standIn.MustFail(got, atelier.FailError)
		standIn.leave()
		if f.mustSubmit(ann, "second"); f.job(f.find("second")).UnservedSince.IsZero() {
			t.Error("the job does not record that no worker takes it")
		}
		n, err := f.Fleet.Network(t.Context(), wil, false)
		if err != nil || n.Workers[0].Unavailable != away {
			t.Errorf("its owner sees %+v, %v", n.Workers, err)
		}
		if n, err = f.Fleet.Network(t.Context(), ann, false); err != nil || n.Workers[0].Unavailable == "" || strings.Contains(n.Workers[0].Unavailable, "8188") {
			t.Errorf("others see %+v, %v", n.Workers, err)
		}

		waiting := make(chan *atelier.Job)
		f.ClaimWaits.Clear()
		go func() { waiting <- worker.Claim(time.Minute) }()
		f.ClaimWaits.Wait(t, 1)
		worker.beat(apitype.Heartbeat{}) // a worker may send no more than this
		if j := <-waiting; j == nil || j.Owner.Part != "second" {
			t.Errorf("the claim that waited got %+v", j)
		}
	})
}

// A worker that offers other models than before gets jobs of those, on every node, and
// keeps the jobs that it holds.
func TestAWorkerOffersOtherModels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 900), f.account("wil", 0)
		worker := f.connect(wil)
		worker.beat(apitype.Heartbeat{Loaded: []string{model}})
		held := worker.leased(ann, "held")
		f.mustSubmit(ann, "new", ofModel(other))
		worker.beat(apitype.Heartbeat{Models: []string{other, other}})
		if err := worker.send(held, "a0", "a1"); err != nil {
			t.Errorf("what it holds: %v", err)
		}
		f.mustSubmit(ann, "old")
		if f.job(f.find("old")).UnservedSince.IsZero() {
			t.Error("a job of a model that it no longer offers counts as served")
		}
		worker.MustFail(worker.wantJob("with another model", "new"), atelier.FailError)
		if d := f.demand(model); d.WorkersReady != 0 || d.WorkersLoaded != 0 || d.JobsWaitingForWorker != 1 {
			t.Errorf("demand for the old model: %+v", d)
		}
		err := f.Fleet.Heartbeat(t.Context(), wil, worker.ID, apitype.Heartbeat{Loaded: []string{model}})
		if !atelier.HasCode(err, atelier.CodeInvalidRequest) {
			t.Errorf("a loaded model that it does not offer: %v", err)
		}

		// A claim that waits at one node goes by what the worker reports to another.
		node := f.startNode()
		waiting := make(chan *atelier.Job)
		f.ClaimWaits.Clear()
		go func() { waiting <- worker.at(node).Claim(time.Minute) }()
		f.ClaimWaits.Wait(t, 1)
		worker.beat(apitype.Heartbeat{Models: []string{model, other}})
		if err := node.RefreshWorkers(t.Context()); err != nil { // as a nudge of the bus between them has it do
			t.Fatal(err)
		}
		if j := <-waiting; j == nil || j.Owner.Part != "old" {
			t.Errorf("the claim that waited got %+v", j)
		}
	})
}

// The next try of a job goes to another worker than the one that dropped it, if one offers
// the model; and to that one otherwise.
func TestAnotherWorkerTriesAgain(t *testing.T) {
	t.Parallel()
	drops := map[string]func(*fixture, testWorker, *atelier.Job){
		"dropped": func(f *fixture, w testWorker, j *atelier.Job) { w.failWith(j, atelier.FailDropped, "Out of luck.") },
		"lease": func(f *fixture, w testWorker, j *atelier.Job) {
			f.Advance(lease + time.Second)
			w.beat(apitype.Heartbeat{})
			f.expire()
		},
		"away": func(f *fixture, w testWorker, j *atelier.Job) {
			w.failWith(j, atelier.FailUnavailable, away)
			w.beat(apitype.Heartbeat{})
		},
	}
	for name, drop := range drops {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, o store.Options) {
				f := newFrozenFixture(t, o)
				ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
				bad := f.connect(wil)
				good, standIn := f.connect(eve), f.connectFallback(eve, model)
				lost := bad.leased(ann, "lost")
				f.mustSubmit(ann, "next")
				drop(f, bad, lost)
				good.beat(apitype.Heartbeat{})
				standIn.beat(apitype.Heartbeat{})
				bad.MustFail(bad.wantJob("the worker that dropped it", "next"), atelier.FailError)
				bad.wantJob("it again", "")
				standIn.wantJob("a fallback worker", "")
				again := f.connect(wil) // the same one after a restart
				again.wantJob("it after a restart", "")

				good.beat(apitype.Heartbeat{Unavailable: "for now"})
				bad.leave()
				again.MustFail(again.wantJob("when no other is available", "lost"), atelier.FailError)
			})
		})
	}
}

// A worker of another account that offers the model and never claims does not keep a job
// from the only one that renders.
func TestOthersArePreferredForAWhile(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
		worker, idler := f.connect(wil), f.connect(eve)
		for _, part := range []string{"one", "two"} {
			worker.MustFail(worker.leased(ann, part), atelier.FailDropped)
			worker.wantJob("while another is connected", "")
		}
		for range 21 {
			f.Advance(lease)
			worker.beat(apitype.Heartbeat{})
			idler.beat(apitype.Heartbeat{})
		}
		worker.wantJob("after a while", "one")
	})
}

// Jobs that come back because the renderer is away do not count as tried, at first; and
// their worker is unavailable.
func TestAJobDoesNotGoRoundForever(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		worker := f.connect(wil)
		f.mustSubmit(ann, "one")
		var attempts []int
		for range 5 {
			j := worker.wantJob("again", "one")
			if j == nil {
				t.Fatalf("after attempts %v", attempts)
			}
			attempts = append(attempts, j.Attempt)
			f.wantBalance(ann, 15, 10)
			worker.failWith(j, atelier.FailUnavailable, away)
			worker.wantJob("while it is away", "")
			worker.beat(apitype.Heartbeat{})
		}
		if want := []int{1, 1, 1, 1, 2}; !slices.Equal(attempts, want) {
			t.Errorf("the attempts were %v, want %v", attempts, want)
		}
		j := f.job(f.find("one"))
		want := "The renderer of the worker is not available: ComfyUI at http://127.0.0.1:8188 does not answer. It was the second attempt."
		if j.State != atelier.JobFailed || j.Error.Code != atelier.FailDropped || j.Error.Message != want || !j.Error.Retryable {
			t.Errorf("it is %s, %+v", j.State, j.Error)
		}
		f.wantBalance(ann, 25, 0)
		f.Audit()
		if got, want := f.hookLog(), strings.Repeat("started one 1, dropped one 1, ", 4)+"started one 2, failed/0 one 2"; got != want {
			t.Errorf("the hooks logged %s", got)
		}
	})
}

// A job that comes back because the renderer was lost while it rendered the job counts as
// tried, because the job may be the reason: it costs no more than two renderers.
func TestAJobThatLosesRenderersIsTriedTwice(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		f.mustSubmit(ann, "one")
		for i := range 2 {
			worker := f.connect(wil)
			j := worker.wantJob("a worker", "one")
			if j == nil || j.Attempt != i+1 {
				t.Fatalf("it got %+v", j)
			}
			if _, err := worker.progress(j, 0.1); err != nil {
				t.Fatal(err)
			}
			worker.failWith(j, atelier.FailUnavailable, "ComfyUI did not come back within 2 minutes.")
		}
		j := f.job(f.find("one"))
		want := "The renderer of the worker is not available: ComfyUI did not come back within 2 minutes. It was the second attempt."
		if j.State != atelier.JobFailed || j.Error.Code != atelier.FailDropped || j.Error.Message != want {
			t.Errorf("it is %s, %+v", j.State, j.Error)
		}
		f.wantBalance(ann, 25, 0)
		f.Audit()
	})
}

// What a heartbeat says about the renderer is kept when a job comes back as well: customers
// read the reason of that one.
func TestReasonOfAHeartbeatIsKept(t *testing.T) {
	t.Parallel()
	f := newFrozenFixture(t, storetest.SQLite(t))
	wil := f.account("wil", 0)
	worker := f.connect(wil)
	j := worker.leased(f.account("ann", 25), "one")
	worker.beat(apitype.Heartbeat{Unavailable: away})
	worker.failWith(j, atelier.FailUnavailable, "ComfyUI does not answer")
	if n, err := f.Fleet.Network(t.Context(), wil, false); err != nil || n.Workers[0].Unavailable != away {
		t.Errorf("its owner sees %+v, %v", n.Workers, err)
	}
}

// A worker that comes and goes again and again does not have the queued jobs of its model
// rewritten each time. When it stays away, they record it.
func TestAWorkerThatComesAndGoes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		worker := f.connect(wil)
		j := f.mustSubmit(ann, "one")
		changes, before := 0, false
		look := func() {
			t.Helper()
			f.checkOffers()
			if now := f.unserved(j.ID); now != before {
				before = now
				changes++
			}
		}
		for i := range 20 {
			f.Advance(250 * time.Millisecond)
			if i%2 == 0 {
				worker.beat(apitype.Heartbeat{Unavailable: away})
			} else {
				worker.leave() // which is a way to come and go as well
				worker = f.connect(wil)
			}
			look()
		}
		if changes < 2 || changes > 8 {
			t.Errorf("a job changed %d times, want 8 at most", changes)
		}
		worker.beat(apitype.Heartbeat{Unavailable: away})
		if look(); before {
			t.Error("it is recorded at once, although the worker came and went just now")
		}
		f.Advance(10 * time.Second)
		if look(); !before {
			t.Error("it is not recorded that the worker stays away")
		}
	})
}

// A worker that reports while the workers are read that have changed keeps what it has
// reported.
func TestAReportDuringARefresh(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		worker := f.connect(wil)
		worker.beat(apitype.Heartbeat{Unavailable: away})
		apply, err := f.Fleet.ReadChanged(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		worker.beat(apitype.Heartbeat{Models: []string{model, other}})
		if apply() {
			t.Error("what was read before the report counts as read after it")
		}
		f.mustSubmit(ann, "one", ofModel(other))
		worker.wantJob("a worker that is available again", "one")
		if err := f.Fleet.RefreshWorkers(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.mustSubmit(ann, "two", ofModel(other))
		worker.beat(apitype.Heartbeat{Loaded: []string{other}}) // which it could not have loaded with the old models
	})
}

// A job that was dropped twice says why it was the second time.
func TestTheLastFailureIsNamed(t *testing.T) {
	t.Parallel()
	f := newFrozenFixture(t, storetest.SQLite(t))
	ann, wil := f.account("ann", 900), f.account("wil", 0)
	worker := f.connect(wil)
	for _, c := range []struct {
		drop func(j *atelier.Job)
		want string
	}{
		{func(j *atelier.Job) { worker.failWith(j, atelier.FailDropped, "") }, "The worker dropped the job. It was the second attempt."},
		{func(j *atelier.Job) { worker.failWith(j, atelier.FailDropped, "The GPU was reset.") }, "The worker dropped the job: The GPU was reset. It was the second attempt."},
		{func(j *atelier.Job) {
			f.Advance(lease + time.Second)
			worker.beat(apitype.Heartbeat{})
			f.expire()
		}, "The worker stopped reporting and did not come back. It was the second attempt."},
		{func(j *atelier.Job) { worker.leave(); worker = f.connect(wil) }, "The worker disconnected and did not come back. It was the second attempt."},
	} {
		j := worker.leased(ann, "one")
		worker.MustFail(j, atelier.FailDropped)
		c.drop(worker.MustClaim())
		if got := f.job(j.ID); got.State != atelier.JobFailed || got.Error.Message != c.want {
			t.Errorf("it is %s: %s\nwant %s", got.State, got.Error.Message, c.want)
		}
	}
}

// A worker that another node has removed learns it, also when it reports something.
func TestHeartbeatOfARemovedWorker(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		worker := f.connect(f.account("wil", 0))
		worker.at(f.startNode()).leave()
		err := f.Fleet.Heartbeat(t.Context(), worker.Wallet, worker.ID, apitype.Heartbeat{Unavailable: away})
		if !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("it gets %v", err)
		}
	})
}

// What a worker gives as the reason of a failure says why it is unavailable, as far as a
// heartbeat could.
func TestReasonOfAFailureIsBounded(t *testing.T) {
	t.Parallel()
	f := newFrozenFixture(t, storetest.SQLite(t))
	wil := f.account("wil", 0)
	worker := f.connect(wil)
	worker.failWith(worker.leased(f.account("ann", 25), "one"), atelier.FailUnavailable, strings.Repeat("ü", 2000))
	if n, err := f.Fleet.Network(t.Context(), wil, false); err != nil || n.Workers[0].Unavailable != strings.Repeat("ü", 300) {
		t.Errorf("it is unavailable because of %+v, %v", n.Workers, err)
	}
}
