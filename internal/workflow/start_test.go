package workflow_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// However many starts arrive at once, as many are accepted as the account may
// have under way. Those that wait for their user do not count.
func TestActiveCap(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		poor := plan(fox)
		poor.Terms.Token = atelier.PaySvc
		for range 3 {
			if w := f.begin(poor); w.Status != atelier.StatusWaitingForUser {
				t.Fatalf("it is %s", w.Status)
			}
		}
		owner := f.owner()
		var accepted, refused atomic.Int64
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				_, err := f.e.Start(t.Context(), owner, plan(fox))
				var e *atelier.Error
				switch {
				case err == nil:
					accepted.Add(1)
				case errors.As(err, &e) && e.Code == atelier.CodeActiveWorkflows && e.Details["activeWorkflowCount"] == 10 && e.Details["activeWorkflowLimit"] == 10:
					refused.Add(1)
				default:
					t.Errorf("start: %v", err)
				}
			})
		}
		wg.Wait()
		if accepted.Load() != 10 || refused.Load() != 10 {
			t.Errorf("%d were accepted and %d refused, want 10 and 10", accepted.Load(), refused.Load())
		}
		j := f.worker.MustClaim()
		if _, err := f.try(plan(fox)); !atelier.HasCode(err, atelier.CodeActiveWorkflows) { // running ones count as well
			t.Errorf("got %v, want a refusal", err)
		}
		if err := f.complete(j); err != nil {
			t.Fatal(err)
		}
		f.begin(plan(fox))
		if n := len(f.jobs("", "")); n != 0 {
			t.Errorf("%d jobs belong to no workflow", n)
		}
		f.Audit()
	})
}

func TestCapacityOfAll(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t), withOptions(func(o *workflow.Options) { o.Capacity = 2 }))
	rob := f.AddAccount(atelier.Account{Wallet: "0xrob"}, rich)
	f.begin(plan(fox))
	if _, err := f.e.Start(t.Context(), rob, plan(fox)); err != nil {
		t.Fatal(err)
	}
	_, err := f.try(plan(fox))
	wantCode(t, "a third", err, atelier.CodeCapacityFull, args{"retryAfterSeconds": 30})
	var full *atelier.Error
	if errors.As(err, &full); full == nil || full.RetryAfter != 30*time.Second {
		t.Errorf("got %v, want half a minute to wait", full)
	}
	f.done("step/0")
	f.Advance(time.Second) // the count may be that old
	f.begin(plan(fox))
	_, err = f.e.Start(t.Context(), rob, plan(fox))
	wantCode(t, "a third again", err, atelier.CodeCapacityFull, nil)
}

// One key makes one workflow, whichever call is quicker, and the same again later,
// whatever the body says.
func TestStartKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		owner := f.owner()
		ids := make([]string, 20)
		var fresh atomic.Int64
		var wg sync.WaitGroup
		for i := range ids {
			wg.Go(func() {
				q := plan(image("a", fmt.Sprint("a fox with ", i, " tails")))
				q.Key = "k"
				s, err := f.e.Start(t.Context(), owner, q)
				if err != nil {
					t.Errorf("start: %v", err)
				}
				if !s.Idempotent {
					fresh.Add(1)
				}
				ids[i] = s.Workflow.WorkflowID
			})
		}
		wg.Wait()
		for _, id := range ids {
			if id != ids[0] || id == "" {
				t.Errorf("got %s and %s, want one workflow", id, ids[0])
			}
		}
		if fresh.Load() != 1 {
			t.Errorf("%d starts say that they made it", fresh.Load())
		}
		if page, err := f.e.List(t.Context(), ann, 0, 100); err != nil || len(page.Workflows) != 1 {
			t.Errorf("%d workflows, %v", len(page.Workflows), err)
		}
		bad := workflow.StartRequest{Key: "k"} // not even a plan
		if s, err := f.try(bad); err != nil || !s.Idempotent || s.Workflow.WorkflowID != ids[0] {
			t.Errorf("again: %+v, %v", s, err)
		}
		rob := f.AddAccount(atelier.Account{Wallet: "0xrob"}, rich)
		q := plan(fox)
		q.Key = "k"
		if s, err := f.e.Start(t.Context(), rob, q); err != nil || s.Idempotent || s.Workflow.WorkflowID == ids[0] {
			t.Errorf("the key of another account: %+v, %v", s, err)
		}
		f.Audit()
	})
}

func TestEstimateBounds(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	no, most := false, 0.5
	q := plan(fox)
	q.ConfirmCost = &no
	_, err := f.try(q)
	wantCode(t, "confirm_cost false", err, atelier.CodeConfirmCost, args{"estimatedCapacity": 1, "confirmationRequired": true})
	q = plan(fox)
	q.MaxUnits = &most
	_, err = f.try(q)
	wantCode(t, "too dear", err, atelier.CodeCapacityExceeded, args{"estimatedCapacity": 1})
	free := plan(step("z", "finalize_response", args{"outcome": "no_action"}))
	free.ConfirmCost, free.MaxUnits = &no, &most
	if w := f.begin(free); w.Status != atelier.StatusCompleted {
		t.Errorf("what costs nothing is %s", w.Status)
	}
}

// What a start answers is what is read afterwards.
func TestStartAnswersWhatIsStored(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	poor := plan(fox, upscale("b", "a", true))
	poor.Terms.Token = atelier.PaySvc
	media := sent(plan(step("a", "upscale_image", nil), image("b", "a naughty fox")), "image", f.upload(ann, "uploads/x.png", "image/png"))
	media.Terms.App, media.Filter = "app", false
	template := plan()
	template.TemplateID, template.Inputs, template.Approve = "wf_picture_report", map[string]any{"picture": f.upload(ann, "uploads/y.png", "image/png")}, true
	for _, q := range []workflow.StartRequest{plan(fox), asks(fox), poor, media, template, plan(step("z", "finalize_response", args{"outcome": "success"}))} {
		w := f.begin(q)
		if got, want := plain(t, w), plain(t, f.get(w.WorkflowID)); !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// plain is a value as a client reads it.
func plain(t *testing.T, v any) (out any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A start that was admitted before its account was suspended, and comes to the
// database after it, adds nothing.
func TestSuspendedAccountsStartNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		done := f.begin(plan(fox))
		f.finish()
		f.begin(plan(fox))
		owner := f.owner()
		err := f.DB.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.SuspendAccount(ann, f.Now()); return err })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.e.Start(t.Context(), owner, plan(fox)); !atelier.HasCode(err, atelier.CodeAccountSuspended) {
			t.Errorf("start: got %v, want a refusal", err)
		}
		if _, err := f.e.Reseed(t.Context(), owner, workflow.ReseedRequest{Source: atelier.WorkflowID(done.WorkflowID)}); !atelier.HasCode(err, atelier.CodeAccountSuspended) {
			t.Errorf("reseed: got %v, want a refusal", err)
		}
		if n, err := f.e.CancelAll(t.Context(), ann, "account_suspended"); n != 1 || err != nil {
			t.Errorf("cancel: got %d, %v", n, err)
		}
		if n := f.queued(); n != 0 {
			t.Errorf("%d jobs are queued", n)
		}
	})
}
