package storetest

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/atelier-project/atelier/internal/store"
)

// Mortal is a database of a process that dies at a certain commit: from then on nothing
// is written.
type Mortal struct {
	*store.DB
	Alive context.Context // ends when the process dies

	armed, dead atomic.Bool
	commits     atomic.Int64
}

// OpenMortal opens a SQLite file in a process that dies at the n-th commit after Arm:
// before it is made, or after it.
func OpenMortal(t testing.TB, path string, n int64, after bool) *Mortal {
	t.Helper()
	ctx, die := context.WithCancel(t.Context())
	t.Cleanup(die)
	m := &Mortal{Alive: ctx}
	db, err := store.Open(t.Context(), store.Options{Path: path, NoSync: true, Crash: func(late bool) bool {
		if !m.armed.Load() || late != after {
			return false
		}
		if m.commits.Add(1) == n {
			m.dead.Store(true)
			die()
		}
		return m.dead.Load()
	}})
	if err != nil {
		t.Fatal(err)
	}
	m.DB = db
	return m
}

// Arm begins to count commits.
func (m *Mortal) Arm() { m.armed.Store(true) }

// Dead reports whether the process has died.
func (m *Mortal) Dead() bool { return m.dead.Load() }
