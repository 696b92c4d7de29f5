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
	cache       jobCache
	outage      outage
	losses      losses
	network     networkCache
	queue       queueCache
	draining    atomic.Bool
	ends        telemetry.Counter
	switches    telemetry.Counter
	expired     telemetry.Counter
	lapses      telemetry.Counter
	waits       telemetry.Histogram
	renders     telemetry.Histogram
	switchTimes telemetry.Histogram
	renderTimes renderTimes
	tally       tally
	fresh       fresh
	hooks       map[string]Hooks // by the kind of a job's owner
	completed   func(*store.Tx, atelier.Worker, store.StoredJob) error
}

// Options are what an engine needs besides its adapters.
type Options struct {
	Lease         time.Duration
	RenderTimeout time.Duration // how long a lease can be renewed in all; no limit when zero
	DownloadTTL   time.Duration
	UploadBytes   int64            // how large a result may be that a worker uploads with a form
	FormTTL       time.Duration    // how long such a form is valid
	Catalog       *catalog.Catalog // names the models of projects; may be nil

	// NoWorkerTimeout is how long a queued job may wait until a worker connects that
	// offers its model; without limit when zero. As long are the jobs of a model left to workers
	// that are no fallbacks when the last of them is lost; usualReserve when it is zero.
	NoWorkerTimeout time.Duration

	// FallbackAfter is how long a queued job of a model that workers serve may wait, while
	// they complete nothing, until fallback workers may take it too; they never may when
	// zero.
	FallbackAfter time.Duration

	// NoFallback gives fallback workers only jobs of tools that need no model.
	NoFallback bool

	// Sessions is how many workers of an account may be connected at once. Zero, and a
	// nil function, allow any number.
	Sessions func(atelier.Wallet) int

	// NFTs is how many NFTs an account has at most by naming them when its workers connect;
	// any number when zero. Operators may give it more.
	NFTs int

	// Service is the account whose workers the service runs itself; none when empty.
	Service atelier.Wallet

	// EmbedSettings tells workers to write into their files what they were made with.
	EmbedSettings bool

	// KeepsRefs reports whether the workers of an account may record an ExternalRef
	// for jobs of a model, because they send them to a vendor that is paid for
	// them. No worker may when it is nil.
	KeepsRefs func(w atelier.Wallet, modelID string) bool

	Node    string       // the name of this process among workers
	Version string       // of this process
	Inspect blob.Inspect // inspects what workers send with a completion; may be nil
	Now     func() time.Time
	Log     *slog.Logger
	Metrics *telemetry.Metrics // may be nil

	ClaimWaits func() // a signal for tests: a claim has begun to wait; nil in the program
}

// Hooks report the progress and the outcome of jobs to their owner. They run inside
// the transaction of the change and must use nothing but that transaction.
type Hooks struct {
	Started    func(*store.Tx, atelier.Job) error
	Progressed func(*store.Tx, atelier.Job) error
	Dropped    func(*store.Tx, atelier.Job) error                     // the job will be tried again
	Ended      func(*store.Tx, atelier.Job, []atelier.Artifact) error // completed, failed or cancelled

	// Served reports that no connected worker offers the model of a queued job any
	// more, or that one does again: UnservedSince says which.
	Served func(*store.Tx, atelier.Job) error

	// Previewed reports that the worker uploads previews of a job, and where.
	Previewed func(*store.Tx, atelier.Job, Location) error
}

