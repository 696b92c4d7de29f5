package workflow_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

func TestOneStep(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		w := f.begin(plan(image("a", "a fox")))
		f.want(w.WorkflowID, "queued a=queued")
		j := f.must("step/0")
		f.want(w.WorkflowID, "running a=running")
		if _, err := f.Fleet.Progress(context.Background(), wil, f.worker.ID, j.ID, apitype.JobProgress{Progress: 0.5, Message: "half"}); err != nil {
			t.Fatal(err)
		}
		if err := f.complete(j); err != nil {
			t.Fatal(err)
		}
		w = f.want(w.WorkflowID, "completed a=completed")
		if got, want := types(w), "workflow_started step_started workflow_progress artifact_created step_completed workflow_completed"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		a := w.Steps[0].Artifacts[0]
		if !strings.HasPrefix(a.URL, "http://storage.example/storage/results/") || !strings.Contains(a.URL, ".png?") || a.Width != 64 {
			t.Errorf("the artifact is %+v", a)
		}
		if url := w.Events[3].Payload.(apitype.ArtifactCreated).URL; !strings.HasPrefix(url, "http://storage.example/") {
			t.Errorf("the event has the URL %q", url)
		}
		f.Audit()
	})
}

// Independent steps run side by side; a step waits for what it is bound to and
// gets it as a file.
func TestStepsWaitForTheirSources(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		w := f.begin(plan(image("a", "a fox"), image("b", "a hen", "numberOfVariations", 2.0), upscale("c", "b", true)))
		one, two := f.must("step/0"), f.must("step/1")
		if f.claim() != nil {
			t.Error("a step was dispatched before its source was there")
		}
		if err := f.complete(one); err != nil {
			t.Fatal(err)
		}
		if err := f.complete(two); err != nil {
			t.Fatal(err)
		}
		three := f.must("step/2")
		if in := three.Spec.Inputs; len(in) != 1 || in[0].Argument != "sourceImageIndex" || in[0].Kind != "image" || in[0].ContentType != "image/png" || in[0].Key == "" {
			t.Errorf("the inputs are %+v", in)
		}
		if _, there := three.Spec.Arguments["sourceImageIndex"]; there {
			t.Errorf("a worker gets an index: %v", three.Spec.Arguments)
		}
		if err := f.complete(three); err != nil {
			t.Fatal(err)
		}
		w = f.want(w.WorkflowID, "completed a=completed b=completed c=completed")
		if len(w.Artifacts) != 4 || w.Usage["images"] != 4 {
			t.Errorf("it made %d artifacts, usage %v", len(w.Artifacts), w.Usage)
		}
	})
}

// Progress is told in steps, and a worker that talks does not fill the log.
func TestProgress(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	w := f.begin(plan(image("a", "a fox"), image("b", "a hen")))
	j := f.must("step/0")
	say := func(progress float64, message string) int {
		t.Helper()
		if _, err := f.Fleet.Progress(t.Context(), wil, f.worker.ID, j.ID, apitype.JobProgress{Progress: progress, Message: message}); err != nil {
			t.Fatal(err)
		}
		w = f.get(w.WorkflowID)
		return len(w.Events)
	}
	before := len(f.get(w.WorkflowID).Events)
	for i, c := range []struct {
		progress float64
		message  string
		told     int
	}{{0.001, "", 0}, {0.1, "", 1}, {0.105, "", 0}, {0.105, "now", 1}, {0.05, "now", 0}, {0.5, "now", 1}} {
		after := say(c.progress, c.message)
		if after-before != c.told {
			t.Errorf("%d: %d events report it, want %d", i, after-before, c.told)
		}
		before = after
	}
	if p := w.Events[len(w.Events)-1].Payload.(apitype.WorkflowProgress); p.Progress != 0.25 || p.StepProgress != 0.5 || w.Steps[0].Progress != 0.5 {
		t.Errorf("half of one of two steps is told as %v", p)
	}
	for i := range 130 {
		if _, err := f.Fleet.Progress(t.Context(), wil, f.worker.ID, j.ID, apitype.JobProgress{Progress: 0.5, Message: fmt.Sprint("still ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if after := say(0.5, "and on"); after-before > 100 {
		t.Errorf("%d events without progress", after-before)
	}
	before = len(w.Events)
	if after := say(0.6, "and on"); after != before+1 {
		t.Error("progress is no longer told")
	}
}

// A failed step fails what requires it and nothing else.
func TestFailureStaysWhereItBelongs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		w := f.begin(plan(image("a", "a fox"), upscale("b", "a", true), upscale("c", "b", true), image("d", "a hen")))
		f.worker.MustFail(f.must("step/0"), atelier.FailError)
		f.want(w.WorkflowID, "running a=failed b=failed c=failed d=queued")
		f.done("step/3")
		w = f.want(w.WorkflowID, "partial_failure a=failed b=failed c=failed d=completed")
		if e := w.Error; e == nil || e.StepID != "a" || e.Message != "it went wrong" || e.Classification != "provider" {
			t.Errorf("the error is %+v", e)
		}
		if e := w.Steps[2].Error; e == nil || e.Code != "dependency_failed" {
			t.Errorf("the error of c is %+v", e)
		}
		if net, debit := f.money(); net+debit != 1000*atelier.MoneyUnit || debit >= 2*atelier.MoneyUnit {
			t.Errorf("net %s, debit %s: only one picture is to be paid", net, debit)
		}
		f.Audit()
	})
}

