package billing

import (
	"context"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Tab is work that is paid when it is known how much it was, such as the words
// of a language model.
type Tab struct {
	engine *Engine
	wallet atelier.Wallet
	cause  string
	charge atelier.Charge
}

// Open sets aside what a piece of work may cost at most, in a transaction of
// its own. Work that costs nothing has a nil tab.
func (e *Engine) Open(ctx context.Context, w atelier.Wallet, cause string, t atelier.PaymentTerms, most atelier.Cost) (*Tab, error) {
	if most.Spark == 0 {
		return nil, nil
	}
	tab := &Tab{engine: e, wallet: w, cause: cause}
	err := e.db.WriteSoon(ctx, func(tx *store.Tx) (err error) { // nothing is done for it yet
		tab.charge, err = e.Hold(tx, w, cause, t, most)
		return err
	})
	return tab, err
}

// Settle pays what the work has cost, once. It does so although ctx has ended:
// the work was done.
func (t *Tab) Settle(ctx context.Context, actual atelier.Cost) error {
	if t == nil {
		return nil
	}
	return t.engine.db.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		return t.engine.Settle(tx, t.wallet, t.cause, t.charge, actual)
	})
}

// Drop frees what was set aside for work that came to nothing.
func (t *Tab) Drop(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.engine.db.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error { return t.engine.Release(tx, t.wallet, t.cause) })
}

// tabs are the kinds of causes that tabs have.
var tabs = []string{"llm", "tool"}

// tabLife is longer than any work that is paid by a tab.
const tabLife = 2 * time.Hour

// Sweep frees what tabs hold whose process died before it could settle them.
// Nothing is charged: nobody knows what the work was.
func (e *Engine) Sweep(ctx context.Context) (freed int, err error) {
	for _, kind := range tabs {
		var stale []store.StaleHold
		err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
			stale, err = tx.StaleHolds(kind, e.now().Add(-tabLife), 1000)
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
