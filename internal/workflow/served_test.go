package workflow_test

import (
	"context"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// leave closes the session of the worker.
func (h *house) leave() {
	h.t.Helper()
	if err := h.fleet.Disconnect(context.Background(), wil, h.hand); err != nil {
		h.t.Fatal(err)
	}
}

// Whether a worker is connected changes what a step waits for, in every state
// that a step can be in.
func TestStepsSayWhetherTheyHaveAWorker(t *testing.T) {
	t.Parallel()
	const wait = 10 * time.Minute
	fox := func(h *house) string { return h.begin(plan(image("a", "a fox"))).WorkflowID }
	states := map[string]func(h *house) string{
		"queued":  fox,
		"waiting": func(h *house) string { h.leave(); return fox(h) },
		"running": func(h *house) string { id := fox(h); h.must("step/0"); return id },
		"tried again": func(h *house) string {
			id := fox(h)
			if err := h.fail(h.must("step/0"), atelier.FailDropped); err != nil {
				h.t.Fatal(err)
			}
			h.must("step/0")
			return id
		},
		"paused": func(h *house) string { // she has no such token
			q := plan(image("a", "a fox"))
			q.Terms.Token = atelier.PaySvc
			return h.begin(q).WorkflowID
		},
		"over": func(h *house) string { id := fox(h); h.done("step/0"); return id },
	}
	triggers := map[string]func(h *house, id string){
		"all leave": func(h *house, _ string) { h.leave() },
		"drain":     func(h *house, _ string) { _ = h.fleet.DrainWorker(context.Background(), h.hand, true) },
		"drain and drop": func(h *house, _ string) {
			_ = h.fleet.DrainWorker(context.Background(), h.hand, true)
			var held []store.StoredJob
			_ = h.db.Read(context.Background(), func(tx *store.Tx) (err error) { held, err = tx.LeasedBy(h.hand); return err })
			for _, j := range held {
				_ = h.fail(&j.Job, atelier.FailDropped)
			}
		},
		"connect": func(h *house, _ string) { h.connect() },
		"time": func(h *house, _ string) {
			h.advance(wait + time.Second)
			_ = h.fleet.Heartbeat(context.Background(), wil, h.hand, nil) // it lives, if it is there
		},
		"claim":      func(h *house, _ string) { h.connect(); h.must("step/0") },
		"user stops": func(h *house, id string) { _, _ = h.e.Cancel(context.Background(), ann, atelier.WorkflowID(id), "") },
		"user resumes": func(h *house, id string) {
			spark := atelier.PaySpark
			_, _ = h.e.Resume(context.Background(), ann, atelier.WorkflowID(id), workflow.ResumeRequest{Token: &spark})
		},
	}
	for _, c := range []struct {
		state, trigger string
		want           atelier.Status
		waits          bool   // for a worker
		code           string // of the error
	}{
		{"queued", "all leave", atelier.StatusQueued, true, ""},
		{"queued", "drain", atelier.StatusQueued, true, ""},
		{"queued", "connect", atelier.StatusQueued, false, ""},
		{"queued", "time", atelier.StatusQueued, false, ""},
		{"queued", "claim", atelier.StatusRunning, false, ""},
		{"waiting", "connect", atelier.StatusQueued, false, ""},
		{"waiting", "time", atelier.StatusFailed, false, atelier.FailNoWorker},
		{"waiting", "claim", atelier.StatusRunning, false, ""},
		{"waiting", "user stops", atelier.StatusCancelled, false, ""},
		{"waiting", "user resumes", atelier.StatusQueued, true, ""},
		{"running", "all leave", atelier.StatusQueued, true, ""},
		{"running", "drain", atelier.StatusRunning, false, ""},
		{"running", "drain and drop", atelier.StatusQueued, true, ""},
		{"running", "connect", atelier.StatusRunning, false, ""},
		{"tried again", "all leave", atelier.StatusFailed, false, atelier.FailDropped},
		{"paused", "all leave", atelier.StatusWaitingForUser, false, ""},
		{"paused", "time", atelier.StatusWaitingForUser, false, ""},
		{"paused", "user resumes", atelier.StatusQueued, false, ""},
		{"over", "all leave", atelier.StatusCompleted, false, ""},
		{"over", "time", atelier.StatusCompleted, false, ""},
	} {
		t.Run(c.state+"/"+c.trigger, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, storetest.SQLite(t), func(h *house) { h.airy, h.wait = true, wait })
			id := states[c.state](h)
			triggers[c.trigger](h, id)
			if err := h.fleet.CheckOffers(t.Context()); err != nil {
				t.Fatal(err)
			}
			step := h.get(id).Steps[0]
			code := ""
			if step.Error != nil {
				code = step.Error.Code
			}
			if step.Status != c.want || (step.WaitingFor != nil) != c.waits || code != c.code {
				t.Errorf("it is %s, waits for %+v, %q; want %s, %v, %q", step.Status, step.WaitingFor, code, c.want, c.waits, c.code)
			}
			pays := c.want == atelier.StatusQueued || c.want == atelier.StatusRunning || c.want == atelier.StatusCompleted
			if b, err := h.bill.Balance(t.Context(), ann); err != nil || (b.Spark.Debit > 0) != pays {
				t.Errorf("%s is held or spent, %v; it is %s", b.Spark.Debit, err, c.want)
			}
		})
	}
}

// Workers that come and go do not make a log grow without end.
func TestWorkersThatComeAndGoAreToldOfSoOften(t *testing.T) {
	t.Parallel()
	h := newHouse(t, storetest.SQLite(t), func(h *house) { h.airy = true })
	h.leave()
	id := h.begin(plan(image("a", "a fox"))).WorkflowID
	for range 60 {
		h.connect()
		if err := h.fleet.CheckOffers(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.leave()
		if err := h.fleet.CheckOffers(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w := h.get(id)
	if n := len(w.Events); n != 101 {
		t.Errorf("the log has %d events, want the start and 100", n)
	}
	if w.Steps[0].WaitingFor == nil {
		t.Error("it does not say that it waits")
	}
	h.connect()
	h.done("step/0")
	if got := h.get(id).Status; got != atelier.StatusCompleted {
		t.Errorf("it is %s", got)
	}
}

// A job that its worker never got, because it left while it was given out, waits
// as any other, and goes on.
func TestAJobThatWasGivenBackSaysThatItWaits(t *testing.T) {
	t.Parallel()
	h := newHouse(t, storetest.SQLite(t), func(h *house) { h.airy = true })
	id := h.begin(plan(image("a", "a fox"))).WorkflowID
	gone, leave := context.WithCancel(t.Context())
	leave()
	if j, err := h.fleet.Next(gone, wil, h.hand); j != nil || err != nil { // it is leased, and nobody is there to take it
		t.Fatalf("got %+v, %v", j, err)
	}
	h.leave()
	if err := h.fleet.CheckOffers(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := h.get(id).Steps[0]; s.WaitingFor == nil {
		t.Errorf("it is %s and does not say that it waits", s.Status)
	}
	h.connect()
	h.must("step/0")
	if s := h.get(id).Steps[0]; s.WaitingFor != nil || s.Status != atelier.StatusRunning {
		t.Errorf("it is %s and waits for %+v", s.Status, s.WaitingFor)
	}
}
