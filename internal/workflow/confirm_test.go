package workflow_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// asks is a plan whose cost is approved first.
func asks(steps ...atelier.StepInput) workflow.StartRequest {
	q := plan(steps...)
	q.Approve = true
	return q
}

func (f *fixture) decide(id string, d workflow.Decision) (workflow.Decided, error) {
	return f.e.Confirm(f.T.Context(), ann, atelier.WorkflowID(id), d)
}

func yes(w apitype.Workflow) workflow.Decision {
	return workflow.Decision{Confirm: true, Preview: w.BillingPreview}
}

// wantCode holds an error against a code, and its details against some.
func wantCode(t *testing.T, what string, err error, code atelier.Code, details map[string]any) {
	t.Helper()
	var e *atelier.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("%s: got %v, want %s", what, err, code.Slug)
		return
	}
	if details != nil && !maps.Equal(e.Details, details) {
		t.Errorf("%s: got the details %v, want %v", what, e.Details, details)
	}
}

// A workflow whose cost wants approval does nothing, and holds nothing, until
// the preview that it shows is confirmed.
func TestConfirm(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		w := f.begin(asks(fox, upscale("b", "a", true)))
		w = f.want(w.WorkflowID, "waiting_for_user a=queued b=queued")
		if w.WaitingReason != atelier.WaitCostApproval || w.AwaitingCostApproval == nil || !*w.AwaitingCostApproval || w.Authorization != nil {
			t.Errorf("it waits for %s, approval %v, authorization %v", w.WaitingReason, w.AwaitingCostApproval, w.Authorization)
		}
		if got, want := types(w), "workflow_started workflow_waiting_for_user"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		p := *w.BillingPreview
		if p.TotalEstimatedCapacityUnits != float64(w.EstimatedCapacity) || p.TokenType != atelier.PayAuto || p.ValidityUntil.Sub(w.Timestamps.CreatedAt) != 5*time.Minute {
			t.Errorf("the preview is %+v of a plan of %d units", p, w.EstimatedCapacity)
		}
		if _, debit := f.money(); debit != 0 || f.claim() != nil {
			t.Errorf("%s is held, or a job is there, before the cost is approved", debit)
		}
		waits := args{"retryable": true, "workflowStatus": atelier.StatusWaitingForUser, "waitingReason": atelier.WaitCostApproval, "awaitingCostApproval": true}
		_, err := f.e.Resume(t.Context(), ann, atelier.WorkflowID(w.WorkflowID), workflow.ResumeRequest{})
		wantCode(t, "resume", err, atelier.CodeWrongState, waits)
		stale := maps.Clone(waits)
		stale["retryable"] = false
		for name, change := range map[string]func(*atelier.CostPreview){
			"other units": func(p *atelier.CostPreview) { p.TotalEstimatedCapacityUnits++ },
			"other token": func(p *atelier.CostPreview) { p.TokenType = atelier.PaySpark },
			"other time":  func(p *atelier.CostPreview) { p.ValidityUntil = p.ValidityUntil.Add(time.Millisecond) },
		} {
			other := p
			change(&other)
			_, err := f.decide(w.WorkflowID, workflow.Decision{Confirm: true, Preview: &other})
			wantCode(t, name, err, atelier.CodeStalePreview, stale)
		}
		_, err = f.decide(w.WorkflowID, workflow.Decision{Confirm: true})
		wantCode(t, "no preview", err, atelier.CodeStalePreview, stale)
		_, err = f.e.Confirm(t.Context(), wil, atelier.WorkflowID(w.WorkflowID), yes(w))
		wantCode(t, "a stranger", err, atelier.CodeNotFound, nil)

		d, err := f.decide(w.WorkflowID, yes(w))
		if err != nil || d.Idempotent || d.Workflow.Status != atelier.StatusQueued || d.Workflow.Authorization == nil {
			t.Fatalf("confirm: %+v, %v", d, err)
		}
		f.wantSettlements(w.WorkflowID, "in_flight pending")
		_, err = f.decide(w.WorkflowID, yes(w))
		wantCode(t, "confirm twice", err, atelier.CodeWrongState, args{"retryable": true, "workflowStatus": atelier.StatusQueued, "waitingReason": nil, "awaitingCostApproval": false})
		f.done("step/0")
		f.wantSettlements(w.WorkflowID, "settled in_flight")
		f.done("step/1")
		f.wantSettlements(w.WorkflowID, "settled settled")
		w = f.want(w.WorkflowID, "completed a=completed b=completed")
		if e := w.Events[2]; e.Payload.(apitype.Custom).Kind != "cost_confirmation_resolved" {
			t.Errorf("the approval is told as %+v", e)
		}
		_, err = f.decide(w.WorkflowID, yes(w))
		wantCode(t, "confirm what is done", err, atelier.CodeWrongState, args{"retryable": false, "workflowStatus": atelier.StatusCompleted, "waitingReason": nil, "awaitingCostApproval": false})
		f.Audit()
	})
}

