package fleet_test

import (
	"cmp"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func TestFewerResultsCostLess(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	ann, wil := f.account("ann", 25), f.account("wil", 0)
	worker := f.connect(wil)
	j := worker.leased(ann, "one")
	worker.Upload(j, "a1")
	if err := worker.complete(j, "a1"); err != nil {
		t.Fatal(err)
	}
	f.wantBalance(ann, 20, 5)
	f.Audit()
}

func TestFailuresCostNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		worker := f.connect(wil)
		for i, code := range []string{atelier.FailError, atelier.FailLoraMismatch, atelier.FailContentFiltered, atelier.FailOutOfMemory} {
			j := worker.leased(ann, code)
			worker.MustFail(j, code)
			if got := f.job(j.ID); got.State != atelier.JobFailed || got.Error.Code != code || got.Attempt != 1 {
				t.Errorf("%d: %+v", i, got.Job)
			}
		}
		f.wantBalance(ann, 25, 0)
		f.Audit()
	})
}

func TestUnpaidJobsAreNotQueued(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	ann := f.account("ann", 9)
	if _, err := f.submit(ann, "one"); !atelier.HasCode(err, atelier.CodeInsufficientBalance) {
		t.Errorf("got %v", err)
	}
	f.wantBalance(ann, 9, 0)
	d, err := f.Fleet.Demand(t.Context())
	if err != nil || len(d.Models) != 0 {
		t.Errorf("queued anyway: %+v, %v", d, err)
	}
}

// A plan that has reached its fair use renders on the relaxed network, which has no
// limit.
func TestFairUse(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		f.Billing.SetFairUse(func(atelier.PlanTier) billing.FairUse { return billing.FairUse{Daily: 10, Cycle: 15} })
		ann, wil := f.account("ann", 0), f.account("wil", 0)
		err := f.DB.Write(t.Context(), func(tx *store.Tx) error {
			return tx.PutSubscription(ann, atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, f.Now()), f.Now())
		})
		if err != nil {
			t.Fatal(err)
		}
		worker := f.connect(wil)
		render := func(want atelier.Network) {
			t.Helper()
			j := f.mustSubmit(ann, "one")
			if j.Network != want {
				t.Errorf("it is rendered on %s, want %s", j.Network, want)
			}
			if want == atelier.NetworkFast {
				j := worker.MustClaim()
				worker.finish(j)
			}
		}
		render(atelier.NetworkFast)
		render(atelier.NetworkRelaxed)
		f.Advance(24 * time.Hour) // a new day; 5 of the period are left
		worker = f.connect(wil)
		render(atelier.NetworkFast)
		f.Advance(24 * time.Hour)
		render(atelier.NetworkRelaxed) // now the period is used up
		f.Advance(31 * 24 * time.Hour)
		worker = f.connect(wil)
		render(atelier.NetworkFast)
	})
}

// A dropped job that its plan no longer covers on the fast network is queued in the relaxed one,
// in the turn of its account there.
func TestADroppedJobChangesTheNetwork(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		f.Billing.SetFairUse(func(atelier.PlanTier) billing.FairUse { return billing.FairUse{Daily: 11, Cycle: 1000} })
		ann, bob, wil := f.account("ann", 0), f.account("bob", 1000), f.account("wil", 0)
		f.Write(func(tx *store.Tx) error {
			return tx.PutSubscription(ann, atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, f.Now()), f.Now())
		})
		worker, second := f.connect(wil), f.connect(wil)
		for range 20 { // the front of the fast network moves on
			f.mustSubmit(bob, "one")
			worker.finish(worker.MustClaim())
		}
		dropped := f.mustSubmit(ann, "one")
		large := f.mustSubmit(ann, "two", func(s *fleet.Submission) { s.Cost.Spark = 20 })
		first, other := worker.MustClaim(), second.MustClaim()
		if first.ID != dropped.ID || other.ID != large.ID {
			t.Fatalf("claimed %s and %s", first.ID, other.ID)
		}
		second.finish(other) // fair use is used up
		before := f.job(dropped.ID)
		worker.MustFail(first, atelier.FailDropped)
		got := f.job(dropped.ID)
		if before.Network != atelier.NetworkFast || before.Turn < 20 || got.Network != atelier.NetworkRelaxed || got.Turn != 1 {
			t.Errorf("from turn %d of %s to turn %d of %s", before.Turn, before.Network, got.Turn, got.Network)
		}
		f.Audit()
	})
}

// A last frame belongs to its clip: it is not counted, and a clip without it is
// shown at what was charged.
func TestProjectsShowWhatWasCharged(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	ann, wil := f.account("ann", 25), f.account("wil", 0)
	worker := f.connect(wil)
	f.mustSubmit(ann, "one", func(s *fleet.Submission) {
		s.Spec.Artifacts = append(s.Spec.Artifacts, atelier.JobArtifact{ID: "a0" + fleet.LastFrame, ContentType: "image/png"})
	})
	j := worker.MustClaim()
	worker.finish(j)
	f.wantBalance(ann, 15, 10)
	p, err := f.Fleet.Project(t.Context(), ann, j.ProjectID)
	if err != nil || p.ImageCount != 2 || p.CostActual == nil || p.CostActual.Spark != 10 {
		t.Errorf("got %+v, %v", p, err)
	}
}

// A fallback worker earns nothing for what it makes in the place of a model: it might be an account
// that has its own orders made again for nothing. For a tool that needs no model it is paid as any.
func TestFallbackWorkersEarnNothingForPreviews(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		f.Billing.SetWorkerPay(func(atelier.Network) billing.Pay { return billing.Pay{TokenBps: 5000} })
		ann := f.account("ann", 100)
		for _, tc := range []struct {
			name     string
			fallback bool
			tool     string
			earns    bool
		}{
			{name: "fallback", fallback: true},
			{name: "tool", fallback: true, tool: model, earns: true},
			{name: "worker", earns: true},
		} {
			w := f.account(tc.name, 0)
			worker := testWorker{f.Connect(w, apitype.WorkerSpec{Models: []string{model}, Fallback: tc.fallback}), f}
			j := worker.leased(ann, tc.name, func(s *fleet.Submission) { s.Spec.Tool = cmp.Or(tc.tool, s.Spec.Tool) })
			worker.Upload(j, "a1")
			if err := worker.complete(j, "a1"); err != nil {
				t.Fatal(err)
			}
			worker.leave()
			f.Read(func(tx *store.Tx) error {
				pays, err := tx.Pays(w, "")
				var svc atelier.Money
				for _, p := range pays {
					svc += p.Svc
				}
				if (svc > 0) != tc.earns {
					t.Errorf("%s earned %s", tc.name, svc)
				}
				return err
			})
		}
		f.Audit()
	})
}
