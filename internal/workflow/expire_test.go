package workflow_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// The key that started a workflow is remembered for a day when the workflow was deleted, and
// for longer while it is there.
func TestKeysOfDeletedWorkflows(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		start := func(key string) workflow.Started {
			t.Helper()
			q := plan(image("a", "a fox"))
			q.Key = key
			s, err := f.try(q)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		gone := start("gone").Workflow.WorkflowID
		f.done("step/0")
		stays := start("stays").Workflow.WorkflowID
		err := f.DB.Write(t.Context(), func(tx *store.Tx) error {
			deleted, err := tx.DeleteWorkflow(atelier.WorkflowID(gone))
			if !deleted {
				t.Error("the workflow is still there")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		sweep := func(want int64) {
			t.Helper()
			if n, err := f.e.Sweep(t.Context()); err != nil || n != want {
				t.Errorf("%d keys were forgotten, %v, want %d", n, err, want)
			}
		}
		f.Advance(23 * time.Hour)
		sweep(0)
		f.Advance(2 * time.Hour)
		sweep(1)
		if again := start("stays"); again.Workflow.WorkflowID != stays || !again.Idempotent {
			t.Errorf("the key of a workflow that is there has started %+v", again.Workflow)
		}
		if again := start("gone"); again.Idempotent {
			t.Errorf("the key that was forgotten leads to %+v", again.Workflow)
		}
	})
}

// A workflow stays while another that is not over was started with what it made.
func TestWorkflowsInUseStay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		made := atelier.WorkflowID(f.begin(plan(image("a", "a fox"))).WorkflowID)
		f.done("step/0")
		next := f.begin(plan(image("a", "a hen")))
		err := f.DB.Write(t.Context(), func(tx *store.Tx) error {
			jobs, err := storetest.JobsOf(tx, atelier.JobOwner{Kind: "workflow", ID: string(made)})
			if err != nil {
				return err
			}
			files, err := tx.Artifacts(jobs[0].ID)
			if err != nil {
				return err
			}
			return tx.UseArtifact(files[0].Key, atelier.WorkflowID(next.WorkflowID))
		})
		if err != nil {
			t.Fatal(err)
		}
		remove := func(want bool) {
			t.Helper()
			err := f.DB.Write(t.Context(), func(tx *store.Tx) error {
				gone, err := tx.DeleteWorkflow(made)
				if gone != want {
					t.Errorf("it was deleted: %t, want %t", gone, want)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
		remove(false)
		f.done("step/0")
		f.want(next.WorkflowID, "completed a=completed")
		remove(true)
	})
}
