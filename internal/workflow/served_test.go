package workflow_test

import (
	"context"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// leave closes the session of the worker.
func (f *fixture) leave() {
	f.T.Helper()
	if err := f.Fleet.Disconnect(context.Background(), wil, f.worker.ID); err != nil {
		f.T.Fatal(err)
	}
}

// Whether a worker is connected changes what a step waits for, in every state
// that a step can be in.
func TestStepsSayWhetherTheyHaveAWorker(t *testing.T) {
	t.Parallel()
	const wait = 10 * time.Minute
	fox := func(f *fixture) string { return f.begin(plan(image("a", "a fox"))).WorkflowID }
	states := map[string]func(f *fixture) string{
		"queued":  fox,
		"waiting": func(f *fixture) string { f.leave(); return fox(f) },
		"running": func(f *fixture) string { id := fox(f); f.must("step/0"); return id },
		"tried again": func(f *fixture) string {
			id := fox(f)
			if err := f.worker.Fail(f.must("step/0"), atelier.FailDropped); err != nil {
				f.T.Fatal(err)
			}
			f.must("step/0")
			return id
		},
		"paused": func(f *fixture) string { // she has no such token
			q := plan(image("a", "a fox"))
			q.Terms.Token = atelier.PaySvc
			return f.begin(q).WorkflowID
		},
		"over": func(f *fixture) string { id := fox(f); f.done("step/0"); return id },
	}
	triggers := map[string]func(f *fixture, id string){
		"all leave": func(f *fixture, _ string) { f.leave() },
		"drain":     func(f *fixture, _ string) { _ = f.Fleet.DrainWorker(context.Background(), f.worker.ID, true, nil) },
		"drain and drop": func(f *fixture, _ string) {
			_ = f.Fleet.DrainWorker(context.Background(), f.worker.ID, true, nil)
			var held []store.StoredJob
			_ = f.DB.Read(context.Background(), func(tx *store.Tx) (err error) { held, err = tx.LeasedBy(f.worker.ID); return err })
			for _, j := range held {
				_ = f.worker.Fail(&j.Job, atelier.FailDropped)
			}
		},
		"connect": func(f *fixture, _ string) { f.connect() },
		"time": func(f *fixture, _ string) {
			f.Advance(wait + time.Second)
			_ = f.Fleet.Heartbeat(context.Background(), wil, f.worker.ID, apitype.Heartbeat{}) // it lives, if it is there
		},
		"claim":      func(f *fixture, _ string) { f.connect(); f.must("step/0") },
		"user stops": func(f *fixture, id string) { _, _ = f.e.Cancel(context.Background(), ann, atelier.WorkflowID(id), "") },
		"user resumes": func(f *fixture, id string) {
			spark := atelier.PaySpark
			_, _ = f.e.Resume(context.Background(), ann, atelier.WorkflowID(id), workflow.ResumeRequest{Token: &spark})
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
			f := newFixture(t, storetest.SQLite(t), full, func(o *options) { o.Fleet.NoWorkerTimeout = wait })
			id := states[c.state](f)
			triggers[c.trigger](f, id)
			if _, err := f.Fleet.CheckOffers(t.Context()); err != nil {
				t.Fatal(err)
			}
			step := f.get(id).Steps[0]
			code := ""
			if step.Error != nil {
				code = step.Error.Code
			}
			if step.Status != c.want || (step.WaitingFor != nil) != c.waits || code != c.code {
				t.Errorf("it is %s, waits for %+v, %q; want %s, %v, %q", step.Status, step.WaitingFor, code, c.want, c.waits, c.code)
			}
			pays := c.want == atelier.StatusQueued || c.want == atelier.StatusRunning || c.want == atelier.StatusCompleted
			if b, err := f.Billing.Balance(t.Context(), ann); err != nil || (b.Spark.Debit > 0) != pays {
				t.Errorf("%s is held or spent, %v; it is %s", b.Spark.Debit, err, c.want)
			}
		})
	}
}

// Workers that connect and disconnect again and again do not make a log grow without limit.
func TestServedEventsAreLimited(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t), full)
	f.leave()
	id := f.begin(plan(image("a", "a fox"))).WorkflowID
	for range 60 {
		f.Advance(10 * time.Second) // faster changes do not reach the jobs
		f.connect()
		if _, err := f.Fleet.CheckOffers(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.leave()
		if _, err := f.Fleet.CheckOffers(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w := f.get(id)
	if n := len(w.Events); n != 101 {
		t.Errorf("the log has %d events, want the start and 100", n)
	}
	if w.Steps[0].WaitingFor == nil {
		t.Error("it does not say that it waits")
	}
	f.connect()
	f.done("step/0")
	if got := f.get(id).Status; got != atelier.StatusCompleted {
		t.Errorf("it is %s", got)
	}
}

// A job that its worker never got, because it left while it was given out, waits
// as any other, and continues.
func TestAJobThatWasGivenBackSaysThatItWaits(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t), full)
	id := f.begin(plan(image("a", "a fox"))).WorkflowID
	gone, leave := context.WithCancel(t.Context())
	leave()
	if j, err := f.Fleet.Next(gone, wil, f.worker.ID); j != nil || err != nil { // it is leased, and its caller has left
		t.Fatalf("got %+v, %v", j, err)
	}
	f.leave()
	if _, err := f.Fleet.CheckOffers(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := f.get(id).Steps[0]; s.WaitingFor == nil {
		t.Errorf("it is %s and does not say that it waits", s.Status)
	}
	f.connect()
	f.must("step/0")
	if s := f.get(id).Steps[0]; s.WaitingFor != nil || s.Status != atelier.StatusRunning {
		t.Errorf("it is %s and waits for %+v", s.Status, s.WaitingFor)
	}
}
