package workflow

import (
	"context"
	"log/slog"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/store"
)

// Engine runs workflows. It is safe for concurrent use.
type Engine struct {
	db      *store.DB
	blobs   blob.Gate
	billing *billing.Engine
	catalog *catalog.Catalog
	fleet   *fleet.Engine
	journal *journal.Journal
	o       Options
	crowd   crowd
	shelf   shelf
}

// Options are what an engine needs besides its neighbours.
type Options struct {
	ActiveLimit int           // workflows queued or running, per account
	PausedLimit int           // workflows paused, per account; any number when zero
	Capacity    int           // of all accounts together
	PreviewTTL  time.Duration // how long a cost preview can be confirmed
	DownloadTTL time.Duration
	Now         func() time.Time
	Log         *slog.Logger

	// Review is the content filter: it names what is wrong with texts, nothing
	// when they are fine.
	Review func(ctx context.Context, texts ...string) ([]string, error)

	// Web reads media from outside.
	Web *fetch.Client

	// CountFetched counts bytes that were fetched for an account, and refuses what
	// is more than it may bring. May be nil.
	CountFetched func(ctx context.Context, w atelier.Wallet, size int64) error
}

// ownerKind marks the jobs of workflows.
const ownerKind = "workflow"

// New makes an engine, and has the fleet tell it what becomes of its jobs.
func New(db *store.DB, blobs blob.Gate, bill *billing.Engine, c *catalog.Catalog, f *fleet.Engine, j *journal.Journal, o Options) *Engine {
	e := &Engine{db: db, blobs: blobs, billing: bill, catalog: c, fleet: f, journal: j, o: o}
	f.Tell(ownerKind, fleet.Hooks{Started: e.started, Progressed: e.progressed, Dropped: e.dropped, Ended: e.ended})
	return e
}

// backbone is what the records say of the knowledge they were made with.
func (e *Engine) backbone() atelier.Backbone {
	return atelier.Backbone{SchemaVersion: schemaVersion, ModelKnowledgeVersion: e.catalog.UpdatedAt(), RoutingPolicyVersion: routingVersion}
}

const (
	schemaVersion  = "2026-04-27.1"
	routingVersion = "1"
)

// keyLife is how long an idempotency key is remembered.
const keyLife = 30 * 24 * time.Hour

// Sweep forgets what idempotency keys did long ago.
func (e *Engine) Sweep(ctx context.Context) (forgotten int64, err error) {
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		forgotten, err = tx.ForgetDeeds(e.o.Now().Add(-keyLife), 10_000)
		return err
	})
	return forgotten, err
}

// errNotFound is what a stranger and the owner of nothing are told alike.
func errNotFound() error {
	return atelier.Errorf(atelier.CodeNotFound, "There is no such workflow.")
}
