package workflow_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

func (f *fixture) reseed(q workflow.ReseedRequest) (workflow.Reseeded, error) {
	return f.e.Reseed(f.T.Context(), f.owner(), q)
}

// A reseed is the same plan with other seeds, and leaves its source alone.
func TestReseed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		q := plan(image("a", "a fox", "seed", 7.0), upscale("b", "a", true), image("c", "a hen"))
		q.Terms, q.Filter = atelier.PaymentTerms{Token: atelier.PaySpark, Mode: atelier.BillTokens, App: "app"}, false
		w := f.begin(q)
		_, err := f.reseed(workflow.ReseedRequest{Source: atelier.WorkflowID(w.WorkflowID)})
		wantCode(t, "reseed of what runs", err, atelier.CodeWrongState, args{"retryable": true, "workflowStatus": atelier.StatusQueued, "waitingReason": nil, "awaitingCostApproval": false})
		f.completeAll(f.all())
		f.done("step/1")
		source := f.want(w.WorkflowID, "completed a=completed b=completed c=completed")

		r, err := f.reseed(workflow.ReseedRequest{Source: atelier.WorkflowID(w.WorkflowID), Seeds: map[string]int64{"a": 42}})
		if err != nil || r.Idempotent || string(r.Source) != w.WorkflowID || r.Workflow.WorkflowID == w.WorkflowID || len(r.Seeds) != 3 {
			t.Fatalf("reseed: %+v, %v", r, err)
		}
		take := r.Workflow
		if take.TokenType != atelier.PaySpark || take.BillingMode != atelier.BillTokens || take.SafeContentFilter || take.AppSource != "app" || take.Title != "test" {
			t.Errorf("the new take is paid in %s by %s, filter %v, of %s", take.TokenType, take.BillingMode, take.SafeContentFilter, take.AppSource)
		}
		for i, s := range r.Seeds {
			if s.StepID != s.ID || s.NewSeed != s.Seed || *take.Steps[i].Seed != s.Seed || s.StepID != take.Steps[i].ID {
				t.Errorf("the seed %d is told as %+v and used as %d", i, s, *take.Steps[i].Seed)
			}
			if old := *source.Steps[i].Seed; s.Seed == old || s.Seed < 0 || s.Seed >= 1<<32 {
				t.Errorf("the seed of %s was %d and is %d", s.StepID, old, s.Seed)
			}
		}
		if r.Seeds[0].Seed != 42 || take.Steps[0].Arguments["seed"] != 42.0 || take.Steps[2].Arguments["seed"] != float64(r.Seeds[2].Seed) {
			t.Errorf("the seeds are %+v, the arguments %v and %v", r.Seeds, take.Steps[0].Arguments, take.Steps[2].Arguments)
		}
		if _, there := take.Steps[1].Arguments["seed"]; there {
			t.Error("upscale_image takes no seed and has got one")
		}
		jobs := f.all()
		if got := jobs["step/0"].Spec; got.Seed != 42 || got.Arguments["seed"] != 42.0 {
			t.Errorf("the job has the seed %d and the argument %v", got.Seed, got.Arguments["seed"])
		}
		f.completeAll(jobs)
		f.done("step/1")
		f.want(take.WorkflowID, "completed a=completed b=completed c=completed")
		if got := f.get(w.WorkflowID); got.UpdateTime != source.UpdateTime || len(got.Events) != len(source.Events) || got.Steps[0].Arguments["seed"] != 7.0 {
			t.Error("the source has changed")
		}
		f.Audit()
	})
}

func TestReseedRefusals(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	w := f.begin(plan(fox))
	f.done("step/0")
	failed := f.begin(plan(fox))
	f.worker.MustFail(f.must("step/0"), atelier.FailError)
	_, err := f.reseed(workflow.ReseedRequest{Source: atelier.WorkflowID(failed.WorkflowID)})
	wantCode(t, "of what failed", err, atelier.CodeWrongState, args{"retryable": false, "workflowStatus": atelier.StatusFailed, "waitingReason": nil, "awaitingCostApproval": false})
	_, err = f.reseed(workflow.ReseedRequest{Source: "wf_durable_workflow_x"})
	wantCode(t, "of nothing", err, atelier.CodeNotFound, nil)
	_, err = f.e.Reseed(t.Context(), atelier.Account{Wallet: wil}, workflow.ReseedRequest{Source: atelier.WorkflowID(w.WorkflowID)})
	wantCode(t, "by a stranger", err, atelier.CodeNotFound, nil)
	for id, seed := range map[string]int64{"z": 1, "a": -1} {
		_, err = f.reseed(workflow.ReseedRequest{Source: atelier.WorkflowID(w.WorkflowID), Seeds: map[string]int64{id: seed}})
		wantCode(t, fmt.Sprint("seed of ", id), err, atelier.CodeInvalidRequest, nil)
		if e, ok := err.(*atelier.Error); ok && e.Field != "seed_overrides."+id {
			t.Errorf("got the field %s", e.Field)
		}
	}
	_, err = f.reseed(workflow.ReseedRequest{Source: atelier.WorkflowID(w.WorkflowID), Seeds: map[string]int64{"a": 1 << 32}})
	wantCode(t, "a seed too large", err, atelier.CodeInvalidRequest, nil)
	for range 10 {
		f.begin(plan(fox))
	}
	_, err = f.reseed(workflow.ReseedRequest{Source: atelier.WorkflowID(w.WorkflowID)})
	wantCode(t, "over the cap", err, atelier.CodeActiveWorkflows, nil)
	if page, err := f.e.List(t.Context(), ann, 0, 100); err != nil || len(page.Workflows) != 12 {
		t.Errorf("%d workflows, %v, want 12", len(page.Workflows), err)
	}
}

