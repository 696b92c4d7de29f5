package workflow_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// wantApps holds how many renders were paid for each application against what
// is expected.
func (h *house) wantApps(want map[string]int64) {
	h.t.Helper()
	sums, err := h.bill.Usage(h.t.Context(), ann, time.Time{})
	if err != nil {
		h.t.Fatal(err)
	}
	got := map[string]int64{}
	for _, s := range sums {
		got[s.App] += s.Charges
	}
	if !reflect.DeepEqual(got, want) {
		h.t.Errorf("renders were paid for %v, want %v", got, want)
	}
}

// A step is paid for the application that asked when it was dispatched, also
// when its worker dropped it and it was tried again.
func TestAppsPayForWhatTheyAsked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		h := newHouse(t, o)
		first, second, third := "first", "second", "third"
		q := plan(fox, upscale("b", "a", true))
		q.Terms.App = first
		w := h.begin(q)
		if err := h.fail(h.must("step/0"), atelier.FailDropped); err != nil {
			t.Fatal(err)
		}
		again := h.must("step/0")
		if _, err := h.e.Resume(t.Context(), ann, atelier.WorkflowID(w.WorkflowID), workflow.ResumeRequest{AppSource: &second}); err != nil {
			t.Fatal(err)
		}
		if err := h.complete(again); err != nil {
			t.Fatal(err)
		}
		h.wantApps(map[string]int64{first: 1})
		h.done("step/1")
		h.wantApps(map[string]int64{first: 1, second: 1})
		if got := h.get(w.WorkflowID).AppSource; got != second {
			t.Errorf("the workflow is shown as of %q, want %q", got, second)
		}

		for _, app := range []*string{nil, &third} { // the source's, or another
			if _, err := h.reseed(workflow.ReseedRequest{Source: atelier.WorkflowID(w.WorkflowID), AppSource: app}); err != nil {
				t.Fatal(err)
			}
			h.done("step/0")
			h.done("step/1")
		}
		h.wantApps(map[string]int64{first: 1, second: 3, third: 2})
		h.audit()
	})
}

// A workflow that an earlier program has stored keeps its application.
func TestAppOfAnEarlierProgram(t *testing.T) {
	t.Parallel()
	h := newHouse(t, storetest.SQLite(t))
	q := plan(fox, upscale("b", "a", true))
	q.Terms.App = "studio"
	w := h.begin(q)
	err := h.db.Write(t.Context(), func(tx *store.Tx) error {
		row, err := tx.LockWorkflow(atelier.WorkflowID(w.WorkflowID))
		if err != nil {
			return err
		}
		var state map[string]any
		if err := json.Unmarshal(row.State, &state); err != nil {
			return err
		}
		terms := state["terms"].(map[string]any)
		state["appSource"] = terms["app"]
		delete(terms, "app")
		if row.State, err = json.Marshal(state); err != nil {
			return err
		}
		return tx.UpdateWorkflow(row)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := h.get(w.WorkflowID).AppSource; got != "studio" {
		t.Errorf("it is shown as of %q, want %q", got, "studio")
	}
	h.done("step/0")
	h.done("step/1")
	h.wantApps(map[string]int64{"studio": 2})
}
