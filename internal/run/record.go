package run

import (
	"fmt"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// record is a run inside a transaction that changes it, or one that is read.
type record struct {
	row     store.StoredRun
	request requestDocument
	state   state
	now     time.Time
	log     journal.Change
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
	r.log.Emit(r.row.Head, "", p)
}

// move changes the status of the run along the table.
func (r *record) move(to atelier.Status, why atelier.WaitingReason) error {
	if err := r.row.Move(atelier.RunMoves, to, why); err != nil {
		return fmt.Errorf("run %s: %w", r.row.ID, err)
	}
	if to.Terminal() {
		r.state.EndedAt = &r.now
	}
	if to != atelier.StatusWaitingForUser {
		r.state.Waiting = nil
	}
	return nil
}

// log stores the events of a change.
func (e *Engine) log(tx *store.Tx, r *record) error {
	return e.journal.Store(tx, string(r.row.ID), &r.row.Head, &r.log, r.now, keptEvents)
}

// encode stores the events of a change, and encodes the state.
func (e *Engine) encode(tx *store.Tx, r *record) (err error) {
	if err := e.log(tx, r); err != nil {
		return err
	}
	r.row.State, err = wire.Marshal(r.state)
	return err
}

// insert stores a new run.
func (e *Engine) insert(tx *store.Tx, r *record) error {
	if err := e.encode(tx, r); err != nil {
		return err
	}
	if err := tx.InsertRun(r.row); err != nil {
		return err
	}
	return tx.AddToConversation(r.row.Wallet, r.row.Session, r.request.lastMessage().text())
}

// update stores a change of a run that had the given status. store.ErrNotFound means
// that the run is no longer what it was.
func (e *Engine) update(tx *store.Tx, r *record, from atelier.Status) error {
	before := len(r.log.Stored)
	if err := e.encode(tx, r); err != nil {
		return err
	}
	if r.row.Status.Terminal() && !from.Terminal() && r.state.Final != nil {
		if err := tx.AddToConversation(r.row.Wallet, r.row.Session, r.state.Final.Content); err != nil {
			return err
		}
	}
	if err := tx.UpdateRun(r.row, from); err != nil {
		return err
	}
	return e.notify(tx, r, r.log.Stored[before:])
}
