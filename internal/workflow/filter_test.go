package workflow_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/database/databasetest"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// una may turn the content filter off.
const una = atelier.Wallet("0xuna")

// newFilterFixture has una, who may turn the filter off until takeAway is called.
func newFilterFixture(t *testing.T, set ...func(*options)) (f *fixture, owner atelier.Account, takeAway func()) {
	o := storetest.SQLite(t)
	f = newFixture(t, o, set...)
	owner = f.AddAccount(atelier.Account{Wallet: una, Unfiltered: true}, billing.Credits{Spark: 100 * atelier.MoneyUnit})
	return f, owner, func() {
		t.Helper()
		databasetest.Exec(t, o, `UPDATE account SET unfiltered = FALSE WHERE wallet = '`+string(una)+`'`)
	}
}

func unfiltered(steps ...atelier.StepInput) workflow.StartRequest {
	q := plan(steps...)
	q.Filter = false
	return q
}

// wantOf is want, for a workflow of any account.
func (f *fixture) wantOf(w atelier.Wallet, id, want string) apitype.Workflow {
	f.T.Helper()
	found, err := f.e.Workflow(context.Background(), w, atelier.WorkflowID(id))
	if err != nil {
		f.T.Fatal(err)
	}
	if got := statuses(found); got != want {
		f.T.Errorf("got %s, want %s", got, want)
	}
	f.checkLog(found)
	return found
}

func (f *fixture) resume(w atelier.Wallet, id string, filter ...bool) {
	f.T.Helper()
	var q workflow.ResumeRequest
	if len(filter) > 0 {
		q.Filter = &filter[0]
	}
	if _, err := f.e.Resume(context.Background(), w, atelier.WorkflowID(id), q); err != nil {
		f.T.Fatalf("resume: %v", err)
	}
}

// What the filter flags waits for its user, and continues only for an account
// that may turn the filter off and does.
func TestFlaggedPromptPauses(t *testing.T) {
	t.Parallel()
	f, owner, _ := newFilterFixture(t)
	start := func(a atelier.Account, q workflow.StartRequest) apitype.Workflow {
		t.Helper()
		s, err := f.e.Start(t.Context(), a, q)
		if err != nil {
			t.Fatal(err)
		}
		return s.Workflow
	}
	naughty := []atelier.StepInput{image("a", "a naughty fox"), image("b", "a hen")}
	waits := "waiting_for_user a=waiting_for_user b=completed"

	w := start(owner, plan(naughty...))
	f.done("step/1")
	w = f.wantOf(una, w.WorkflowID, waits)
	if w.WaitingReason != atelier.WaitSafetyReview || w.Steps[0].WaitingReason != atelier.WaitSafetyReview || !w.SafeContentFilter {
		t.Errorf("it waits for %s, the step for %s", w.WaitingReason, w.Steps[0].WaitingReason)
	}
	f.resume(una, w.WorkflowID)
	w = f.wantOf(una, w.WorkflowID, waits)
	if got, want := types(w), "workflow_started step_waiting_for_user step_started artifact_created step_completed workflow_waiting_for_user custom step_waiting_for_user workflow_waiting_for_user"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	f.resume(una, w.WorkflowID, false)
	j := f.must("step/0")
	if j.Spec.SafeContentFilter {
		t.Error("the job is filtered")
	}
	if err := f.complete(j); err != nil {
		t.Fatal(err)
	}
	if w = f.wantOf(una, w.WorkflowID, "completed a=completed b=completed"); w.SafeContentFilter {
		t.Error("the workflow says that it is filtered")
	}

	w = start(f.owner(), unfiltered(naughty...)) // ann may not
	if j := f.must("step/1"); !j.Spec.SafeContentFilter {
		t.Error("the job of an account that may not turn the filter off is not filtered")
	} else if err := f.complete(j); err != nil {
		t.Fatal(err)
	}
	f.want(w.WorkflowID, waits)
	f.resume(ann, w.WorkflowID, false)
	f.want(w.WorkflowID, waits)
	if c, err := f.e.Cancel(t.Context(), ann, atelier.WorkflowID(w.WorkflowID), ""); err != nil || !c.Transitioned || c.InFlight {
		t.Errorf("cancel: %+v, %v", c, err)
	}
	f.want(w.WorkflowID, "cancelled a=cancelled b=completed")
	f.Audit()
}

