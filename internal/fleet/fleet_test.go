package fleet_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func TestAJobIsDone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 25), y.account("wil", 0)
		h := y.connect(wil)
		y.mustSubmit(ann, "one")
		y.want(ann, 15, 10)
		j := h.must()
		if j.Attempt != 1 || j.State != atelier.JobLeased || j.Spec.Arguments["prompt"] != "x" {
			t.Errorf("claimed %+v", j)
		}
		if _, err := y.e.ClaimJob(t.Context(), wil, h.id, 0); !atelier.HasCode(err, atelier.CodeWorkerFull) {
			t.Errorf("a full worker: got %v", err)
		}
		s, err := h.progress(j, 0.5)
		if err != nil || s.Cancel || s.LeaseUntil.Before(y.now().Add(lease-time.Second)) {
			t.Errorf("progress: %+v, %v", s, err)
		}
		if err := h.complete(j, "a0", "a1"); err == nil || !strings.Contains(err.Error(), "not uploaded") {
			t.Errorf("before the upload: %v", err)
		}
		h.upload(j, "a0", "a1")
		for _, ids := range [][]string{{}, {"other"}, {"a0", "a0"}} {
			if err := h.complete(j, ids...); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
				t.Errorf("complete with %q: %v", ids, err)
			}
		}
		if err := h.complete(j, "a0", "a1"); err != nil {
			t.Fatal(err)
		}
		if err := h.complete(j, "a0", "a1"); !atelier.HasCode(err, atelier.CodeJobLost) {
			t.Errorf("completed twice: %v", err)
		}
		y.want(ann, 15, 10)
		y.audit()
		if got := y.heard(); got != "started one 1, progressed one 1, completed/2 one 1" {
			t.Errorf("heard %s", got)
		}
	})
}

func TestFewerResultsCostLess(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	ann, wil := y.account("ann", 25), y.account("wil", 0)
	h := y.connect(wil)
	y.mustSubmit(ann, "one")
	j := h.must()
	h.upload(j, "a1")
	if err := h.complete(j, "a1"); err != nil {
		t.Fatal(err)
	}
	y.want(ann, 20, 5)
	y.audit()
}

func TestFailuresCostNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 25), y.account("wil", 0)
		h := y.connect(wil)
		for i, code := range []string{atelier.FailError, atelier.FailLoraMismatch, atelier.FailContentFiltered, atelier.FailOutOfMemory} {
			y.mustSubmit(ann, code)
			j := h.must()
			if err := h.fail(j, code); err != nil {
				t.Fatal(err)
			}
			if got := y.job(j.ID); got.State != atelier.JobFailed || got.Error.Code != code || got.Attempt != 1 {
				t.Errorf("%d: %+v", i, got.Job)
			}
		}
		y.want(ann, 25, 0)
		y.audit()
	})
}

// A dropped job is tried once more; dropped again, it has failed.
func TestDropsAreRetriedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 25), y.account("wil", 0)
		h := y.connect(wil)
		y.mustSubmit(ann, "one")
		first := h.must()
		if err := h.fail(first, atelier.FailDropped); err != nil {
			t.Fatal(err)
		}
		y.want(ann, 15, 10)
		second := h.must()
		if second.ID != first.ID || second.Attempt != 2 {
			t.Errorf("the second attempt: %+v", second)
		}
		if err := h.fail(second, atelier.FailDropped); err != nil {
			t.Fatal(err)
		}
		y.want(ann, 25, 0)
		y.audit()
		if got := y.heard(); got != "started one 1, dropped one 1, started one 2, failed/0 one 2" {
			t.Errorf("heard %s", got)
		}
	})
}

