// Package storetest opens databases for tests: SQLite files, and databases of
// a PostgreSQL server when one is named by ATELIER_TEST_POSTGRES_URL.
package storetest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/atelier-project/atelier/internal/store"
	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Each runs a test on every database there is, side by side.
func Each(t *testing.T, run func(t *testing.T, o store.Options)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		run(t, SQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		run(t, Postgres(t))
	})
}

// Open opens a database that closes with the test.
func Open(t testing.TB, o store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), o)
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

// SQLite makes a new file. In tests every change runs twice, because a change may
// run more than once, and commits do not wait for the disk. Benchmarks do neither.
func SQLite(t testing.TB) store.Options {
	t.Helper()
	_, test := t.(*testing.T)
	return store.Options{Path: Furnish(t, filepath.Join(t.TempDir(), "atelier.db")), Rehearse: test, NoSync: test}
}

// Furnish makes a SQLite file with all tables, by copying one, which is much faster
// than migrating. It returns its path.
func Furnish(t testing.TB, path string) string {
	t.Helper()
	if err := os.WriteFile(path, migratedFile(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// migratedFile is a database with all the tables, made once in a test process.
var migratedFile = sync.OnceValue(func() []byte {
	dir, err := os.MkdirTemp("", "atelier")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "atelier.db")
	db, err := store.Open(context.Background(), store.Options{Path: path})
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		panic(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return content
})

// Exec runs a statement on a SQLite file that others may have open.
func Exec(t testing.TB, o store.Options, sql string) {
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

// Postgres makes a new database, or skips the test where there is no server.
func Postgres(t testing.TB) store.Options {
	t.Helper()
	server := os.Getenv("ATELIER_TEST_POSTGRES_URL")
	if server == "" {
		reason := os.Getenv("ATELIER_TEST_POSTGRES_SKIP")
		if reason == "" {
			reason = "ATELIER_TEST_POSTGRES_URL is not set; make test sets it"
		}
		t.Skip("left out: " + reason)
	}
	name := "atelier_" + rand.Text()[:16]
	template := migratedTemplate(t, server)
	admin(t, server, `CREATE DATABASE "`+name+`" TEMPLATE "`+template+`"`)
	t.Cleanup(func() { admin(t, server, `DROP DATABASE IF EXISTS "`+name+`" WITH (FORCE)`) })
	return store.Options{URL: withDatabase(t, server, name)}
}

// Collated makes a new database that sorts texts by an ICU locale instead of by
// their bytes, or skips the test where no server can.
func Collated(t testing.TB, locale string) store.Options {
	t.Helper()
	like := Postgres(t) // skips
	server := os.Getenv("ATELIER_TEST_POSTGRES_URL")
	var can bool
	query(t, like.URL, &can, `SELECT current_setting('server_version_num')::int >= 150000 AND EXISTS (SELECT 1 FROM pg_collation WHERE collprovider = 'i')`)
	if !can {
		t.Skip("left out: the PostgreSQL server has no ICU collations for databases")
	}
	name := "atelier_" + rand.Text()[:16]
	admin(t, server, `CREATE DATABASE "`+name+`" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE '`+locale+`'`)
	t.Cleanup(func() { admin(t, server, `DROP DATABASE IF EXISTS "`+name+`" WITH (FORCE)`) })
	return store.Options{URL: withDatabase(t, server, name)}
}

// IsWaiting reports whether a transaction of a PostgreSQL database waits for another one.
func IsWaiting(t testing.TB, o store.Options) (is bool) {
	t.Helper()
	query(t, o.URL, &is, `SELECT COUNT(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
	return is
}

// query reads one value from a server.
func query(t testing.TB, server string, dst any, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server)
	if err != nil {
		t.Fatalf("connect to the test server: %v", err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(), sql).Scan(dst); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

var template struct {
	sync.Mutex
	name string
}

// migratedTemplate makes a database with all tables, once in a test process. The
// others are copied from it, which is much faster than migrating.
func migratedTemplate(t testing.TB, server string) string {
	t.Helper()
	template.Lock()
	defer template.Unlock()
	if template.name != "" {
		return template.name
	}
	name := "atelier_template_" + rand.Text()[:16]
	admin(t, server, `CREATE DATABASE "`+name+`"`)
	db, err := store.Open(context.Background(), store.Options{URL: withDatabase(t, server, name)})
	if err != nil {
		t.Fatalf("migrate the template database: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	template.name = name
	return name
}

var adminLock sync.Mutex // PostgreSQL copies one template at a time

func admin(t testing.TB, server, statement string) {
	t.Helper()
	adminLock.Lock()
	defer adminLock.Unlock()
	ctx := context.Background() // also in cleanups, when the test's own has ended
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatalf("connect to the test server: %v", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func withDatabase(t testing.TB, server, name string) string {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}
