package work_test

import (
	"encoding/json"
	"testing"

	"github.com/atelier-project/atelier/bench/work"
)

func TestValue(t *testing.T) {
	t.Parallel()
	answer := []byte(`{"status":"success","data":{"jobId":"j1","artifacts":[{"id":"a0"},{"id":"a1"}],"count":3}}`)
	for name, want := range map[string]string{"jobId": "j1", "id": "a0", "status": "success", "count": "", "missing": ""} {
		if got := work.Value(answer, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// Each step but the first takes what the one before has made.
func TestPlan(t *testing.T) {
	t.Parallel()
	var body struct {
		Input struct {
			Steps []struct {
				ID        string
				DependsOn []struct{ SourceStepID string }
			}
		}
	}
	if err := json.Unmarshal(work.Plan(12), &body); err != nil {
		t.Fatal(err)
	}
	steps := body.Input.Steps
	if len(steps) != 12 || len(steps[0].DependsOn) != 0 {
		t.Fatalf("got %+v", steps)
	}
	for i, s := range steps[1:] {
		if len(s.DependsOn) != 1 || s.DependsOn[0].SourceStepID != steps[i].ID {
			t.Errorf("step %s depends on %+v, want %s", s.ID, s.DependsOn, steps[i].ID)
		}
	}
}