// A worker that falls silent loses its job; what it says later is refused.
func TestLeasesEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 25), y.account("wil", 0)
		slow, quick := y.connect(wil), y.connect(wil)
		y.mustSubmit(ann, "one")
		lost := slow.must()
		slow.upload(lost, "a0", "a1")
		y.advance(lease + time.Second)
		if err := y.e.Heartbeat(t.Context(), wil, quick.id, nil); err != nil { // it lives, however long this takes
			t.Fatal(err)
		}
		if err := y.e.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		j := quick.must()
		if j.ID != lost.ID || j.Attempt != 2 {
			t.Fatalf("the second attempt: %+v", j)
		}
		if _, err := slow.progress(lost, 0.9); !atelier.HasCode(err, atelier.CodeJobLost) {
			t.Errorf("late progress: %v", err)
		}
		if err := slow.complete(lost, "a0", "a1"); err == nil {
			t.Error("a late answer was taken")
		}
		if err := slow.fail(lost, atelier.FailError); !atelier.HasCode(err, atelier.CodeJobLost) {
			t.Errorf("a late failure: %v", err)
		}
		quick.upload(j, "a0", "a1")
		if err := quick.complete(j, "a0", "a1"); err != nil {
			t.Fatal(err)
		}
		y.want(ann, 15, 10)
		y.audit()
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 50), y.account("wil", 0)
		cancel := func(id atelier.JobID) (inFlight bool) {
			if err := y.db.Write(t.Context(), func(tx *store.Tx) (err error) { inFlight, err = y.e.Cancel(tx, id); return err }); err != nil {
				t.Fatal(err)
			}
			return inFlight
		}
		waiting := y.mustSubmit(ann, "waiting")
		if cancel(waiting.ID) || y.job(waiting.ID).State != atelier.JobCancelled {
			t.Error("a waiting job did not end at once")
		}
		y.want(ann, 50, 0)
		h := y.connect(wil)
		for _, end := range []func(*atelier.Job) error{
			func(j *atelier.Job) error { return h.fail(j, atelier.FailError) },
			func(j *atelier.Job) error { h.upload(j, "a0"); return h.complete(j, "a0") },
			func(j *atelier.Job) error { return h.fail(j, atelier.FailDropped) },
		} {
			y.mustSubmit(ann, "running")
			j := h.must()
			if !cancel(j.ID) {
				t.Error("a running job is not in flight")
			}
			if s, err := h.progress(j, 0.1); err != nil || !s.Cancel {
				t.Errorf("the worker was not told: %+v, %v", s, err)
			}
			if err := end(j); err != nil {
				t.Fatal(err)
			}
			if got := y.job(j.ID).State; got != atelier.JobCancelled {
				t.Errorf("a cancelled job ended as %s", got)
			}
			if cancel(j.ID) {
				t.Error("a job that is over is in flight")
			}
		}
		y.want(ann, 50, 0)
		y.audit()
	})
}

// Accounts take turns, however many jobs one of them brings.
func TestAccountsTakeTurns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, bob, cat, wil := y.account("ann", 900), y.account("bob", 900), y.account("cat", 900), y.account("wil", 0)
		for i := range 4 {
			y.mustSubmit(ann, fmt.Sprint("ann", i))
		}
		for i := range 2 {
			y.mustSubmit(bob, fmt.Sprint("bob", i))
		}
		y.mustSubmit(cat, "cat0")
		h := y.connect(wil)
		if got := h.order(7); got != "ann0 bob0 cat0 ann1 bob1 ann2 ann3" {
			t.Errorf("order: %s", got)
		}
	})
}

// An account whose queue has run dry does not fall behind those who come
// later.
func TestTurnsGoOnAfterAPause(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, bob, wil := y.account("ann", 900), y.account("bob", 900), y.account("wil", 0)
		h := y.connect(wil)
		for i := range 5 {
			y.mustSubmit(ann, fmt.Sprint("early", i))
			if err := h.fail(h.must(), atelier.FailError); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 3 {
			y.mustSubmit(bob, fmt.Sprint("bob", i))
		}
		y.mustSubmit(ann, "ann")
		if got := h.order(4); got != "bob0 ann bob1 bob2" {
			t.Errorf("order: %s", got)
		}
	})
}

