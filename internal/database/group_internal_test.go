package database

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/atelier-project/atelier"
)

// groupOf commits changes of a SQLite file as they wait in the queue, and returns their errors.
func groupOf(t *testing.T, s *sqliteSession, changes ...func(*Tx) error) (errs []error) {
	t.Helper()
	w := &groupWriter{
		session: s, sync: &logSync{session: s, off: true}, queue: make(chan *change, len(changes)), limit: defaultGroupLimit, reserve: &reserve{},
	}
	list := make([]*change, len(changes))
	for i, fn := range changes {
		list[i] = &change{fn: fn, result: make(chan error, 1)}
		w.queue <- list[i]
	}
	close(w.queue)
	for first := w.first(); first != nil; first = w.first() {
		w.commit(w.gather(first))
	}
	for _, c := range list {
		errs = append(errs, <-c.result)
	}
	return errs
}

// noteFile opens a SQLite file with a table of notes.
func noteFile(t *testing.T) *sqliteSession {
	t.Helper()
	e := &sqliteEngine{path: filepath.Join(t.TempDir(), "a.db")}
	session, err := e.connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.close)
	if _, err := session.exec(background, "CREATE TABLE note (name TEXT PRIMARY KEY)", nil); err != nil {
		t.Fatal(err)
	}
	return session
}

func notesOf(t *testing.T, s *sqliteSession) (names []string) {
	t.Helper()
	err := s.query(background, "SELECT name FROM note ORDER BY name", nil, func(scan func(...any) error) error {
		names = append(names, "")
		return scan(&names[len(names)-1])
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// SQLite itself ends the transaction of a change that finds the disk full. The other changes of its group are
// written, and nothing is that a caller was told has failed.
func TestGroupWhoseTransactionEnds(t *testing.T) {
	t.Parallel()
	add := func(name string) func(*Tx) error {
		return func(tx *Tx) error {
			_, err := tx.Exec("INSERT INTO note (name) VALUES ($1)", name)
			return err
		}
	}
	refused := errors.New("refused")
	refuse := func(*Tx) error { return refused }
	full := func(tx *Tx) error {
		_, err := tx.Exec("INSERT INTO note (name) VALUES (hex(zeroblob(1000000)))")
		return err
	}
	both := func(tx *Tx) error { return errors.Join(full(tx), add("x")(tx)) }
	ignored := func(tx *Tx) error { _ = full(tx); return nil }
	for name, k := range map[string]struct {
		changes []func(*Tx) error
		failed  []int
		want    []string
	}{
		"first":           {[]func(*Tx) error{full, add("a"), add("b")}, []int{0}, []string{"a", "b"}},
		"behind others":   {[]func(*Tx) error{add("a"), full, add("b")}, []int{1}, []string{"a", "b"}},
		"behind failures": {[]func(*Tx) error{add("a"), refuse, add("b"), full, add("c"), full, add("d")}, []int{1, 3, 5}, []string{"a", "b", "c", "d"}},
		"half a change":   {[]func(*Tx) error{add("a"), both, add("b"), both, add("c")}, []int{1, 3}, []string{"a", "b", "c"}},
		"not noticed":     {[]func(*Tx) error{add("a"), ignored, add("b"), ignored, add("c")}, []int{1, 3}, []string{"a", "b", "c"}},
		"alone":           {[]func(*Tx) error{full}, []int{0}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session := noteFile(t)
			if err := session.pragma("PRAGMA max_page_count = 20"); err != nil {
				t.Fatal(err)
			}
			var failed []int
			for i, err := range groupOf(t, session, k.changes...) {
				var away *atelier.UnavailableError
				if err != nil {
					failed = append(failed, i)
				}
				if err != nil && !errors.Is(err, refused) && !errors.As(err, &away) {
					t.Errorf("change %d: got %v, want what is unavailable", i, err)
				}
			}
			if got := notesOf(t, session); !slices.Equal(got, k.want) || !slices.Equal(failed, k.failed) {
				t.Errorf("got %q written and %v failed, want %q and %v", got, failed, k.want, k.failed)
			}
		})
	}
}

// A change that panics while it reads rows leaves the writer as it was.
func TestPanicBesideRows(t *testing.T) {
	t.Parallel()
	const all = "SELECT name FROM note WHERE name <> $1 ORDER BY name"
	session := noteFile(t)
	add := func(name string) func(*Tx) error {
		return func(tx *Tx) error {
			_, err := tx.Exec("INSERT INTO note (name) VALUES ($1)", name)
			return err
		}
	}
	panics := func(tx *Tx) error {
		return tx.Rows(func(func(...any) error) error { panic("a mistake") }, all, "c")
	}
	read := func(tx *Tx) error {
		names := 0
		err := tx.Rows(func(func(...any) error) error { names++; return nil }, all, "c")
		if err == nil && names != 3 {
			t.Errorf("read %d notes, want 3", names)
		}
		return err
	}
	for i, err := range groupOf(t, session, add("a"), add("b"), panics, add("d"), read) {
		if (err != nil) != (i == 2) {
			t.Errorf("change %d: %v", i, err)
		}
	}
	for i, err := range groupOf(t, session, panics, add("e")) {
		if (err != nil) != (i == 0) {
			t.Errorf("change %d of the second group: %v", i, err)
		}
	}
	var busy, log, copied int
	err := session.query(background, "PRAGMA wal_checkpoint(TRUNCATE)", nil, func(scan func(...any) error) error { return scan(&busy, &log, &copied) })
	if err != nil || busy != 0 {
		t.Errorf("the log cannot be emptied: %v, busy %d", err, busy)
	}
}
