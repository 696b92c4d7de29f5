package simulation

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// check reads the books, if anything was written since they were read.
func (w *world) check() {
	if w.checked == w.commits {
		return
	}
	w.checked = w.commits
	var found []string
	w.look(func(tx *store.Tx) (err error) {
		found, err = storetest.Contradictions(tx)
		return err
	})
	for _, text := range found {
		w.report("%s", text)
	}
	if len(found) > 0 {
		panic(errOver)
	}
}

// isConnected reports whether a worker has a session.
func (w *world) isConnected(k *worker) (found bool) {
	w.look(func(tx *store.Tx) (err error) {
		found, err = storetest.IsConnected(tx, k.id)
		return err
	})
	return found
}

// promise records how a job ended of which a worker was told that it is done.
func (w *world) promise(id atelier.JobID, allowed ...atelier.JobState) {
	var states map[atelier.JobID]atelier.JobState
	w.look(func(tx *store.Tx) (err error) {
		states, err = storetest.JobStates(tx)
		return err
	})
	if !slices.Contains(allowed, states[id]) {
		w.wrong("a worker was told that job %s is done, and it is %q", id, states[id])
	}
	w.promised[id] = states[id]
}

// judge looks at everything when all is over.
func (w *world) judge() {
	n := w.nodes[0]
	if err := n.analytics.Count(context.Background()); err != nil {
		w.t.Fatalf("count: %v", err)
	}
	audited, differences, err := n.billing.Audit(context.Background())
	if err != nil {
		w.t.Fatalf("audit: %v", err)
	}
	for _, text := range differences {
		w.report("audit: %s", text)
	}
	w.note("audit", "%+v", audited)
	var (
		spends    map[string]atelier.Money
		jobs      map[[2]string]string
		states    map[atelier.JobID]atelier.JobState
		arrived   []string
		reported  []string
		listed    []string
		withSteps = map[string]bool{}
	)
	w.look(func(tx *store.Tx) (err error) {
		if spends, err = storetest.Spends(tx); err != nil {
			return err
		}
		if jobs, err = storetest.CompletedJobs(tx); err != nil {
			return err
		}
		if states, err = storetest.JobStates(tx); err != nil {
			return err
		}
		if arrived, err = storetest.DeliveredEvents(tx); err != nil {
			return err
		}
		reported, err = storetest.UnreportedEnds(tx)
		return err
	})
	for _, id := range slices.Sorted(maps.Keys(w.promised)) {
		if promised := w.promised[id]; states[id] != promised {
			w.report("a worker was told that job %s is %s, and it is %q", id, promised, states[id])
		}
	}
	for _, id := range arrived {
		if w.web.arrived[id] == 0 {
			w.report("the event %s counts as delivered, and no receiver has it", id)
		}
	}
	for _, id := range reported {
		w.report("webhooks were not told once that %s has ended", id)
	}
	for _, a := range w.clients {
		list := w.all(n, a)
		for _, f := range list {
			w.judgeSteps(f, jobs, spends, withSteps)
		}
		list = w.judgeRuns(a, list, spends, withSteps)
		w.judgeRequests(a, list)
		w.judgeLoras(a)
		for _, f := range list {
			listed = append(listed, f.WorkflowID)
		}
		b, err := n.billing.Balance(context.Background(), a.Wallet)
		if err != nil {
			w.t.Fatalf("balance: %v", err)
		}
		if b.Spark.Held != 0 || b.Svc.Held != 0 || b.Spark.Net < 0 || b.Svc.Net < 0 {
			w.report("all is over, and %s has %+v", a.Username, b)
		}
		w.note("balance", "%s %s %s", a.Username, b.Spark.Net, b.Svc.Net)
	}
	for _, cause := range slices.Sorted(maps.Keys(spends)) {
		if !withSteps[cause] {
			w.report("%s was charged, and no step has it", cause)
		}
	}
	if len(w.faults) > 0 {
		panic(errOver)
	}
	w.counts["workflows"] += len(listed)
}

// judgeRequests holds the workflows of an account against what it has asked for.
func (w *world) judgeRequests(a *client, list []apitype.Workflow) {
	byTitle := map[string]apitype.Workflow{}
	for _, f := range list {
		if before, twice := byTitle[f.Title]; twice {
			w.report("the request %s was accepted as %s and as %s", f.Title, before.WorkflowID, f.WorkflowID)
		}
		byTitle[f.Title] = f
	}
	for _, q := range a.requests {
		f, found := byTitle[q.start.Title]
		delete(byTitle, q.start.Title)
		switch {
		case q.id != "" && (!found || f.WorkflowID != string(q.id)):
			w.report("the request %s was accepted as %s, and is %q", q.start.Title, q.id, f.WorkflowID)
			continue
		case !found:
			continue
		}
		q.id = atelier.WorkflowID(f.WorkflowID)
		w.follow(w.nodes[0], q)
		if q.over != f.Status || q.read != int64(len(f.Events))-1 {
			w.report("the reader of %s was told that it is %q and got events up to %d; it is %s and has %d", q.start.Title, q.over, q.read, f.Status, len(f.Events))
		}
		w.note("end", "%s %s %s, %d events", q.start.Title, f.WorkflowID, f.Status, len(f.Events))
	}
	for _, title := range slices.Sorted(maps.Keys(byTitle)) {
		w.report("%s has the workflow %s, for which it has not asked", a.Username, title)
	}
}

// judgeSteps holds what the steps of a workflow have cost against what was charged.
func (w *world) judgeSteps(f apitype.Workflow, jobs map[[2]string]string, spends map[string]atelier.Money, seen map[string]bool) {
	for i, s := range f.Steps {
		cause := jobs[[2]string{f.WorkflowID, fmt.Sprint("step/", i)}]
		seen[cause] = true
		cost := s.Cost.Actual
		isDone := s.Status == atelier.StatusCompleted || s.Status == atelier.StatusPartialFailure
		switch {
		case cost == nil && spends[cause] != 0:
			w.report("step %s of %s is %s, and was charged %s", s.ID, f.WorkflowID, s.Status, spends[cause])
		case cost == nil:
			continue
		case !isDone:
			w.report("step %s of %s is %s, and has cost %s", s.ID, f.WorkflowID, s.Status, cost.Spark)
		case cost.Spark > s.Cost.EstimatedSpark || s.Status == atelier.StatusCompleted && cost.Spark != s.Cost.EstimatedSpark:
			w.report("step %s of %s has cost %s, and %s was held", s.ID, f.WorkflowID, cost.Spark, s.Cost.EstimatedSpark)
		case cost.ByPlan && spends[cause] != 0:
			w.report("step %s of %s is covered by the plan, and was charged %s", s.ID, f.WorkflowID, spends[cause])
		case !cost.ByPlan && spends[cause] != cost.Spark:
			w.report("step %s of %s has cost %s, and was charged %s", s.ID, f.WorkflowID, cost.Spark, spends[cause])
		}
		w.note("step", "%s of %s %s %s by plan %v", s.ID, f.WorkflowID, s.Status, cost.Spark, cost.ByPlan)
	}
}
