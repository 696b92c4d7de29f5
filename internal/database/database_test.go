package database_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/database/databasetest"
)

func init() { databasetest.InShort = "Test" }

// notes makes the table of these tests.
var notes = []database.Migration{{Version: 1, Name: "notes", SQL: "CREATE TABLE note (name TEXT PRIMARY KEY, changes BIGINT NOT NULL DEFAULT 0) /* clustered */;\n"}}

// openNotes opens a database with the table, which closes with the test.
func openNotes(t testing.TB, o database.Options) *database.DB {
	t.Helper()
	db := databasetest.Open(t, o)
	if err := db.Migrate(t.Context(), notes); err != nil {
		t.Fatalf("migrate: %v", err)
	}
	return db
}

// write makes a change that must succeed.
func write(t *testing.T, db *database.DB, fn func(*database.Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), fn); err != nil {
		t.Fatalf("write: %v", err)
	}
}

func execute(tx *database.Tx, sql string, args ...any) error {
	_, err := tx.Exec(sql, args...)
	return err
}

func insert(name string) func(*database.Tx) error {
	return func(tx *database.Tx) error { return execute(tx, "INSERT INTO note (name) VALUES ($1)", name) }
}

// find fails with ErrNotFound when there is no such note.
func find(name string) func(*database.Tx) error {
	return func(tx *database.Tx) error {
		return tx.Row("SELECT name FROM note WHERE name = $1", name).Scan(new(string))
	}
}

func TestWriteIsAllOrNothing(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, o database.Options) {
		db := openNotes(t, o)
		broken := errors.New("broken")
		called := false
		err := db.Write(t.Context(), func(tx *database.Tx) error {
			tx.OnCommit(func() { called = true })
			if err := insert("ann")(tx); err != nil {
				return err
			}
			return broken
		})
		if !errors.Is(err, broken) {
			t.Errorf("got %v, want the function's own error", err)
		}
		if called {
			t.Error("OnCommit was called for a change that failed")
		}
		if err := db.Read(t.Context(), find("ann")); !errors.Is(err, database.ErrNotFound) {
			t.Errorf("after a failed change: got %v, want ErrNotFound", err)
		}
		write(t, db, func(tx *database.Tx) error {
			tx.OnCommit(func() { called = true })
			return insert("ann")(tx)
		})
		if !called {
			t.Error("OnCommit was not called for a change that committed")
		}
		if err := db.Write(t.Context(), insert("ann")); !errors.Is(err, database.ErrExists) {
			t.Errorf("the same key again: got %v, want ErrExists", err)
		}
	})
}

func TestPanicInAChangeIsAnError(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, o database.Options) {
		db := openNotes(t, o)
		err := db.Write(t.Context(), func(*database.Tx) error { panic("oops") })
		if err == nil || !strings.Contains(err.Error(), "oops") {
			t.Errorf("got %v, want the panic as an error", err)
		}
		write(t, db, insert("ann"))
	})
}

// A statement for one row that changes more is undone.
func TestOneRowOnly(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, o database.Options) {
		db := openNotes(t, o)
		write(t, db, func(tx *database.Tx) error { return errors.Join(insert("ann")(tx), insert("bob")(tx)) })
		for where, want := range map[string]string{
			`name = 'ann'`:           "",
			`name = 'eve'`:           database.ErrNotFound.Error(),
			`name IN ('ann', 'bob')`: "database: a statement for one row changed 2",
		} {
			got := ""
			if err := db.Write(t.Context(), func(tx *database.Tx) error {
				return tx.Must(`UPDATE note SET changes = changes + 1 WHERE ` + where)
			}); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%s: got %q, want %q", where, got, want)
			}
		}
		var changes int64
		err := db.Read(t.Context(), func(tx *database.Tx) error {
			return tx.Row(`SELECT changes FROM note WHERE name = 'bob'`).Scan(&changes)
		})
		if changes != 0 || err != nil {
			t.Errorf("what was refused has changed a row %d times, %v", changes, err)
		}
	})
}

// A reader that is in the middle of a snapshot sees none of what is written
// beside it.
func TestSnapshotIsOneState(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, o database.Options) {
		db := openNotes(t, o)
		err := db.Snapshot(t.Context(), func(tx *database.Tx) error {
			before := find("ann")(tx)
			write(t, db, insert("ann"))
			if after := find("ann")(tx); !errors.Is(before, database.ErrNotFound) || !errors.Is(after, database.ErrNotFound) {
				t.Errorf("the snapshot moved: %v, then %v", before, after)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if err := db.Read(t.Context(), find("ann")); err != nil {
			t.Errorf("a plain read does not see the latest commit: %v", err)
		}
	})
}

func TestOpenAgainKeepsTheData(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, o database.Options) {
		db, err := database.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Migrate(t.Context(), notes); err != nil {
			t.Fatal(err)
		}
		write(t, db, insert("ann"))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if err := db.Write(t.Context(), func(*database.Tx) error { return nil }); err == nil {
			t.Error("a closed database took a change")
		}
		if err := openNotes(t, o).Read(t.Context(), find("ann")); err != nil {
			t.Error(err)
		}
	})
}

