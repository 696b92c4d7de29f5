package workflow_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

// statuses is the workflow and its steps in short.
func statuses(w apitype.Workflow) string {
	parts := []string{string(w.Status)}
	for _, s := range w.Steps {
		parts = append(parts, fmt.Sprintf("%s=%s", s.ID, s.Status))
	}
	return strings.Join(parts, " ")
}

func (f *fixture) want(id, want string) apitype.Workflow {
	f.T.Helper()
	w := f.get(id)
	if got := statuses(w); got != want {
		f.T.Errorf("got %s, want %s", got, want)
	}
	f.checkLog(w)
	return w
}

// checkLog holds the log against what must be true of every log.
func (f *fixture) checkLog(w apitype.Workflow) {
	f.T.Helper()
	for i, e := range w.Events {
		if e.Sequence != int64(i) {
			f.T.Fatalf("event %d has the sequence %d: %s", i, e.Sequence, types(w))
		}
		if i > 0 && e.At.Before(w.Events[i-1].At) {
			f.T.Errorf("event %d happened before event %d", i, i-1)
		}
	}
	if w.Events[0].Type != atelier.EventWorkflowStarted {
		f.T.Errorf("the log begins with %s", w.Events[0].Type)
	}
	ends := 0
	for _, e := range w.Events {
		if slices.Contains([]atelier.EventType{atelier.EventWorkflowCompleted, atelier.EventWorkflowFailed, atelier.EventWorkflowCancelled}, e.Type) {
			ends++
		}
	}
	if last := w.Events[len(w.Events)-1].Type; w.Status.Terminal() && (ends != 1 || (last != atelier.EventWorkflowCompleted && last != atelier.EventWorkflowFailed && last != atelier.EventWorkflowCancelled)) {
		f.T.Errorf("the log of a workflow that is %s: %s", w.Status, types(w))
	}
	if !w.Status.Terminal() && ends > 0 {
		f.T.Errorf("the workflow is %s and its log has an end: %s", w.Status, types(w))
	}
}

// types is the log in short.
func types(w apitype.Workflow) string {
	var out []string
	for _, e := range w.Events {
		out = append(out, string(e.Type))
	}
	return strings.Join(out, " ")
}

// money is what ann can spend, and what is spent or held.
func (f *fixture) money() (net, debit atelier.Money) {
	f.T.Helper()
	b := f.Balance(ann).Spark
	return b.Net, b.Debit
}
