package fleet_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

const (
	lease = 15 * time.Second
	model = "z_image_turbo_bf16"
	other = "chroma1-hd_fp8_scaled" // a model that few workers offer
	owner = "test"

	renderTimeout   = 30 * time.Minute
	noWorkerTimeout = 10 * time.Minute
	fallbackAfter   = 8 * time.Minute

	vendor  = "0xwil" // the account whose workers may record an ExternalRef
	limited = "0xeve" // an account that may have three workers
)

// fixture is a running fleet engine that logs the calls of its hooks.
type fixture struct {
	*enginetest.Env
	stopNode func() // stops the node that was started last

	mu  sync.Mutex
	log []string // calls of the hooks
}

func newFixture(t testing.TB, o store.Options) *fixture {
	t.Helper()
	return newFixtureOn(t, storetest.Open(t, o), t.TempDir())
}

// newFrozenFixture is a fixture whose clock only the test moves.
func newFrozenFixture(t testing.TB, o store.Options) *fixture {
	t.Helper()
	f := newFixture(t, o)
	f.Freeze()
	return f
}

func newFixtureOn(t testing.TB, db *store.DB, dir string) *fixture {
	t.Helper()
	f := &fixture{Env: enginetest.NewOn(t, db, func(o *enginetest.Options) {
		o.Dir = dir
		o.Fleet = fleet.Options{
			Lease: lease, RenderTimeout: renderTimeout, NoWorkerTimeout: noWorkerTimeout, FallbackAfter: fallbackAfter, DownloadTTL: time.Hour, Inspect: inspect,
			KeepsRefs: func(w atelier.Wallet, m string) bool { return w == vendor && m == model },
			Sessions: func(w atelier.Wallet) int {
				if w == limited {
					return 3
				}
				return 0
			},
		}
	})}
	f.run(f.Fleet)
	return f
}

// startNode starts another fleet engine on the database and the files.
func (f *fixture) startNode() *fleet.Engine {
	f.T.Helper()
	e, _ := f.NewFleet()
	f.run(e)
	return e
}

func (f *fixture) run(e *fleet.Engine) {
	logged := func(what string) func(*store.Tx, atelier.Job) error {
		return func(tx *store.Tx, j atelier.Job) error {
			tx.OnCommit(func() { f.logHook(fmt.Sprintf("%s %s %d", what, j.Owner.Part, j.Attempt)) })
			return nil
		}
	}
	e.RegisterHooks(owner, fleet.Hooks{
		Started: logged("started"), Progressed: logged("progressed"), Dropped: logged("dropped"),
		Ended: func(tx *store.Tx, j atelier.Job, artifacts []atelier.Artifact) error {
			return logged(fmt.Sprintf("%s/%d", j.State, len(artifacts)))(tx, j)
		},
	})
	f.stopNode = f.RunFleet(e)
}

// inspect refuses a file whose content is "bad".
func inspect(_ string, file io.ReadSeeker, _ int64) error {
	text, err := io.ReadAll(file)
	if err == nil && string(text) == "bad" {
		err = atelier.Refuse("file", "is bad.")
	}
	return err
}

func (f *fixture) logHook(s string) { f.mu.Lock(); defer f.mu.Unlock(); f.log = append(f.log, s) }

func (f *fixture) hookLog() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.log, ", ")
}

func (f *fixture) hookCalls() int { f.mu.Lock(); defer f.mu.Unlock(); return len(f.log) }

func (f *fixture) account(name string, spark atelier.Money) atelier.Wallet {
	f.T.Helper()
	return f.AddAccount(atelier.Account{Wallet: atelier.Wallet("0x" + name), Worker: true}, billing.Credits{Spark: spark}).Wallet
}

// submit queues a job that costs 10.
func (f *fixture) submit(w atelier.Wallet, part string, change ...func(*fleet.Submission)) (j atelier.Job, err error) {
	err = f.DB.Write(context.Background(), func(tx *store.Tx) error {
		j, err = f.submitIn(tx, w, part, change...)
		return err
	})
	return j, err
}

// submitIn is submit in a transaction.
func (f *fixture) submitIn(tx *store.Tx, w atelier.Wallet, part string, change ...func(*fleet.Submission)) (atelier.Job, error) {
	s := fleet.Submission{
		Wallet: w, Owner: atelier.JobOwner{Kind: owner, ID: "o", Part: part}, Network: atelier.NetworkFast,
		Spec: atelier.JobSpec{Tool: "generate_image", ModelID: model, Arguments: map[string]any{"prompt": "x"},
			Artifacts: []atelier.JobArtifact{{ID: "a0", Kind: "image", ContentType: "image/png"}, {ID: "a1", Kind: "image", ContentType: "image/png"}}},
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Cost: atelier.Cost{Spark: 10, USD: 50, Render: true},
	}
	for _, set := range change {
		set(&s)
	}
	return f.Fleet.Submit(tx, s)
}

func (f *fixture) mustSubmit(w atelier.Wallet, part string, change ...func(*fleet.Submission)) atelier.Job {
	f.T.Helper()
	j, err := f.submit(w, part, change...)
	if err != nil {
		f.T.Fatalf("submit %s: %v", part, err)
	}
	return j
}

func ofModel(id string) func(*fleet.Submission) {
	return func(s *fleet.Submission) { s.Spec.ModelID = id }
}

// cancel cancels a job, and reports whether it is still in flight.
func (f *fixture) cancel(jobID atelier.JobID) (inFlight bool) {
	f.T.Helper()
	f.Write(func(tx *store.Tx) (err error) { inFlight, err = f.Fleet.Cancel(tx, jobID); return err })
	return inFlight
}

func (f *fixture) expire() {
	f.T.Helper()
	if err := f.Fleet.Expire(context.Background()); err != nil {
		f.T.Fatal(err)
	}
}

func (f *fixture) checkOffers() {
	f.T.Helper()
	if _, err := f.Fleet.CheckOffers(context.Background()); err != nil {
		f.T.Fatal(err)
	}
}

func (f *fixture) job(id atelier.JobID) (j store.StoredJob) {
	f.T.Helper()
	f.Read(func(tx *store.Tx) (err error) { j, err = tx.Job(id); return err })
	return j
}

func (f *fixture) wantBalance(w atelier.Wallet, net, debit atelier.Money) {
	f.T.Helper()
	if b := f.Balance(w).Spark; b.Net != net || b.Debit != debit {
		f.T.Errorf("balance of %s: got net %d, debit %d, want %d, %d", w, b.Net, b.Debit, net, debit)
	}
}
