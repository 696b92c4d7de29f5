package database_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/database/databasetest"
)

// part is the part that an error says is unavailable, or empty.
func part(err error) string {
	var away *atelier.UnavailableError
	if !errors.As(err, &away) {
		return ""
	}
	return away.Part
}

// A SQLite file that cannot grow is storage that is unavailable, until it can.
func TestFullDiskIsUnavailable(t *testing.T) {
	t.Parallel()
	db := openNotes(t, database.Options{Path: databasetest.SQLite(t).Path})
	bound := func(pages string) {
		t.Helper()
		write(t, db, func(tx *database.Tx) error { return execute(tx, "PRAGMA max_page_count = "+pages) })
	}
	large := func(tx *database.Tx) error {
		return execute(tx, "INSERT INTO note (name) VALUES (hex(zeroblob(1000000)))")
	}
	bound("1")
	if err := db.Write(t.Context(), large); part(err) != atelier.PartStorage {
		t.Errorf("a full disk: got %v, want storage unavailable", err)
	}
	bound("1000000")
	write(t, db, large)
}

// A caller that waits for the database until its deadline is answered that it is
// unavailable; one that leaves is not.
func TestWaitingTooLongIsUnavailable(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, o database.Options) {
		db := databasetest.Open(t, o)
		if o.URL == "" {
			occupyReaders(t, db)
		}
		late, cancel := context.WithTimeout(t.Context(), 0)
		defer cancel()
		gone, leave := context.WithCancel(t.Context())
		leave()
		if err := db.Ping(late); part(err) != atelier.PartDatabase {
			t.Errorf("late: got %v, want database unavailable", err)
		}
		if err := db.Ping(gone); !errors.Is(err, context.Canceled) || part(err) != "" {
			t.Errorf("gone: got %v, want context canceled", err)
		}
	})
}

// occupyReaders keeps all the readers of a SQLite database busy until the test
// ends.
func occupyReaders(t *testing.T, db *database.DB) {
	t.Helper()
	release := make(chan struct{})
	var busy, done sync.WaitGroup
	for range max(4, 2*runtime.GOMAXPROCS(0)) {
		busy.Add(1)
		done.Go(func() {
			_ = db.Read(context.Background(), func(*database.Tx) error {
				busy.Done()
				<-release
				return nil
			})
		})
	}
	busy.Wait()
	t.Cleanup(func() {
		close(release)
		done.Wait()
	})
}

func TestClosedDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), databasetest.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Write(t.Context(), func(*database.Tx) error { return nil }); part(err) != atelier.PartDatabase {
		t.Errorf("got %v, want database unavailable", err)
	}
}
