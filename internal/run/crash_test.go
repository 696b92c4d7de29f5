package run_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/llm"

	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/worktest"
)

// play is what a user does with a run.
type play struct {
	name string
	says []llm.Delta
	asks bool // for approval
	act  func(f *fixture, ctx context.Context, id atelier.RunID) error
	want atelier.Status // of the run, unless its cost could no longer be approved
}

var plays = []play{
	{name: "answer", says: []llm.Delta{text("Hello.")}, want: atelier.StatusCompleted},
	{name: "tools", says: []llm.Delta{
		call("generate_image", `{"prompt":"a fox"}`, "generate_image", `{"prompt":"an owl"}`, "list_workflows", `{}`), text("Here they are."),
	}, want: atelier.StatusCompleted},
	{name: "chain", says: []llm.Delta{
		call("generate_image", `{"prompt":"a fox"}`), call("edit_image", `{"prompt":"snow","sourceImageIndex":0}`), text("Snow."),
	}, want: atelier.StatusCompleted},
	{name: "approve", asks: true, says: []llm.Delta{call("generate_image", `{"prompt":"a fox"}`, "generate_image", `{"prompt":"an owl"}`), text("Done.")},
		act: func(f *fixture, ctx context.Context, id atelier.RunID) error {
			if err := f.await(ctx, id, append(over, atelier.StatusWaitingForUser)...); err != nil {
				return err
			}
			r, err := f.e.Run(ctx, ann, id)
			if err != nil || r.Status != atelier.StatusWaitingForUser {
				return err
			}
			_, err = f.confirm(ctx, r, true, "yes")
			return err
		}, want: atelier.StatusCompleted},
	{name: "cancel", says: []llm.Delta{call("generate_image", `{"prompt":"a fox"}`), text("Done.")}, act: cancelRun},
	{name: "cancel a round", says: []llm.Delta{call("generate_image", `{"prompt":"a fox"}`), text("Done.")},
		act: func(f *fixture, ctx context.Context, id atelier.RunID) error {
			if err := f.await(ctx, id, append(over, atelier.StatusRunning)...); err != nil {
				return err
			}
			return cancelRun(f, ctx, id)
		}},
}

// cancelRun cancels a run, unless it is over.
func cancelRun(f *fixture, ctx context.Context, id atelier.RunID) error {
	_, err := f.e.Cancel(ctx, ann, id, "enough")
	if atelier.HasCode(err, atelier.CodeWrongState) {
		err = nil
	}
	return err
}

// The process dies at every commit of everything that a run can go through, before it
// and after it. Another process brings what it finds to an end: no accepted run is
// lost, each call is dispatched once, each round is paid once, and the log has neither
// a gap nor a repeat.
//
//atelier:norace
func TestCrashAtEveryCommit(t *testing.T) {
	t.Parallel()
	for _, p := range plays {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			if !worktest.Exhaustive() { // one death of each kind
				crashAt(t, p, 3, true)
				return
			}
			for _, after := range []bool{false, true} {
				n := int64(1)
				for crashAt(t, p, n, after) {
					n++
				}
				if n < 4 {
					t.Errorf("it has only %d commits", n-1)
				}
			}
		})
	}
}

// crashAt plays until the process dies at its n-th commit, and then continues in another.
// It reports false when there are fewer commits.
func crashAt(t *testing.T, p play, n int64, after bool) bool {
	t.Helper()
	dir := t.TempDir()
	path := storetest.Furnish(t, filepath.Join(dir, "atelier.db"))
	db := storetest.OpenMortal(t, path, n, after)
	f := newFixtureIn(t, db.DB, dir, p.says...)
	f.addAccounts()
	f.start()
	db.Arm()
	q := ask("Do it.")
	q.Key, q.Confirm = "start", p.asks
	accepted := atelier.RunID("")
	if started, err := f.e.Start(db.Alive, q); err == nil {
		accepted = started.Run.RunID
		f.live(db.Alive, p, accepted)
	}
	f.stop()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	heir := newFixtureIn(t, storetest.Open(t, store.Options{Path: path, NoSync: true}), dir, p.says...)
	heir.Advance(time.Hour) // every lease has ended
	if err := heir.Fleet.Expire(context.Background()); err != nil {
		t.Fatal(err)
	}
	heir.start()
	heir.judge(p, q.Key, accepted)
	heir.stop()
	if t.Failed() {
		t.Fatalf("it died at commit %d, after it: %v", n, after)
	}
	return db.Dead()
}