// However many claims a worker has waiting, it gets no more than it can hold.
func TestCapacityIsKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 900), y.account("wil", 0)
		h := y.connect(wil)
		got := make(chan *atelier.Job, 3)
		wait, stop := context.WithCancel(t.Context())
		for range 3 {
			go func() {
				j, _ := y.e.ClaimJob(wait, wil, h.id, 20*time.Second)
				got <- j
			}()
		}
		for y.e.Waiting(atelier.NetworkFast) < 3 {
			time.Sleep(time.Millisecond) // nothing signals that a claim has begun to wait
		}
		for i := range 3 {
			y.mustSubmit(ann, fmt.Sprint(i))
		}
		first := <-got
		if first == nil {
			t.Fatal("no job came")
		}
		if err := y.db.Read(t.Context(), func(tx *store.Tx) error {
			if n, err := tx.CountLeasedBy(h.id); err != nil || n != 1 {
				t.Errorf("it holds %d, %v", n, err)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		stop()
		for range 2 {
			if j := <-got; j != nil {
				t.Errorf("it got another: %+v", j)
			}
		}
	})
}

// A node that drains answers those who wait, and sends others elsewhere.
func TestDrainEndsClaims(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	wil := y.account("wil", 0)
	h := y.connect(wil)
	got := make(chan error, 1)
	go func() {
		j, err := y.e.ClaimJob(context.Background(), wil, h.id, time.Hour)
		if j != nil {
			t.Errorf("got %+v", j)
		}
		got <- err
	}()
	for y.e.Waiting(atelier.NetworkFast) < 1 {
		time.Sleep(time.Millisecond) // nothing signals that a claim has begun to wait
	}
	y.e.Drain()
	if err := <-got; err != nil {
		t.Errorf("the one that waited: %v", err)
	}
	if _, err := y.e.ClaimJob(t.Context(), wil, h.id, time.Hour); !atelier.HasCode(err, atelier.CodeUnavailable) {
		t.Errorf("a later one: %v", err)
	}
}

// A plan's concurrency limit holds jobs back, and the demand says so.
func TestConcurrencyLimits(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, bob, wil := y.account("ann", 900), y.account("bob", 900), y.account("wil", 0)
		limited := func(s *fleet.Submission) { s.Spec.ConcurrencyClass, s.Spec.ConcurrencyLimit = "h3", 2 }
		for i := range 4 {
			y.mustSubmit(ann, fmt.Sprint("ann", i), limited)
		}
		y.mustSubmit(bob, "bob0", limited)
		var hands []hand
		var held []*atelier.Job
		for range 4 {
			hands = append(hands, y.connect(wil))
		}
		for i := range 3 {
			held = append(held, hands[i].must())
		}
		if j := hands[3].claim(0); j != nil {
			t.Errorf("a third of one account ran: %+v", j)
		}
		d, err := y.e.Demand(t.Context())
		m := d.Models[model][atelier.NetworkFast]
		if err != nil || m.JobsActive != 3 || m.JobsConcurrencyLimited != 2 || m.JobsQueued != 2 || m.JobsWaitingForWorker != 0 || m.JobsQueuedOther != 0 || m.WorkersReady != 4 {
			t.Errorf("demand: %+v, %v", m, err)
		}
		for i, j := range held {
			if j.Wallet == ann {
				if err := hands[i].fail(j, atelier.FailError); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		if j := hands[3].must(); j.Wallet != ann {
			t.Errorf("got %+v", j)
		}
	})
}

// A worker that has the model loaded is preferred among those that wait.
func TestLoadedModelsArePreferred(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	ann, wil := y.account("ann", 900), y.account("wil", 0)
	cold, warm := y.connect(wil, "other", model), y.connect(wil, "other", model)
	if err := y.e.Heartbeat(t.Context(), wil, warm.id, []string{model}); err != nil {
		t.Fatal(err)
	}
	if err := y.e.Heartbeat(t.Context(), wil, warm.id, []string{"unknown"}); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
		t.Errorf("a model it does not offer: %v", err)
	}
	type got struct {
		who string
		job *atelier.Job
	}
	answers := make(chan got, 2)
	wait, cancel := context.WithCancel(t.Context())
	defer cancel()
	for name, h := range map[string]hand{"cold": cold, "warm": warm} {
		go func() {
			j, err := y.e.ClaimJob(wait, wil, h.id, 20*time.Second)
			if err != nil {
				t.Error(err)
			}
			answers <- got{name, j}
		}()
	}
	for y.e.Waiting(atelier.NetworkFast) < 2 {
		time.Sleep(time.Millisecond) // nothing signals that a claim has begun to wait
	}
	y.mustSubmit(ann, "one")
	if first := <-answers; first.who != "warm" || first.job == nil {
		t.Errorf("%s got %+v", first.who, first.job)
	}
}

