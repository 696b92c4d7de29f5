package workflow_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
	"github.com/atelier-project/atelier/internal/workflow/snapshot"
)

// una may turn the content filter off.
const una = atelier.Wallet("0xuna")

// welcome opens an account.
func (h *house) welcome(a atelier.Account, c billing.Credits) atelier.Account {
	h.t.Helper()
	a.Username, a.CreatedAt = string(a.Wallet[2:]), h.now()
	err := h.db.Write(context.Background(), func(tx *store.Tx) error {
		if err := tx.InsertAccount(a); err != nil {
			return err
		}
		return h.bill.BookCredits(tx, a.Wallet, c)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

// filterHouse is a house with una, who may turn the filter off until the
// function returned is called.
func filterHouse(t *testing.T, change ...func(*house)) (h *house, owner atelier.Account, takeAway func()) {
	o := storetest.SQLite(t)
	h = newHouse(t, o, change...)
	owner = h.welcome(atelier.Account{Wallet: una, Unfiltered: true}, billing.Credits{Spark: 100 * atelier.MoneyUnit})
	return h, owner, func() {
		t.Helper()
		storetest.Exec(t, o, `UPDATE account SET unfiltered = FALSE WHERE wallet = '`+string(una)+`'`)
	}
}

func unfiltered(steps ...atelier.StepInput) workflow.StartRequest {
	q := plan(steps...)
	q.Filter = false
	return q
}

// wantOf is want, for a workflow of anybody.
func (h *house) wantOf(w atelier.Wallet, id, want string) snapshot.Workflow {
	h.t.Helper()
	found, err := h.e.Workflow(context.Background(), w, atelier.WorkflowID(id))
	if err != nil {
		h.t.Fatal(err)
	}
	if got := statuses(found); got != want {
		h.t.Errorf("got %s, want %s", got, want)
	}
	h.checkLog(found)
	return found
}

func (h *house) resume(w atelier.Wallet, id string, filter ...bool) {
	h.t.Helper()
	var q workflow.ResumeRequest
	if len(filter) > 0 {
		q.Filter = &filter[0]
	}
	if _, err := h.e.Resume(context.Background(), w, atelier.WorkflowID(id), q); err != nil {
		h.t.Fatalf("resume: %v", err)
	}
}

// What the filter flags waits for its user, and goes on only for an account
// that may turn the filter off and does.
func TestFlaggedPromptPauses(t *testing.T) {
	t.Parallel()
	h, owner, _ := filterHouse(t)
	start := func(a atelier.Account, q workflow.StartRequest) snapshot.Workflow {
		t.Helper()
		s, err := h.e.Start(t.Context(), a, q)
		if err != nil {
			t.Fatal(err)
		}
		return s.Workflow
	}
	naughty := []atelier.StepInput{image("a", "a naughty fox"), image("b", "a hen")}
	waits := "waiting_for_user a=waiting_for_user b=completed"

	w := start(owner, plan(naughty...))
	h.done("step/1")
	w = h.wantOf(una, w.WorkflowID, waits)
	if w.WaitingReason != atelier.WaitSafetyReview || w.Steps[0].WaitingReason != atelier.WaitSafetyReview || !w.SafeContentFilter {
		t.Errorf("it waits for %s, the step for %s", w.WaitingReason, w.Steps[0].WaitingReason)
	}
	h.resume(una, w.WorkflowID)
	w = h.wantOf(una, w.WorkflowID, waits)
	if got, want := types(w), "workflow_started step_waiting_for_user step_started artifact_created step_completed workflow_waiting_for_user custom step_waiting_for_user workflow_waiting_for_user"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	h.resume(una, w.WorkflowID, false)
	j := h.must("step/0")
	if j.Spec.SafeContentFilter {
		t.Error("the job is filtered")
	}
	if err := h.complete(j); err != nil {
		t.Fatal(err)
	}
	if w = h.wantOf(una, w.WorkflowID, "completed a=completed b=completed"); w.SafeContentFilter {
		t.Error("the workflow says that it is filtered")
	}

	w = start(h.owner(), unfiltered(naughty...)) // ann may not
	if j := h.must("step/1"); !j.Spec.SafeContentFilter {
		t.Error("the job of an account that may not turn the filter off is not filtered")
	} else if err := h.complete(j); err != nil {
		t.Fatal(err)
	}
	h.want(w.WorkflowID, waits)
	h.resume(ann, w.WorkflowID, false)
	h.want(w.WorkflowID, waits)
	if c, err := h.e.Cancel(t.Context(), ann, atelier.WorkflowID(w.WorkflowID), ""); err != nil || !c.Transitioned || c.InFlight {
		t.Errorf("cancel: %+v, %v", c, err)
	}
	h.want(w.WorkflowID, "cancelled a=cancelled b=completed")
	h.audit()
}

// Whether an account may turn the filter off is asked at every render.
func TestEligibilityIsAskedAtEachRender(t *testing.T) {
	t.Parallel()
	h, owner, takeAway := filterHouse(t)
	flagged := step("c", "edit_image", args{"prompt": "naughty"}, from("a", 0, "image_index", "sourceImageIndex"))
	s, err := h.e.Start(t.Context(), owner, unfiltered(image("a", "a naughty fox"), upscale("b", "a", true), flagged))
	if err != nil {
		t.Fatal(err)
	}
	j := h.must("step/0")
	if j.Spec.SafeContentFilter {
		t.Error("the first job is filtered")
	}
	takeAway()
	if err := h.fail(j, atelier.FailDropped); err != nil {
		t.Fatal(err)
	}
	if j = h.must("step/0"); !j.Spec.SafeContentFilter || j.Attempt != 2 {
		t.Errorf("the second attempt is %+v, want it filtered", j)
	}
	if err := h.complete(j); err != nil {
		t.Fatal(err)
	}
	j = h.must("step/1")
	if !j.Spec.SafeContentFilter {
		t.Error("the second job is not filtered")
	}
	if err := h.complete(j); err != nil {
		t.Fatal(err)
	}
	h.wantOf(una, s.Workflow.WorkflowID, "waiting_for_user a=completed b=completed c=waiting_for_user")
}

// What the renderer filters is reviewed like what the filter flags. Without
// the filter it is a failure.
func TestRendererFilters(t *testing.T) {
	t.Parallel()
	h, owner, _ := filterHouse(t)
	s, err := h.e.Start(t.Context(), owner, plan(fox))
	if err != nil {
		t.Fatal(err)
	}
	id := s.Workflow.WorkflowID
	if err := h.fail(h.must("step/0"), atelier.FailContentFiltered); err != nil {
		t.Fatal(err)
	}
	if w := h.wantOf(una, id, "waiting_for_user a=waiting_for_user"); w.WaitingReason != atelier.WaitSafetyReview || w.Steps[0].Error != nil {
		t.Errorf("it waits for %s with %+v", w.WaitingReason, w.Steps[0].Error)
	}
	if b, err := h.bill.Balance(t.Context(), una); err != nil || b.Spark.Debit != 0 {
		t.Errorf("%s is held, %v", b.Spark.Debit, err)
	}
	h.resume(una, id, false)
	if err := h.fail(h.must("step/0"), atelier.FailContentFiltered); err != nil {
		t.Fatal(err)
	}
	w := h.wantOf(una, id, "failed a=failed")
	if e := w.Steps[0].Error; e == nil || e.Classification != "policy" || e.Retryable {
		t.Errorf("the error is %+v", e)
	}
	h.audit()
}

// A filter that does not answer keeps everything from being started that it
// would have to pass.
func TestFilterDoesNotAnswer(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	h, owner, _ := filterHouse(t, func(h *house) {
		h.set = func(o *workflow.Options) {
			o.Filter = newFilter(t, func(*http.Request) (*http.Response, error) { asked.Add(1); return nil, errors.New("no answer") })
		}
	})
	for _, q := range []workflow.StartRequest{plan(fox), unfiltered(fox)} {
		_, err := h.try(q)
		wantCode(t, "start", err, atelier.CodeUnavailable, nil)
	}
	_, err := h.e.Start(t.Context(), owner, plan(fox))
	wantCode(t, "start of una", err, atelier.CodeUnavailable, nil)
	if _, err := h.e.Start(t.Context(), owner, unfiltered(fox)); err != nil {
		t.Errorf("una turned the filter off: %v", err)
	}
	before := asked.Load()
	if _, err := h.try(sent(plan(step("a", "upscale_image", args{})), "image", h.upload(ann, "uploads/x.png", "image/png"))); err != nil || asked.Load() != before {
		t.Errorf("a plan without words: %v, asked %d times", err, asked.Load()-before)
	}
}
