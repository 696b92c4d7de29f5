package fleet_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// yard is an engine on real parts, with a clock that tests move.
type yard struct {
	t     testing.TB
	db    *store.DB
	blobs *blob.DiskServer
	bill  *billing.Engine
	e     *fleet.Engine
	die   func() // ends the node that was started last

	mu    sync.Mutex
	still time.Time // the clock stands there, but for what it is moved ahead
	ahead time.Duration
	log   []string // what the hooks heard
}

const (
	lease = 15 * time.Second
	model = "z_image_turbo_bf16"
	owner = "test"

	renderTimeout   = 30 * time.Minute
	noWorkerTimeout = 10 * time.Minute

	vendor  = "0xwil" // whose workers may leave receipts
	crowded = "0xeve" // who may have three workers
)

func newYard(t testing.TB, o store.Options) *yard {
	t.Helper()
	y := &yard{t: t, db: storetest.Open(t, o)}
	y.start(t.TempDir())
	return y
}

// start opens the rest on a database that is open.
func (y *yard) start(dir string) {
	y.t.Helper()
	disk, err := blob.OpenDisk(filepath.Join(dir, "media"))
	if err != nil {
		y.t.Fatal(err)
	}
	y.t.Cleanup(func() { disk.Close() })
	y.blobs = blob.NewDiskServer(disk, blob.DiskServerOptions{Secrets: []string{"a-secret-of-sixteen"}, URL: "http://x", Now: y.now})
	y.bill = billing.New(y.db, y.now, func(atelier.PlanTier) int { return 0 })
	y.e = y.node()
}

