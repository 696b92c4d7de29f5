package endpoint

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
)

// rechecks ends long requests when their credential stops being valid: a key is revoked,
// or an account suspended, while a stream is open or a claim waits. At every heartbeat the
// credentials of all such requests are looked up again, each of them once; while there are
// none, nothing runs.
type rechecks struct {
	every        time.Duration
	authenticate func(ctx context.Context, shown Credential) (atelier.Caller, error)

	mu      sync.Mutex
	open    map[Credential]map[*Call]context.CancelCauseFunc
	running bool
}

func newRechecks(every time.Duration, authenticate func(context.Context, Credential) (atelier.Caller, error)) *rechecks {
	return &rechecks{every: every, authenticate: authenticate, open: map[Credential]map[*Call]context.CancelCauseFunc{}}
}

// enter makes the context of a call end when its credential is no longer valid. The caller
// calls the returned function when the call ends.
func (k *rechecks) enter(c *Call) func() {
	ctx, cancel := context.WithCancelCause(c.Context)
	c.Context = ctx
	shown := credentialOf(c.Request)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open[shown] == nil {
		k.open[shown] = map[*Call]context.CancelCauseFunc{}
	}
	k.open[shown][c] = cancel
	if !k.running {
		k.running = true
		time.AfterFunc(k.every, k.checkAll)
	}
	return func() {
		cancel(nil)
		k.mu.Lock()
		defer k.mu.Unlock()
		if delete(k.open[shown], c); len(k.open[shown]) == 0 {
			delete(k.open, shown)
		}
	}
}

// checkAll looks up every credential once, ends the calls of those that are no longer
// valid, and schedules itself again while there are calls.
func (k *rechecks) checkAll() {
	k.mu.Lock()
	all := slices.Collect(maps.Keys(k.open))
	k.running = len(all) > 0
	k.mu.Unlock()
	for _, shown := range all {
		_, err := k.authenticate(context.Background(), shown)
		var refused *atelier.Error
		if err != nil && !errors.As(err, &refused) {
			break // the database does not answer: no call is ended for that
		}
		if err != nil && refused.Code.Kind == atelier.KindUnauthenticated {
			k.end(shown, refused)
		}
	}
	if len(all) > 0 {
		time.AfterFunc(k.every, k.checkAll)
	}
}

func (k *rechecks) end(shown Credential, why error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, cancel := range k.open[shown] {
		cancel(why)
	}
}

// Ended is the error of a call whose credential stopped being valid, else err.
func (c *Call) Ended(err error) error {
	var refused *atelier.Error
	if err != nil && errors.As(context.Cause(c.Context), &refused) {
		return refused
	}
	return err
}

// WithRecheck marks a handler whose requests may stay open for long: their credential
// is checked again.
func (h Handler) WithRecheck() Handler {
	h.recheck = true
	return h
}
