package account

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/store"
)

// useEvery is how often the use of a key is recorded at most, so that a busy key costs a
// node one small write in this time.
const useEvery = 5 * time.Minute

// useDelay is how long uses are collected before they are written together.
const useDelay = time.Second

// useBatch is how many uses are written in one transaction, because other writers wait for
// it.
const useBatch = 500

// uses remembers which keys were used on this node and when.
type uses struct {
	wake chan struct{} // signalled when a use must be written

	mu      sync.Mutex
	noted   map[string]time.Time // by hash: the use that was recorded last
	pending map[string]time.Time // those of them that are not written yet
}

func newUses() uses {
	return uses{wake: make(chan struct{}, 1), noted: map[string]time.Time{}, pending: map[string]time.Time{}}
}

// note records the use of a key, unless it was recorded recently.
func (u *uses) note(hash string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if last, ok := u.noted[hash]; ok && now.Sub(last) < useEvery {
		return
	}
	u.noted[hash], u.pending[hash] = now, now
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// takePending returns the uses to write, and removes old entries.
func (u *uses) takePending(now time.Time) map[string]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	for hash, at := range u.noted {
		if now.Sub(at) >= useEvery {
			delete(u.noted, hash)
		}
	}
	out := u.pending
	u.pending = map[string]time.Time{}
	return out
}

// Run records when keys were used, until ctx ends. It writes nothing while no key is used.
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
	hashes := slices.Sorted(maps.Keys(pending)) // in a fixed order, so that two nodes do not deadlock
	for some := range slices.Chunk(hashes, useBatch) {
		err := e.db.WriteRelaxed(ctx, func(tx *store.Tx) error {
			for _, hash := range some {
				if err := tx.KeyUsed(hash, pending[hash]); err != nil {
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
