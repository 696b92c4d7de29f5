package workflow_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// A workflow that is over goes after the retention, with its log, its jobs and
// the names of what they made. One that waits stays, and so does what was paid.
func TestExpire(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	storetest.Each(t, func(t *testing.T, o store.Options) {
		h := newHouse(t, o, func(h *house) { h.set = func(o *workflow.Options) { o.Retention = day } })
		over := h.begin(plan(image("a", "a fox")))
		h.done("step/0")
		h.want(over.WorkflowID, "completed a=completed")
		waits := h.begin(plan(image("a", "a hen")))

		expire := func(want int) {
			t.Helper()
			if n, err := h.e.Expire(t.Context()); err != nil || n != want {
				t.Errorf("%d workflows were deleted, %v, want %d", n, err, want)
			}
		}
		h.advance(29 * day)
		expire(0) // idempotency keys lead to it
		h.advance(2 * day)
		expire(1)
		expire(0)

		if _, err := h.e.Workflow(t.Context(), ann, atelier.WorkflowID(over.WorkflowID)); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("the workflow is still there: %v", err)
		}
		err := h.db.Read(t.Context(), func(tx *store.Tx) error {
			jobs, err := tx.JobsOf(atelier.JobOwner{Kind: "workflow", ID: over.WorkflowID})
			if len(jobs) != 0 {
				t.Errorf("%d jobs are left", len(jobs))
			}
			if err != nil {
				return err
			}
			events, err := tx.Events(over.WorkflowID, -1, 100, 1<<20)
			if len(events) != 0 {
				t.Errorf("%d events are left", len(events))
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		h.want(waits.WorkflowID, "queued a=queued")
		h.audit()
	})
}
