package retention

import (
	"context"
	"log/slog"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/telemetry"
)

// Ages are how long each kind is kept after it ended, or was used or written last. Zero is for ever.
type Ages struct {
	Workflows  time.Duration
	ChatRuns   time.Duration
	Logs       time.Duration
	Uploads    time.Duration
	Deliveries time.Duration
	Replays    time.Duration
	Actions    time.Duration
}

// Options are the settings of an engine.
type Options struct {
	Ages    Ages
	Now     func() time.Time
	Log     *slog.Logger
	Metrics *telemetry.Metrics // may be nil
}

// Engine removes what is no longer kept. It is safe for concurrent use.
type Engine struct {
	db      *store.DB
	media   *media.Engine
	opts    Options
	node    string // names this process to others
	kinds   []kind
	removed telemetry.Counter
	failed  telemetry.Counter
}

// New makes an engine.
func New(db *store.DB, m *media.Engine, o Options) *Engine {
	e := &Engine{db: db, media: m, opts: o, node: "node_" + mint.UUID(), kinds: kinds(o.Ages)}
	e.removed = o.Metrics.Counter("retention_removed_total", "What was removed because it was kept long enough, by kind.", "kind")
	e.failed = o.Metrics.Counter("retention_failures_total", "Sweeps of a kind that failed; the next one continues.", "kind")
	return e
}

const (
	// interval is how often a node removes what is no longer kept, and begin when it does so first.
	interval = 15 * time.Minute
	begin    = time.Minute

	// lease is how long a node holds a kind without renewing it.
	lease = 2 * time.Minute

	// wholeEvery is how often all of a kind is looked at. In between, a sweep looks only at what has become old
	// enough since the last one: what stayed because something needed it, or took longer than longest, waits for that.
	wholeEvery = 24 * time.Hour
	longest    = 2 * time.Hour
)

// Run removes what is no longer kept, now and then, until ctx ends.
func (e *Engine) Run(ctx context.Context) {
	for wait := begin; clock.Sleep(ctx, wait); wait = interval {
		if _, err := e.Sweep(ctx); err != nil && ctx.Err() == nil {
			e.opts.Log.Warn("remove what is no longer kept failed", "error", err)
		}
	}
}

// The sizes of batches, in what is looked at, and how long one should take.
const (
	firstBatch = 16
	mostBatch  = 256
	mostEvents = 2000 // of logs, that one batch removes
	mostKeys   = 256  // of objects, that one batch leaves to be moved
	goodTime   = 20 * time.Millisecond
	leastPause = 2 * time.Millisecond
)

// nextBatch is the size of the batch after one of a size that took a time: others wait for the only writer of a SQLite
// file meanwhile.
func nextBatch(size int, took time.Duration) int {
	switch {
	case took > 2*goodTime:
		return max(1, size/2)
	case took < goodTime:
		return min(2*size, mostBatch)
	}
	return size
}
