package run_test

import (
	"context"
	"errors"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/run"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// outage is a model during whose first answer the database goes away.
type outage struct {
	script
	failed bool
}

func (o *outage) Complete(ctx context.Context, q llm.Request, emit func(llm.Delta) error) error {
	if !o.failed {
		o.failed = true
		return &atelier.UnavailableError{Part: atelier.PartDatabase, Err: errors.New("connection refused")}
	}
	return o.script.Complete(ctx, q, emit)
}

// A run whose work an outage of the database interrupts continues after it.
func TestOutageDoesNotEndARun(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.Open(t, storetest.SQLite(t)))
	f.completer = &outage{script: script{says: []llm.Delta{text("Hello.")}}}
	f.e = f.engine(f.Bus)
	f.addAccounts()
	f.start()
	if r := f.until(f.begin(ask("Hello?")), over...); r.Status != atelier.StatusCompleted {
		t.Errorf("the run is %s: %s", r.Status, r.FailureReason)
	}
}

// A node that could not renew its lease, and then can again, takes up the runs that it
// had.
func TestLeaseLostAndFoundAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, storetest.Open(t, o), text("Hello."))
		f.model.wait, f.model.began = make(chan struct{}), make(chan struct{}, 2)
		f.addAccounts()
		f.start()
		id := f.begin(ask("Hello?"))
		<-f.model.began
		f.e.LoseRuns()
		close(f.model.wait)
		f.Advance(run.DefaultLease)
		f.e.Look()
		r := f.until(id, over...)
		if r.Status != atelier.StatusCompleted {
			t.Errorf("the run is %s: %s", r.Status, r.FailureReason)
		}
		f.checkLog(r)
		f.checkMoney(r)
	})
}
