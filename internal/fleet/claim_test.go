package fleet_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// However many claims a worker has waiting, it gets no more than it can hold.
func TestCapacityIsKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil := f.account("ann", 900), f.account("wil", 0)
		worker := f.connect(wil)
		got := make(chan *atelier.Job, 3)
		wait, stop := context.WithCancel(t.Context())
		for range 3 {
			go func() {
				j, _ := f.Fleet.ClaimJob(wait, wil, worker.ID, 2*time.Minute)
				got <- j
			}()
		}
		f.ClaimWaits.Wait(t, 3)
		for i := range 3 {
			f.mustSubmit(ann, fmt.Sprint(i))
		}
		first := <-got
		if first == nil {
			t.Fatal("no job came")
		}
		if err := f.DB.Read(t.Context(), func(tx *store.Tx) error {
			if n, _, err := tx.CountLeasedBy(worker.ID); err != nil || n != 1 {
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

// A node that drains answers the waiting claims, and refuses others.
func TestDrainEndsClaims(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	wil := f.account("wil", 0)
	worker := f.connect(wil)
	got := make(chan error, 1)
	go func() {
		j, err := f.Fleet.ClaimJob(context.Background(), wil, worker.ID, time.Hour)
		if j != nil {
			t.Errorf("got %+v", j)
		}
		got <- err
	}()
	f.ClaimWaits.Wait(t, 1)
	f.Fleet.Drain()
	if err := <-got; err != nil {
		t.Errorf("the one that waited: %v", err)
	}
	if _, err := f.Fleet.ClaimJob(t.Context(), wil, worker.ID, time.Hour); !atelier.HasCode(err, atelier.CodeUnavailable) {
		t.Errorf("a later one: %v", err)
	}
}

// A plan's concurrency limit holds jobs back, and the demand shows it.
func TestConcurrencyLimits(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, bob, wil := f.account("ann", 900), f.account("bob", 900), f.account("wil", 0)
		limited := func(s *fleet.Submission) { s.Spec.ConcurrencyClass, s.Spec.ConcurrencyLimit = "h3", 2 }
		for i := range 4 {
			f.mustSubmit(ann, fmt.Sprint("ann", i), limited)
		}
		f.mustSubmit(bob, "bob0", limited)
		var workers []testWorker
		var held []*atelier.Job
		for range 4 {
			workers = append(workers, f.connect(wil))
		}
		for i := range 3 {
			held = append(held, workers[i].MustClaim())
		}
		if j := workers[3].Claim(0); j != nil {
			t.Errorf("a third of one account ran: %+v", j)
		}
		d, err := f.Fleet.Demand(t.Context())
		m := d.Models[model][atelier.NetworkFast]
		if err != nil || m.JobsActive != 3 || m.JobsConcurrencyLimited != 2 || m.JobsQueued != 2 || m.JobsWaitingForWorker != 0 || m.JobsQueuedOther != 0 || m.WorkersReady != 4 {
			t.Errorf("demand: %+v, %v", m, err)
		}
		for i, j := range held {
			if j.Wallet == ann {
				workers[i].MustFail(j, atelier.FailError)
				break
			}
		}
		if j := workers[3].MustClaim(); j.Wallet != ann {
			t.Errorf("got %+v", j)
		}
	})
}

// A worker that has the model loaded is preferred among those that wait.
func TestLoadedModelsArePreferred(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	ann, wil := f.account("ann", 900), f.account("wil", 0)
	cold, warm := f.connect(wil, "other", model), f.connect(wil, "other", model)
	if err := f.Fleet.Heartbeat(t.Context(), wil, warm.ID, apitype.Heartbeat{Loaded: []string{model}}); err != nil {
		t.Fatal(err)
	}
	if err := f.Fleet.Heartbeat(t.Context(), wil, warm.ID, apitype.Heartbeat{Loaded: []string{"unknown"}}); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
		t.Errorf("a model it does not offer: %v", err)
	}
	f.mustSubmit(ann, "one")
	got, err := f.Fleet.MatchTogether(t.Context(), cold.ID, warm.ID)
	if err != nil || !slices.Equal(got, []string{"", "one"}) {
		t.Errorf("the cold and the warm worker got %q, %v", got, err)
	}
}

// The job of a claim whose caller has left is requeued, and the attempt is not
// counted.
func TestAbandonedClaims(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	ann, wil := f.account("ann", 900), f.account("wil", 0)
	worker := f.connect(wil)
	f.mustSubmit(ann, "one")
	gone, leave := context.WithCancel(t.Context())
	leave()
	if j, _ := f.Fleet.ClaimJob(gone, wil, worker.ID, time.Second); j != nil {
		t.Errorf("a caller that left got %+v", j)
	}
	if j := worker.MustClaim(); j.Attempt != 1 {
		t.Errorf("the claim of a caller that left was counted: attempt %d", j.Attempt)
	}
}

// A job with full progress takes no place of its worker's capacity. A worker holds at most twice
// its capacity of them, beside those that it renders.
func TestClaimBesideDeliveries(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil := f.account("ann", 900), f.account("wil", 0)
		worker := f.connect(wil)
		for n := range 4 {
			f.mustSubmit(ann, fmt.Sprint(n))
		}
		var held []*atelier.Job
		for n := range 3 {
			j := worker.next()
			if j == nil {
				t.Fatalf("it got no job beside %d deliveries", n)
			}
			if more := worker.next(); more != nil {
				t.Errorf("beside a job that it renders it got %+v", more)
			}
			if _, err := worker.progress(j, 1); err != nil {
				t.Fatal(err)
			}
			held = append(held, j)
		}
		if _, err := f.Fleet.ClaimJob(t.Context(), wil, worker.ID, 0); !atelier.HasCode(err, atelier.CodeWorkerFull) {
			t.Errorf("beside three deliveries: %v, want a refusal", err)
		}
		for _, j := range held {
			worker.mustSend(j)
		}
		if j := worker.next(); j == nil {
			t.Error("after the deliveries it got no job")
		}
		f.Audit()
	})
}