// A step without arguments can be made again as well.
func TestReseedOfBareSteps(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	w := f.begin(sent(plan(step("a", "upscale_video", nil)), "video", f.upload(ann, "uploads/two.mp4", "video/mp4")))
	f.done("step/0")
	r, err := f.reseed(workflow.ReseedRequest{Source: atelier.WorkflowID(w.WorkflowID), Seeds: map[string]int64{"a": 5}})
	if err != nil {
		t.Fatal(err)
	}
	if j := f.must("step/0"); j.Spec.Seed != 5 || j.Spec.Arguments["seed"] != 5.0 || inputs(j) != "sourceVideoIndex=two" {
		t.Errorf("the job is %+v", j.Spec)
	}
	if r.Workflow.MediaReferences == nil {
		t.Error("the new take has no media")
	}
}

// A key makes one take, and says each time which seeds that has.
func TestReseedKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		one := plan(fox)
		one.Key = "start"
		w := f.begin(one)
		f.done("step/0")
		other := f.begin(plan(fox))
		f.done("step/0")

		q := workflow.ReseedRequest{Key: "k", Source: atelier.WorkflowID(w.WorkflowID)}
		takes := make([]workflow.Reseeded, 8)
		var wg sync.WaitGroup
		for i := range takes {
			wg.Go(func() {
				var err error
				if takes[i], err = f.reseed(q); err != nil {
					t.Errorf("reseed: %v", err)
				}
			})
		}
		wg.Wait()
		fresh := 0
		for _, r := range takes {
			if !r.Idempotent {
				fresh++
			}
			if r.Workflow.WorkflowID != takes[0].Workflow.WorkflowID || len(r.Seeds) != 1 || r.Seeds[0] != takes[0].Seeds[0] || string(r.Source) != w.WorkflowID ||
				*r.Workflow.Steps[0].Seed != r.Seeds[0].Seed {
				t.Errorf("got %s with %+v, want %s with %+v", r.Workflow.WorkflowID, r.Seeds, takes[0].Workflow.WorkflowID, takes[0].Seeds)
			}
		}
		if fresh != 1 {
			t.Errorf("%d of the requests made a workflow, want 1", fresh)
		}
		spark := atelier.PaySpark
		for name, q := range map[string]workflow.ReseedRequest{
			"other seeds":      {Key: "k", Source: atelier.WorkflowID(w.WorkflowID), Seeds: map[string]int64{"a": 1}},
			"other token":      {Key: "k", Source: atelier.WorkflowID(w.WorkflowID), Token: &spark},
			"other source":     {Key: "k", Source: atelier.WorkflowID(other.WorkflowID)},
			"the key of start": {Key: "start", Source: atelier.WorkflowID(w.WorkflowID)},
		} {
			_, err := f.reseed(q)
			wantCode(t, name, err, atelier.CodeKeyReused, nil)
		}
		again := plan(image("a", "another"))
		again.Key = "k"
		if s, err := f.try(again); err != nil || !s.Idempotent || s.Workflow.WorkflowID != takes[0].Workflow.WorkflowID {
			t.Errorf("a start with the key: %+v, %v", s, err)
		}
		first, err1 := f.reseed(workflow.ReseedRequest{Source: atelier.WorkflowID(w.WorkflowID)})
		second, err2 := f.reseed(workflow.ReseedRequest{Source: atelier.WorkflowID(w.WorkflowID)})
		if err1 != nil || err2 != nil || first.Workflow.WorkflowID == second.Workflow.WorkflowID {
			t.Errorf("without a key: %v, %v, the same twice", err1, err2)
		}
		f.finish()
		f.Audit()
	})
}

// A reseed of a plan with vendor models needs what the start needed.
func TestReseedOfVendorModels(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	q := plan(image("a", "a fox", "model", "gpt-image-2"))
	_, err := f.try(q)
	wantCode(t, "without Premium Spark", err, atelier.CodePremiumRequired, nil)
	vip := f.AddAccount(atelier.Account{Wallet: "0xvip"}, billing.Credits{PremiumSpark: 100 * atelier.MoneyUnit})
	s, err := f.e.Start(t.Context(), vip, q)
	if err != nil || s.Workflow.Status != atelier.StatusQueued {
		t.Errorf("with Premium Spark: %s, %v", s.Workflow.Status, err)
	}
}
