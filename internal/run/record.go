package run

import (
	"fmt"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// record is a run inside a transaction that changes it, or one that is read.
type record struct {
	row     store.StoredRun
	request requestDocument
	state   state
	now     time.Time
	events  []atelier.Event // of this change, not stored yet
	logged  []atelier.Event // of this change, stored
	log     []atelier.Event // of a run that is read
}

// keptEvents is how many events of a run are kept: the newest.
const keptEvents = 2000

// decode reads a row.
func decode(row store.StoredRun) (*record, error) {
	r := &record{row: row}
	if err := wire.Unmarshal(row.Request, &r.request); err != nil {
		return nil, fmt.Errorf("request of %s: %w", row.ID, err)
	}
	if err := wire.Unmarshal(row.State, &r.state); err != nil {
		return nil, fmt.Errorf("state of %s: %w", row.ID, err)
	}
	return r, nil
}

// emit adds an event, with the status that the run has now.
func (r *record) emit(p atelier.Payload) {
	r.events = append(r.events, atelier.Event{Type: p.EventType(), Payload: p, Status: r.row.Status, Waiting: r.row.Waiting})
}

// move changes the status of the run along the table.
func (r *record) move(to atelier.Status, why atelier.WaitingReason) error {
	if !atelier.MayMove(atelier.RunMoves, r.row.Status, to) {
		return fmt.Errorf("run %s cannot move from %q to %q", r.row.ID, r.row.Status, to)
	}
	r.row.Status, r.row.Waiting = to, why
	if to.Terminal() {
		r.state.EndedAt = &r.now
	}
	if to != atelier.StatusWaitingForUser {
		r.state.Waiting = nil
	}
	return nil
}

// append stores the events of a change.
func (e *Engine) append(tx *store.Tx, r *record) (err error) {
	if r.row.Events, err = e.journal.Append(tx, string(r.row.ID), r.row.Events, r.now, r.events...); err != nil {
		return err
	}
	if r.row.Events > keptEvents && len(r.events) > 0 {
		if err := tx.TrimEvents(string(r.row.ID), r.row.Events-keptEvents); err != nil {
			return err
		}
	}
	r.logged, r.events = append(r.logged, r.events...), nil
	r.row.UpdatedAt = store.NextTime(r.row.UpdatedAt, r.now)
	return nil
}

// insert stores a new run.
func (e *Engine) insert(tx *store.Tx, r *record) (err error) {
	if err := e.append(tx, r); err != nil {
		return err
	}
	if r.row.State, err = wire.Marshal(r.state); err != nil {
		return err
	}
	return tx.InsertRun(r.row)
}

// update stores a change of a run that had the given status. store.ErrNotFound means
// that the run is no longer what it was.
func (e *Engine) update(tx *store.Tx, r *record, from atelier.Status) (err error) {
	if err := e.append(tx, r); err != nil {
		return err
	}
	if r.row.State, err = wire.Marshal(r.state); err != nil {
		return err
	}
	return tx.UpdateRun(r.row, from)
}
