package workflow_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/workflow/snapshot"
)

// statuses is the workflow and its steps in short.
func statuses(w snapshot.Workflow) string {
	parts := []string{string(w.Status)}
	for _, s := range w.Steps {
		parts = append(parts, fmt.Sprintf("%s=%s", s.ID, s.Status))
	}
	return strings.Join(parts, " ")
}

func (h *house) want(id, want string) snapshot.Workflow {
	h.t.Helper()
	w := h.get(id)
	if got := statuses(w); got != want {
		h.t.Errorf("got %s, want %s", got, want)
	}
	h.checkLog(w)
	return w
}

// checkLog holds the log against what must be true of every log.
func (h *house) checkLog(w snapshot.Workflow) {
	h.t.Helper()
	for i, e := range w.Events {
		if e.Sequence != int64(i) {
			h.t.Fatalf("event %d has the sequence %d: %s", i, e.Sequence, types(w))
		}
		if i > 0 && e.At.Before(w.Events[i-1].At) {
			h.t.Errorf("event %d happened before event %d", i, i-1)
		}
	}
	if w.Events[0].Type != atelier.EventWorkflowStarted {
		h.t.Errorf("the log begins with %s", w.Events[0].Type)
	}
	ends := 0
	for _, e := range w.Events {
		if slices.Contains([]atelier.EventType{atelier.EventWorkflowCompleted, atelier.EventWorkflowFailed, atelier.EventWorkflowCancelled}, e.Type) {
			ends++
		}
	}
	if last := w.Events[len(w.Events)-1].Type; w.Status.Terminal() && (ends != 1 || (last != atelier.EventWorkflowCompleted && last != atelier.EventWorkflowFailed && last != atelier.EventWorkflowCancelled)) {
		h.t.Errorf("the log of a workflow that is %s: %s", w.Status, types(w))
	}
	if !w.Status.Terminal() && ends > 0 {
		h.t.Errorf("the workflow is %s and its log has an end: %s", w.Status, types(w))
	}
}

// types is the log in short.
func types(w snapshot.Workflow) string {
	var out []string
	for _, e := range w.Events {
		out = append(out, string(e.Type))
	}
	return strings.Join(out, " ")
}

func (h *house) audit() {
	h.t.Helper()
	if _, differences, err := h.bill.Audit(context.Background()); err != nil || len(differences) > 0 {
		h.t.Errorf("audit: %v %q", err, differences)
	}
}

// money is what ann can spend, and what is spent or held.
func (h *house) money() (net, debit atelier.Money) {
	h.t.Helper()
	b, err := h.bill.Balance(context.Background(), ann)
	if err != nil {
		h.t.Fatal(err)
	}
	return b.Spark.Net, b.Spark.Debit
}
