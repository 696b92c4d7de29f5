package billing

import (
	"context"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Reservation is work that is paid when it is known how much it was, such as the words
// of a language model. It is used by one goroutine at a time.
type Reservation struct {
	engine *Engine
	wallet atelier.Wallet
	cause  string
	terms  atelier.PaymentTerms
	charge atelier.Charge
}

// Open sets aside what a piece of work is expected to cost at most, in a
// transaction of its own. Work that costs nothing has a nil tab.
func (e *Engine) Open(ctx context.Context, w atelier.Wallet, cause string, t atelier.PaymentTerms, most atelier.Cost) (*Reservation, error) {
	if most.Spark == 0 {
		return nil, nil
	}
	tab := &Reservation{engine: e, wallet: w, cause: cause, terms: t}
	err := e.db.WriteRelaxed(ctx, func(tx *store.Tx) (err error) { // nothing is done for it yet
		tab.charge, err = e.Hold(tx, w, cause, t, most)
		return err
	})
	return tab, err
}

// Extend sets more aside for work that turns out to be more than expected, or as
// much of it as the account has. It returns how much that is: all of it where a
// plan pays.
func (t *Reservation) Extend(ctx context.Context, more atelier.Money) (got atelier.Money, err error) {
	if t == nil || t.charge.ByPlan {
		return more, nil
	}
	var charge atelier.Charge
	err = t.engine.db.WriteRelaxed(ctx, func(tx *store.Tx) (err error) { // a part of the hold, which need not last either
		charge, got, err = t.engine.extend(tx, t.wallet, t.cause, t.terms, t.charge, more)
		return err
	})
	if err != nil {
		return 0, err
	}
	t.charge = charge
	return got, nil
}

// Settle pays what the work has cost, once. What is more than was set aside is
// taken from what the account has free; unpaid is what that does not cover
// either. It does so although ctx has ended: the work was done.
func (t *Reservation) Settle(ctx context.Context, actual atelier.Cost) (unpaid atelier.Money, err error) {
	if t == nil {
		return 0, nil
	}
	err = t.engine.db.Write(context.WithoutCancel(ctx), func(tx *store.Tx) (err error) {
		charge, short := t.charge, t.short(actual)
		if short > 0 {
			var got atelier.Money
			if charge, got, err = t.engine.extend(tx, t.wallet, t.cause, t.terms, charge, short); err != nil {
				return err
			}
			short -= got
		}
		unpaid = short
		return t.engine.Settle(tx, t.wallet, t.cause, charge, actual)
	})
	return unpaid, err
}

// short is what is missing to pay a cost from what was set aside.
func (t *Reservation) short(actual atelier.Cost) atelier.Money {
	if t.charge.ByPlan {
		return 0
	}
	held := atelier.Money(0)
	for _, part := range t.charge.Parts {
		held += part.Amount
	}
	return max(0, actual.Spark-held)
}

// Drop frees what was set aside for work that came to nothing.
func (t *Reservation) Drop(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.engine.db.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error { return t.engine.Release(tx, t.wallet, t.cause) })
}

// tabs are the kinds of causes that tabs have.
var tabs = []string{"llm", "tool"}

// TabLife is how long a tab may stay open. Work that takes longer is not paid:
// whoever opens a tab must end the work before.
const TabLife = 2 * time.Hour

// Sweep frees what tabs hold whose process died before it could settle them.
// Nothing is charged: nobody knows what the work was.
func (e *Engine) Sweep(ctx context.Context) (freed int, err error) {
	for _, kind := range tabs {
		var stale []store.StaleHold
		err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
			stale, err = tx.StaleHolds(kind, e.now().Add(-TabLife), 1000)
			return err
		})
		if err != nil {
			return freed, err
		}
		for _, h := range stale {
			if err := e.db.Write(ctx, func(tx *store.Tx) error { return e.Release(tx, h.Wallet, h.Cause) }); err != nil {
				return freed, err
			}
			freed++
		}
	}
	return freed, nil
}
