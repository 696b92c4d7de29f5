package account

import (
	"context"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Suspend makes every node refuse the keys and session tokens of an account from the next
// request on, and no work can be added to it. Its unfinished work must still be cancelled
// when Suspend returns: see CancelPending. Check is called before the change, in its
// transaction, unless it is nil. Suspend returns the account, and whether it was suspended
// before.
func (e *Engine) Suspend(ctx context.Context, a atelier.Account, check Also, also ...Also) (now atelier.Account, before bool, err error) {
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := callAll(tx, check); err != nil {
			return err
		}
		suspended, err := tx.SuspendAccount(a.Wallet, e.now())
		if err != nil {
			return err
		}
		before = !suspended
		if suspended {
			if err := callAll(tx, also...); err != nil {
				return err
			}
		}
		now, err = tx.Account(a.Wallet)
		return err
	})
	return now, before, err
}

// CancelPending lists suspended accounts whose work must still be cancelled, some of them
// when there are many.
func (e *Engine) CancelPending(ctx context.Context) (list []atelier.Account, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		list, err = tx.CancelPending(100)
		return err
	})
	return list, err
}

// Cancelled records that all work of a suspended account was cancelled.
func (e *Engine) Cancelled(ctx context.Context, a atelier.Account) error {
	return e.db.Write(ctx, func(tx *store.Tx) error { return tx.ClearCancelPending(a.Wallet, a.SuspendedAt) })
}

// Reinstate makes the keys of a suspended account valid again. Its earlier session tokens
// stay invalid. It reports false when the account was not suspended, or when its work must
// still be cancelled.
func (e *Engine) Reinstate(ctx context.Context, a atelier.Account, also ...Also) (reinstated bool, err error) {
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if reinstated, err = tx.ReinstateAccount(a.Wallet); err != nil || !reinstated {
			return err
		}
		return callAll(tx, also...)
	})
	return reinstated, err
}
