// Package databasetest makes empty databases for tests: SQLite files, and databases of
// a PostgreSQL server when one is named by ATELIER_TEST_POSTGRES_URL.
package databasetest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier/internal/database"
	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Each runs a test on every database there is, side by side.
func Each(t *testing.T, run func(t *testing.T, o database.Options)) {
	t.Helper()
	EachOf(t, SQLite, Postgres, run)
}

// EachOf is Each with databases that the caller makes.
func EachOf(t *testing.T, sqlite, postgres func(testing.TB) database.Options, run func(t *testing.T, o database.Options)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		run(t, sqlite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		run(t, postgres(t))
	})
}

// Open opens a database that closes with the test.
func Open(t testing.TB, o database.Options) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), o)
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

// SQLite names a new file. In tests every change runs twice, because a change may
// run more than once, and commits do not wait for the disk. Benchmarks do neither.
func SQLite(t testing.TB) database.Options {
	t.Helper()
	_, test := t.(*testing.T)
	return database.Options{Path: filepath.Join(t.TempDir(), "atelier.db"), Rehearse: test, NoSync: test}
}

// Exec runs a statement on a SQLite file that others may have open.
func Exec(t testing.TB, o database.Options, sql string) {
	t.Helper()
	conn, err := sqlite.OpenConn(o.Path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// InShort is what the names of the tests begin with that run on PostgreSQL with -short too. A
// package whose tests do sets it, before they run; those of all others run on SQLite only.
var InShort string

// Postgres makes a new database, or skips the test where there is no server.
func Postgres(t testing.TB) database.Options {
	t.Helper()
	return PostgresLike(t, "")
}

// PostgresLike is Postgres with the end of CREATE DATABASE, which says what the
// database begins with.
func PostgresLike(t testing.TB, like string) database.Options {
	t.Helper()
	o, name := CreatePostgres(t, like)
	t.Cleanup(func() { admin(t, `DROP DATABASE IF EXISTS "`+name+`" WITH (FORCE)`) })
	return o
}

// CreatePostgres is PostgresLike for a database that stays when the test ends.
func CreatePostgres(t testing.TB, like string) (o database.Options, name string) {
	t.Helper()
	if testing.Short() && (InShort == "" || !strings.HasPrefix(t.Name(), InShort)) {
		t.Skip("left out: make check runs it on PostgreSQL too")
	}
	if server() == "" {
		reason := os.Getenv("ATELIER_TEST_POSTGRES_SKIP")
		if reason == "" {
			reason = "ATELIER_TEST_POSTGRES_URL is not set; make check sets it"
		}
		t.Skip("left out: " + reason)
	}
	name = "atelier_" + rand.Text()[:16]
	admin(t, `CREATE DATABASE "`+name+`" `+like)
	u, err := url.Parse(server())
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return database.Options{URL: u.String()}, name
}

// Collated makes a new database that sorts texts by an ICU locale instead of by
// their bytes, or skips the test where no server can.
func Collated(t testing.TB, locale string) database.Options {
	t.Helper()
	var can bool
	query(t, Postgres(t), &can, `SELECT current_setting('server_version_num')::int >= 150000 AND EXISTS (SELECT 1 FROM pg_collation WHERE collprovider = 'i')`)
	if !can {
		t.Skip("left out: the PostgreSQL server has no ICU collations for databases")
	}
	return PostgresLike(t, `TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE '`+locale+`'`)
}

// IsWaiting reports whether a transaction of a PostgreSQL database waits for another one.
func IsWaiting(t testing.TB, o database.Options) (is bool) {
	t.Helper()
	query(t, o, &is, `SELECT COUNT(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
	return is
}

// query reads one value from a database.
func query(t testing.TB, o database.Options, dst any, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), o.URL)
	if err != nil {
		t.Fatalf("connect to the test server: %v", err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(), sql).Scan(dst); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func server() string { return os.Getenv("ATELIER_TEST_POSTGRES_URL") }

var adminLock sync.Mutex // PostgreSQL copies one template at a time

func admin(t testing.TB, statement string) {
	t.Helper()
	adminLock.Lock()
	defer adminLock.Unlock()
	ctx := context.Background() // also in cleanups, when the test's own has ended
	conn, err := pgx.Connect(ctx, server())
	if err != nil {
		t.Fatalf("connect to the test server: %v", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
