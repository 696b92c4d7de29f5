package workflow_test

import (
	"context"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// connectFallback connects a worker that stands in for others.
func (f *fixture) connectFallback() enginetest.Worker {
	f.T.Helper()
	return f.Connect(wil, apitype.WorkerSpec{Name: "stand-in", Models: enginetest.AllModels(), Capacity: 64, Fallback: true})
}

// newPaintedFixture has a workflow whose steps a fallback worker has made, which is still there,
// and a worker with all models.
func newPaintedFixture(t testing.TB, o store.Options, steps ...atelier.StepInput) (*fixture, enginetest.Worker, apitype.Workflow) {
	t.Helper()
	f := newFixtureOn(t, storetest.Open(t, o), full, func(o *options) { o.Fleet.NoWorkerTimeout = 10 * time.Minute })
	f.addAccounts()
	cpu := f.connectFallback()
	id := f.begin(plan(steps...)).WorkflowID
	for range steps {
		j := cpu.MustClaim()
		if err := cpu.Deliver(j, j.Spec.Artifacts, nil); err != nil {
			t.Fatal(err)
		}
	}
	f.connect()
	return f, cpu, f.get(id)
}

func (f *fixture) remake(id, step, key string) (workflow.Started, error) {
	return f.e.Remake(context.Background(), f.owner(), workflow.RemakeRequest{Key: key, Source: atelier.WorkflowID(id), StepID: step})
}

func (f *fixture) mustRemake(id, step string) apitype.Workflow {
	f.T.Helper()
	s, err := f.remake(id, step, "")
	if err != nil {
		f.T.Fatalf("remake: %v", err)
	}
	return s.Workflow
}

// job reads the job of the only step of a workflow.
func (f *fixture) job(id string) (j store.StoredJob) {
	f.T.Helper()
	project := f.get(id).Steps[0].ProjectID
	f.Read(func(tx *store.Tx) (err error) { j, err = tx.JobOfProject(atelier.ProjectID(project)); return err })
	return j
}

// What a fallback worker has made is made again exactly as it was ordered, by another worker, free
// of charge, once; and the ledger has an entry about it.
func TestRemake(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, cpu, w := newPaintedFixture(t, o, image("a", "a fox", "numberOfVariations", 2.0, "seed", 7.0))
		if got := w.Steps[0].Remake; got == nil || got.State != "available" {
			t.Fatalf("the step says %+v, want that it can be made again", got)
		}
		before := f.Balance(ann)
		again := f.mustRemake(w.WorkflowID, "a")
		if cpu.Claim(0) != nil {
			t.Error("the fallback worker got it")
		}
		was, is := f.job(w.WorkflowID), f.job(again.WorkflowID)
		if len(is.Spec.Artifacts) != 2 || is.Spec.Artifacts[0].ID == was.Spec.Artifacts[0].ID {
			t.Errorf("its results are %+v", is.Spec.Artifacts)
		}
		is.Spec.Artifacts = was.Spec.Artifacts
		if !reflect.DeepEqual(is.Spec, was.Spec) || is.Network != was.Network {
			t.Errorf("it is made as %+v, want as %+v", is.Spec, was.Spec)
		}
		f.done("step/0")
		again = f.get(again.WorkflowID)
		if again.Status != atelier.StatusCompleted || len(again.Artifacts) != 2 || again.Artifacts[0].Preview {
			t.Errorf("it is %s with %+v", again.Status, again.Artifacts)
		}
		if cost := again.Steps[0].Cost.Actual; cost.Spark != 0 || cost.Free != atelier.FreeRemake || again.RemakeOf.StepID != "a" {
			t.Errorf("it costs %+v, of %+v", cost, again.RemakeOf)
		}
		if got := f.get(w.WorkflowID).Steps[0].Remake; got == nil || got.State != "used" || got.WorkflowID != again.WorkflowID {
			t.Errorf("the step says %+v, want that it was made again", got)
		}
		if after := f.Balance(ann); after != before {
			t.Errorf("the balance is %+v, was %+v", after, before)
		}
		usage, err := f.Billing.Usage(t.Context(), ann, time.Time{})
		if err != nil || len(usage) != 2 {
			t.Fatalf("she has used %+v, %v", usage, err)
		}
		for _, u := range usage {
			if u.Charges != 1 || (u.Kind == "remake") != (u.Spent == 0) {
				t.Errorf("she has used %+v", u)
			}
		}
		if _, err := f.remake(w.WorkflowID, "a", ""); !atelier.HasCode(err, atelier.CodeAlreadyRemade) {
			t.Errorf("once more: %v", err)
		}
		f.Audit()
	})
}

