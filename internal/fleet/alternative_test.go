package fleet_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A worker whose job does not go on hears how many others could take it: those that serve the
// model, are free, and would get it.
func TestAWorkerHearsOfAlternatives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("ned", 0)
		worker := f.connect(wil)
		j := worker.leased(ann, "one")
		want := func(when string, p float64, alternatives int) {
			t.Helper()
			f.Advance(time.Second) // not more reports than are recorded
			s, err := worker.progress(j, p)
			if err != nil || s.Alternatives != alternatives {
				t.Errorf("%s: it hears of %d others, %v, want %d", when, s.Alternatives, err, alternatives)
			}
		}
		want("alone", 0, 0)
		f.connectFallback(eve, model)
		f.connect(eve, other)
		f.connect(wil) // has the account and name of the worker: it does not get what that drops
		if _, err := f.Fleet.Connect(t.Context(), eve, apitype.WorkerSpec{Name: "slow", Network: atelier.NetworkRelaxed, Models: []string{model}, Capacity: 1}); err != nil {
			t.Fatal(err)
		}
		want("beside workers that would not get it", 0, 0)
		free := f.connectAt(f.startNode(), eve, model)
		want("beside a free worker of another node", 0, 1)
		stand := func(since time.Time) {
			t.Helper()
			f.Write(func(tx *store.Tx) error {
				return tx.NoteStanding(free.ID, store.Standing{LowSince: since}, 0, f.Now())
			})
		}
		stand(f.Now())
		want("beside one whose standing is low", 0, 0)
		stand(time.Time{})
		want("when it continues", 0.5, 0)
		want("when it stops again", 0.5, 1)
		held := free.leased(ann, "two")
		want("beside a busy one", 0.5, 0)
		free.MustFail(held, atelier.FailError)
		want("when that is free again", 0.5, 1)
		free.beat(apitype.Heartbeat{Unavailable: away})
		want("when that is unavailable", 0.5, 0)
		free.beat(apitype.Heartbeat{})
		want("when it is available again", 0.5, 1)

		for i := range 30 { // more reports than are recorded
			p := 0.5 + float64(i+1)/100
			if s, err := worker.progress(j, p); err != nil || s.Alternatives != 0 {
				t.Fatalf("when it continues and reports often: it hears of %d others, %v", s.Alternatives, err)
			}
		}
		f.Advance(time.Minute / 10)
		want("when all is done but the upload", 1, 0)
		want("and that takes long", 1, 0)

		worker.failWith(j, atelier.FailDropped, "")
		worker, j = free, free.wantJob("the other", "one")
		f.connect(f.account("mia", 0))
		want("in the last attempt", 0, 0)
	})
}

// A job for certain accounts has no alternatives among the workers of others, and none has those of
// suspended accounts.
func TestAlternativesMayTakeTheJob(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("ned", 0)
		worker := f.connect(wil)
		j := worker.leased(ann, "one", func(s *fleet.Submission) { s.Takers = []atelier.Wallet{wil} })
		f.connect(eve)
		for _, may := range []int{0, 1, 0} {
			if s, err := worker.progress(j, 0); err != nil || s.Alternatives != may {
				t.Errorf("it hears of %d others, %v, want %d", s.Alternatives, err, may)
			}
			switch may {
			case 0:
				worker.failWith(j, atelier.FailError, "")
				j = worker.leased(ann, "for anyone")
			case 1:
				f.Write(func(tx *store.Tx) error { _, err := tx.SuspendAccount(eve, f.Now()); return err })
			}
		}
	})
}