// A claim whose caller has left gives its job back, uncounted.
func TestAbandonedClaims(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	ann, wil := y.account("ann", 900), y.account("wil", 0)
	h := y.connect(wil)
	y.mustSubmit(ann, "one")
	gone, leave := context.WithCancel(t.Context())
	leave()
	if j, _ := y.e.ClaimJob(gone, wil, h.id, time.Second); j != nil {
		t.Errorf("a caller that left got %+v", j)
	}
	if j := h.must(); j.Attempt != 1 {
		t.Errorf("the claim of nobody was counted: attempt %d", j.Attempt)
	}
}

func TestWorkersComeAndGo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil, eve := y.account("ann", 900), y.account("wil", 0), y.account("eve", 0)
		h := y.connect(wil)
		y.mustSubmit(ann, "one")
		j := h.must()
		if _, err := y.e.ClaimJob(t.Context(), eve, h.id, 0); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("another account's worker: %v", err)
		}
		if err := y.e.Disconnect(t.Context(), wil, h.id); err != nil {
			t.Fatal(err)
		}
		if got := y.job(j.ID); got.State != atelier.JobQueued || got.Attempt != 2 {
			t.Errorf("the job of a worker that left: %+v", got.Job)
		}
		if _, err := y.e.ClaimJob(t.Context(), wil, h.id, 0); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("a closed session: %v", err)
		}
		d, err := y.e.Demand(t.Context())
		if m := d.Models[model][atelier.NetworkFast]; err != nil || m.WorkersReady != 0 || m.JobsWaitingForWorker != 1 || m.JobsQueued != 1 {
			t.Errorf("demand without workers: %+v, %v", m, err)
		}
	})
}

func TestWhatCannotBePaidIsNotQueued(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	ann := y.account("ann", 9)
	if _, err := y.submit(ann, "one"); !atelier.HasCode(err, atelier.CodeInsufficientBalance) {
		t.Errorf("got %v", err)
	}
	y.want(ann, 9, 0)
	d, err := y.e.Demand(t.Context())
	if err != nil || len(d.Models) != 0 {
		t.Errorf("queued anyway: %+v, %v", d, err)
	}
}

// Many workers, many jobs: each job is done once and charged once.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		wil := y.account("wil", 0)
		var wallets []atelier.Wallet
		for i := range 5 {
			wallets = append(wallets, y.account(fmt.Sprint("a", i), 200))
		}
		const jobs = 100
		var (
			wg   sync.WaitGroup
			mu   sync.Mutex
			done = map[string]int{}
		)
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		for range 10 {
			h := y.connect(wil)
			wg.Go(func() {
				for ctx.Err() == nil {
					j, err := y.e.ClaimJob(ctx, wil, h.id, 5*time.Second)
					if j == nil {
						if err != nil && ctx.Err() == nil {
							t.Error(err)
						}
						continue
					}
					h.upload(j, "a0", "a1")
					if err := h.complete(j, "a0", "a1"); err != nil {
						t.Error(err)
					}
					mu.Lock()
					done[string(j.ID)]++
					if len(done) == jobs {
						stop()
					}
					mu.Unlock()
				}
			})
		}
		for i := range jobs {
			wg.Go(func() { y.mustSubmit(wallets[i%5], fmt.Sprint(i)) })
		}
		wg.Wait()
		for id, n := range done {
			if n != 1 {
				t.Errorf("job %s was done %d times", id, n)
			}
		}
		for _, w := range wallets {
			y.want(w, 0, 200)
		}
		y.audit()
	})
}

