package fleet

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/telemetry"
)

// Engine runs the queue. It is safe for concurrent use.
type Engine struct {
	db      *store.DB
	bus     *bus.Bus
	blobs   blob.SignedStore
	billing *billing.Engine
	opts    Options

	dispatchers map[atelier.Network]*dispatcher
	presence    *presence
	memory      jobCache
	outage      outage
	draining    atomic.Bool
	ends        telemetry.Counter
	hooks       map[string]Hooks // by the kind of a job's owner
}

// Options are what an engine needs besides its adapters.
type Options struct {
	Lease         time.Duration
	RenderTimeout time.Duration // how long a lease can be renewed in all; no limit when zero
	DownloadTTL   time.Duration
	UploadBytes   int64            // how large a result may be that a worker uploads with a form
	FormTTL       time.Duration    // how long such a form is valid
	Catalog       *catalog.Catalog // names the models of projects; may be nil

	// NoWorkerTimeout is how long a queued job may wait for a worker to connect
	// that offers its model; for ever when zero.
	NoWorkerTimeout time.Duration

	// Sessions is how many workers of an account may be connected at once; zero
	// is any number, as is a nil function.
	Sessions func(atelier.Wallet) int

	// KeepsRefs reports whether the workers of an account may record an ExternalRef
	// for jobs of a model, because they send them to a vendor that is paid for
	// them. No worker may when it is nil.
	KeepsRefs func(w atelier.Wallet, modelID string) bool

	Inspect blob.Inspect // looks at what workers send with a completion; may be nil
	Now     func() time.Time
	Log     *slog.Logger
	Metrics *telemetry.Metrics // may be nil
}

// Hooks tell whoever submitted a job of its fate. They run inside the
// transaction that decides it and must do nothing but talk to it.
type Hooks struct {
	Started    func(*store.Tx, atelier.Job) error
	Progressed func(*store.Tx, atelier.Job) error
	Dropped    func(*store.Tx, atelier.Job) error                     // it will be tried again
	Ended      func(*store.Tx, atelier.Job, []atelier.Artifact) error // completed, failed or cancelled

	// Served tells that the model of a queued job is not offered by any connected
	// worker any more, or is again: UnservedSince says which.
	Served func(*store.Tx, atelier.Job) error
}

// New makes an engine. Run must be running for claims to wait and leases to
// end.
func New(db *store.DB, b *bus.Bus, blobs blob.SignedStore, bill *billing.Engine, o Options) *Engine {
	e := &Engine{db: db, bus: b, blobs: blobs, billing: bill, opts: o,
		dispatchers: map[atelier.Network]*dispatcher{}, hooks: map[string]Hooks{}}
	for _, n := range []atelier.Network{atelier.NetworkFast, atelier.NetworkRelaxed, atelier.NetworkNode} {
		e.dispatchers[n] = newDispatcher(e, n)
	}
	e.presence = newPresence(e)
	e.outage.until = o.Now().Add(o.Lease) // whoever held a job while this node was away has time to report
	e.ends = o.Metrics.Counter("jobs_ended_total", "Jobs that ended.", "state")
	o.Metrics.GaugeFunc("workers", "Workers that this node has heard of of late.", func() float64 { return float64(e.presence.count()) })
	o.Metrics.GaugeFunc("claims_waiting", "Claims that wait for a job on this node.", func() float64 {
		return float64(e.Waiting(atelier.NetworkFast) + e.Waiting(atelier.NetworkRelaxed))
	})
	return e
}

// RegisterHooks has the owners of a kind told of their jobs. It is called while the
// service is put together, before Run.
func (e *Engine) RegisterHooks(ownerKind string, h Hooks) { e.hooks[ownerKind] = h }

// Drain answers the claims that wait, and has later ones go elsewhere: the
// node is shutting down.
func (e *Engine) Drain() {
	e.draining.Store(true)
	for _, d := range e.dispatchers {
		d.close()
	}
}

// Run does the engine's chores until ctx ends.
func (e *Engine) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, d := range e.dispatchers {
		wg.Go(func() { d.run(ctx) })
	}
	wg.Go(func() { e.reap(ctx) })
	wg.Go(func() { e.presence.run(ctx) })
	wg.Go(func() { e.watchOffers(ctx) })
	wg.Wait()
}

// queueTopic is nudged when a job may be claimed in a network.
func queueTopic(n atelier.Network) string { return "jobs/" + string(n) }

// offersTopic is nudged when a worker has connected, left, or begun or ended to
// drain.
const offersTopic = "offers"

// leaseTopic is nudged when a lease begins.
const leaseTopic = "leases"
