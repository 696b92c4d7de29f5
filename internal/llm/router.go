package llm

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/clock"
)

// Router asks the servers of a model, one after the other, until one begins to
// answer. After the first piece it tries no other, because the caller has seen the piece,
// unless the caller can begin again.
type Router struct {
	servers []Completer
	next    atomic.Uint64 // the server that is asked first, in turn
}

// NewRouter makes one Completer of several.
func NewRouter(servers ...Completer) *Router { return &Router{servers: servers} }

// retries is how often all servers are tried again.
const retries = 1

// Complete implements Completer.
func (r *Router) Complete(ctx context.Context, q Request, emit func(Delta) error) error {
	started, hasPart := false, false
	pass := func(d Delta) error {
		if hasPart { // of an answer that broke
			hasPart = false
			q.Restart()
		}
		started = true
		if err := emit(d); err != nil {
			return errEmit{err}
		}
		return nil
	}
	return r.tryEach(ctx, func(s Completer) (final bool, err error) {
		err = s.Complete(ctx, q, pass)
		var own errEmit
		if errors.As(err, &own) {
			return true, own.error
		}
		final = started && q.Restart == nil
		hasPart, started = hasPart || started, false
		return final, err
	})
}

// tryEach asks the servers one after the other, until one has answered or no other try could help. final says that
// none should be tried after the one that was asked.
func (r *Router) tryEach(ctx context.Context, ask func(Completer) (final bool, err error)) (last error) {
	for round := 0; round <= retries; round++ {
		for _, s := range r.readyServers() {
			var final bool
			if final, last = ask(s); last == nil || final || ctx.Err() != nil || !retryable(last) {
				return last
			}
		}
		if wait, ok := retryDelay(last); !ok || !clock.Sleep(ctx, wait) {
			return last
		}
	}
	return last
}

// readyServers lists the servers that are ready, a different one first each time; all
// of them when none is ready.
func (r *Router) readyServers() []Completer {
	n := len(r.servers)
	first := int(r.next.Add(1)) % n
	ready := make([]Completer, 0, n)
	for i := range n {
		s := r.servers[(first+i)%n]
		if u, ok := s.(*Upstream); !ok || u.Ready() {
			ready = append(ready, s)
		}
	}
	if len(ready) == 0 {
		return r.servers
	}
	return ready
}

// retryable reports whether another try could help.
func retryable(err error) bool {
	return atelier.HasCode(err, atelier.CodeUpstream) || atelier.HasCode(err, atelier.CodeUpstreamTimeout)
}

// retryDelay is how long to wait before all servers are tried again, and whether to
// try again at all.
func retryDelay(err error) (time.Duration, bool) {
	var e *atelier.Error
	if !errors.As(err, &e) || atelier.HasCode(err, atelier.CodeUpstreamTimeout) {
		return 0, false // the client has waited long enough
	}
	if e.RetryAfter > 0 {
		return e.RetryAfter, e.RetryAfter <= 2*time.Second
	}
	return 100 * time.Millisecond, true
}