// A plan that has paid as much as is fair renders on the relaxed network, which
// has no bound.
func TestFairUse(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		y.bill.SetFairUse(func(atelier.PlanTier) billing.FairUse { return billing.FairUse{Daily: 10, Cycle: 15} })
		ann, wil := y.account("ann", 0), y.account("wil", 0)
		err := y.db.Write(t.Context(), func(tx *store.Tx) error {
			return tx.PutSubscription(ann, atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, y.now()))
		})
		if err != nil {
			t.Fatal(err)
		}
		h := y.connect(wil)
		render := func(want atelier.Network) {
			t.Helper()
			j := y.mustSubmit(ann, "one")
			if j.Network != want {
				t.Errorf("it is rendered on %s, want %s", j.Network, want)
			}
			if want == atelier.NetworkFast {
				j := h.must()
				h.upload(j, "a0", "a1")
				if err := h.complete(j, "a0", "a1"); err != nil {
					t.Fatal(err)
				}
			}
		}
		render(atelier.NetworkFast)
		render(atelier.NetworkRelaxed)
		y.advance(24 * time.Hour) // the day's is new, the period's has 5 left
		h = y.connect(wil)
		render(atelier.NetworkFast)
		y.advance(24 * time.Hour)
		render(atelier.NetworkRelaxed) // now the period's is used up
		y.advance(31 * 24 * time.Hour)
		h = y.connect(wil)
		render(atelier.NetworkFast)
	})
}

// A worker whose account is suspended while its claim waits gets no job: another
// does.
func TestSuspendedWorkersGetNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil, wanda := y.account("ann", 100), y.account("wil", 0), y.account("wanda", 0)
		suspended, active := y.connect(wil), y.connect(wanda)
		err := y.db.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.SuspendAccount(wil, y.now()); return err })
		if err != nil {
			t.Fatal(err)
		}
		y.mustSubmit(ann, "a")
		if j := suspended.claim(0); j != nil {
			t.Errorf("it got %s", j.Owner.Part)
		}
		if j := active.must(); j.Owner.Part != "a" {
			t.Errorf("the other got %s", j.Owner.Part)
		}
	})
}

// A last frame belongs to its clip: it is not counted, and a clip without it is
// shown at what was charged.
func TestProjectsShowWhatWasCharged(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	ann, wil := y.account("ann", 25), y.account("wil", 0)
	h := y.connect(wil)
	y.mustSubmit(ann, "one", func(s *fleet.Submission) {
		s.Spec.Artifacts = append(s.Spec.Artifacts, atelier.JobArtifact{ID: "a0" + fleet.LastFrame, ContentType: "image/png"})
	})
	j := h.must()
	h.upload(j, "a0", "a1")
	if err := h.complete(j, "a0", "a1"); err != nil {
		t.Fatal(err)
	}
	y.want(ann, 15, 10)
	p, err := y.e.Project(t.Context(), ann, j.ProjectID)
	if err != nil || p.ImageCount != 2 || p.CostActual == nil || p.CostActual.Spark != 10 {
		t.Errorf("got %+v, %v", p, err)
	}
}

// A cancelled job whose worker falls silent was not tried twice, and does not say so.
func TestCancelledJobsAreNotTriedAgain(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	ann, wil := y.account("ann", 25), y.account("wil", 0)
	h := y.connect(wil)
	y.mustSubmit(ann, "one")
	j := h.must()
	if err := y.cancel(j.ID); err != nil {
		t.Fatal(err)
	}
	if err := h.fail(j, atelier.FailDropped); err != nil {
		t.Fatal(err)
	}
	if got := y.job(j.ID); got.State != atelier.JobCancelled || got.Attempt != 1 || strings.Contains(got.Error.Message, "twice") {
		t.Errorf("got %+v", got.Job)
	}
	y.want(ann, 25, 0)
}
