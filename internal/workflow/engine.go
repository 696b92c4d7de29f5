package workflow

import (
	"context"
	"log/slog"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/filter"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/webhook"
)

// Engine runs workflows. It is safe for concurrent use.
type Engine struct {
	db      *store.DB
	blobs   blob.SignedStore
	billing *billing.Engine
	catalog *catalog.Catalog
	fleet   *fleet.Engine
	journal *journal.Journal
	opts    Options
	active  activeCount
	plans   planCache
}

// Options are the settings of an engine.
type Options struct {
	ActiveLimit int           // workflows queued or running, per account
	PausedLimit int           // workflows paused, per account; without limit when zero
	Capacity    int           // workflows queued or running, of all accounts together
	PreviewTTL  time.Duration // how long a cost preview can be confirmed
	DownloadTTL time.Duration
	Now         func() time.Time
	Log         *slog.Logger

	// Filter reads what callers write before it is rendered.
	Filter *filter.Filter

	// Web reads media from outside.
	Web *fetch.Client

	// Thumbnail is the link of the thumbnail that the library makes of an artifact. Nil where
	// there is no library.
	Thumbnail func(artifactID string, now time.Time) string

	// Templates compiles the templates that are started, with the saved uploads of Media,
	// which also counts what is fetched for an account.
	Templates *template.Engine
	Media     *media.Engine

	// Webhooks checks those that requests name. Shapes are the bodies of those that name a protocol.
	Webhooks *webhook.Engine
	Shapes   map[string]func(owner atelier.Wallet, w apitype.Workflow) any
}

// ownerKind marks the jobs of workflows.
const ownerKind = "workflow"

// New makes an engine, and registers its hooks with the fleet.
func New(db *store.DB, blobs blob.SignedStore, bill *billing.Engine, c *catalog.Catalog, f *fleet.Engine, j *journal.Journal, o Options) *Engine {
	e := &Engine{db: db, blobs: blobs, billing: bill, catalog: c, fleet: f, journal: j, opts: o}
	f.RegisterHooks(ownerKind, fleet.Hooks{Started: e.onStarted, Progressed: e.onProgressed, Dropped: e.onDropped, Ended: e.onEnded, Served: e.onServed, Previewed: e.onPreviewed})
	return e
}

// backbone is the versions of schema, catalog and routing.
func (e *Engine) backbone() apitype.Backbone {
	return apitype.Backbone{SchemaVersion: schemaVersion, ModelKnowledgeVersion: e.catalog.UpdatedAt(), RoutingPolicyVersion: routingVersion}
}

const (
	schemaVersion  = "2026-04-27.1"
	routingVersion = "1"
)

// idPrefix begins the id of every workflow. An ordered UUID follows.
const idPrefix = store.WorkflowPrefix

// How long an idempotency key is remembered: usually, and at least, when what it has started
// was deleted.
const (
	keyLife      = 30 * 24 * time.Hour
	shortKeyLife = 24 * time.Hour
)

// Sweep removes expired idempotency keys.
func (e *Engine) Sweep(ctx context.Context) (forgotten int64, err error) {
	var lost []store.IdempotencyRecord
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		lost, err = tx.KeysOfDeleted(e.opts.Now().Add(-shortKeyLife), 10_000)
		return err
	})
	if err != nil {
		return 0, err
	}
	err = e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		for _, d := range lost {
			if err := tx.DeleteIdempotencyKey(d); err != nil {
				return err
			}
		}
		forgotten, err = tx.ExpireIdempotencyKeys(e.opts.Now().Add(-keyLife), 10_000)
		forgotten += int64(len(lost))
		return err
	})
	return forgotten, err
}

// errNotFound is the error for a workflow that does not exist and for one of
// another account.
func errNotFound(id atelier.WorkflowID) error {
	return atelier.Missing("id", string(id), "workflow")
}
