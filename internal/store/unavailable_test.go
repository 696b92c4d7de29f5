package store_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
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
	db := storetest.Open(t, store.Options{Path: storetest.SQLite(t).Path})
	bound := func(pages string) {
		t.Helper()
		write(t, db, func(tx *store.Tx) error { return tx.Exec("PRAGMA max_page_count = " + pages) })
	}
	large := func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO session (wallet, id, manifest, created_at, updated_at) VALUES ('w', 'large', hex(zeroblob(1000000)), 0, 0)")
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
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
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
func occupyReaders(t *testing.T, db *store.DB) {
	t.Helper()
	release := make(chan struct{})
	var busy, done sync.WaitGroup
	for range max(4, 2*runtime.GOMAXPROCS(0)) {
		busy.Add(1)
		done.Go(func() {
			_ = db.Read(context.Background(), func(*store.Tx) error {
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
	db, err := store.Open(t.Context(), storetest.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Write(t.Context(), func(*store.Tx) error { return nil }); part(err) != atelier.PartDatabase {
		t.Errorf("got %v, want database unavailable", err)
	}
}
