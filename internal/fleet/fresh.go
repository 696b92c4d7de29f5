package fleet

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/store"
)

// A small result that comes with its completion is stored in the transaction that settles the job,
// and its file is written without waiting for the disk: one sync instead of three. KeepFresh syncs
// the files of many results later, and then removes them from the database. After a crash it writes
// the files again that may be lost.

// What results may wait for that: those that are larger, or too many, are synced at once.
const (
	mostFreshBytes = 32 << 10
	mostFresh      = 1024
	freshFor       = time.Second
	staleAfter     = time.Minute // then their node has died, or the outcome of their commit was unknown
)

// fresh are the keys of results that this node has stored so.
type fresh struct {
	mu   sync.Mutex
	keys []string
}

// admits reports whether one more result may wait.
func (f *fresh) admits(size int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return size <= mostFreshBytes && len(f.keys) < mostFresh
}

func (f *fresh) add(keys ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys = append(f.keys, keys...)
}

// take returns the keys and forgets them.
func (f *fresh) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	keys := f.keys
	f.keys = nil
	return keys
}

// keepFresh syncs the files of results until ctx ends.
func (e *Engine) keepFresh(ctx context.Context) {
	warn := func(err error) {
		if err != nil && ctx.Err() == nil {
			e.opts.Log.Warn("sync results failed", "error", err)
		}
	}
	warn(e.RestoreFresh(ctx, e.opts.Now().Add(staleAfter))) // of a process that has died
	restored := e.opts.Now()
	for clock.Sleep(ctx, freshFor) {
		warn(e.SyncFresh(ctx))
		if now := e.opts.Now(); now.Sub(restored) >= staleAfter {
			warn(e.RestoreFresh(ctx, now.Add(-staleAfter)))
			restored = now
		}
	}
	warn(e.SyncFresh(context.WithoutCancel(ctx)))
}

// SyncFresh syncs the files of the results that this node has stored without.
func (e *Engine) SyncFresh(ctx context.Context) error {
	keys := e.fresh.take()
	if len(keys) == 0 {
		return nil
	}
	if err := e.blobs.Sync(ctx, keys); err != nil {
		return err // RestoreFresh writes them again
	}
	return e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		tx.DeleteFreshObjects(keys)
		return nil
	})
}

// RestoreFresh writes the files of results again that were stored before a time and may not be on
// the disk.
func (e *Engine) RestoreFresh(ctx context.Context, before time.Time) error {
	for {
		var list []store.FreshObject
		err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
			list, err = tx.FreshObjects(before, 64)
			return err
		})
		if err != nil || len(list) == 0 {
			return err
		}
		var keys []string
		for _, o := range list {
			if o.IsNamed { // otherwise it was deleted
				if _, err := e.blobs.Put(ctx, o.Key, bytes.NewReader(o.Content), blob.PutOptions{ContentType: o.ContentType, NoDigest: true}); err != nil {
					return err
				}
			}
			keys = append(keys, o.Key)
		}
		err = e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
			tx.DeleteFreshObjects(keys)
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// storeFresh stores results in the transaction that settles their job.
func (e *Engine) storeFresh(tx *store.Tx, list []store.FreshObject) {
	for _, o := range list {
		tx.InsertFreshObject(o)
		tx.OnCommit(func() { e.fresh.add(o.Key) })
	}
}
