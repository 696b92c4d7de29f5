package workflow_test

import (
	"fmt"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// The tools that keep assets share one list, and see it as the steps before
// them have left it.
func TestAssetTools(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	w := f.begin(plan(
		step("create", "create_asset_manifest", args{"assets": []any{
			args{"user_label": "the fox", "type": "image", "asset_id": "fox"}, args{"user_label": "the song", "type": "audio", "asset_id": "song"}}}),
		step("inspect", "inspect_asset", args{"user_label": "THE FOX"}),
		step("label", "label_asset", args{"asset_id": "fox", "user_label": "Reynard", "must_preserve": []any{"the tail"}}),
		step("again", "inspect_asset", args{"asset_id": "fox"}),
		step("map", "map_assets_for_model", args{"model_id": "z_image_turbo_bf16"}),
		step("validate", "validate_asset_references", args{"model_id": "z_image_turbo_bf16", "prompt": "Reynard sings"}),
		step("missing", "inspect_asset", args{"asset_id": "hen"}),
		step("last", "inspect_asset", args{"asset_id": "song"}),
		image("a", "a fox"),
	))
	f.runNodeTasks()
	f.serve(func(j *atelier.Job) error {
		if j.Owner.Part != "step/8" {
			t.Errorf("a worker got %s", j.Owner.Part)
		}
		return f.complete(j)
	})
	w = f.until(w.WorkflowID, over)
	f.want(w.WorkflowID, "partial_failure create=completed inspect=completed label=completed again=completed map=completed validate=completed missing=failed last=completed a=completed")
	for i, want := range map[int]string{
		1: "map[asset_id:fox type:image user_label:the fox]",
		3: "map[asset_id:fox must_preserve:[the tail] type:image user_label:Reynard]",
		7: "map[asset_id:song type:audio user_label:the song]",
	} {
		if got := w.Steps[i].Artifacts; len(got) != 1 || got[0].Kind != "json" || fmt.Sprint(got[0].Metadata["content"]) != want {
			t.Errorf("%s made %+v, want %s", w.Steps[i].ID, got, want)
		}
	}
	if e := w.Steps[6].Error; e == nil || e.Message != "inspect_asset: there is no such asset in the manifest." {
		t.Errorf("the error is %+v", e)
	}
	if _, debit := f.money(); debit != w.Steps[8].Cost.Actual.Spark {
		t.Errorf("%s was paid: the list costs nothing", debit)
	}
}

// A question waits for a resume, and the workflow reports it; what needs no worker is done at
// once.
func TestQuestion(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	w := f.begin(plan(step("q", "ask_clarifying_question", args{"question": "which fox?"}), step("z", "finalize_response", args{"outcome": "asked_user"})))
	w = f.want(w.WorkflowID, "waiting_for_user q=waiting_for_user z=completed")
	if last := w.Events[len(w.Events)-1]; w.WaitingReason != atelier.WaitQuestion || last.Message != "which fox?" || last.Payload.(apitype.WorkflowWaiting).StepID != "q" {
		t.Errorf("it waits for %s and says %+v", w.WaitingReason, last)
	}
	if w, err := f.e.Resume(t.Context(), ann, atelier.WorkflowID(w.WorkflowID), workflow.ResumeRequest{}); err != nil || w.Status != atelier.StatusCompleted {
		t.Errorf("resume: %s, %v", w.Status, err)
	}
	f.want(w.WorkflowID, "completed q=completed z=completed")
	_, err := f.e.Resume(t.Context(), ann, atelier.WorkflowID(w.WorkflowID), workflow.ResumeRequest{})
	wantCode(t, "resume of what is done", err, atelier.CodeWrongState, args{"retryable": false, "workflowStatus": atelier.StatusCompleted, "waitingReason": nil, "awaitingCostApproval": false})
}

// A manifest that a worker reports changes nothing.
func TestWorkersKeepNoAssets(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	w := f.begin(plan(fox, step("b", "label_asset", args{"asset_id": "x"}, from("a", 0, "image_url", "url"))))
	j := f.must("step/0")
	if err := f.completeWith(j, args{"manifest": "nonsense"}); err != nil {
		t.Fatal(err)
	}
	f.runNodeTasks()
	w = f.until(w.WorkflowID, over)
	if e := w.Steps[1].Error; e == nil || e.Message != "label_asset: there is no such asset in the manifest." || w.Steps[1].Retry.Count != 0 {
		t.Errorf("the error is %+v", e)
	}
}

// What costs nothing is done whatever pays, and nothing else is.
func TestFreeWorkNeedsNoPlan(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	f.runNodeTasks()
	q := sent(plan(
		step("list", "create_asset_manifest", args{"assets": []any{args{"user_label": "the fox", "type": "image"}}}),
		step("facts", "extract_metadata", args{"sourceImageIndex": -1.0}),
		step("paid", "upscale_image", args{"sourceImageIndex": -1.0}),
	), "image", web(t)+"/fox.png")
	q.Terms.Mode = atelier.BillSubscription // and ann has none
	f.serve(func(j *atelier.Job) error { return f.complete(j) })
	w := f.until(f.begin(q).WorkflowID, over)
	f.want(w.WorkflowID, "partial_failure list=completed facts=completed paid=failed")
	if e := w.Steps[2].Error; e == nil || e.Code != "subscription_limit" || e.Classification != "billing" {
		t.Errorf("the error is %+v", e)
	}
	if a := w.Steps[1].Cost.Actual; a == nil || a.Spark != 0 || a.ByPlan {
		t.Errorf("what is free cost %+v", a)
	}
}