// What is refused, and why.
func TestRemakeIsRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, _, w := newPaintedFixture(t, o, image("a", "a fox"))
		real := f.begin(plan(image("b", "a hen"), upscale("c", "b", true))).WorkflowID
		refused := func(what, id, step string, code atelier.Code, reason any) {
			t.Helper()
			_, err := f.remake(id, step, "")
			if !atelier.HasCode(err, code) {
				t.Errorf("%s: %v, want %s", what, err, code.Slug)
				return
			}
			if got := err.(*atelier.Error).Details["reason"]; got != reason {
				t.Errorf("%s: the reason is %v, want %v", what, got, reason)
			}
		}
		refused("a workflow that is not hers", "wf_durable_workflow_none", "a", atelier.CodeNotFound, nil)
		refused("a step that is not there", w.WorkflowID, "b", atelier.CodeNotFound, nil)
		refused("a step that is queued", real, "b", atelier.CodeNotRemakable, "not_completed")
		f.done("step/0")
		refused("a step of a worker with the model", real, "b", atelier.CodeNotRemakable, "not_by_fallback")
		f.finish()
		f.leave()
		if got := f.get(w.WorkflowID).Steps[0].Remake; got != nil {
			t.Errorf("without a worker with the model the step says %+v", got)
		}
		refused("without a worker with the model", w.WorkflowID, "a", atelier.CodeNotRemakable, "no_worker")
		f.connect()
		f.mustRemake(w.WorkflowID, "a")
		refused("while it is made", w.WorkflowID, "a", atelier.CodeAlreadyRemade, nil)
	})
}

// The right to it comes back when it has no result, also after the time that jobs wait for
// a worker: no fallback worker gets it, however long it waits.
func TestTheRightToARemakeComesBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, cpu, w := newPaintedFixture(t, o, image("a", "a fox"))
		available := func(after string) {
			t.Helper()
			if got := f.get(w.WorkflowID).Steps[0].Remake; got == nil || got.State != "available" {
				t.Errorf("after %s the step says %+v", after, got)
			}
		}
		first := f.mustRemake(w.WorkflowID, "a").WorkflowID
		if _, err := f.e.Cancel(t.Context(), ann, atelier.WorkflowID(first), ""); err != nil {
			t.Fatal(err)
		}
		available("a cancel")
		f.mustRemake(w.WorkflowID, "a")
		f.worker.MustFail(f.must("step/0"), atelier.FailError)
		available("a failure")

		last := f.mustRemake(w.WorkflowID, "a").WorkflowID
		f.leave()
		for range 11 {
			if _, err := f.Fleet.CheckOffers(t.Context()); err != nil {
				t.Fatal(err)
			}
			if s := f.get(last).Steps[0]; s.Status == atelier.StatusQueued && (s.WaitingFor == nil || !s.WaitingFor.FallbackAt.IsZero()) {
				t.Errorf("it waits for %+v", s.WaitingFor)
			}
			if cpu.Claim(0) != nil {
				t.Fatal("the fallback worker got it")
			}
			f.Advance(time.Minute)
			if err := f.Fleet.Heartbeat(t.Context(), wil, cpu.ID, apitype.Heartbeat{}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := f.Fleet.CheckOffers(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := f.get(last).Steps[0]; s.Status != atelier.StatusFailed || s.Error.Code != atelier.FailNoWorker {
			t.Errorf("it is %s, %+v", s.Status, s.Error)
		}
		f.connect()
		available("the time that jobs wait for a worker")
		f.Audit()
	})
}

// Files that a step has read are read again, and if one is deleted the step cannot be made again.
func TestARemakeReadsWhatTheStepHasRead(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, _, w := newPaintedFixture(t, o, image("a", "a fox"), upscale("b", "a", true))
		again := f.mustRemake(w.WorkflowID, "b")
		j := f.must("step/0")
		if len(j.Spec.Inputs) != 1 || j.Spec.Inputs[0].Key == "" {
			t.Errorf("it reads %+v", j.Spec.Inputs)
		}
		if err := f.e.Delete(t.Context(), ann, atelier.WorkflowID(w.WorkflowID)); !atelier.HasCode(err, atelier.CodeWrongState) {
			t.Errorf("deleted what it reads: %v", err)
		}
		f.worker.MustFail(j, atelier.FailError)
		if err := f.e.Delete(t.Context(), ann, atelier.WorkflowID(w.WorkflowID)); err != nil {
			t.Error(err)
		}
		if _, err := f.remake(w.WorkflowID, "b", ""); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("of a deleted workflow: %v", err)
		}
		if got := f.get(again.WorkflowID).Status; got != atelier.StatusFailed {
			t.Errorf("it is %s", got)
		}
	})
}

