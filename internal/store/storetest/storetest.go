// Package storetest opens databases of the service for tests, with all tables, as
// databasetest does without them.
package storetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database/databasetest"
	"github.com/atelier-project/atelier/internal/store"
)

// Each runs a test on every database there is, side by side.
func Each(t *testing.T, run func(t *testing.T, o store.Options)) {
	t.Helper()
	databasetest.EachOf(t, SQLite, Postgres, run)
}

// Open opens a database that closes with the test.
func Open(t testing.TB, o store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("open the database: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close the database: %v", err)
		}
	})
	return db
}

// SQLite makes a new file for databasetest.SQLite.
func SQLite(t testing.TB) store.Options {
	t.Helper()
	o := databasetest.SQLite(t)
	Furnish(t, o.Path)
	return o
}

// Furnish makes a SQLite file with all tables, by copying one, which is much faster
// than migrating. It returns its path.
func Furnish(t testing.TB, path string) string {
	t.Helper()
	if err := os.WriteFile(path, migratedFile(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// migratedFile is a database with all the tables, made once in a test process.
var migratedFile = sync.OnceValue(func() []byte {
	dir, err := os.MkdirTemp("", "atelier")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "atelier.db")
	db, err := store.Open(context.Background(), store.Options{Path: path})
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		panic(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return content
})

// JobsOf lists the jobs of an owner, oldest first.
func JobsOf(tx *store.Tx, o atelier.JobOwner) ([]store.StoredJob, error) {
	var ids []atelier.JobID
	err := tx.Rows(func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		ids = append(ids, atelier.JobID(id))
		return err
	}, `SELECT id FROM job WHERE owner_kind = $1 AND owner_id = $2 ORDER BY created_at, id`, o.Kind, o.ID)
	jobs := make([]store.StoredJob, len(ids))
	for i, id := range ids {
		if err == nil {
			jobs[i], err = tx.Job(id)
		}
	}
	return jobs, err
}

// CountRows counts the rows of a table.
func CountRows(t testing.TB, db *store.DB, table string) (n int) {
	t.Helper()
	err := db.Read(t.Context(), func(tx *store.Tx) error { return tx.Row(`SELECT COUNT(*) FROM ` + table).Scan(&n) })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Unlabel makes all workflows those of a version that stored no labels.
func Unlabel(t testing.TB, db *store.DB) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(`DELETE FROM workflow_label`)
		if err == nil {
			_, err = tx.Exec(`INSERT INTO workflow_unlabelled (id) SELECT id FROM workflow`)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
