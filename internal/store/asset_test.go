package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// One finalize at a time can lock an asset, and none once it is ready.
func TestAssetsAreLockedWhileTheyAreUploaded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error {
			if err := tx.InsertAccount(account("ann")); err != nil {
				return err
			}
			return tx.InsertAsset(atelier.Asset{ID: "a", Wallet: "0xann", State: atelier.AssetUploading, BlobKey: "k", CreatedAt: now, FinalizeUntil: now, UsedAt: now})
		})
		lock := func(at time.Time) error {
			return db.Write(t.Context(), func(tx *store.Tx) error { return tx.LockAsset("0xann", "a", at, at.Add(time.Minute)) })
		}
		if err := lock(now); err != nil {
			t.Fatalf("the first: %v", err)
		}
		if err := lock(now.Add(time.Second)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a second beside it: %v, want ErrNotFound", err)
		}
		if err := lock(now.Add(2 * time.Minute)); err != nil {
			t.Errorf("one when it was given up: %v", err)
		}
		write(t, db, func(tx *store.Tx) error { return tx.FinishAsset("0xann", "a", now) })
		if err := lock(now.Add(time.Hour)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("one when it is ready: %v, want ErrNotFound", err)
		}
	})
}
