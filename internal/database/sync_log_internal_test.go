package database

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// A commit is synced unless none of its changes needs it.
func TestWhichCommitsAreSynced(t *testing.T) {
	t.Parallel()
	const full, normal = 2, 1
	for name, k := range map[string]struct {
		queue string // the changes that wait: one that is synced, or an unsynced one
		want  []int  // how each was committed
	}{
		"synced":         {"s", []int{full}},
		"unsynced":       {"uuu", []int{normal, normal, normal}},
		"synced next":    {"usu", []int{full, full, full}},
		"unsynced next":  {"su", []int{full, full}},
		"synced later":   {"uus", []int{normal, normal, full}},
		"more behind it": {"uusuuu", []int{normal, normal, full, full, full, full}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &sqliteEngine{path: filepath.Join(t.TempDir(), "a.db")}
			session, err := e.connect()
			if err != nil {
				t.Fatal(err)
			}
			defer session.close()
			w := &groupWriter{
				session: session, sync: &logSync{session: session, path: e.path + "-wal"}, queue: make(chan *change, len(k.queue)), limit: defaultGroupLimit,
				reserve: &reserve{},
			}
			got := make([]int, len(k.queue))
			for i, kind := range k.queue {
				c := &change{result: make(chan error, 1)}
				if kind == 'u' {
					c.kind = unsynced
				}
				c.fn = func(tx *Tx) error { // the level is read when the statement is prepared, and prepared statements are kept
					return tx.Row(fmt.Sprintf("PRAGMA synchronous -- %d", i)).Scan(&got[i])
				}
				w.queue <- c
			}
			close(w.queue)
			for first := w.first(); first != nil; first = w.first() {
				w.commit(w.gather(first))
			}
			if !reflect.DeepEqual(got, k.want) {
				t.Errorf("got %v, want %v", got, k.want)
			}
		})
	}
}

// Without a log there is nothing to sync, and nothing is made.
func TestSyncWithoutALog(t *testing.T) {
	t.Parallel()
	l := &logSync{path: filepath.Join(t.TempDir(), "a.db-wal")}
	l.sync()
	if _, err := os.Stat(l.path); !os.IsNotExist(err) {
		t.Errorf("got %v, want no file", err)
	}
}

// The log of a file that is opened by a symbolic link is synced, and one server at a time has the file, by whichever
// name.
func TestSymbolicLink(t *testing.T) {
	t.Parallel()
	real, link := filepath.Join(t.TempDir(), "a.db"), filepath.Join(t.TempDir(), "b.db")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), Options{Path: link, Server: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.WriteUnsynced(t.Context(), func(tx *Tx) error {
		_, err := tx.Exec("CREATE TABLE note (name TEXT PRIMARY KEY)")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(db.engine.(*sqliteEngine).writer.sync.path); err != nil || info.Size() == 0 {
		t.Errorf("the log that is synced: %v, %v", info, err)
	}
	for _, path := range []string{real, link} {
		if other, err := Open(t.Context(), Options{Path: path, Server: true}); !errors.Is(err, ErrInUse) {
			t.Errorf("a second server on %s: %v", path, err)
			if err == nil {
				other.Close()
			}
		}
	}
}
