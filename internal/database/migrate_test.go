package database_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/database/databasetest"
)

func TestReadMigrations(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"0002_second.sql": {Data: []byte("B")}, "0001_first.sql": {Data: []byte("A")}, "README.md": {}}
	steps, err := database.ReadMigrations(files)
	if err != nil || len(steps) != 2 || steps[0].Name != "first" || steps[1].Version != 2 || steps[1].SQL != "B" {
		t.Errorf("got %+v, %v", steps, err)
	}
	files["0004_fourth.sql"] = &fstest.MapFile{}
	if _, err := database.ReadMigrations(files); err == nil || !strings.Contains(err.Error(), "0004_fourth.sql is out of order") {
		t.Errorf("a number is missing: got %v", err)
	}
}

// Steps that are new are applied; an older program, and one with other steps, refuse the
// database.
func TestMigrate(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, o database.Options) {
		db := openNotes(t, o)
		later := append(notes[:1:1],
			database.Migration{Version: 2, Name: "entries", SQL: "CREATE TABLE entry (id /* serial */ PRIMARY KEY, name TEXT NOT NULL);\nINSERT INTO note (name) VALUES ('two');\n"},
			database.Migration{Version: 3, Name: "kinds", SQL: "ALTER TABLE entry ADD COLUMN kind TEXT NOT NULL DEFAULT 'note';\nINSERT INTO entry (name) SELECT name FROM note;\n"})
		for range 2 { // the second time changes nothing
			if err := db.Migrate(t.Context(), later); err != nil {
				t.Fatal(err)
			}
		}
		var id, many int64
		if err := db.Read(t.Context(), func(tx *database.Tx) error {
			return tx.Row("SELECT MAX(id), COUNT(*) FROM entry WHERE name = 'two' AND kind = 'note'").Scan(&id, &many)
		}); err != nil || id != 1 || many != 1 {
			t.Errorf("there are %d entries with the last id %d, %v; want 1 and 1", many, id, err)
		}
		if err := db.Migrate(t.Context(), notes); err == nil || !strings.Contains(err.Error(), "use a newer program") {
			t.Errorf("a program that knows fewer steps: got %v", err)
		}
		other := []database.Migration{{Version: 1, Name: "other", SQL: "CREATE TABLE other (id BIGINT);\n"}, later[1], later[2]}
		for _, steps := range [][]database.Migration{other, other[:1]} {
			if err := db.Migrate(t.Context(), steps); err == nil || !strings.Contains(err.Error(), "never released") {
				t.Errorf("a program with %d other steps: got %v", len(steps), err)
			}
		}
	})
}

// Two programs open an empty database at the same moment: both start.
func TestMigrateTogether(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, o database.Options) { openTogether(t, o, 4) })
}

// Many programs may open and close a new file at the same time: one of them
// migrates it, and the others wait.
func TestManyOpenANewFile(t *testing.T) {
	t.Parallel()
	openTogether(t, database.Options{Path: filepath.Join(t.TempDir(), "atelier.db")}, 8)
}

func openTogether(t *testing.T, o database.Options, programs int) {
	t.Helper()
	var wg sync.WaitGroup
	for range programs {
		wg.Go(func() {
			for range 3 {
				db, err := database.Open(t.Context(), o)
				if err != nil {
					t.Errorf("open: %v", err)
					return
				}
				if err := db.Migrate(t.Context(), notes); err != nil {
					t.Errorf("migrate: %v", err)
				}
				if err := db.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}
		})
	}
	wg.Wait()
}
