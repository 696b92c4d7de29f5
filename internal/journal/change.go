package journal

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Change collects what happens to the parent of a log in one transaction.
type Change struct {
	pending []atelier.Event
	Stored  []atelier.Event
}

// Emit adds an event, with the status that the parent has now.
func (c *Change) Emit(h store.Head, message string, p atelier.Payload) {
	c.pending = append(c.pending, atelier.Event{Type: p.EventType(), Message: message, Payload: p, Status: h.Status, Waiting: h.Waiting})
}

// Store stores the events of a change in a log, which keeps the newest: all when keep is 0. They get their sequences
// from the head, which the caller stores. Readers are woken after the commit.
func (j *Journal) Store(tx *store.Tx, log string, h *store.Head, c *Change, at time.Time, keep int64) error {
	h.UpdatedAt = store.NextTime(h.UpdatedAt, at)
	if len(c.pending) == 0 {
		return nil
	}
	for i := range c.pending {
		c.pending[i].Sequence, c.pending[i].At = h.Events, at
		h.Events++
	}
	if err := tx.InsertEvents(log, c.pending); err != nil {
		return err
	}
	if keep > 0 && h.Events > keep {
		if err := tx.TrimEvents(log, h.Events-keep); err != nil {
			return err
		}
	}
	c.Stored, c.pending = append(c.Stored, c.pending...), nil
	tx.OnCommit(func() { j.bus.Publish(topic(log)) })
	return nil
}

// Shorten deletes the events of a log whose parent is over, but for the last, from which readers learn how it ended.
// It returns how many.
func Shorten(tx *store.Tx, log string) (removed int64, err error) { return tx.ShortenLog(log) }
