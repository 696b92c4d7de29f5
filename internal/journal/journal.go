package journal

import (
	"sync"
	"time"

	"github.com/atelier-project/atelier"
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

// Append adds events to a log, in the caller's transaction. The first gets the sequence
// next, which the caller stores on the parent's row; it returns the one after the last.
// Readers are woken after the commit.
func (j *Journal) Append(tx *store.Tx, log string, next int64, at time.Time, events ...atelier.Event) (int64, error) {
	if len(events) == 0 {
		return next, nil
	}
	for i := range events {
		events[i].Sequence, events[i].At = next, at
		next++
	}
	if err := tx.InsertEvents(log, events); err != nil {
		return 0, err
	}
	tx.OnCommit(func() { j.bus.Publish(topic(log)) })
	return next, nil
}

// topic is nudged when a log has new events.
func topic(log string) string { return "log/" + log }
