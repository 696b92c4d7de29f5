package library_test

import (
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database/databasetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Of two requests that delete an artifact at the same time, the second one is
// answered that it was not found.
func TestDeleteTwice(t *testing.T) {
	t.Parallel()
	o := storetest.Postgres(t)
	f := newFixtureOn(t, o)
	f.add("fox", "image", "image/png", pngOf(t, 8, 8))
	second := make(chan error, 1)
	err := f.DB.Write(t.Context(), func(tx *store.Tx) error {
		item, keys, err := tx.LockLibraryItem(f.ann.Wallet, "fox")
		if err != nil {
			return err
		}
		go func() { second <- f.lib.Delete(t.Context(), f.ann.Wallet, "fox") }()
		for !databasetest.IsWaiting(t, o) {
		}
		return tx.DeleteLibraryItem(item, keys)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-second; !atelier.HasCode(err, atelier.CodeNotFound) {
		t.Errorf("got %v, want that there is no such artifact", err)
	}
}
