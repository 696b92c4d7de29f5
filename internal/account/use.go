package account

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// useEvery is how often the use of a key or of a console session is recorded at most, so
// that a busy one costs a node one small write in this time.
const useEvery = time.Minute

// useDelay is how long uses are collected before they are written together.
const useDelay = time.Second

// useBatch is how many uses are written in one transaction, because other writers wait for
// it.
const useBatch = 500

// used is what is used: an API key or a console session, by its hash.
type used struct {
	session bool
	hash    string
}

func (u used) compare(v used) int {
	if u.session != v.session {
		if v.session {
			return -1
		}
		return 1
	}
	return cmp.Compare(u.hash, v.hash)
}

// use is when something was used, and by which application.
type use struct {
	at  time.Time
	app string // empty when it is not named
}

// uses remembers what was used on this node and when.
type uses struct {
	wake chan struct{} // signalled when a use must be written

	mu      sync.Mutex
	noted   map[used]time.Time // the use that was recorded last
	pending map[used]use       // those of them that are not written yet
}

func newUses() uses {
	return uses{wake: make(chan struct{}, 1), noted: map[used]time.Time{}, pending: map[used]use{}}
}

// note records a use, unless one was recorded recently. A use that is not written yet
// gets the name of the application.
func (u *uses) note(what used, app string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if last, ok := u.noted[what]; ok && now.Sub(last) < useEvery {
		if p, ok := u.pending[what]; ok && app != "" {
			p.app = app
			u.pending[what] = p
		}
		return
	}
	u.noted[what], u.pending[what] = now, use{at: now, app: app}
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// takePending returns the uses to write, and removes old entries.
func (u *uses) takePending(now time.Time) map[used]use {
	u.mu.Lock()
	defer u.mu.Unlock()
	for what, at := range u.noted {
		if now.Sub(at) >= useEvery {
			delete(u.noted, what)
		}
	}
	out := u.pending
	u.pending = map[used]use{}
	return out
}

// NoteUse records that a request of a caller was accepted: the application that it names,
// which may be empty, and the use of its console session.
func (e *Engine) NoteUse(c atelier.Caller, app string) {
	if c.KeyHash != "" && app != "" {
		e.uses.note(used{hash: c.KeyHash}, app, e.now())
	}
	if c.SessionHash != "" {
		e.uses.note(used{session: true, hash: c.SessionHash}, "", e.now())
	}
}

// Run records when keys and console sessions were used, until ctx ends. It writes nothing
// while none is used.
func (e *Engine) Run(ctx context.Context, failed func(error)) {
	for {
		select {
		case <-ctx.Done():
		case <-e.uses.wake:
			select {
			case <-ctx.Done():
			case <-time.After(useDelay):
			}
		}
		if err := e.RecordUses(context.WithoutCancel(ctx)); err != nil {
			failed(err)
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// RecordUses writes the collected uses. They need not be on the disk at once, and those
// that cannot be written are lost: the next use after useEvery is recorded again.
func (e *Engine) RecordUses(ctx context.Context) error {
	pending := e.uses.takePending(e.now())
	all := slices.SortedFunc(maps.Keys(pending), used.compare) // in a fixed order, so that two nodes do not deadlock
	for some := range slices.Chunk(all, useBatch) {
		err := e.db.Write(ctx, func(tx *store.Tx) (err error) {
			for _, what := range some {
				if u := pending[what]; what.session {
					err = tx.ConsoleSessionUsed(what.hash, u.at)
				} else {
					err = tx.KeyUsed(what.hash, u.app, u.at)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
