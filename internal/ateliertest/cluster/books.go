package cluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
)

// Check holds the service to what the clients know, and fails the test with every difference.
func (l *Load) Check() {
	t := l.c.t
	t.Helper()
	l.mu.Lock()
	faults := l.faults
	l.faults = nil
	if len(l.retried) > 0 {
		t.Logf("tried again: %v", l.retried)
	}
	clear(l.retried)
	l.mu.Unlock()
	for _, f := range faults {
		t.Error(f)
	}
	steps, rounds, spentOnModels := 0, 0, atelier.Money(0)
	for id, s := range l.workflows {
		steps += l.checkWorkflow(id, s)
	}
	for id, s := range l.runs {
		made, cost := l.checkRun(id, s)
		steps, spentOnModels = steps+made, spentOnModels+cost
		rounds += s.rounds
	}
	l.checkBooks(steps, rounds, spentOnModels)
	l.checkDeliveries()
	if out, err := output(l.c.command("ledger", "verify")); err != nil {
		t.Errorf("the ledger: %v\n%s", err, out)
	}
}

// checkWorkflow checks a workflow and returns how many of its steps were made.
func (l *Load) checkWorkflow(id string, s *started) (made int) {
	t := l.c.t
	t.Helper()
	w, err := l.owner().Workflow(t.Context(), id)
	if err != nil {
		t.Errorf("read the workflow %s: %v", id, err)
		return 0
	}
	for _, step := range w.Steps {
		if step.Status == atelier.StatusCompleted {
			made++
		}
	}
	switch {
	case w.Status == atelier.StatusCompleted && made == len(w.Steps):
	case s.cancelled && w.Status.Terminal():
	default:
		t.Errorf("the workflow %s is %s, with %d of %d steps: %+v", id, w.Status, made, len(w.Steps), w.Error)
	}
	var list struct{ Events []entry }
	l.checkLog("/v1/creative-agent/workflows/"+id+"/events", s, &list, func() []entry { return list.Events })
	return made
}

// checkRun checks a run. It returns how many pictures it has made, and what its models cost.
func (l *Load) checkRun(id string, s *started) (made int, cost atelier.Money) {
	t := l.c.t
	t.Helper()
	r, err := l.owner().Run(t.Context(), id)
	if err != nil {
		t.Errorf("read the run %s: %v", id, err)
		return 0, 0
	}
	if r.Usage != nil {
		cost = r.Usage.CostInSpark
	}
	if s.mayFail && r.Status == atelier.StatusFailed {
		return len(r.Artifacts), cost
	}
	if r.Status != atelier.StatusCompleted {
		t.Errorf("the run %s is %s: %s %+v", id, r.Status, r.FailureReason, r.Error)
	}
	if s.rounds == 1 && (r.FinalResponse == nil || r.FinalResponse.Content != s.text) {
		t.Errorf("the run %s says %+v, want %q", id, r.FinalResponse, s.text)
	}
	if s.rounds == 2 && len(r.Artifacts) != 1 {
		t.Errorf("the run %s has %d pictures, want 1", id, len(r.Artifacts))
	}
	var list struct{ Events []entry }
	l.checkLog("/v1/chat/runs/"+id+"/events?after=-1", s, &list, func() []entry { return list.Events })
	return len(r.Artifacts), cost
}

// owner is Ann as a client that is patient: what is broken is whole again, but not every connection of the nodes.
func (l *Load) owner() *client.Client {
	own := l.c.Client(l.c.URL, l.Ann)
	own.Retries = 5
	return own
}

// checkLog reads the whole log and holds it against what came through the stream.
func (l *Load) checkLog(path string, s *started, into any, events func() []entry) {
	t := l.c.t
	t.Helper()
	if err := l.owner().Call(t.Context(), http.MethodGet, path, nil, into); err != nil {
		t.Errorf("read the log %s: %v", path, err)
		return
	}
	list := events()
	for i, e := range list {
		if e.Sequence != int64(i) {
			t.Errorf("%s: event %d has the sequence %d", path, i, e.Sequence)
		}
	}
	if len(list) != len(s.reader.events) {
		t.Errorf("%s: the log has %d events, and %d came through the stream", path, len(list), len(s.reader.events))
	}
}

// spent is a row of "atelier ledger usage".
type spent struct {
	Kind    string
	Token   string
	Charges int
	Spent   atelier.Money
}

// usage is what an account has paid for, by kind.
func (l *Load) usage(a Account) map[string]spent {
	l.c.t.Helper()
	var rows []spent
	if err := json.Unmarshal([]byte(l.c.Run("ledger", "usage", a.Wallet, "--json")), &rows); err != nil {
		l.c.t.Fatal(err)
	}
	sums := map[string]spent{}
	for _, r := range rows {
		sum := sums[r.Kind]
		sum.Kind, sum.Token = r.Kind, r.Token
		sum.Charges += r.Charges
		sum.Spent += r.Spent
		sums[r.Kind] = sum
	}
	return sums
}

// checkBooks holds what was charged against what was made.
func (l *Load) checkBooks(steps, rounds int, models atelier.Money) {
	t := l.c.t
	t.Helper()
	paid := l.usage(l.Ann)
	total := atelier.Money(0)
	for _, p := range paid {
		total += p.Spent
	}
	renders, asked := paid["render"], paid["model"]
	if renders.Charges != steps {
		t.Errorf("%d pictures were charged, and %d were made", renders.Charges, steps)
	}
	if asked.Charges != rounds && !l.loose || asked.Spent != models {
		t.Errorf("%d rounds of models were charged with %s, and %d were answered for %s: %v", asked.Charges, asked.Spent, rounds, models, paid)
	}
	await(t, "no hold of Ann is left", func() error {
		b, err := l.balance(l.Ann)
		switch {
		case err != nil:
			return err
		case b.Spark.Held != 0:
			return fmt.Errorf("%s is held", b.Spark.Held)
		case b.Spark.Net != 1_000_000*atelier.MoneyUnit-total:
			return fmt.Errorf("the balance is %s, and %s was spent", b.Spark.Net, total)
		}
		return nil
	})
	if bob := l.usage(l.Bob)["model"]; bob.Charges < l.answered || bob.Charges > l.asked {
		t.Errorf("%d completions were charged, %d were asked for and %d came", bob.Charges, l.asked, l.answered)
	}
}

func (l *Load) balance(a Account) (b atelier.Balance, err error) {
	err = l.c.Client(l.c.URL, a).Call(l.c.t.Context(), http.MethodGet, "/v4/account/balance", nil, &b)
	return b, err
}

// checkDeliveries waits until each end was delivered, and checks that it was one delivery.
func (l *Load) checkDeliveries() {
	t := l.c.t
	t.Helper()
	for kind, list := range map[string]map[string]*started{"workflow": l.workflows, "run": l.runs} {
		for id, s := range list {
			if s.reader.ended == "" {
				continue // it is a fault already
			}
			about := kind + "." + strings.Replace(string(s.reader.ended), string(atelier.StatusPartialFailure), "completed", 1) + " " + id
			if err := awaitWithin(patience, func() error {
				if l.hooks.came(about) == 0 {
					return fmt.Errorf("the delivery of %s has not come", about)
				}
				return nil
			}); err != nil {
				t.Error(err)
				return
			}
			if n := l.hooks.came(about); n != 1 {
				t.Errorf("%s came as %d deliveries, want one", about, n)
			}
		}
	}
}