func TestNothingDoneIsFailed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	w := f.begin(plan(image("a", "a fox"), upscale("b", "a", true)))
	f.worker.MustFail(f.must("step/0"), atelier.FailOutOfMemory)
	w = f.want(w.WorkflowID, "failed a=failed b=failed")
	if last := w.Events[len(w.Events)-1]; last.Type != atelier.EventWorkflowFailed || last.Message != "it went wrong" || last.Payload.(apitype.WorkflowFailed).Retryable {
		t.Errorf("the last event is %+v", last)
	}
	if _, debit := f.money(); debit != 0 {
		t.Errorf("%s was paid for nothing", debit)
	}
}

// Fewer results than ordered are a partial failure, at a part of the price.
func TestFewerResults(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	w := f.begin(plan(image("a", "a fox", "numberOfVariations", 4.0)))
	if err := f.complete(f.must("step/0"), 3); err != nil {
		t.Fatal(err)
	}
	w = f.want(w.WorkflowID, "partial_failure a=partial_failure")
	if len(w.Artifacts) != 3 {
		t.Errorf("%d artifacts", len(w.Artifacts))
	}
	_, debit := f.money()
	if want := w.Steps[0].Cost.Actual.Spark; debit != want || want == 0 {
		t.Errorf("paid %s, want %s", debit, want)
	}
}

// A binding that is not required lets its step go on without it.
func TestOptionalBinding(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	step := image("b", "like the first")
	step.DependsOn = []atelier.Binding{{SourceStepID: "a", TargetArgument: "sourceImageIndex", Transform: "image_index"}}
	w := f.begin(plan(image("a", "a fox"), step))
	f.worker.MustFail(f.must("step/0"), atelier.FailError)
	j := f.must("step/1")
	if len(j.Spec.Inputs) != 0 {
		t.Errorf("the inputs are %+v", j.Spec.Inputs)
	}
	if err := f.complete(j); err != nil {
		t.Fatal(err)
	}
	f.want(w.WorkflowID, "partial_failure a=failed b=completed")
}

// A worker that drops a step before it made anything: it is tried once more,
// and the first attempt stays in the log.
func TestDropIsRetriedOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	w := f.begin(plan(image("a", "a fox")))
	f.worker.MustFail(f.must("step/0"), atelier.FailDropped)
	f.want(w.WorkflowID, "running a=queued")
	f.done("step/0")
	w = f.want(w.WorkflowID, "completed a=completed")
	if got, want := types(w), "workflow_started step_started custom step_started artifact_created step_completed workflow_completed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if p := w.Events[2].Payload.(apitype.Custom); p.Kind != "step_retry" || p.StepID != "a" {
		t.Errorf("the retry is told as %v", p)
	}
	if r := w.Steps[0].Retry; r.Count != 1 || r.Classification != "transient" {
		t.Errorf("retry %+v", r)
	}
	second := f.begin(plan(image("a", "a fox")))
	for range 2 {
		f.worker.MustFail(f.must("step/0"), atelier.FailDropped)
	}
	f.want(second.WorkflowID, "failed a=failed")
	f.Audit()
}