// Of twenty requests at once, one is accepted.
func TestRemakeOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, _, w := newPaintedFixture(t, o, image("a", "a fox"))
		owner := f.owner()
		var (
			wg       sync.WaitGroup
			outcomes = make([]error, 20)
		)
		for i := range outcomes {
			wg.Go(func() {
				_, outcomes[i] = f.e.Remake(t.Context(), owner, workflow.RemakeRequest{Source: atelier.WorkflowID(w.WorkflowID), StepID: "a"})
			})
		}
		wg.Wait()
		accepted := 0
		for _, err := range outcomes {
			if err == nil {
				accepted++
			} else if !atelier.HasCode(err, atelier.CodeAlreadyRemade) {
				t.Errorf("refused with %v", err)
			}
		}
		if n := f.queued(); accepted != 1 || n != 1 {
			t.Errorf("%d were accepted and %d are queued, want one", accepted, n)
		}
	})
}

// A request that is repeated with its key gets the same workflow, and the key is for that step.
func TestRemakeWithAKey(t *testing.T) {
	t.Parallel()
	f, _, w := newPaintedFixture(t, storetest.SQLite(t), image("a", "a fox"), image("b", "a hen"))
	one, err := f.remake(w.WorkflowID, "a", "key")
	if err != nil || one.Idempotent {
		t.Fatalf("%+v, %v", one, err)
	}
	if two, err := f.remake(w.WorkflowID, "a", "key"); err != nil || !two.Idempotent || two.Workflow.WorkflowID != one.Workflow.WorkflowID {
		t.Errorf("again: %+v, %v", two, err)
	}
	if _, err := f.remake(w.WorkflowID, "b", "key"); !atelier.HasCode(err, atelier.CodeKeyReused) {
		t.Errorf("another step: %v", err)
	}
}

// However remakes, cancels and completions of one step interleave, one workflow at most has its
// result, and the right to it is there as long as none has.
func TestRemakesAndCancelsAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, _, w := newPaintedFixture(t, o, image("a", "a fox"))
		before, owner, ctx := f.Balance(ann), f.owner(), t.Context()
		var (
			wg   sync.WaitGroup
			mu   sync.Mutex
			made []string
		)
		for range 3 {
			wg.Go(func() {
				for range 12 {
					s, err := f.e.Remake(ctx, owner, workflow.RemakeRequest{Source: atelier.WorkflowID(w.WorkflowID), StepID: "a"})
					if atelier.HasCode(err, atelier.CodeAlreadyRemade) {
						continue
					}
					if err != nil {
						t.Errorf("remake: %v", err)
						return
					}
					mu.Lock()
					made = append(made, s.Workflow.WorkflowID)
					mu.Unlock()
					if _, err := f.e.Cancel(ctx, ann, atelier.WorkflowID(s.Workflow.WorkflowID), ""); err != nil {
						t.Errorf("cancel: %v", err)
					}
				}
			})
		}
		wg.Go(func() {
			for range 12 {
				if j := f.worker.Claim(0); j != nil {
					_ = f.complete(j) // it may be cancelled
				}
			}
		})
		wg.Wait()
		for j := f.worker.Claim(0); j != nil; j = f.worker.Claim(0) {
			_ = f.complete(j)
		}
		var results int
		for _, id := range made {
			if again := f.get(id); len(again.Artifacts) > 0 {
				results++
			} else if again.Status != atelier.StatusCancelled {
				t.Errorf("%s is %s", id, again.Status)
			}
		}
		want := "available"
		if results > 0 {
			want = "used"
		}
		if got := f.get(w.WorkflowID).Steps[0].Remake; results > 1 || got == nil || got.State != want {
			t.Errorf("%d of %d have a result, and the step says %+v", results, len(made), got)
		}
		if after := f.Balance(ann); after != before {
			t.Errorf("the balance is %+v, was %+v", after, before)
		}
		f.Audit()
	})
}

// What is deleted to make space for a remake is not the workflow that it makes again, although that ended
// first.
func TestARemakeKeepsItsSource(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, _, w := newPaintedFixture(t, o, image("a", "a fox"))
		f.Advance(time.Minute)
		second := f.begin(plan(image("b", "a hen"))).WorkflowID
		f.finish()
		// With the least limit at which a remake is accepted, the other workflow has gone.
		var err error
		for limit := int64(1); ; limit += 512 {
			f.DB.LimitStored(limit)
			if _, err = f.remake(w.WorkflowID, "a", ""); !atelier.HasCode(err, atelier.CodeStoredBytes) {
				break
			}
		}
		if err != nil {
			t.Errorf("with space for two workflows: %v", err)
		}
		f.get(w.WorkflowID)
		if _, err := f.e.Workflow(t.Context(), ann, atelier.WorkflowID(second)); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("the workflow that ended last: %v, want that it made space", err)
		}
	})
}
