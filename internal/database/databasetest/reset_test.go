package databasetest_test

import (
	"reflect"
	"testing"

	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/database/databasetest"
)

func init() { databasetest.InShort = "Test" }

// A database that is reset has the rows and the sequences with which it began. One whose
// tables were changed, or that is still open, is dropped.
func TestReset(t *testing.T) {
	t.Parallel()
	change := func(sql string) func(t *testing.T, db *database.DB) {
		return func(t *testing.T, db *database.DB) {
			t.Helper()
			err := db.Write(t.Context(), func(tx *database.Tx) error { _, err := tx.Exec(sql); return err })
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*testing.T, *database.DB)
		open   bool
		want   bool
	}{
		"nothing":      {change: change("UPDATE entry SET name = name"), want: true},
		"rows":         {change: change("INSERT INTO entry (name) VALUES ('b'), ('c''d')"), want: true},
		"other rows":   {change: change("UPDATE entry SET name = 'z'"), want: true},
		"no rows":      {change: change("DELETE FROM entry"), want: true},
		"a column":     {change: change("ALTER TABLE entry ADD COLUMN kind TEXT"), want: false},
		"a table":      {change: change("CREATE TABLE other (id BIGINT)"), want: false},
		"still in use": {change: change("UPDATE entry SET name = name"), open: true, want: false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := databasetest.Postgres(t)
			migrations := []database.Migration{{Version: 1, Name: "entries", SQL: "CREATE TABLE entry (id /* serial */ PRIMARY KEY, name TEXT NOT NULL);\nINSERT INTO entry (name) VALUES ('it''s a');\n"}}
			open := func() *database.DB {
				db, err := database.Open(t.Context(), o)
				if err == nil {
					err = db.Migrate(t.Context(), migrations)
				}
				if err != nil {
					t.Fatal(err)
				}
				return db
			}
			db := open()
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			before := databasetest.StateOf(t, o)
			db = open()
			c.change(t, db)
			if c.open {
				defer db.Close()
			} else if err := db.Close(); err != nil {
				t.Fatal(err)
			} else {
				databasetest.AwaitClosed(t, o)
			}
			if got := databasetest.Reset(t, o, before); got != c.want {
				t.Fatalf("it was reset: %v, want %v", got, c.want)
			}
			if !c.want {
				return
			}
			if got := databasetest.StateOf(t, o); !reflect.DeepEqual(got, before) {
				t.Errorf("it has %+v, want %+v", got, before)
			}
			db = open()
			defer db.Close()
			change("INSERT INTO entry (id, name) VALUES (DEFAULT, 'next')")(t, db)
		})
	}
}
