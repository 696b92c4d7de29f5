package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func TestConnections(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		local := store.Connection{ID: "c1", Kind: "llm", Name: "local", Settings: []byte(`{"a":1}`), Sealed: "s", Revision: 1, CreatedAt: now, UpdatedAt: now}
		read := func() (list []store.Connection, change int64) {
			t.Helper()
			err := db.Read(t.Context(), func(tx *store.Tx) (err error) {
				if list, err = tx.Connections(); err == nil {
					change, err = tx.ConnectionChange()
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return list, change
		}
		write(t, db, func(tx *store.Tx) error {
			if err := tx.CountConnectionChange(); err != nil {
				return err
			}
			return tx.InsertConnection(local)
		})
		list, change := read()
		if len(list) != 1 || change != 1 || list[0].Name != "local" || string(list[0].Settings) != `{"a":1}` || list[0].Sealed != "s" || !list[0].CreatedAt.Equal(now) {
			t.Fatalf("after the first: %+v, change %d", list, change)
		}
		twice := local
		twice.ID = "c2"
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.InsertConnection(twice) }); !errors.Is(err, store.ErrExists) {
			t.Errorf("two of a name: got %v, want ErrExists", err)
		}
		twice.Kind = "vendor"
		write(t, db, func(tx *store.Tx) error { return tx.InsertConnection(twice) })

		changed := list[0]
		changed.Name, changed.Sealed = "renamed", ""
		write(t, db, func(tx *store.Tx) error { return tx.UpdateConnection(changed) })
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.UpdateConnection(changed) }); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an outdated change: got %v, want ErrNotFound", err)
		}
		if list, _ = read(); len(list) != 2 || list[0].Name != "renamed" || list[0].Sealed != "" || list[0].Revision != 2 {
			t.Errorf("after the change: %+v", list)
		}
		write(t, db, func(tx *store.Tx) error { return tx.DeleteConnection("c1") })
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.DeleteConnection("c1") }); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a second deletion: got %v, want ErrNotFound", err)
		}
	})
}

// A connection has one node at a time, until it lets go or its time has passed.
func TestHoldConnection(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error {
			return tx.InsertConnection(store.Connection{ID: "c", Kind: "comfyui", Name: "gpu", Settings: []byte(`{}`), Revision: 1, CreatedAt: now, UpdatedAt: now})
		})
		hold := func(node string, at time.Time, want bool) {
			t.Helper()
			write(t, db, func(tx *store.Tx) error {
				got, err := tx.HoldConnection("c", node, at, at.Add(time.Minute))
				if got != want {
					t.Errorf("node %s holds it: got %v, want %v", node, got, want)
				}
				return err
			})
		}
		hold("a", now, true)
		hold("b", now.Add(time.Second), false)
		hold("a", now.Add(time.Second), true)
		hold("b", now.Add(2*time.Minute), true)
		hold("a", now.Add(2*time.Minute), false)
		write(t, db, func(tx *store.Tx) error { return tx.ReleaseConnection("c", "a") }) // it is not a's
		hold("a", now.Add(2*time.Minute), false)
		write(t, db, func(tx *store.Tx) error { return tx.ReleaseConnection("c", "b") })
		hold("a", now.Add(2*time.Minute), true)
	})
}
