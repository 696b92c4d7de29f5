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

// rechecks ends long requests when their credential stops being valid, or no longer allows them: a key is revoked or
// limited, or an account suspended, while a stream is open or a claim waits. While there are such requests, a number in
// the database that changes with credentials is read often. When it has changed, and at every heartbeat, the
// credentials of all of them are looked up again, each once; while there are none, nothing runs.
type rechecks struct {
	every        time.Duration // between two looks at all credentials
	look         time.Duration // between two looks at the number
	authenticate func(ctx context.Context, shown Credential) (atelier.Caller, error)
	changes      func(context.Context) (int64, error) // nil: the number is not known

	mu      sync.Mutex
	open    map[Credential]map[*Call]context.CancelCauseFunc
	running bool
	seen    int64     // the number at the last look
	next    time.Time // when all are looked up again at the latest
}

// lookEvery is how often rechecks looks whether a credential has changed.
const lookEvery = 500 * time.Millisecond

func newRechecks(every time.Duration, authenticate func(context.Context, Credential) (atelier.Caller, error), changes func(context.Context) (int64, error)) *rechecks {
	k := &rechecks{every: every, look: every, authenticate: authenticate, changes: changes, open: map[Credential]map[*Call]context.CancelCauseFunc{}}
	if changes != nil {
		k.look = min(every, lookEvery)
	}
	return k
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
		k.running, k.seen, k.next = true, unseen, time.Now().Add(k.every)
		time.AfterFunc(k.look, k.run)
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

// unseen is no number of changes: the first look at the number finds a change, as the credentials were looked up
// before it.
const unseen = -1

// run looks up the credentials if that is due, and schedules itself again while there are calls.
func (k *rechecks) run() {
	k.mu.Lock()
	k.running = len(k.open) > 0
	again, due := k.running, k.changes == nil || !time.Now().Before(k.next)
	k.mu.Unlock()
	if !again {
		return
	}
	if n, err := k.count(); due || err == nil && n != k.seen {
		if k.checkAll() { // otherwise the next look tries again
			if err == nil {
				k.seen = n // only this goroutine uses it while it runs
			}
			k.next = time.Now().Add(k.every)
		}
	}
	time.AfterFunc(k.look, k.run)
}

// countTimeout ends a look at the number of changes: a connection that hangs must not keep the heartbeat's looks away.
const countTimeout = 5 * time.Second

func (k *rechecks) count() (int64, error) {
	if k.changes == nil {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	return k.changes(ctx)
}

// checkAll looks up every credential once, and ends the calls of those that are no longer valid and those that they do
// not allow any more. It reports whether the database has answered for all of them.
func (k *rechecks) checkAll() bool {
	k.mu.Lock()
	all := slices.Collect(maps.Keys(k.open))
	k.mu.Unlock()
	for _, shown := range all {
		caller, err := k.authenticate(context.Background(), shown)
		var refused *atelier.Error
		if err != nil && !errors.As(err, &refused) {
			return false // the database does not answer: no call is ended for that
		}
		if err != nil && refused.Code.Kind == atelier.KindUnauthenticated {
			k.end(shown, func(*Call) error { return refused })
		} else if err == nil && caller.Limits != nil {
			k.end(shown, func(c *Call) error { return c.checkKey(caller) })
		}
	}
	return true
}

// end ends the calls of a credential for which a function returns why.
func (k *rechecks) end(shown Credential, why func(*Call) error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for c, cancel := range k.open[shown] {
		if err := why(c); err != nil {
			cancel(err)
		}
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