// live plays until the run is over or the process is dead.
func (f *fixture) live(ctx context.Context, p play, id atelier.RunID) {
	if p.act != nil {
		done := make(chan error, 1)
		go func() { done <- p.act(f, ctx, id) }()
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
	}
	_ = f.await(ctx, id, over...)
}

// judge brings the run of a key to its end and looks at it.
func (f *fixture) judge(p play, key string, accepted atelier.RunID) {
	f.T.Helper()
	q := ask("Do it.")
	q.Key, q.Confirm = key, p.asks
	again, err := f.e.Start(context.Background(), q) // a caller that got no answer asks again
	if err != nil {
		f.T.Fatal(err)
	}
	id := again.Run.RunID
	if accepted != "" && (id != accepted || !again.Repeat) {
		f.T.Fatalf("the run %s was accepted and is gone: %s", accepted, id)
	}
	r := f.until(id, append(over, atelier.StatusWaitingForUser)...)
	want := p.want
	if r.Status == atelier.StatusWaitingForUser {
		fresh := f.Now().Before(r.Waiting.Details.CostApprovalPreview.ValidityUntil)
		if _, err := f.confirm(context.Background(), r, fresh, ""); err != nil {
			f.T.Fatal(err)
		}
		r = f.until(id, over...)
	}
	if want != "" && r.Status != want || !r.Status.Terminal() {
		f.T.Errorf("the run is %s: %s", r.Status, r.FailureReason)
	}
	f.checkLog(r)
	f.checkMoney(r)
}

// checkLog checks that a log has no gap and no repeat.
func (f *fixture) checkLog(r apitype.Run) {
	f.T.Helper()
	count, calls := map[string]int{}, map[string]int{}
	for i, ev := range r.Events {
		if ev.Sequence != int64(i) {
			f.T.Errorf("the event %d has the sequence %d", i, ev.Sequence)
		}
		count[string(ev.Type)]++
		switch p := ev.Payload.(type) {
		case apitype.CallDispatched:
			calls["dispatched "+p.ToolCallID]++
		case apitype.CallResolved:
			calls["resolved "+p.ToolCallID]++
		case apitype.Spend:
			calls["spend "+p.EventID]++
		case apitype.CallProgress:
			calls[fmt.Sprintf("progress %s %d", p.ToolCallID, p.WorkflowSequence)]++
		}
	}
	for what, n := range calls {
		if n != 1 {
			f.T.Errorf("the log says %d times: %s", n, what)
		}
	}
	if count["run_created"] != 1 || count["run_completed"]+count["run_cancelled"]+count["run_failed"]+count["run_partial_failure"] != 1 {
		f.T.Errorf("the log begins or ends otherwise than once: %v", count)
	}
}

// checkMoney checks that each round and each render is paid once, and nothing is held.
func (f *fixture) checkMoney(r apitype.Run) {
	f.T.Helper()
	page, err := f.workflows.List(context.Background(), ann, 0, 100)
	if err != nil {
		f.T.Fatal(err)
	}
	children := map[string]bool{}
	for _, id := range r.ChildWorkflowIDs {
		children[id] = true
	}
	if len(page.Workflows) != len(children) || len(children) != len(r.ChildWorkflowIDs) {
		f.T.Errorf("there are %d workflows, and the run knows %v", len(page.Workflows), r.ChildWorkflowIDs)
	}
	want := atelier.Money(0)
	for _, w := range page.Workflows {
		if !w.Status.Terminal() {
			f.T.Errorf("the workflow %s is %s", w.WorkflowID, w.Status)
		}
		for _, s := range w.Steps {
			if s.Cost.Actual != nil {
				want += s.Cost.Actual.Spark
			}
		}
	}
	rounds := 0
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			rounds++
		}
	}
	spends := 0
	for _, ev := range r.Events {
		if p, ok := ev.Payload.(apitype.Spend); ok {
			want += p.CostInSpark
			spends++
		}
	}
	if spends < rounds || spends > rounds+1 || spends > rounds && r.Status != atelier.StatusCancelled {
		f.T.Errorf("%d rounds were paid %d times", rounds, spends)
	}
	if r.Status == atelier.StatusCancelled { // its last round may have died with the process
		f.Advance(billing.ReservationLife + time.Minute)
		if _, err := f.Billing.Sweep(context.Background()); err != nil {
			f.T.Fatal(err)
		}
	}
	b := f.Balance(ann)
	f.Audit()
	if b.Spark.Debit != want {
		f.T.Errorf("%s is spent or held; the events say %s", b.Spark.Debit, want)
	}
}
