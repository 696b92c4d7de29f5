package run

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/webhook"
	"github.com/atelier-project/atelier/internal/workflow"
)

// Engine keeps and executes chat runs. It is safe for concurrent use.
type Engine struct {
	db        *store.DB
	bus       *bus.Bus
	blobs     blob.SignedStore
	billing   *billing.Engine
	catalog   *catalog.Catalog
	workflows *workflow.Engine
	chats     *chat.Engine
	journal   *journal.Journal
	opts      Options
	node      string                           // names this process in the rows of its runs
	places    *admission.Places[atelier.RunID] // of the runs that it works on, or is about to
	drafts    *drafts

	mu      sync.Mutex
	serving context.Context // of Serve; nil before it and while it drains
	running map[atelier.RunID]*execution
	ended   sync.WaitGroup // the executions
}

// Options are what an engine needs besides its neighbours.
type Options struct {
	Lease       time.Duration // of a node
	PreviewTTL  time.Duration // how long a cost can be approved
	DownloadTTL time.Duration // of signed URLs
	IsAlone     bool          // no other node has readers of its runs
	Now         func() time.Time
	Log         *slog.Logger
	Media       *media.Engine // reads the pictures that models are shown
	Webhooks    *webhook.Engine

	// Shapes are the bodies of the webhooks of requests that name a protocol, made of a run and its note.
	Shapes map[string]func(r apitype.Run, note []byte) any
}

// DefaultLease is how long the runs of a node that has died stay where they are.
const DefaultLease = 10 * time.Second

// maxOpen bounds the runs of one account, on all nodes, that are not over.
const maxOpen = 1000

// New makes an engine.
func New(db *store.DB, b *bus.Bus, blobs blob.SignedStore, money *billing.Engine, c *catalog.Catalog, w *workflow.Engine, chats *chat.Engine, j *journal.Journal, o Options) *Engine {
	if o.Lease <= 0 {
		o.Lease = DefaultLease
	}
	return &Engine{
		db: db, bus: b, blobs: blobs, billing: money, catalog: c, workflows: w, chats: chats, journal: j, opts: o,
		node: "node_" + mint.UUID(), places: admission.NewPlaces[atelier.RunID](nodeBounds), running: map[atelier.RunID]*execution{}, drafts: &drafts{byRun: map[atelier.RunID]*draft{}},
	}
}

// now is the time as rows store it.
func (e *Engine) now() time.Time { return e.opts.Now().UTC().Truncate(time.Millisecond) }

// The topics of the bus.
const (
	queuedTopic    = "runs/queued"    // a run can be taken
	cancelledTopic = "runs/cancelled" // a run was ended by another node
)

func errNotFound(id atelier.RunID) error { return atelier.Missing("id", string(id), "chat run") }

// orNotFound makes the error of a missing row into one for the caller.
func orNotFound(id atelier.RunID, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return errNotFound(id)
	}
	return err
}