// wantSettlements holds the authorization against the states of its stages.
func (f *fixture) wantSettlements(id, want string) {
	f.T.Helper()
	w := f.get(id)
	a, got := w.Authorization, ""
	var settled, reserved float64
	for i, s := range a.StageSettlements {
		if i > 0 {
			got += " "
		}
		got += s.Status
		switch s.Status {
		case "settled":
			settled += *s.SettledUnits
		case "in_flight":
			reserved += s.EstimatedUnits
		}
		if (s.Status != "pending") != (len(s.JobIDs) == 1 && s.ProjectID != "") {
			f.T.Errorf("the stage %s is %+v", s.StageID, s)
		}
	}
	if got != want || a.CumulativeSettledUnits != settled || a.CumulativeReservedUnits != reserved {
		f.T.Errorf("got %s with %v settled and %v reserved, want %s with %v and %v", got, a.CumulativeSettledUnits, a.CumulativeReservedUnits, want, settled, reserved)
	}
	if a.WorkflowRunID != id || a.AuthorizedCapacityUnits != float64(w.EstimatedCapacity) || !a.ExpiresAt.Equal(w.BillingPreview.ValidityUntil) {
		f.T.Errorf("the authorization is %+v", a)
	}
}

func TestDecline(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	w := f.begin(asks(fox))
	f.Advance(time.Hour) // an old preview can still be declined
	_, err := f.decide(w.WorkflowID, yes(w))
	wantCode(t, "expired", err, atelier.CodeStalePreview, args{"retryable": false, "workflowStatus": atelier.StatusWaitingForUser, "waitingReason": atelier.WaitCostApproval, "awaitingCostApproval": true})
	d, err := f.decide(w.WorkflowID, workflow.Decision{Key: "k"})
	if err != nil || d.Workflow.Status != atelier.StatusCancelled || d.Workflow.Authorization != nil || d.Idempotent {
		t.Errorf("decline: %s, %v", d.Workflow.Status, err)
	}
	w = f.want(w.WorkflowID, "cancelled a=cancelled")
	if last := w.Events[len(w.Events)-1]; last.Payload != (apitype.WorkflowCancelled{Reason: "cost_declined"}) {
		t.Errorf("the last event is %+v", last)
	}
	if d, err := f.decide(w.WorkflowID, workflow.Decision{Key: "k"}); err != nil || !d.Idempotent || d.Workflow.Status != atelier.StatusCancelled {
		t.Errorf("declined again with the key: %+v, %v", d, err)
	}
	_, err = f.decide(w.WorkflowID, workflow.Decision{})
	wantCode(t, "declined again without", err, atelier.CodeWrongState, args{"retryable": false, "workflowStatus": atelier.StatusCancelled, "waitingReason": nil, "awaitingCostApproval": false})
	second := f.begin(asks(fox))
	if c, err := f.e.Cancel(t.Context(), ann, atelier.WorkflowID(second.WorkflowID), ""); err != nil || !c.Transitioned || c.InFlight {
		t.Errorf("cancel: %+v, %v", c, err)
	}
	if f.claim() != nil {
		t.Error("what was declined is dispatched")
	}
}

// A confirmation that cannot be paid is refused and changes nothing: after a
// top-up the same one is accepted.
func TestConfirmWithoutMoney(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	q := asks(fox, upscale("b", "a", true))
	q.Terms.Token = atelier.PaySvc
	w := f.begin(q)
	d := yes(w)
	d.Key = "k"
	_, err := f.decide(w.WorkflowID, d)
	wantCode(t, "without money", err, atelier.CodeInsufficientBalance, nil)
	f.want(w.WorkflowID, "waiting_for_user a=queued b=queued")
	if err := f.Billing.Credit(t.Context(), ann, billing.Credits{Svc: 100 * atelier.MoneyUnit}); err != nil {
		t.Fatal(err)
	}
	first, err := f.decide(w.WorkflowID, d)
	if err != nil || first.Idempotent || first.Workflow.Status != atelier.StatusQueued {
		t.Fatalf("with money: %+v, %v", first, err)
	}
	again, err := f.decide(w.WorkflowID, d)
	if err != nil || !again.Idempotent || again.Workflow.WorkflowID != w.WorkflowID {
		t.Errorf("again: %+v, %v", again, err)
	}
	_, err = f.decide(w.WorkflowID, workflow.Decision{Key: "k"})
	wantCode(t, "the key for another decision", err, atelier.CodeKeyReused, nil)
	other := *d.Preview
	other.TotalEstimatedCapacityUnits++
	_, err = f.decide(w.WorkflowID, workflow.Decision{Key: "k", Confirm: true, Preview: &other})
	wantCode(t, "the key for another preview", err, atelier.CodeKeyReused, nil)
	next := f.begin(q)
	if d, err := f.decide(next.WorkflowID, workflow.Decision{Key: "k"}); err != nil || d.Idempotent {
		t.Errorf("the key for another workflow: %+v, %v", d, err)
	}
	f.done("step/0")
	f.done("step/1")
	f.want(w.WorkflowID, "completed a=completed b=completed")
	f.Audit()
}
