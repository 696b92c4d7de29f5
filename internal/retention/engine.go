package retention

import (
	"context"
	"errors"
	"fmt"
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

// Sweep removes all that is no longer kept, and returns how much of each kind. It leaves a kind alone that another
// node is removing.
func (e *Engine) Sweep(ctx context.Context) (map[string]int64, error) {
	removed := map[string]int64{}
	var errs []error
	for _, k := range e.kinds {
		if k.age == 0 {
			continue
		}
		n, err := e.sweep(ctx, k)
		if n > 0 {
			removed[k.name] = n
			e.opts.Log.Info("removed what is no longer kept", "kind", k.name, "removed", n)
		}
		if err != nil && ctx.Err() == nil {
			e.failed.Inc(k.name)
			errs = append(errs, fmt.Errorf("%s: %w", k.name, err))
		}
	}
	return removed, errors.Join(errs...)
}

// errTaken says that another node has taken a kind, because this one took too long.
var errTaken = errors.New("another node has taken it over")

// sweep removes what is no longer kept of a kind.
func (e *Engine) sweep(ctx context.Context, k kind) (removed int64, err error) {
	began := e.opts.Now()
	var (
		last store.RetentionTimes
		held bool
	)
	err = e.db.WriteDeletion(ctx, func(tx *store.Tx) (err error) {
		last, held, err = tx.HoldRetention(k.name, e.node, began, began.Add(lease))
		return err
	})
	if err != nil || !held {
		return 0, err
	}
	p := part{before: began.Add(-k.age), limit: firstBatch}
	done := store.RetentionTimes{Swept: began, Whole: began}
	if began.Sub(last.Whole) < wholeEvery {
		p.since, done.Whole = last.Swept.Add(-k.age-longest), last.Whole
	}
	for renewed := began; ; {
		var b batch
		started := time.Now()
		err = e.db.WriteDeletion(ctx, func(tx *store.Tx) (err error) {
			b = batch{}
			if now := e.opts.Now(); now.Sub(renewed) > lease/2 {
				_, held, err := tx.HoldRetention(k.name, e.node, now, now.Add(lease))
				if err == nil && !held {
					err = errTaken
				}
				if err != nil {
					return err
				}
				tx.OnCommit(func() { renewed = now })
			}
			b, err = k.remove(tx, p)
			return err
		})
		if err == nil {
			removed += b.removed
			e.removed.Add(float64(b.removed), k.name)
			err = e.media.Discard(ctx, b.keys)
		}
		if err != nil {
			return removed, err
		}
		if !b.more {
			return removed, e.db.WriteDeletion(ctx, func(tx *store.Tx) error { return tx.LeaveRetention(k.name, e.node, done) })
		}
		took := time.Since(started)
		p.after, p.limit = b.last, nextBatch(p.limit, took)
		if !clock.Sleep(ctx, max(took, leastPause)) {
			return removed, ctx.Err()
		}
	}
}

// The sizes of batches, in what is looked at, and how long one should take.
const (
	firstBatch = 16
	mostBatch  = 256
	mostEvents = 2000 // of logs, that one batch removes
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
