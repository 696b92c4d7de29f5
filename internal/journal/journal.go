package journal

import (
	"sync"

	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/store"
)

// Journal keeps logs. It is safe for concurrent use.
type Journal struct {
	db  *store.DB
	bus *bus.Bus

	mu    sync.Mutex
	tails map[string]*tail // of the logs that are followed on this node
}

// New makes a journal.
func New(db *store.DB, b *bus.Bus) *Journal {
	return &Journal{db: db, bus: b, tails: map[string]*tail{}}
}

// topic is nudged when a log has new events.
func topic(log string) string { return "log/" + log }