// New makes an engine. Claims wait, and leases expire, only while Run is running.
func New(db *store.DB, b *bus.Bus, blobs blob.SignedStore, bill *billing.Engine, o Options) *Engine {
	e := &Engine{db: db, bus: b, blobs: blobs, billing: bill, opts: o,
		dispatchers: map[atelier.Network]*dispatcher{}, hooks: map[string]Hooks{}}
	for _, n := range []atelier.Network{atelier.NetworkFast, atelier.NetworkRelaxed, atelier.NetworkNode} {
		e.dispatchers[n] = newDispatcher(e, n)
	}
	e.presence = newPresence(e)
	e.outage.until = o.Now().Add(o.Lease) // workers that held a job while this node was down have time to report
	e.ends = o.Metrics.Counter("jobs_ended_total", "Jobs that ended.", "state")
	e.switches = o.Metrics.Counter("model_switches_total", "Jobs for which a worker had to load another model than those it had loaded.")
	e.expired = o.Metrics.Counter("leases_expired_total", "Leases that ended because a worker had stopped reporting.")
	e.waits = o.Metrics.Histogram("job_wait_seconds", "How long jobs waited for their first worker.", jobSeconds, "network", "model")
	e.renders = o.Metrics.Histogram("render_seconds", "How long renders took that completed, as their workers report.", jobSeconds, "network", "model")
	e.switchTimes = o.Metrics.Histogram("model_switch_seconds", "How long workers took to load another model for a render, as they report.", jobSeconds, "model")
	o.Metrics.Gauges("queue_depth", "Queued jobs of all nodes, by model.", []string{"network", "model"}, e.queueDepths)
	o.Metrics.GaugeFunc("workers", "Workers that reported to this node recently, without those inside the nodes that do their own tasks.", func() float64 { return float64(e.presence.count()) })
	e.lapses = o.Metrics.Counter("worker_lapses_total", "Jobs that a worker failed at and another completed.")
	o.Metrics.GaugeFunc("workers_low_standing", "Workers that reported to this node recently whose standing is low: others are preferred to them.", func() float64 { return float64(e.presence.countLow()) })
	e.observeMachines()
	o.Metrics.GaugeFunc("claims_waiting", "Claims waiting for a job on this node.", func() float64 {
		return float64(e.Waiting(atelier.NetworkFast) + e.Waiting(atelier.NetworkRelaxed))
	})
	o.Metrics.GaugeFunc("jobs_waiting", "Queued jobs of all nodes that a worker could take.", func() float64 {
		waiting, _ := e.countQueue()
		return float64(waiting)
	})
	o.Metrics.GaugeFunc("jobs_running", "Jobs of all nodes that workers hold.", func() float64 {
		_, running := e.countQueue()
		return float64(running)
	})
	return e
}

// jobSeconds are the buckets of what jobs take: from a picture of a warm model to a long clip.
var jobSeconds = []float64{.1, .25, .5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1280}

// RegisterHooks sets the hooks for jobs of a kind of owner. It must be called before
// Run.
func (e *Engine) RegisterHooks(ownerKind string, h Hooks) { e.hooks[ownerKind] = h }

// OnCompleted sets what else is done in the transaction that settles a completed job, with
// its worker. It must be called before Run.
func (e *Engine) OnCompleted(do func(*store.Tx, atelier.Worker, store.StoredJob) error) {
	e.completed = do
}

// Drain ends the claims that wait, and refuses later ones: the node is shutting
// down.
func (e *Engine) Drain() {
	e.draining.Store(true)
	for _, d := range e.dispatchers {
		d.close()
	}
}

// Run runs the background tasks of the engine until ctx ends: Dispatch, and those that go by time.
func (e *Engine) Run(ctx context.Context) {
	if err := e.adoptOffers(ctx); err != nil && ctx.Err() == nil {
		e.opts.Log.Warn("read the offers of connected workers failed", "error", err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { e.Dispatch(ctx) })
	wg.Go(func() { e.reap(ctx) })
	wg.Go(func() { e.presence.run(ctx) })
	wg.Go(func() { e.watchOffers(ctx) })
	wg.Go(func() { e.keepFresh(ctx) })
	wg.Wait()
}

// Dispatch leases jobs to the claims that wait, until ctx ends. Nothing that it does depends on
// how much time passes: tests that move a clock run it alone, and call Expire, RecordPresence and
// CheckOffers when they want that.
func (e *Engine) Dispatch(ctx context.Context) {
	var wg sync.WaitGroup
	for _, d := range e.dispatchers {
		wg.Go(func() { d.run(ctx) })
	}
	wg.Go(func() { e.presence.follow(ctx) })
	wg.Wait()
}

// queueTopic is nudged when a job may be claimed in a network.
func queueTopic(n atelier.Network) string { return "jobs/" + string(n) }

// offersTopic is nudged when a worker connects or leaves, begins or ends to drain, offers
// other models, or is available or not.
const offersTopic = "offers"

// workersTopic is nudged when what nodes remember of a worker is outdated.
const workersTopic = "workers"

// leaseTopic is nudged when a lease begins.
const leaseTopic = "leases"

// endsTopic is nudged when a job is over.
const endsTopic = "ends"

// Topics are nudged when a worker or a job of the network may have changed.
func Topics() []string {
	return []string{queueTopic(atelier.NetworkFast), queueTopic(atelier.NetworkRelaxed), offersTopic, leaseTopic, endsTopic}
}
