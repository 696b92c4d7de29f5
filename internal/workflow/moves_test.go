package workflow_test

import (
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// The moves that there are, from each status. Whatever is not here is refused.
var (
	workflowMoves = map[atelier.Status][]atelier.Status{
		"":                           {atelier.StatusQueued, atelier.StatusWaitingForUser},
		atelier.StatusQueued:         {atelier.StatusRunning, atelier.StatusWaitingForUser, atelier.StatusCompleted, atelier.StatusPartialFailure, atelier.StatusFailed, atelier.StatusCancelled},
		atelier.StatusRunning:        {atelier.StatusWaitingForUser, atelier.StatusCompleted, atelier.StatusPartialFailure, atelier.StatusFailed, atelier.StatusCancelled},
		atelier.StatusWaitingForUser: {atelier.StatusQueued, atelier.StatusRunning, atelier.StatusCancelled},
	}
	stepMoves = map[atelier.Status][]atelier.Status{
		atelier.StatusQueued:         {atelier.StatusRunning, atelier.StatusWaitingForUser, atelier.StatusCompleted, atelier.StatusFailed, atelier.StatusCancelled},
		atelier.StatusRunning:        {atelier.StatusQueued, atelier.StatusWaitingForUser, atelier.StatusCompleted, atelier.StatusPartialFailure, atelier.StatusFailed, atelier.StatusCancelled},
		atelier.StatusWaitingForUser: {atelier.StatusQueued, atelier.StatusCancelled},
	}
)

// pairs are the moves of a table one by one.
func pairs(table map[atelier.Status][]atelier.Status) map[[2]atelier.Status]bool {
	out := map[[2]atelier.Status]bool{}
	for from, list := range table {
		for _, to := range list {
			out[[2]atelier.Status{from, to}] = true
		}
	}
	return out
}

func TestMoves(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		table []atelier.Move[atelier.Status]
		want  map[[2]atelier.Status]bool
	}{"workflow": {atelier.WorkflowMoves, pairs(workflowMoves)}, "step": {atelier.StepMoves, pairs(stepMoves)}} {
		for _, from := range append([]atelier.Status{""}, atelier.Statuses...) {
			for _, to := range atelier.Statuses {
				want := from == to || c.want[[2]atelier.Status{from, to}]
				if got := atelier.MayMove(c.table, from, to); got != want {
					t.Errorf("%s from %q to %q: got %v, want %v", name, from, to, got, want)
				}
				if from.Terminal() && from != to && want {
					t.Errorf("%s: %s is final and leaves for %s", name, from, to)
				}
			}
		}
		for _, m := range c.table {
			if m.Trigger == "" || m.From == m.To || m.To == "" {
				t.Errorf("%s: the row %+v says nothing", name, m)
			}
		}
	}
}

// Every row of the two tables happens, as the logs tell, and no other move
// does.
func TestEveryMoveHappens(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t), full)
	seen := newMoves()
	poor := func(steps ...atelier.StepInput) workflow.StartRequest {
		q := plan(steps...)
		q.Terms.Token = atelier.PaySvc
		return q
	}
	covered := func(steps ...atelier.StepInput) workflow.StartRequest { // by a plan that ann has not
		q := plan(steps...)
		q.Terms.Mode = atelier.BillSubscription
		return q
	}
	ready := step("z", "finalize_response", args{"outcome": "success"})
	hen := image("b", "a hen", "numberOfVariations", 2.0)
	fails := func(part, code string) {
		t.Helper()
		f.worker.MustFail(f.must(part), code)
	}
	cancel := func(id string) {
		t.Helper()
		if _, err := f.e.Cancel(t.Context(), ann, atelier.WorkflowID(id), ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		plan workflow.StartRequest
		play func(id string)
		want string
	}{
		{plan(ready), nil, "completed z=completed"},
		{covered(fox), nil, "failed a=failed"},
		{covered(ready, fox), nil, "partial_failure z=completed a=failed"},
		{plan(fox), cancel, "cancelled a=cancelled"},
		{asks(fox), cancel, "cancelled a=cancelled"},
		{plan(fox), func(id string) { f.must("step/0"); cancel(id) }, "cancelled a=cancelled"},
		{poor(fox), cancel, "cancelled a=cancelled"},
		{plan(fox), func(string) { f.done("step/0") }, "completed a=completed"},
		{plan(hen), func(string) {
			if err := f.complete(f.must("step/0"), 1); err != nil {
				t.Fatal(err)
			}
		}, "partial_failure b=partial_failure"},
		{plan(fox), func(string) { fails("step/0", atelier.FailDropped); fails("step/0", atelier.FailDropped) }, "failed a=failed"},
		{plan(fox), func(id string) {
			fails("step/0", atelier.FailContentFiltered)
			f.resume(ann, id)
			f.done("step/0")
		}, "completed a=completed"},
		{poor(fox), func(id string) {
			if err := f.Billing.Credit(t.Context(), ann, billing.Credits{Svc: 10 * atelier.MoneyUnit}); err != nil {
				t.Fatal(err)
			}
			f.resume(ann, id)
			f.done("step/0")
		}, "completed a=completed"},
	} {
		id := f.begin(c.plan).WorkflowID
		if c.play != nil {
			c.play(id)
		}
		seen.replay(t, f, f.want(id, c.want))
	}
	for name, c := range map[string]struct{ seen, want map[[2]atelier.Status]bool }{
		"workflow": {seen.workflow, pairs(workflowMoves)}, "step": {seen.step, pairs(stepMoves)},
	} {
		for pair := range c.want {
			if !c.seen[pair] {
				t.Errorf("no %s moves from %q to %q", name, pair[0], pair[1])
			}
		}
	}
}
