package database_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/database/databasetest"
	"github.com/atelier-project/atelier/internal/pipetest"
)

// proxied is a PostgreSQL database through a proxy.
func proxied(t *testing.T, o database.Options) (database.Options, *pipetest.Proxy) {
	t.Helper()
	u, err := url.Parse(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	network, address, q := "tcp", u.Host, u.Query()
	if dir := q.Get("host"); strings.HasPrefix(dir, "/") {
		network, address = "unix", filepath.Join(dir, ".s.PGSQL.5432")
	} else if u.Port() == "" {
		address = net.JoinHostPort(u.Hostname(), "5432")
	}
	p := pipetest.NewProxy(t, network, address)
	q.Del("host")
	q.Set("sslmode", "disable")
	u.Host, u.RawQuery = p.Addr(), q.Encode()
	o.URL = u.String()
	return o, p
}

// A caller that leaves while its change is being committed is told the outcome: an error is a change that was not
// written.
func TestLeavingDuringTheCommit(t *testing.T) {
	t.Parallel()
	o, proxy := proxied(t, databasetest.Postgres(t))
	committed, told := make(chan struct{}), make(chan struct{})
	var hold atomic.Bool // the answer to the next commit
	proxy.Filter(func(answer []byte) []byte {
		if bytes.Contains(answer, []byte("COMMIT\x00")) && hold.CompareAndSwap(true, false) {
			close(committed)
			<-told
		}
		return answer
	})
	db := openNotes(t, o)
	hold.Store(true)
	ctx, leave := context.WithCancel(t.Context())
	done, isCalled := make(chan error, 1), false
	go func() {
		done <- db.Write(ctx, func(tx *database.Tx) error {
			tx.OnCommit(func() { isCalled = true })
			return insert("ann")(tx)
		})
	}()
	<-committed
	leave()
	for range 20 { // whatever is to happen when the caller leaves happens meanwhile
		if err := db.Read(t.Context(), find("ann")); err != nil {
			t.Fatal(err)
		}
	}
	close(told)
	if err := <-done; err != nil || !isCalled {
		t.Errorf("the change was written, and its caller was told: %v, committed %v", err, isCalled)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := db.Write(gone, insert("cid")); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that has left: %v", err)
	}
	if err := db.Read(t.Context(), find("cid")); !errors.Is(err, database.ErrNotFound) {
		t.Errorf("a caller that had left: %v", err)
	}
}

// The answer to a commit is lost: the caller gets an outage, and what it cannot know is reported as lost, once.
func TestLostCommit(t *testing.T) {
	t.Parallel()
	o, proxy := proxied(t, databasetest.Postgres(t))
	db := openNotes(t, o)
	lost := 0
	db.OnLost(func() { lost++ })
	proxy.Inspect(func(data []byte, fromServer bool) bool {
		return !fromServer || !bytes.Contains(data, []byte("COMMIT\x00"))
	})
	err := db.Write(t.Context(), func(tx *database.Tx) error {
		tx.OnCommit(func() { t.Error("a change with an unknown outcome was taken for written") })
		return insert("ann")(tx)
	})
	if !atelier.IsOutage(err) || lost != 1 {
		t.Errorf("the answer to the commit was lost: got %v, reported %d times, want an outage that is reported once", err, lost)
	}
	proxy.Inspect(nil)
	if err := db.Read(t.Context(), find("ann")); err != nil {
		t.Errorf("the change is not there: %v", err)
	}
	refused := errors.New("refused")
	if err := db.Write(t.Context(), func(*database.Tx) error { return refused }); !errors.Is(err, refused) || lost != 1 {
		t.Errorf("a change that was refused: got %v, reported %d times", err, lost)
	}
}

// PostgreSQL ends a transaction whose node has disappeared, so that the others do not wait for it for ever.
func TestForgottenTransaction(t *testing.T) {
	t.Parallel()
	o := databasetest.Postgres(t)
	limit := func(o database.Options) (got string) {
		err := databasetest.Open(t, o).Read(t.Context(), func(tx *database.Tx) error {
			return tx.Row("SHOW idle_in_transaction_session_timeout").Scan(&got)
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := limit(o); got != "1min" {
		t.Errorf("a transaction may be idle for %s, want 1min", got)
	}
	u, err := url.Parse(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("idle_in_transaction_session_timeout", "2min")
	u.RawQuery = q.Encode()
	o.URL = u.String()
	if got := limit(o); got != "2min" {
		t.Errorf("a transaction may be idle for %s, want 2min", got)
	}
	db := openNotes(t, o)
	write(t, db, insert("ann"))
	locked, ended, forgotten := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		forgotten <- db.Write(context.Background(), func(tx *database.Tx) error {
			err := tx.Must(changeNote, "ann")
			if err == nil {
				err = execute(tx, "SET LOCAL idle_in_transaction_session_timeout = '10ms'")
			}
			close(locked)
			<-ended
			if err != nil {
				return err
			}
			return tx.Must(changeNote, "ann")
		})
	}()
	<-locked
	err = db.Write(t.Context(), func(tx *database.Tx) error { return tx.Must(changeNote, "ann") })
	close(ended)
	if err != nil {
		t.Error(err)
	}
	if err := <-forgotten; part(err) != atelier.PartDatabase {
		t.Errorf("the transaction that was ended: %v, want database unavailable", err)
	}
}

// A change whose connection was lost has failed, although its function has not noticed.
func TestLostConnectionIsNoticed(t *testing.T) {
	t.Parallel()
	db := openNotes(t, databasetest.Postgres(t))
	err := db.Write(t.Context(), func(tx *database.Tx) error {
		_ = execute(tx, "SELECT pg_terminate_backend(pg_backend_pid())")
		tx.Later(insertNote, "ann")
		return nil
	})
	if part(err) != atelier.PartDatabase {
		t.Errorf("got %v, want database unavailable", err)
	}
	if err := db.Read(t.Context(), find("ann")); !errors.Is(err, database.ErrNotFound) {
		t.Errorf("the note of a lost connection: %v", err)
	}
	write(t, db, insert("ann"))
}
