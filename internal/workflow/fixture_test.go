package workflow_test

import (
	"context"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// fixture is a workflow engine with an account and a worker.
type fixture struct {
	*enginetest.Env
	e      *workflow.Engine
	worker enginetest.Worker
}

// options are what a fixture does differently.
type options struct {
	enginetest.Options
	workflow []func(*workflow.Options)
}

// full reports every object to exist: nothing has to be uploaded.
func full(o *options) { o.Full = true }

// withOptions changes the options of the engine.
func withOptions(set func(*workflow.Options)) func(*options) {
	return func(o *options) { o.workflow = append(o.workflow, set) }
}

const (
	ann  = atelier.Wallet("0xann")
	wil  = atelier.Wallet("0xwil") // owns the worker
	fast = atelier.NetworkFast
)

func newFixture(t testing.TB, o store.Options, set ...func(*options)) *fixture {
	t.Helper()
	f := newFixtureOn(t, storetest.Open(t, o), set...)
	f.addAccounts()
	f.connect()
	return f
}

// newFixtureOn starts the engines on a database that is open.
func newFixtureOn(t testing.TB, db *store.DB, set ...func(*options)) *fixture {
	t.Helper()
	var o options
	f := &fixture{Env: enginetest.NewOn(t, db, func(e *enginetest.Options) {
		o.Options = *e
		for _, change := range set {
			change(&o)
		}
		*e = o.Options
	})}
	f.e = f.NewWorkflows(o.workflow...)
	f.RunFleet(f.Fleet)
	return f
}

func (f *fixture) addAccounts() {
	f.T.Helper()
	f.AddAccount(atelier.Account{Wallet: ann}, rich)
	f.AddAccount(atelier.Account{Wallet: wil, Worker: true}, billing.Credits{})
}

func (f *fixture) connect() {
	f.T.Helper()
	f.worker = f.Connect(wil, apitype.WorkerSpec{Models: enginetest.AllModels(), Capacity: 64})
}

// image is a step that makes pictures.
func image(id, prompt string, more ...any) atelier.StepInput {
	args := map[string]any{"prompt": prompt}
	for i := 0; i+1 < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	return atelier.StepInput{ID: id, ToolName: "generate_image", Arguments: args}
}

// upscale is a step that reads a picture of another.
func upscale(id, from string, required bool) atelier.StepInput {
	return atelier.StepInput{ID: id, ToolName: "upscale_image", Arguments: map[string]any{}, DependsOn: []atelier.Binding{
		{SourceStepID: from, TargetArgument: "sourceImageIndex", Transform: "image_index", Required: required}}}
}

var rich = billing.Credits{Spark: 1000 * atelier.MoneyUnit}

var payAuto = atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}

func plan(steps ...atelier.StepInput) workflow.StartRequest {
	return workflow.StartRequest{Title: "test", Steps: steps, Terms: payAuto, Filter: true}
}

func (f *fixture) owner() (a atelier.Account) {
	f.T.Helper()
	f.Read(func(tx *store.Tx) (err error) { a, err = tx.Account(ann); return err })
	return a
}

func (f *fixture) try(q workflow.StartRequest) (workflow.Started, error) {
	return f.e.Start(context.Background(), f.owner(), q)
}

func (f *fixture) begin(q workflow.StartRequest) apitype.Workflow {
	f.T.Helper()
	s, err := f.try(q)
	if err != nil {
		f.T.Fatalf("start: %v", err)
	}
	return s.Workflow
}

func (f *fixture) get(id string) apitype.Workflow {
	f.T.Helper()
	w, err := f.e.Workflow(context.Background(), ann, atelier.WorkflowID(id))
	if err != nil {
		f.T.Fatalf("get %s: %v", id, err)
	}
	return w
}

// queued is how many jobs there are to claim.
func (f *fixture) queued() (n int64) {
	f.T.Helper()
	f.Read(func(tx *store.Tx) error {
		counts, err := tx.CountJobs()
		for _, c := range counts {
			n += int64(c.Waiting)
		}
		return err
	})
	return n
}

// claim takes the next job, or none when none is queued.
func (f *fixture) claim() *atelier.Job { f.T.Helper(); return f.worker.Claim(0) }

// must claims the next job, which must be of a step.
func (f *fixture) must(part string) *atelier.Job {
	f.T.Helper()
	j := f.worker.MustClaim()
	if j.Owner.Part != part {
		f.T.Fatalf("claimed a job of %s, want one of %s", j.Owner.Part, part)
	}
	return j
}

// complete uploads as many results as asked for and completes the job; all when
// no number is given.
func (f *fixture) complete(j *atelier.Job, count ...int) error {
	n := len(j.Spec.Artifacts)
	if len(count) > 0 {
		n = count[0]
	}
	return f.worker.Deliver(j, j.Spec.Artifacts[:n], nil)
}

// completeWith completes a job whose results all come with metadata.
func (f *fixture) completeWith(j *atelier.Job, metadata map[string]any) error {
	return f.worker.Deliver(j, j.Spec.Artifacts, metadata)
}

// done does the next job, which must be of a step.
func (f *fixture) done(part string) {
	f.T.Helper()
	if err := f.complete(f.must(part)); err != nil {
		f.T.Fatalf("complete %s: %v", part, err)
	}
}

// finish does every job until none is left.
func (f *fixture) finish() {
	f.T.Helper()
	for j := f.claim(); j != nil; j = f.claim() {
		if err := f.complete(j); err != nil {
			f.T.Fatalf("complete: %v", err)
		}
	}
}
