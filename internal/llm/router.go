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
// answer. Once a byte has come there is no other try: the caller has seen it.
type Router struct {
	servers []Completer
	next    atomic.Uint64 // takes turns
}

// NewRouter makes a speaker of several.
func NewRouter(servers ...Completer) *Router { return &Router{servers: servers} }

// retries is how often the whole round is made again.
const retries = 1

// Complete implements Completer.
func (r *Router) Complete(ctx context.Context, q Request, emit func(Delta) error) error {
	begun := false
	tell := func(d Delta) error {
		begun = true
		if err := emit(d); err != nil {
			return errEmit{err}
		}
		return nil
	}
	var last error
	for round := 0; round <= retries; round++ {
		for _, s := range r.order() {
			last = s.Complete(ctx, q, tell)
			var own errEmit
			if errors.As(last, &own) {
				return own.error
			}
			if last == nil || begun || ctx.Err() != nil || !again(last) {
				return last
			}
		}
		if wait, ok := patience(last); !ok || !clock.Sleep(ctx, wait) {
			return last
		}
	}
	return last
}

// order is the servers that are worth asking, each first in turn; all of them
// when none is.
func (r *Router) order() []Completer {
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

// again reports whether another try could help.
func again(err error) bool {
	return atelier.HasCode(err, atelier.CodeUpstream) || atelier.HasCode(err, atelier.CodeUpstreamTimeout)
}

// patience is how long to wait before the next round, and whether it is worth
// it.
func patience(err error) (time.Duration, bool) {
	var e *atelier.Error
	if !errors.As(err, &e) || atelier.HasCode(err, atelier.CodeUpstreamTimeout) {
		return 0, false // it has taken long enough
	}
	if e.RetryAfter > 0 {
		return e.RetryAfter, e.RetryAfter <= 2*time.Second
	}
	return 100 * time.Millisecond, true
}
