package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func TestTemplates(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		row := func(owner atelier.Wallet, id string, minutes int) store.StoredTemplate {
			at := now.Add(time.Duration(minutes) * time.Minute)
			return store.StoredTemplate{Owner: owner, ID: id, Version: "0.0.1", Exposed: true, Priority: 1.5, Document: []byte(`{"a":"\u0000"}`), CreatedAt: at, UpdatedAt: at}
		}
		first := row("0xann", "a", 1)
		write(t, db, func(tx *store.Tx) error {
			return errors.Join(tx.InsertTemplate(first), tx.InsertTemplate(row("0xbob", "a", 2)), tx.InsertTemplate(row(store.Operator, "a", 3)))
		})
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.InsertTemplate(first) }); !errors.Is(err, store.ErrExists) {
			t.Errorf("the same id again: got %v, want ErrExists", err)
		}
		next := first
		next.Version, next.Document, next.UpdatedAt = "0.0.2", []byte(`{}`), now.Add(time.Hour)
		write(t, db, func(tx *store.Tx) error { return tx.UpdateTemplate(next, "0.0.1") })
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.UpdateTemplate(next, "0.0.1") }); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("from a version of the past: got %v, want ErrNotFound", err)
		}
		err := db.Snapshot(t.Context(), func(tx *store.Tx) error {
			got, err := tx.Template("0xann", "a")
			if err != nil || got.Version != "0.0.2" || string(got.Document) != `{}` || got.Priority != 1.5 || !got.CreatedAt.Equal(first.CreatedAt) || !got.UpdatedAt.Equal(next.UpdatedAt) {
				t.Errorf("read %+v, %v", got, err)
			}
			other, err := tx.Template("0xbob", "a")
			if err != nil || string(other.Document) != string(first.Document) {
				t.Errorf("the template of another owner is %+v, %v", other, err)
			}
			list, _, err := tx.Templates("0xann", store.Operator, 0, 10, 1<<20)
			if err != nil || len(list) != 1 || list[0].Owner != "0xann" { // hers hides the operator's of the same id
				t.Errorf("listed %+v, %v", list, err)
			}
			exposed, err := tx.ExposedTemplates("0xbob", "0xbob", 10, 1<<20)
			if err != nil || len(exposed) != 1 {
				t.Errorf("exposed %+v, %v", exposed, err)
			}
			n, err := tx.CountTemplates("0xann", "0xann")
			if err != nil || n != 1 {
				t.Errorf("counted %d, %v", n, err)
			}
			ids, err := tx.TemplateIDs(store.Operator)
			if err != nil || len(ids) != 1 || ids[0] != "a" {
				t.Errorf("ids %q, %v", ids, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		write(t, db, func(tx *store.Tx) error { return tx.DeleteTemplate("0xann", "a") })
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.DeleteTemplate("0xann", "a") }); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("deleted again: got %v, want ErrNotFound", err)
		}
	})
}
