package database_test

import (
	"errors"
	"testing"

	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/database/databasetest"
)

const insertNote, changeNote = "INSERT INTO note (name) VALUES ($1)", "UPDATE note SET changes = changes + 1 WHERE name = $1"

// Statements for later run in their order, before those that are waited for behind them.
func TestLaterKeepsTheOrder(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, o database.Options) {
		db := openNotes(t, o)
		var names []string
		before, after := -1, -1
		write(t, db, func(tx *database.Tx) error {
			names = nil
			tx.Later(insertNote, "ann")
			tx.MustLater(changeNote, "ann")
			tx.Row("SELECT changes FROM note WHERE name = $1", "ann").ScanLater(&before)
			tx.RowsLater(func(scan func(...any) error) error {
				names = append(names, "")
				return scan(&names[len(names)-1])
			}, "SELECT name FROM note")
			if n, err := tx.Exec(changeNote, "ann"); err != nil || n != 1 {
				t.Errorf("a change behind them: got %d, %v", n, err)
			}
			if len(names) != 1 || names[0] != "ann" || before != 1 {
				t.Errorf("read %q, and %d changes, want the note, and 1", names, before)
			}
			tx.Later(changeNote, "ann")
			return nil
		})
		err := db.Read(t.Context(), func(tx *database.Tx) error {
			tx.Row("SELECT changes FROM note WHERE name = $1", "ann").ScanLater(&after)
			return nil
		})
		if err != nil || after != 3 {
			t.Errorf("after the commit: got %d changes, %v, want 3", after, err)
		}
	})
}

// A statement for later that fails undoes the change, with its error, whatever the function
// makes of it.
func TestLaterUndoesTheChange(t *testing.T) {
	t.Parallel()
	waits := map[string]func(*database.Tx) error{
		"at the commit": func(*database.Tx) error { return nil },
		"at a flush":    func(tx *database.Tx) error { return tx.Flush() },
		"at a statement whose error is taken for its own": func(tx *database.Tx) error {
			err := tx.Row("SELECT name FROM note WHERE name = $1", "ann").Scan(new(string))
			if err == nil || errors.Is(err, database.ErrNotFound) || errors.Is(err, database.ErrExists) {
				return errors.New("the statement got the error of the other one")
			}
			return nil
		},
		"before an error of the function": func(tx *database.Tx) error { return errors.Join(tx.Flush(), errors.New("own")) },
	}
	faults := map[string]struct {
		fail func(*database.Tx)
		want error
	}{
		"exists": {func(tx *database.Tx) { tx.Later(insertNote, "bob") }, database.ErrExists},
		"no row": {func(tx *database.Tx) { tx.MustLater(changeNote, "nobody") }, database.ErrNotFound},
		"none read": {func(tx *database.Tx) {
			tx.Row("SELECT name FROM note WHERE name = $1", "nobody").ScanLater(new(string))
		}, database.ErrNotFound},
	}
	databasetest.Each(t, func(t *testing.T, o database.Options) {
		db := openNotes(t, o)
		write(t, db, insert("bob"))
		for when, wait := range waits {
			for what, fault := range faults {
				called := false
				err := db.Write(t.Context(), func(tx *database.Tx) error {
					tx.OnCommit(func() { called = true })
					tx.Later(insertNote, "ann")
					fault.fail(tx)
					tx.Later(insertNote, "cid")
					return wait(tx)
				})
				if !errors.Is(err, fault.want) || called {
					t.Errorf("%s, %s: got %v, committed %v, want %v", what, when, err, called, fault.want)
				}
				for _, name := range []string{"ann", "cid"} {
					if err := db.Read(t.Context(), find(name)); !errors.Is(err, database.ErrNotFound) {
						t.Errorf("%s, %s: the note %s was written: %v", what, when, name, err)
					}
				}
			}
		}
		own := errors.New("own")
		err := db.Write(t.Context(), func(tx *database.Tx) error {
			tx.Later(insertNote, "ann")
			return own
		})
		if !errors.Is(err, own) {
			t.Errorf("an error of the function: got %v", err)
		}
		if err := db.Read(t.Context(), find("ann")); !errors.Is(err, database.ErrNotFound) {
			t.Errorf("the function failed, and the note was written: %v", err)
		}
		write(t, db, insert("ann")) // the connections are usable
	})
}

// Two changes that wait for each other's rows both succeed, although the statements that
// wait are sent later.
func TestLaterRetriesDeadlocks(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, o database.Options) {
		db := openNotes(t, o)
		write(t, db, insert("ann"))
		write(t, db, insert("bob"))
		const each = 5
		done := make(chan error, 2)
		for _, order := range [][]string{{"ann", "bob"}, {"bob", "ann"}} {
			go func() {
				for range each {
					err := db.Write(t.Context(), func(tx *database.Tx) error {
						tx.MustLater(changeNote, order[0])
						if err := tx.Flush(); err != nil {
							return err
						}
						tx.MustLater(changeNote, order[1])
						return nil
					})
					if err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
		}
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		var ann, bob int
		err := db.Read(t.Context(), func(tx *database.Tx) error {
			tx.Row("SELECT changes FROM note WHERE name = 'ann'").ScanLater(&ann)
			tx.Row("SELECT changes FROM note WHERE name = 'bob'").ScanLater(&bob)
			return nil
		})
		if err != nil || ann != 2*each || bob != 2*each {
			t.Errorf("got %d and %d changes, %v, want %d", ann, bob, err, 2*each)
		}
	})
}
