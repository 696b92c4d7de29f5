package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func TestGraphs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		harbour := store.Graph{Name: "harbour", Title: "Harbour", SID: 9001, Facts: []byte(`{"tool":"generate_image"}`), Graph: "{}", Mapping: "m", Entry: "e", CreatedAt: now}
		change := func(one func(tx *store.Tx) error) error {
			return db.Write(t.Context(), func(tx *store.Tx) error {
				if err := tx.CountGraphChange(); err != nil {
					return err
				}
				return one(tx)
			})
		}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(change(func(tx *store.Tx) error { return tx.InsertGraph(harbour) }))
		if err := change(func(tx *store.Tx) error { return tx.InsertGraph(harbour) }); !errors.Is(err, store.ErrExists) {
			t.Errorf("two of a name: got %v, want ErrExists", err)
		}
		other := harbour
		other.Name = "film"
		if err := change(func(tx *store.Tx) error { return tx.InsertGraph(other) }); !errors.Is(err, store.ErrExists) {
			t.Errorf("two of a number: got %v, want ErrExists", err)
		}
		other.SID, other.CreatedAt = 9002, now.Add(time.Second)
		must(change(func(tx *store.Tx) error { return tx.InsertGraph(other) }))

		var list, whole []store.Graph
		var n int64
		must(db.Read(t.Context(), func(tx *store.Tx) (err error) {
			if list, err = tx.Graphs(); err != nil {
				return err
			}
			if whole, err = tx.GraphsWithFiles(); err != nil {
				return err
			}
			n, err = tx.GraphChange()
			return err
		}))
		if len(list) != 2 || list[0].Name != "harbour" || list[0].Graph != "" || list[0].Revision != 1 || string(list[0].Facts) != `{"tool":"generate_image"}` || list[1].SID != 9002 {
			t.Errorf("the list is %+v", list)
		}
		if len(whole) != 2 || whole[0].Graph != "{}" || whole[0].Mapping != "m" || whole[0].Entry != "e" || n != 2 {
			t.Errorf("with files it is %+v, after change %d", whole, n)
		}
		changed := whole[0]
		changed.Title, changed.Mapping, changed.UpdatedAt = "Port", "m2", now.Add(time.Minute)
		must(change(func(tx *store.Tx) error { return tx.UpdateGraph(changed) }))
		if err := change(func(tx *store.Tx) error { return tx.UpdateGraph(changed) }); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an outdated change: got %v, want ErrNotFound", err)
		}
		var got store.Graph
		must(db.Read(t.Context(), func(tx *store.Tx) (err error) {
			got, err = tx.Graph("harbour")
			return err
		}))
		if got.Title != "Port" || got.Mapping != "m2" || got.Revision != 2 || got.SID != 9001 || !got.CreatedAt.Equal(now) || !got.UpdatedAt.Equal(now.Add(time.Minute)) {
			t.Errorf("after the change: %+v", got)
		}
		must(change(func(tx *store.Tx) error { return tx.DeleteGraph("harbour") }))
		if err := change(func(tx *store.Tx) error { return tx.DeleteGraph("harbour") }); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a second deletion: got %v, want ErrNotFound", err)
		}
		err := db.Read(t.Context(), func(tx *store.Tx) error { _, err := tx.Graph("harbour"); return err })
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a read after it: got %v, want ErrNotFound", err)
		}
	})
}