// Whether an account may turn the filter off is asked at every render.
func TestEligibilityIsAskedAtEachRender(t *testing.T) {
	t.Parallel()
	f, owner, takeAway := newFilterFixture(t)
	flagged := step("c", "edit_image", args{"prompt": "naughty"}, from("a", 0, "image_index", "sourceImageIndex"))
	s, err := f.e.Start(t.Context(), owner, unfiltered(image("a", "a naughty fox"), upscale("b", "a", true), flagged))
	if err != nil {
		t.Fatal(err)
	}
	j := f.must("step/0")
	if j.Spec.SafeContentFilter {
		t.Error("the first job is filtered")
	}
	takeAway()
	f.worker.MustFail(j, atelier.FailDropped)
	if j = f.must("step/0"); !j.Spec.SafeContentFilter || j.Attempt != 2 {
		t.Errorf("the second attempt is %+v, want it filtered", j)
	}
	if err := f.complete(j); err != nil {
		t.Fatal(err)
	}
	j = f.must("step/1")
	if !j.Spec.SafeContentFilter {
		t.Error("the second job is not filtered")
	}
	if err := f.complete(j); err != nil {
		t.Fatal(err)
	}
	f.wantOf(una, s.Workflow.WorkflowID, "waiting_for_user a=completed b=completed c=waiting_for_user")
}

// What the renderer filters is reviewed like what the filter flags. Without
// the filter it is a failure.
func TestRendererFilters(t *testing.T) {
	t.Parallel()
	f, owner, _ := newFilterFixture(t)
	s, err := f.e.Start(t.Context(), owner, plan(fox))
	if err != nil {
		t.Fatal(err)
	}
	id := s.Workflow.WorkflowID
	f.worker.MustFail(f.must("step/0"), atelier.FailContentFiltered)
	if w := f.wantOf(una, id, "waiting_for_user a=waiting_for_user"); w.WaitingReason != atelier.WaitSafetyReview || w.Steps[0].Error != nil {
		t.Errorf("it waits for %s with %+v", w.WaitingReason, w.Steps[0].Error)
	}
	if b, err := f.Billing.Balance(t.Context(), una); err != nil || b.Spark.Debit != 0 {
		t.Errorf("%s is held, %v", b.Spark.Debit, err)
	}
	f.resume(una, id, false)
	f.worker.MustFail(f.must("step/0"), atelier.FailContentFiltered)
	w := f.wantOf(una, id, "failed a=failed")
	if e := w.Steps[0].Error; e == nil || e.Classification != "policy" || e.Retryable {
		t.Errorf("the error is %+v", e)
	}
	f.Audit()
}

// A filter that does not answer keeps everything from being started that it
// would have to pass.
func TestFilterDoesNotAnswer(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	f, owner, _ := newFilterFixture(t, withOptions(func(o *workflow.Options) {
		o.Filter = enginetest.NewFilter(t, func(*http.Request) (*http.Response, error) { asked.Add(1); return nil, errors.New("no answer") })
	}))
	for _, q := range []workflow.StartRequest{plan(fox), unfiltered(fox)} {
		_, err := f.try(q)
		wantCode(t, "start", err, atelier.CodeUnavailable, nil)
	}
	_, err := f.e.Start(t.Context(), owner, plan(fox))
	wantCode(t, "start of una", err, atelier.CodeUnavailable, nil)
	if _, err := f.e.Start(t.Context(), owner, unfiltered(fox)); err != nil {
		t.Errorf("una turned the filter off: %v", err)
	}
	before := asked.Load()
	if _, err := f.e.Quote(t.Context(), owner, plan(fox)); err != nil || asked.Load() != before {
		t.Errorf("an estimate: %v, asked %d times", err, asked.Load()-before)
	}
	if _, err := f.try(sent(plan(step("a", "upscale_image", args{})), "image", f.upload(ann, "uploads/x.png", "image/png"))); err != nil || asked.Load() != before {
		t.Errorf("a plan without words: %v, asked %d times", err, asked.Load()-before)
	}
}
