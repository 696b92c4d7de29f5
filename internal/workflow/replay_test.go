package workflow_test

import (
	"context"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/worktest"
)

// thin is how many cases of long tests there are to one that is run.
func thin() int {
	if worktest.Exhaustive() {
		return 1
	}
	return 24
}

// moves are those that were seen, of workflows and of steps.
type moves struct {
	mu       sync.Mutex
	workflow map[[2]atelier.Status]bool
	step     map[[2]atelier.Status]bool
}

func newMoves() *moves {
	return &moves{workflow: map[[2]atelier.Status]bool{}, step: map[[2]atelier.Status]bool{}}
}

// note holds a move against a table and remembers it.
func (m *moves) note(t testing.TB, what string, table []atelier.Move[atelier.Status], seen map[[2]atelier.Status]bool, from, to atelier.Status) {
	t.Helper()
	if from == to {
		return
	}
	if !atelier.MayMove(table, from, to) {
		t.Errorf("%s moved from %q to %q", what, from, to)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	seen[[2]atelier.Status{from, to}] = true
}

// replay works out from its log alone where a workflow and its steps stand, and
// holds that against the snapshot.
func (m *moves) replay(t testing.TB, f *fixture, now apitype.Workflow) {
	t.Helper()
	var log []atelier.Event
	err := f.DB.Read(context.Background(), func(tx *store.Tx) (err error) {
		log, err = tx.Events(now.WorkflowID, -1, len(now.Events), 1<<20)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	steps, whole := map[string]atelier.Status{}, atelier.Status("")
	for _, s := range now.Steps {
		steps[s.ID] = atelier.StatusQueued
	}
	move := func(step string, to atelier.Status) {
		m.note(t, "the step "+step, atelier.StepMoves, m.step, steps[step], to)
		steps[step] = to
	}
	told := map[string]bool{}
	for _, e := range log {
		m.note(t, "the workflow", atelier.WorkflowMoves, m.workflow, whole, e.Status)
		whole = e.Status
		switch p := e.Payload.(type) {
		case apitype.StepStarted:
			move(p.StepID, atelier.StatusRunning)
		case apitype.StepWaiting:
			move(p.StepID, atelier.StatusWaitingForUser)
		case apitype.StepFailed:
			move(p.StepID, atelier.StatusFailed)
		case apitype.StepCompleted:
			move(p.StepID, doneAs(now, p.StepID))
		case apitype.ArtifactCreated:
			if told[p.ArtifactID] || p.ArtifactID == "" {
				t.Errorf("the artifact %q is told twice", p.ArtifactID)
			}
			told[p.ArtifactID] = true
		case apitype.WorkflowCancelled:
			for id, s := range steps {
				if !s.Terminal() {
					move(id, atelier.StatusCancelled)
				}
			}
		case apitype.Custom:
			switch p.Kind {
			case "step_retry":
				move(p.StepID, atelier.StatusQueued)
			case "workflow_resumed":
				for id, s := range steps {
					if s == atelier.StatusWaitingForUser {
						move(id, atelier.StatusQueued)
					}
				}
			}
		}
	}
	if whole != now.Status {
		t.Errorf("the log ends with %s, and the workflow is %s", whole, now.Status)
	}
	for _, s := range now.Steps {
		if steps[s.ID] != s.Status {
			t.Errorf("the log leaves the step %s %s, and it is %s", s.ID, steps[s.ID], s.Status)
		}
	}
	if len(told) != len(now.Artifacts) {
		t.Errorf("the log reports %d artifacts, and there are %d", len(told), len(now.Artifacts))
	}
	f.checkLog(now)
}

// doneAs is how a step that its log calls completed was done: the log does not
// tell whether it was in full.
func doneAs(w apitype.Workflow, step string) atelier.Status {
	for _, s := range w.Steps {
		if s.ID == step && s.Status == atelier.StatusPartialFailure {
			return atelier.StatusPartialFailure
		}
	}
	return atelier.StatusCompleted
}
