package fleet

import (
	"context"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
)

// Reports of a worker are written to the database, so how often a session may report
// is limited, on each node. Claims and completions of jobs need no limit of their own:
// the number of jobs limits them.
const (
	writesPerSecond = 4 // for each job that it may hold
	writesAtOnce    = 20
	idlePerSecond   = 20 // calls without effect
	idleAtOnce      = 400
	refusedFiles    = 10 // a completion whose files are refused counts as this number of calls: the files were copied or read
	spareClaims     = 3  // claims that may wait beyond the capacity: the worker may have abandoned some
)

// admit finds a wallet's worker, as worker does, for a call that may have no effect. It
// refuses a session that made too many of those.
func (e *Engine) admit(ctx context.Context, w atelier.Wallet, id atelier.WorkerID) (atelier.Worker, error) {
	worker, err := e.worker(ctx, w, id)
	if err == nil && e.presence.countIdle(id, 0) >= idleAtOnce {
		err = admission.TooManyOf(time.Second, "This worker calls too often: wait before the next call.")
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
	s.idle.Add(n)
	return s.idle.Taken(p.engine.opts.Now(), idlePerSecond)
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
	return s.writes.Take(p.engine.opts.Now(), writesPerSecond*capacity, writesAtOnce*capacity, 1) == 0
}
