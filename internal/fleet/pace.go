package fleet

import (
	"context"
	"time"

	"github.com/atelier-project/atelier"
)

// Reports of a worker are written to the database, so how often a session may report
// is limited, on each node. Claims and completions of jobs need no limit of their own:
// the number of jobs limits them.
const (
	writesPerSecond = 4 // for each job that it may hold
	writesAtOnce    = 20
	idlePerSecond   = 20 // calls without effect
	idleAtOnce      = 400
	refusedFiles    = 10 // a completion whose files are refused counts as so many calls: the files were copied or read
	spareClaims     = 3  // claims that may wait beyond the capacity: the worker may have abandoned some
)

// bucket counts calls. It empties at a steady rate.
type bucket struct {
	level float64
	at    time.Time
}

// drain lowers the level by what has drained since the last call.
func (b *bucket) drain(now time.Time, perSecond float64) {
	b.level = max(0, b.level-perSecond*max(0, now.Sub(b.at).Seconds()))
	b.at = now
}

// admit finds a wallet's worker, as worker does, for a call that may have no effect. It
// refuses a session that made too many of those.
func (e *Engine) admit(ctx context.Context, w atelier.Wallet, id atelier.WorkerID) (atelier.Worker, error) {
	worker, err := e.worker(ctx, w, id)
	if err == nil && e.presence.countIdle(id, 0) >= idleAtOnce {
		err = errTooFast(time.Second, "This worker calls too often: wait before the next call.")
	}
	return worker, err
}

// countIdle adds calls of a worker that had no effect, and returns the level of
// them.
func (p *presence) countIdle(id atelier.WorkerID, n float64) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.seen[id]
	if s == nil {
		return 0
	}
	s.idle.drain(p.engine.opts.Now(), idlePerSecond)
	s.idle.level += n
	return s.idle.level
}

// mayWrite reports whether a report of a worker may be written now, and counts it if
// so.
func (p *presence) mayWrite(id atelier.WorkerID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.seen[id]
	if s == nil {
		return true
	}
	capacity := float64(max(1, s.worker.Capacity))
	s.writes.drain(p.engine.opts.Now(), writesPerSecond*capacity)
	if s.writes.level+1 > writesAtOnce*capacity {
		return false
	}
	s.writes.level++
	return true
}

// errTooFast asks a worker to wait.
func errTooFast(wait time.Duration, message string) error {
	e := atelier.Errorf(atelier.CodeRateLimited, "%s", message)
	e.RetryAfter = wait
	return e
}
