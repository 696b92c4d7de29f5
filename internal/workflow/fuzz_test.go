package workflow_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// Whatever a plan says, it is refused in words or it runs.
func FuzzPlan(f *testing.F) {
	type input struct {
		Steps []atelier.StepInput
		Media []atelier.MediaReference
	}
	add := func(q workflow.StartRequest) {
		text, err := json.Marshal(input{q.Steps, q.Media})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for i, r := range refusals {
		if i%min(thin(), 5) == 0 {
			add(r.plan)
		}
	}
	for seed := range uint64(20 / min(thin(), 10)) {
		add(plan(newPuzzle(seed).steps()...))
	}
	fx := newFixture(f, storetest.SQLite(f), full)
	owner := fx.owner()
	f.Fuzz(func(t *testing.T, text []byte) {
		var in input
		if json.Unmarshal(text, &in) != nil {
			t.Skip()
		}
		fx.T = t
		q := plan(in.Steps...)
		q.Media = in.Media
		s, err := fx.e.Start(t.Context(), owner, q)
		var refusal *atelier.Error
		if err != nil {
			if !errors.As(err, &refusal) {
				t.Fatalf("got %v, want a refusal", err)
			}
			return
		}
		for range 3 * atelier.MaxSteps {
			if fx.queued() == 0 {
				break
			}
			j := fx.claim()
			if j == nil {
				break // it is for a node
			}
			if err := fx.worker.Deliver(j, j.Spec.Artifacts[:1], nil); err != nil && !errors.As(err, &refusal) {
				t.Fatalf("complete: %v", err)
			}
		}
		if _, err := fx.e.Cancel(t.Context(), ann, atelier.WorkflowID(s.Workflow.WorkflowID), ""); err != nil {
			t.Fatal(err)
		}
		fx.want(s.Workflow.WorkflowID, statuses(fx.get(s.Workflow.WorkflowID)))
	})
}