// A caller that opens an existing database does not create one.
func TestOpenExisting(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, o database.Options) {
		databasetest.Open(t, o) // of no tables
		existing := o
		existing.Existing = true
		for range 2 { // the first call has created nothing
			if _, err := database.Open(t.Context(), existing); !errors.Is(err, database.ErrNoDatabase) {
				t.Errorf("without tables: got %v, want ErrNoDatabase", err)
			}
		}
		openNotes(t, o)
		databasetest.Open(t, existing)
	})
	missing := database.Options{Path: filepath.Join(t.TempDir(), "no", "atelier.db"), Existing: true}
	if _, err := database.Open(t.Context(), missing); !errors.Is(err, database.ErrNoDatabase) {
		t.Errorf("got %v, want ErrNoDatabase", err)
	}
	if _, err := os.Stat(filepath.Dir(missing.Path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
}

// A change that fails does not undo the other changes of its group.
func TestGroupedChangesAreIndependent(t *testing.T) {
	t.Parallel()
	db := openNotes(t, databasetest.SQLite(t))
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			write := db.Write
			if i%3 == 0 {
				write = db.WriteUnsynced
			}
			err := write(context.Background(), func(tx *database.Tx) error {
				if err := insert(fmt.Sprint("a", i))(tx); err != nil {
					return err
				}
				if i%2 == 1 {
					return errors.New("changed my mind")
				}
				return nil
			})
			if (err != nil) != (i%2 == 1) {
				t.Errorf("change %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	for i := range 200 {
		err := db.Read(t.Context(), find(fmt.Sprint("a", i)))
		if (err == nil) != (i%2 == 0) {
			t.Errorf("note %d: %v", i, err)
		}
	}
}

// A change for which Write or WriteUnsynced has returned survives kill -9. The test runs itself as a
// child that prints a line after each change, and kills the child while it writes.
func TestCommittedChangesSurviveKill(t *testing.T) {
	t.Parallel()
	if os.Getenv("ATELIER_DATABASE_CHILD") != "" {
		writeForever(t)
		return
	}
	path := filepath.Join(t.TempDir(), "atelier.db")
	child := exec.Command(os.Args[0], "-test.run=^TestCommittedChangesSurviveKill$", "-test.timeout=60s")
	child.Env = append(os.Environ(), "ATELIER_DATABASE_CHILD="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	written := names(lines, 300)
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	written = append(written, names(lines, 1<<30)...) // printed before it was killed
	_ = child.Wait()

	db := databasetest.Open(t, database.Options{Path: path})
	if len(written) < 300 {
		t.Fatalf("the child wrote only %d changes", len(written))
	}
	for _, name := range written {
		if err := db.Read(t.Context(), find(name)); err != nil {
			t.Errorf("%s was committed and is gone: %v", name, err)
		}
	}
}

// names reads up to n of the child's "wrote NAME" lines.
func names(lines *bufio.Scanner, n int) (out []string) {
	for len(out) < n && lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "wrote "); ok && strings.HasSuffix(name, ".") {
			out = append(out, strings.TrimSuffix(name, "."))
		}
	}
	return out
}

func writeForever(t *testing.T) {
	db := openNotes(t, database.Options{Path: os.Getenv("ATELIER_DATABASE_CHILD")})
	for worker := range 8 {
		write := db.Write
		if worker > 1 {
			write = db.WriteUnsynced
		}
		go func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("w%d-%d", worker, i)
				if err := write(context.Background(), insert(name)); err != nil {
					panic(err)
				}
				os.Stdout.WriteString("wrote " + name + ".\n")
			}
		}()
	}
	select {} // until killed
}

// One server has a SQLite file; others that are no servers may open it beside it.
func TestOneServer(t *testing.T) {
	t.Parallel()
	o := databasetest.SQLite(t)
	o.Server = true
	first, err := database.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := database.Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "another server uses "+o.Path) {
		t.Errorf("a second server: got %v, want a refusal that names the file", err)
	}
	beside := o
	beside.Server = false
	databasetest.Open(t, beside)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	databasetest.Open(t, o)
}

// What is sent on a channel arrives at those who listen to it, and only there.
func TestChannel(t *testing.T) {
	t.Parallel()
	if databasetest.Open(t, databasetest.SQLite(t)).Channel("a") != nil {
		t.Error("SQLite has a channel")
	}
	db := databasetest.Open(t, databasetest.Postgres(t))
	l, err := db.Channel("a").Listen(t.Context(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := db.Channel("b").Notify(t.Context(), "elsewhere"); err != nil {
		t.Fatal(err)
	}
	if err := db.Channel("a").Notify(t.Context(), "one", "two 'é", "one"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"one", "two 'é"} {
		if got, err := l.Next(t.Context()); err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if err := db.Channel("a").Notify(t.Context(), strings.Repeat("x", 8000)); err == nil {
		t.Error("a text of 8000 bytes was taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
}

// Changes that wait for one that takes long are counted.
func TestChangesAreCounted(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, o database.Options) {
		db := openNotes(t, o)
		begun, end := make(chan struct{}), make(chan struct{})
		begin := sync.OnceFunc(func() { close(begun) }) // it may run again
		var changes sync.WaitGroup
		changes.Go(func() {
			err := db.Write(t.Context(), func(tx *database.Tx) error {
				begin()
				<-end
				return insert("first")(tx)
			})
			if err != nil {
				t.Error(err)
			}
		})
		<-begun
		if n := db.Changes(); n != 1 {
			t.Errorf("%d changes are under way, want 1", n)
		}
		close(end)
		changes.Wait()
		if n := db.Changes(); n != 0 {
			t.Errorf("%d changes are under way, want none", n)
		}
	})
}