// node starts an engine on the database and the files of the yard: the yard's
// own, or one beside it that hears nothing of it but through them.
func (y *yard) node() *fleet.Engine {
	y.t.Helper()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	b, err := bus.Open(y.t.Context(), "", quiet)
	if err != nil {
		y.t.Fatal(err)
	}
	e := fleet.New(y.db, b, y.blobs, y.bill, fleet.Options{
		Lease: lease, RenderTimeout: renderTimeout, NoWorkerTimeout: noWorkerTimeout, DownloadTTL: time.Hour, Inspect: inspect, Now: y.now, Log: quiet,
		KeepsRefs: func(w atelier.Wallet, m string) bool { return w == vendor && m == model },
		Sessions: func(w atelier.Wallet) int {
			if w == crowded {
				return 3
			}
			return 0
		},
	})
	note := func(what string) func(*store.Tx, atelier.Job) error {
		return func(tx *store.Tx, j atelier.Job) error {
			tx.OnCommit(func() { y.note(fmt.Sprintf("%s %s %d", what, j.Owner.Part, j.Attempt)) })
			return nil
		}
	}
	e.RegisterHooks(owner, fleet.Hooks{
		Started: note("started"), Progressed: note("progressed"), Dropped: note("dropped"),
		Ended: func(tx *store.Tx, j atelier.Job, made []atelier.Artifact) error {
			return note(fmt.Sprintf("%s/%d", j.State, len(made)))(tx, j)
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { e.Run(ctx); close(done) }()
	y.die = sync.OnceFunc(func() { cancel(); <-done; b.Close() })
	y.t.Cleanup(y.die)
	return e
}

func (y *yard) now() time.Time {
	y.mu.Lock()
	defer y.mu.Unlock()
	now := time.Now()
	if !y.still.IsZero() {
		now = y.still
	}
	return now.Add(y.ahead).UTC().Truncate(time.Millisecond)
}

// freeze has the clock move only when it is moved, however long a test takes.
func (y *yard) freeze() *yard {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.still = time.Now()
	return y
}

func (y *yard) advance(d time.Duration) { y.mu.Lock(); defer y.mu.Unlock(); y.ahead += d }

func (y *yard) note(s string) { y.mu.Lock(); defer y.mu.Unlock(); y.log = append(y.log, s) }

func (y *yard) heard() string { y.mu.Lock(); defer y.mu.Unlock(); return strings.Join(y.log, ", ") }

func (y *yard) account(name string, spark atelier.Money) atelier.Wallet {
	y.t.Helper()
	w := atelier.Wallet("0x" + name)
	err := y.db.Write(context.Background(), func(tx *store.Tx) error {
		if err := tx.InsertAccount(atelier.Account{Wallet: w, Username: name, Worker: true, CreatedAt: y.now()}); err != nil {
			return err
		}
		return y.bill.BookCredits(tx, w, billing.Credits{Spark: spark})
	})
	if err != nil {
		y.t.Fatal(err)
	}
	return w
}

// submit queues a job that costs 10.
func (y *yard) submit(w atelier.Wallet, part string, change ...func(*fleet.Submission)) (j atelier.Job, err error) {
	s := fleet.Submission{
		Wallet: w, Owner: atelier.JobOwner{Kind: owner, ID: "o", Part: part}, Network: atelier.NetworkFast,
		Spec: atelier.JobSpec{Tool: "generate_image", ModelID: model, Arguments: map[string]any{"prompt": "x"},
			Artifacts: []atelier.JobArtifact{{ID: "a0", Kind: "image", ContentType: "image/png"}, {ID: "a1", Kind: "image", ContentType: "image/png"}}},
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Cost: atelier.Cost{Spark: 10, USD: 50},
	}
	for _, f := range change {
		f(&s)
	}
	err = y.db.Write(context.Background(), func(tx *store.Tx) error {
		j, err = y.e.Submit(tx, s)
		return err
	})
	return j, err
}

func (y *yard) mustSubmit(w atelier.Wallet, part string, change ...func(*fleet.Submission)) atelier.Job {
	y.t.Helper()
	j, err := y.submit(w, part, change...)
	if err != nil {
		y.t.Fatalf("submit %s: %v", part, err)
	}
	return j
}

// hand is a connected worker.
type hand struct {
	y  *yard
	w  atelier.Wallet
	id atelier.WorkerID
}

func (y *yard) connect(w atelier.Wallet, models ...string) hand {
	y.t.Helper()
	if len(models) == 0 {
		models = []string{model}
	}
	worker, err := y.e.Connect(context.Background(), w, fleet.NewWorker{Name: "hand", Network: atelier.NetworkFast, Models: models, Capacity: 1})
	if err != nil {
		y.t.Fatal(err)
	}
	return hand{y, w, worker.ID}
}

func (h hand) claim(wait time.Duration) *atelier.Job {
	h.y.t.Helper()
	j, err := h.y.e.ClaimJob(context.Background(), h.w, h.id, wait)
	if err != nil {
		h.y.t.Fatalf("claim: %v", err)
	}
	return j
}

func (h hand) must() *atelier.Job {
	h.y.t.Helper()
	j := h.claim(10 * time.Second)
	if j == nil {
		h.y.t.Fatal("no job came")
	}
	return j
}

// upload puts an artifact where the worker's form would.
func (h hand) upload(j *atelier.Job, ids ...string) {
	h.y.t.Helper()
	caller := atelier.Caller{Account: atelier.Account{Wallet: h.w, Worker: true}, Credential: atelier.CredentialAPIKey}
	for _, id := range ids {
		place, err := h.y.e.UploadPlace(context.Background(), caller, j.ProjectID, id, false)
		if err != nil {
			h.y.t.Fatal(err)
		}
		if _, err := h.y.blobs.Put(context.Background(), place.Key, strings.NewReader("bytes"), blob.PutOptions{ContentType: place.ContentType}); err != nil {
			h.y.t.Fatal(err)
		}
	}
}

func (h hand) complete(j *atelier.Job, ids ...string) error {
	var made []fleet.Made
	for _, id := range ids {
		made = append(made, fleet.Made{ID: id, Seed: 7})
	}
	return h.y.e.Complete(context.Background(), h.w, h.id, j.ID, made, fleet.Metrics{Render: 1.5})
}

func (h hand) progress(j *atelier.Job, p float64) (fleet.LeaseStatus, error) {
	return h.y.e.Progress(context.Background(), h.w, h.id, j.ID, fleet.ProgressReport{Progress: p, Message: "half"})
}

func (h hand) fail(j *atelier.Job, code string) error {
	return h.y.e.Fail(context.Background(), h.w, h.id, j.ID, atelier.JobError{Code: code, Message: "no"})
}

// order takes n jobs, one after the other, and says which came.
func (h hand) order(n int) string {
	h.y.t.Helper()
	var parts []string
	for range n {
		j := h.must()
		parts = append(parts, j.Owner.Part)
		if err := h.fail(j, atelier.FailError); err != nil {
			h.y.t.Fatal(err)
		}
	}
	return strings.Join(parts, " ")
}

func (y *yard) want(w atelier.Wallet, net, debit atelier.Money) {
	y.t.Helper()
	b, err := y.bill.Balance(context.Background(), w)
	if err != nil || b.Spark.Net != net || b.Spark.Debit != debit {
		y.t.Errorf("balance of %s: got net %d, debit %d, %v, want %d, %d", w, b.Spark.Net, b.Spark.Debit, err, net, debit)
	}
}

func (y *yard) audit() {
	y.t.Helper()
	if _, differences, err := y.bill.Audit(context.Background()); err != nil || len(differences) > 0 {
		y.t.Errorf("audit: %v %q", err, differences)
	}
}

func (y *yard) job(id atelier.JobID) (j store.StoredJob) {
	y.t.Helper()
	if err := y.db.Read(context.Background(), func(tx *store.Tx) (err error) { j, err = tx.Job(id); return err }); err != nil {
		y.t.Fatal(err)
	}
	return j
}
