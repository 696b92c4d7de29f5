package fleet_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func (f *fixture) switches(id atelier.WorkerID) (w atelier.Worker) {
	f.T.Helper()
	f.Read(func(tx *store.Tx) (err error) { w, err = tx.AnyWorker(id); return err })
	return w
}

// A worker that has a model loaded takes jobs of it first, wherever they are in the
// queue, until a job before them has been passed over for long enough. Then it takes that,
// and stays with its model.
func TestAWorkerKeepsItsModel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, bob, wil := f.account("ann", 1<<40), f.account("bob", 1<<40), f.account("wil", 0)
		worker := f.connect(wil, model, other)
		worker.beat(apitype.Heartbeat{Loaded: []string{model}})
		for i := range 12 {
			f.mustSubmit(ann, fmt.Sprint("a", i), ofModel(other))
		}
		for i := range 12 {
			f.mustSubmit(bob, fmt.Sprint("b", i))
		}
		var got []string
		for range 10 {
			j := worker.MustClaim()
			f.Advance(2 * time.Second)
			worker.mustSend(j)
			got = append(got, j.Owner.Part)
		}
		if want := "b0 b1 b2 b3 a0 a1 a2 a3 a4 a5"; strings.Join(got, " ") != want {
			t.Errorf("it rendered %q, want %s", got, want)
		}
		if w := f.switches(worker.ID); w.Switches != 1 || strings.Join(w.Recent, " ") != other {
			t.Errorf("%d switches, it got %q last", w.Switches, w.Recent)
		}
		worker.beat(apitype.Heartbeat{Loaded: []string{other}})
		if w := f.switches(worker.ID); len(w.Recent) != 0 {
			t.Errorf("what it reports replaces what it got: %q", w.Recent)
		}

		// An account that comes while others are passed over does not come after those that
		// are taken before them.
		cat := f.account("cat", 900)
		f.mustSubmit(cat, "cat", ofModel(other))
		if got := worker.MustClaim().Owner.Part; got != "cat" && got != "a6" {
			t.Errorf("a new account came after %s", got)
		}
	})
}

// A worker keeps its model also when a job before it may not be passed over any longer, but
// another worker takes that one.
func TestAWorkerKeepsItsModelBesideAnOverdueJob(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 900), f.account("wil", 0)
		cold, warm := f.connect(wil, model, other, "third", "fourth"), f.connect(wil, model, other, "third")
		cold.beat(apitype.Heartbeat{Loaded: []string{"fourth"}})
		warm.beat(apitype.Heartbeat{Loaded: []string{model}})
		f.mustSubmit(ann, "overdue", ofModel(other))
		f.mustSubmit(ann, "before")
		warm.mustSend(warm.wantJob("passing over the first", "before"))
		f.Advance(30 * time.Second)
		f.mustSubmit(ann, "elsewhere", ofModel("third"))
		f.mustSubmit(ann, "kept")
		got, err := f.Fleet.MatchTogether(t.Context(), cold.ID, warm.ID)
		if want := "overdue kept"; err != nil || strings.Join(got, " ") != want {
			t.Errorf("they got %q, %v, want %s", got, err, want)
		}
	})
}

// A worker takes the next job of its model when another transaction has locked the first one
// further back.
func TestAJobFurtherBackIsLocked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		if o.URL == "" {
			t.Skip("SQLite has one writer")
		}
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 900), f.account("wil", 0)
		worker := f.connect(wil, model, other)
		worker.beat(apitype.Heartbeat{Loaded: []string{model}})
		for range 20 {
			f.mustSubmit(ann, "front", ofModel(other))
		}
		locked := f.mustSubmit(ann, "locked")
		f.mustSubmit(ann, "next")
		f.Write(func(tx *store.Tx) error {
			if is, err := tx.LockCandidate(locked.ID); err != nil || !is {
				t.Errorf("lock: %v, %v", is, err)
			}
			if got, err := f.Fleet.MatchTogether(t.Context(), worker.ID); err != nil || got[0] != "next" {
				t.Errorf("it got %q, %v, want next", got, err)
			}
			return nil
		})
	})
}

// A worker that reports no loaded models takes jobs in the order of the queue.
func TestWorkersWithoutLoadedModelsKeepTheOrder(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, bob, wil := f.account("ann", 900), f.account("bob", 900), f.account("wil", 0)
		worker := f.connect(wil, model, other)
		for i := range 3 {
			f.mustSubmit(ann, fmt.Sprint("a", i), ofModel(other))
			f.mustSubmit(bob, fmt.Sprint("b", i))
		}
		if got, want := worker.claimOrder(6), "a0 b0 a1 b1 a2 b2"; got != want {
			t.Errorf("order %s, want %s", got, want)
		}
		if w := f.switches(worker.ID); w.Switches != 0 || len(w.Recent) != 0 {
			t.Errorf("%d switches, %q", w.Switches, w.Recent)
		}
	})
}

// A worker leaves the only job of a model to another that renders this model and will soon
// be done, for a short while. It does not leave a second one, nor one that it has waited for.
func TestAJobIsLeftToAWorkerThatHasItsModel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 900), f.account("wil", 0)
		warm, cold := f.connect(wil, model, other), f.connect(wil, model, other)
		warm.beat(apitype.Heartbeat{Loaded: []string{model}})
		cold.beat(apitype.Heartbeat{Loaded: []string{other}})
		begun := warm.leased(ann, "begun")
		f.Advance(8 * time.Second)
		if _, err := warm.progress(begun, 0.9); err != nil { // it takes another second
			t.Fatal(err)
		}
		f.mustSubmit(ann, "one")
		cold.wantJob("while the other is about to end", "")
		f.mustSubmit(ann, "two")
		second := cold.wantJob("a second job", "two")
		warm.mustSend(begun)
		first := warm.wantJob("the worker that has the model", "one")
		cold.MustFail(second, atelier.FailError)
		if _, err := warm.progress(first, 0.05); err != nil {
			t.Fatal(err)
		}
		cold.beat(apitype.Heartbeat{Loaded: []string{model}})
		cold.beat(apitype.Heartbeat{Loaded: []string{other}})

		f.Advance(8 * time.Second)
		if _, err := warm.progress(first, 0.9); err != nil {
			t.Fatal(err)
		}
		f.mustSubmit(ann, "three")
		cold.wantJob("while the other is about to end", "")
		f.Advance(3 * time.Second)
		cold.wantJob("when it does not", "three")
	})
}
