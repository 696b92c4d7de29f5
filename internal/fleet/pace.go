package fleet

import (
	"context"
	"time"

	"github.com/atelier-project/atelier"
)

// What a worker says is written down and read by others, so how often it may
// say something is bounded: by its session, on each node. Work has no bound of
// its own, as there is none without a job.
const (
	writesPerSecond = 4 // for each job that it may hold
	writesAtOnce    = 20
	idlePerSecond   = 20 // calls that came to nothing
	idleAtOnce      = 400
	refusedFiles    = 10 // what a completion counts whose files are refused: they were copied, or read
	spareClaims     = 3  // claims that may wait beside as many as it may hold: their worker may have left them
)

// bucket counts calls. It empties at a steady rate.
type bucket struct {
	level float64
	at    time.Time
}

// drain lets out what has run off by now.
func (b *bucket) drain(now time.Time, perSecond float64) {
	b.level = max(0, b.level-perSecond*max(0, now.Sub(b.at).Seconds()))
	b.at = now
}

// admit finds a wallet's worker, as worker does, for a call that may come to
// nothing: a session with too many of those has to wait.
func (e *Engine) admit(ctx context.Context, w atelier.Wallet, id atelier.WorkerID) (atelier.Worker, error) {
	worker, err := e.worker(ctx, w, id)
	if err == nil && e.presence.countIdle(id, 0) >= idleAtOnce {
		err = errTooFast(time.Second, "This worker calls too often without need: wait before the next call.")
	}
	return worker, err
}

// countIdle adds calls of a worker that came to nothing, and returns how many there
// were of late.
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

// mayWrite reports whether a worker may have something written down now, and
// counts it if so.
func (p *presence) mayWrite(id atelier.WorkerID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.seen[id]
	if s == nil {
		return true
	}
	hands := float64(max(1, s.worker.Capacity))
	s.writes.drain(p.engine.opts.Now(), writesPerSecond*hands)
	if s.writes.level+1 > writesAtOnce*hands {
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