// Without money the start is accepted and the workflow waits; a resume after
// a top-up continues it.
func TestInsufficientCredit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		q := plan(image("a", "a fox"), upscale("b", "a", true))
		q.Terms.Token = atelier.PaySvc
		w := f.begin(q)
		w = f.want(w.WorkflowID, "waiting_for_user a=waiting_for_user b=queued")
		if w.WaitingReason != atelier.WaitCredit || w.AwaitingCostApproval == nil || *w.AwaitingCostApproval {
			t.Errorf("it waits for %s, %v", w.WaitingReason, w.AwaitingCostApproval)
		}
		if got, want := types(w), "workflow_started step_waiting_for_user workflow_waiting_for_user"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if w, err := f.e.Resume(context.Background(), ann, atelier.WorkflowID(w.WorkflowID), workflow.ResumeRequest{}); err != nil || w.Status != atelier.StatusWaitingForUser {
			t.Errorf("resumed without money: %s, %v", w.Status, err)
		}
		if err := f.Billing.Credit(context.Background(), ann, billing.Credits{Svc: 100 * atelier.MoneyUnit}); err != nil {
			t.Fatal(err)
		}
		if w, err := f.e.Resume(context.Background(), ann, atelier.WorkflowID(w.WorkflowID), workflow.ResumeRequest{}); err != nil || w.Status != atelier.StatusQueued {
			t.Errorf("resumed with money: %s, %v", w.Status, err)
		}
		f.done("step/0")
		f.done("step/1")
		w = f.want(w.WorkflowID, "completed a=completed b=completed")
		if w.Recovery.ResumeCount != 2 {
			t.Errorf("it was resumed %d times", w.Recovery.ResumeCount)
		}
		f.Audit()
	})
}

// New terms of a resume apply to the steps not yet dispatched.
func TestResumeOnOtherTerms(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	q := plan(image("a", "a fox"))
	q.Terms.Token = atelier.PaySvc
	w := f.begin(q)
	spark := atelier.PaySpark
	if _, err := f.e.Resume(context.Background(), ann, atelier.WorkflowID(w.WorkflowID), workflow.ResumeRequest{Token: &spark}); err != nil {
		t.Fatal(err)
	}
	f.done("step/0")
	if w = f.want(w.WorkflowID, "completed a=completed"); w.TokenType != atelier.PaySpark {
		t.Errorf("paid in %s", w.TokenType)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		w := f.begin(plan(image("a", "a fox"), image("b", "a hen"), upscale("c", "a", true)))
		j := f.must("step/0")
		c, err := f.e.Cancel(context.Background(), ann, atelier.WorkflowID(w.WorkflowID), "enough")
		if err != nil || !c.Transitioned || !c.InFlight {
			t.Fatalf("cancel: %+v, %v", c, err)
		}
		w = f.want(w.WorkflowID, "cancelled a=cancelled b=cancelled c=cancelled")
		if last := w.Events[len(w.Events)-1]; last.Payload != (apitype.WorkflowCancelled{Reason: "enough"}) {
			t.Errorf("the last event is %+v", last)
		}
		if standing, err := f.Fleet.Progress(context.Background(), wil, f.worker.ID, j.ID, apitype.JobProgress{Progress: 0.5, Message: ""}); err != nil || !standing.Cancel {
			t.Errorf("the worker is told %+v, %v", standing, err)
		}
		if err := f.complete(j); err != nil { // it was too late
			t.Fatal(err)
		}
		f.want(w.WorkflowID, "cancelled a=cancelled b=cancelled c=cancelled")
		if c, err := f.e.Cancel(context.Background(), ann, atelier.WorkflowID(w.WorkflowID), "again"); err != nil || c.Transitioned || c.InFlight || c.Workflow.Status != atelier.StatusCancelled {
			t.Errorf("cancelled twice: %+v, %v", c.Transitioned, err)
		}
		if f.claim() != nil {
			t.Error("a cancelled job was given out")
		}
		if _, debit := f.money(); debit != 0 {
			t.Errorf("%s was paid or is held", debit)
		}
		if _, err := f.e.Cancel(context.Background(), wil, atelier.WorkflowID(w.WorkflowID), ""); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("a stranger cancelled: %v", err)
		}
		f.Audit()
	})
}
