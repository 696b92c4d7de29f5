package storetest

import (
	"context"
	"sync"
	"testing"

	"github.com/atelier-project/atelier/internal/database/databasetest"
	"github.com/atelier-project/atelier/internal/store"
)

// Postgres gives a database with all tables and no rows, or skips the test where there is
// no server. It is one that an earlier test has left and that was emptied, if there is
// one: a new database costs the server more than most tests.
func Postgres(t testing.TB) store.Options {
	t.Helper()
	model := migratedTemplate(t)
	o, ok := databases.take()
	if !ok {
		o, _ = databasetest.CreatePostgres(t, `TEMPLATE "`+model.name+`"`)
	}
	t.Cleanup(func() {
		if databasetest.Reset(t, o, model.State) {
			databases.put(o)
		}
	})
	return o
}

// databases are those that no test uses.
var databases pool

type pool struct {
	mu   sync.Mutex
	list []store.Options
}

func (p *pool) put(o store.Options) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, o)
}

func (p *pool) take() (o store.Options, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.list); n > 0 {
		o, p.list = p.list[n-1], p.list[:n-1]
		return o, true
	}
	return o, false
}

// migrated is a database with all tables, from which others are copied.
type migrated struct {
	name string
	databasetest.State
}

var template struct {
	sync.Mutex
	migrated
}

// migratedTemplate makes a database with all tables, once in a test process. Copying it is
// much faster than migrating.
func migratedTemplate(t testing.TB) migrated {
	t.Helper()
	template.Lock()
	defer template.Unlock()
	if template.name != "" {
		return template.migrated
	}
	o, name := databasetest.CreatePostgres(t, "")
	db, err := store.Open(context.Background(), o)
	if err != nil {
		t.Fatalf("migrate the template database: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	made := migrated{name, databasetest.StateOf(t, o)}
	databasetest.AwaitUnused(t, name)
	template.migrated = made
	return made
}
