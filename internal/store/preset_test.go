package store_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A preset belongs to an account, a kind and a name: the same names of others are neither read, replaced nor deleted.
func TestPresets(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		put := func(kind, name, value string) store.Preset {
			return store.Preset{Kind: kind, Name: name, Value: value, UpdatedAt: now}
		}
		write(t, db, func(tx *store.Tx) error {
			return errors.Join(tx.InsertAccount(account("ann")), tx.InsertAccount(account("bob")),
				tx.PutPreset("0xann", put("style", "b", "old")), tx.PutPreset("0xann", put("style", "b", "new")), tx.PutPreset("0xann", put("style", "Z", "z")),
				tx.PutPreset("0xann", put("view", "b", "q=b")), tx.PutPreset("0xbob", put("style", "b", "bob's")))
		})
		write(t, db, func(tx *store.Tx) error {
			if err := tx.DeletePreset("0xbob", "style", "Z"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("a preset of another account: %v", err)
			}
			return tx.DeletePreset("0xbob", "style", "b")
		})
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			got, err := tx.Presets("0xann", "style")
			if want := []store.Preset{put("style", "Z", "z"), put("style", "b", "new")}; !slices.EqualFunc(got, want, func(a, b store.Preset) bool {
				return a.Kind == b.Kind && a.Name == b.Name && a.Value == b.Value && a.UpdatedAt.Equal(b.UpdatedAt)
			}) {
				t.Errorf("got %+v", got)
			}
			n, err2 := tx.CountOtherPresets("0xann", "style", "b")
			gone, err3 := tx.Presets("0xbob", "style")
			if n != 1 || len(gone) != 0 {
				t.Errorf("%d others, %+v", n, gone)
			}
			return errors.Join(err, err2, err3)
		})
		if err != nil {
			t.Error(err)
		}
	})
}
