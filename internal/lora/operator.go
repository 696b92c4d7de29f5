package lora

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Operator is what operators do with the personal LoRAs of all accounts. It works on
// the database alone, beside servers that run on it: they see a change when a render
// with the LoRA is due.
type Operator struct {
	db  *store.DB
	now func() time.Time
}

// NewOperator makes an Operator.
func NewOperator(db *store.DB, now func() time.Time) *Operator { return &Operator{db, now} }

// List lists entries of all accounts, or of one, newest first: at most limit, before the
// given one, in a status, or in any when it is empty.
func (o *Operator) List(ctx context.Context, status atelier.LoraStatus, owner atelier.Wallet, at time.Time, before atelier.LoraID, limit int) (out []atelier.PersonalLora, err error) {
	err = o.db.Read(ctx, func(tx *store.Tx) error {
		out = nil
		rows, err := tx.LorasBefore(status, owner, at, before, limit)
		for _, l := range rows {
			out = append(out, l.PersonalLora)
		}
		return err
	})
	return out, err
}

// Show finds one entry of any account.
func (o *Operator) Show(ctx context.Context, id atelier.LoraID) (l atelier.PersonalLora, err error) {
	err = o.db.Read(ctx, func(tx *store.Tx) error {
		row, err := tx.LoraOfAny(id)
		l = row.PersonalLora
		return err
	})
	return l, explain(id, err)
}

// Also is what a caller writes in the transaction of a change; may be nil.
type Also func(*store.Tx, atelier.PersonalLora) error

// Revoke withdraws an entry for good. The sweeper removes its file.
func (o *Operator) Revoke(ctx context.Context, id atelier.LoraID, reason string, also Also) (atelier.PersonalLora, error) {
	return o.move(ctx, id, atelier.LoraRevoked, also, func(l *store.StoredLora) bool {
		l.Key, l.JobID = "", ""
		l.Reason = cmp.Or(reason, "It was withdrawn by the operator of the service. Remove it.")
		return true
	})
}

// HoldBack keeps a ready entry from being used until it is released.
func (o *Operator) HoldBack(ctx context.Context, id atelier.LoraID, reason string, also Also) (atelier.PersonalLora, error) {
	return o.move(ctx, id, atelier.LoraReview, also, func(l *store.StoredLora) bool {
		l.Held = true
		l.Reason = cmp.Or(reason, "The operator of the service is reviewing it.")
		return l.Status == atelier.LoraReady // others have no file
	})
}

// Release ends HoldBack.
func (o *Operator) Release(ctx context.Context, id atelier.LoraID, also Also) (atelier.PersonalLora, error) {
	return o.move(ctx, id, atelier.LoraReady, also, func(l *store.StoredLora) bool {
		held := l.Held
		l.Held, l.Reason = false, ""
		return held
	})
}

// move moves an entry to a status, if the table of moves allows it. change changes
// the rest of the entry, and reports whether it may move.
func (o *Operator) move(ctx context.Context, id atelier.LoraID, to atelier.LoraStatus, also Also, change func(*store.StoredLora) bool) (l atelier.PersonalLora, err error) {
	err = o.db.Write(ctx, func(tx *store.Tx) error {
		row, err := tx.LockLora(id) // its import may be changing it
		if err != nil {
			return err
		}
		from := row.Status
		if !change(&row) || !from.May(to) {
			return atelier.Errorf(atelier.CodeWrongState, "The personal LoRA %s is %s and cannot become %s.", id, from, to).With("status", from)
		}
		row.Status, row.UpdatedAt = to, o.now()
		l = row.PersonalLora
		if err := tx.UpdateLora(&row, from); err != nil || also == nil {
			return err
		}
		return also(tx, l)
	})
	return l, explain(id, err)
}

// explain names the entry that was not found.
func explain(id atelier.LoraID, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return atelier.Missing("id", string(id), "personal LoRA")
	}
	return err
}
