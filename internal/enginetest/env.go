package enginetest

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/workflow"
)

// Env is the engines that others are built on, and what they stand on.
type Env struct {
	*Clock  // moves when it is read, and when a test moves it; that of a benchmark runs
	T       testing.TB
	DB      *store.DB
	Bus     *bus.Bus
	Disk    *blob.Disk
	Blobs   *blob.DiskServer
	Billing *billing.Engine
	Fleet   *fleet.Engine

	// ClaimWaits fires when a claim of any fleet engine begins to wait.
	ClaimWaits Signal

	opts Options
}

// Options are what an environment does differently.
type Options struct {
	Dir        string        // of the files; a temporary directory when empty
	StorageURL string        // where clients reach the files
	Full       bool          // every object is reported to exist, with Findings as its content
	Linked     bool          // nudges travel by way of PostgreSQL
	Fleet      fleet.Options // Now, Log and ClaimWaits are set
	Media      media.Limits
}

// Log discards what it is given.
var Log = slog.New(slog.NewTextHandler(io.Discard, nil))

// Catalog is the catalog of the program, loaded once.
var Catalog = sync.OnceValue(func() *catalog.Catalog {
	c, err := catalog.Load("")
	if err != nil {
		panic(err)
	}
	return c
})

// New makes an environment on a new database.
func New(t testing.TB, o store.Options, set ...func(*Options)) *Env {
	t.Helper()
	return NewOn(t, storetest.Open(t, o), set...)
}

// NewOn makes an environment on an open database. The fleet does not run yet:
// engines above it register their hooks first.
func NewOn(t testing.TB, db *store.DB, set ...func(*Options)) *Env {
	t.Helper()
	env := &Env{Clock: &Clock{}, T: t, DB: db, opts: Options{
		StorageURL: "http://storage.example/storage",
		Fleet:      fleet.Options{Lease: 15 * time.Second, DownloadTTL: time.Hour},
		Media:      media.Limits{UploadBytesADay: 1 << 30, DownloadTTL: time.Hour},
	}}
	if _, measured := t.(*testing.B); !measured {
		env.StepFrom(Start())
	}
	for _, f := range set {
		f(&env.opts)
	}
	if env.opts.Dir == "" {
		env.opts.Dir = t.TempDir()
	}
	env.opts.Fleet.Now, env.opts.Fleet.Log, env.opts.Fleet.ClaimWaits = env.Now, Log, env.ClaimWaits.Fire
	disk, err := blob.OpenDisk(filepath.Join(env.opts.Dir, "media"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { disk.Close() })
	env.Disk = disk
	env.Blobs = blob.NewDiskServer(disk, blob.DiskServerOptions{Secrets: []string{"a-secret-of-sixteen"}, URL: env.opts.StorageURL, Now: env.Now})
	env.Billing = billing.New(db, env.Now, func(atelier.PlanTier) int { return 0 })
	env.Fleet, env.Bus = env.NewFleet()
	return env
}

// NewFleet makes a fleet engine with its own bus, as on a node that learns
// of others only through the database and the files.
func (env *Env) NewFleet(change ...func(*fleet.Options)) (*fleet.Engine, *bus.Bus) {
	env.T.Helper()
	var o bus.Options
	if env.opts.Linked {
		o.Channel = env.DB.Channel("nudges")
	}
	b, err := bus.Open(env.T.Context(), o)
	if err != nil {
		env.T.Fatal(err)
	}
	env.T.Cleanup(b.Close)
	opts := env.opts.Fleet
	for _, set := range change {
		set(&opts)
	}
	return fleet.New(env.DB, b, env.Store(), env.Billing, opts), b
}

// RunFleet has a fleet engine lease jobs until stop is called or the test ends. What goes by
// time does not run beside the test: a worker would count as silent whenever a test moves the
// clock and something happens to run before the worker reports. Tests call Expire, RecordPresence
// and CheckOffers instead. A benchmark, whose clock runs, runs all of it.
func (env *Env) RunFleet(e *fleet.Engine) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	run := e.Dispatch
	if _, measured := env.T.(*testing.B); measured {
		run = e.Run
	}
	var wg sync.WaitGroup
	wg.Go(func() { run(ctx) })
	stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	env.T.Cleanup(stop)
	return stop
}

// NewWorkflows makes a workflow engine on the fleet, before the fleet runs.
func (env *Env) NewWorkflows(set ...func(*workflow.Options)) *workflow.Engine {
	o := workflow.Options{
		ActiveLimit: 10, PreviewTTL: 5 * time.Minute, DownloadTTL: time.Hour, Now: env.Now, Log: Log, Filter: NewFilter(env.T, FlagNaughty),
		Web:       fetch.New(fetch.Options{AllowPrivate: true}),
		Templates: template.New(env.DB, Catalog(), template.Options{Now: env.Now}),
		Media:     media.New(env.DB, env.Store(), media.Options{Now: env.Now, Limits: env.opts.Media}),
	}
	for _, f := range set {
		f(&o)
	}
	return workflow.New(env.DB, env.Store(), env.Billing, Catalog(), env.Fleet, journal.New(env.DB, env.Bus), o)
}

// AddAccount opens an account whose username is its wallet without 0x.
func (env *Env) AddAccount(a atelier.Account, c billing.Credits) atelier.Account {
	env.T.Helper()
	a.Username, a.CreatedAt = string(a.Wallet[2:]), env.Now()
	env.Write(func(tx *store.Tx) error {
		if err := tx.InsertAccount(a); err != nil {
			return err
		}
		return env.Billing.BookCredits(tx, a.Wallet, mint.UUID(), c)
	})
	return a
}

// Write changes the database, which must succeed.
func (env *Env) Write(change func(*store.Tx) error) {
	env.T.Helper()
	if err := env.DB.Write(context.Background(), change); err != nil {
		env.T.Fatal(err)
	}
}

// Read reads from the database, which must succeed.
func (env *Env) Read(look func(*store.Tx) error) {
	env.T.Helper()
	if err := env.DB.Read(context.Background(), look); err != nil {
		env.T.Fatal(err)
	}
}

// Balance is what an account has.
func (env *Env) Balance(w atelier.Wallet) atelier.Balance {
	env.T.Helper()
	b, err := env.Billing.Balance(context.Background(), w)
	if err != nil {
		env.T.Fatal(err)
	}
	return b
}

// Audit checks that the accounts agree with the ledger.
func (env *Env) Audit() {
	env.T.Helper()
	if _, differences, err := env.Billing.Audit(context.Background()); err != nil || len(differences) > 0 {
		env.T.Errorf("audit: %v %q", err, differences)
	}
}
