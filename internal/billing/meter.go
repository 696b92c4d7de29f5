package billing

import (
	"context"
	"errors"
	"math/bits"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Reservation is a hold for work whose cost is known afterwards, such as the tokens of a
// language model. It is used by one goroutine at a time.
//
// Its holds do not wait for the disk: they are in the books at once and survive the end of
// the process, and after a power cut, which ends the work, they are worth nothing. What
// the work has cost is on the disk before its caller is told that it is done.
type Reservation struct {
	engine *Engine
	wallet atelier.Wallet
	cause  string
	terms  atelier.PaymentTerms
	charge atelier.Charge
	model  string // what does the work
	bound  error  // why nothing more could be held: the budget of the key; nil for the balance or the plan
}

// SetModel sets the language model or the tool that does the work, for the record of it.
func (t *Reservation) SetModel(id string) {
	if t != nil {
		t.model = id
	}
}

// Open holds the highest expected cost of a piece of work, in its own transaction. Work
// that costs nothing has a nil Reservation.
func (e *Engine) Open(ctx context.Context, w atelier.Wallet, cause string, t atelier.PaymentTerms, most atelier.Cost) (*Reservation, error) {
	if most.Spark == 0 {
		return nil, nil
	}
	reserved := &Reservation{engine: e, wallet: w, cause: cause, terms: t}
	err := e.db.WriteUnsynced(ctx, func(tx *store.Tx) (err error) {
		reserved.charge, err = e.Hold(tx, w, cause, t, most)
		return err
	})
	return reserved, err
}

// Extend holds more money for work that exceeds its estimate, as far as the balance or the
// fair use of the plan reaches. It returns how much was added.
func (t *Reservation) Extend(ctx context.Context, more atelier.Money) (got atelier.Money, err error) {
	if t == nil {
		return more, nil
	}
	var charge atelier.Charge
	var bound error
	err = t.engine.db.WriteUnsynced(ctx, func(tx *store.Tx) (err error) {
		if charge = t.charge; charge.ByPlan {
			got, err = t.engine.extendPlan(tx, t.wallet, t.cause, charge, more)
			return err
		}
		charge, got, err = t.engine.extend(tx, t.wallet, t.cause, t.terms, t.charge, more)
		return err
	})
	if err == nil && got < more && charge.Budgeted {
		err = t.engine.db.WriteUnsynced(ctx, func(tx *store.Tx) error {
			bound = nil
			room, by, err := t.engine.budgetRoom(tx, t.wallet, charge)
			if room <= 0 {
				bound = by
			}
			return err
		})
	}
	if err != nil {
		return 0, err
	}
	t.charge, t.bound = charge, bound
	return got, nil
}

// UsedUp is the error that ends work for which no more can be held.
func (t *Reservation) UsedUp() error {
	if t.bound != nil {
		return t.bound
	}
	if t.charge.ByPlan {
		return atelier.Errorf(atelier.CodeSubscriptionLimit, "The fair use of the plan is used up, and the answer ends here. Ask again with billing_mode tokens.")
	}
	return atelier.Errorf(atelier.CodeInsufficientBalance, "The balance is used up, and the answer ends here. Add credits and ask again.")
}

// Settle pays the cost of the work, once. Cost beyond the hold is taken from the free
// balance; unpaid is the part that this does not cover. It ignores that ctx has ended: the
// work was done.
func (t *Reservation) Settle(ctx context.Context, actual atelier.Cost) (unpaid atelier.Money, err error) {
	if t == nil {
		return 0, nil
	}
	err = t.engine.db.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		paid, err := t.SettleIn(tx, actual)
		unpaid = paid.Unpaid
		return err
	})
	return unpaid, err
}

// Payment is how a cost was paid.
type Payment struct {
	Parts  []atelier.ChargePart
	ByPlan bool
	Unpaid atelier.Money // what neither the hold nor the balance covered
}

// SettleIn is Settle in the caller's transaction.
func (t *Reservation) SettleIn(tx *store.Tx, actual atelier.Cost) (p Payment, err error) {
	if t == nil {
		return Payment{}, nil
	}
	charge := t.charge
	if err = t.lock(tx); err != nil {
		return p, err
	}
	if p.Unpaid = t.shortfall(actual); p.Unpaid > 0 { // the work is done: a budget that is used up does not keep it from being paid
		var got atelier.Money
		if charge, got, err = t.engine.extendPurses(tx, t.wallet, t.cause, t.terms, charge, p.Unpaid); err != nil {
			return p, err
		}
		p.Unpaid -= got
	}
	p.ByPlan = charge.ByPlan
	for rest, i := actual.Spark, 0; i < len(charge.Parts) && rest > 0; i++ { // in the order of Engine.Settle
		part := charge.Parts[i]
		part.Amount = min(part.Amount, rest)
		rest -= part.Amount
		p.Parts = append(p.Parts, part)
	}
	return p, t.engine.Settle(tx, t.wallet, t.cause, charge, actual, Render{ModelID: t.model})
}

// lock locks the account before the purses where the budget of a key changes with them. A transaction that holds for
// two pieces of work changes the budget for the first, and a purse after it for the second: without the lock, one that
// changes that purse and then the budget could wait for it while it waits itself.
func (t *Reservation) lock(tx *store.Tx) error {
	if !t.charge.Budgeted {
		return nil
	}
	return tx.LockAccount(t.wallet)
}

// shortfall is what the hold lacks to pay a cost.
func (t *Reservation) shortfall(actual atelier.Cost) atelier.Money {
	if t.charge.ByPlan {
		return 0
	}
	return max(0, actual.Spark-t.held())
}

func (t *Reservation) held() (sum atelier.Money) {
	for _, part := range t.charge.Parts {
		sum += part.Amount
	}
	return sum
}

// AtMost is an estimated cost, no more of it than is held. A plan covers all of it.
func (t *Reservation) AtMost(estimated atelier.Cost) atelier.Cost {
	if t == nil || t.shortfall(estimated) == 0 {
		return estimated
	}
	held := t.held()
	high, low := bits.Mul64(uint64(estimated.USD), uint64(held))
	usd, _ := bits.Div64(high, low, uint64(estimated.Spark)) // held is less than Spark
	estimated.USD, estimated.Spark = atelier.Money(usd), held
	return estimated
}

// Drop releases the hold of work that failed.
func (t *Reservation) Drop(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.engine.db.WriteUnsynced(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		if err := t.lock(tx); err != nil {
			return err
		}
		return t.engine.Release(tx, t.wallet, t.cause)
	})
}

// DropAll releases, in the caller's transaction, every hold of an account whose cause
// begins with a prefix: those of work that is done again.
func (e *Engine) DropAll(tx *store.Tx, w atelier.Wallet, prefix string) error {
	causes, err := tx.OpenHolds(w, prefix)
	for _, cause := range causes {
		err = errors.Join(err, e.Release(tx, w, cause))
	}
	return err
}

// reservationKinds are the kinds of causes of reservations.
var reservationKinds = []string{"llm", "tool"}

// ReservationLife is how long a reservation may stay open. Work that takes longer is not paid, so
// the work must end before.
const ReservationLife = 2 * time.Hour

// Sweep releases the reservations of processes that died before they could settle. Nothing
// is charged, because the amount of work is unknown.
func (e *Engine) Sweep(ctx context.Context) (freed int, err error) {
	for _, kind := range reservationKinds {
		var stale []store.StaleHold
		err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
			stale, err = tx.StaleHolds(kind, e.now().Add(-ReservationLife), 1000)
			return err
		})
		if err != nil {
			return freed, err
		}
		for _, h := range stale {
			err := e.db.Write(ctx, func(tx *store.Tx) error {
				if err := tx.LockAccount(h.Wallet); err != nil { // as Reservation.lock
					return err
				}
				return e.Release(tx, h.Wallet, h.Cause)
			})
			if err != nil {
				return freed, err
			}
			freed++
		}
	}
	return freed, nil
}
