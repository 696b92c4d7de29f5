package billing

import (
	"context"
	"fmt"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// Engine manages money. It is safe for concurrent use.
type Engine struct {
	db             *store.DB
	now            func() time.Time
	vendorDiscount func(atelier.PlanTier) int
	fairUse        func(atelier.PlanTier) FairUse // nil: none
	workerPay      func(atelier.Network) Pay      // nil: none
	pool           Pool
	review         Review
	recorded       func(store.Work) // nil: none
}

// FairUse limits what a plan covers on the fast network, per daily window and per billing
// period; zero is no limit. The windows begin at the time of day at which the period began.
type FairUse struct {
	Daily atelier.Money
	Cycle atelier.Money
}

// SetFairUse sets the limit of what plans cover. It is called while the service is wired.
func (e *Engine) SetFairUse(fairUse func(atelier.PlanTier) FairUse) { e.fairUse = fairUse }

// SetWorkerPay sets what workers earn. It is called while the service is wired.
func (e *Engine) SetWorkerPay(pay func(atelier.Network) Pay) { e.workerPay = pay }

// OnRecord sets a function that is called when ended work was recorded and is to be
// counted. It is called while the service is wired.
func (e *Engine) OnRecord(recorded func(store.Work)) { e.recorded = recorded }

// New makes an engine. The function returns the discount of a plan on vendor prices, in
// hundredths of a percent.
func New(db *store.DB, now func() time.Time, vendorDiscount func(atelier.PlanTier) int) *Engine {
	return &Engine{db: db, now: now, vendorDiscount: vendorDiscount}
}

// Credits are amounts to book, by token.
type Credits struct {
	Spark        atelier.Money
	PremiumSpark atelier.Money
	Svc          atelier.Money
}

// maxCredit keeps sums of credits far from integer overflow.
const maxCredit = 1_000_000_000 * atelier.MoneyUnit

// Check refuses amounts that cannot be booked.
func (c Credits) Check() error {
	for _, line := range []struct {
		field  string
		amount atelier.Money
	}{{"spark", c.Spark}, {"premiumSpark", c.PremiumSpark}, {"svc", c.Svc}} {
		if line.amount < 0 {
			return &atelier.Error{Code: atelier.CodeInvalidRequest, Field: line.field, Message: "A credit cannot be negative."}
		}
		if line.amount > maxCredit {
			return &atelier.Error{Code: atelier.CodeInvalidRequest, Field: line.field, Message: fmt.Sprintf("A credit cannot be more than %s.", maxCredit)}
		}
	}
	return nil
}

// Credit books credits into an account's purses.
func (e *Engine) Credit(ctx context.Context, w atelier.Wallet, c Credits) error {
	if err := c.Check(); err != nil {
		return err
	}
	return e.db.Write(ctx, func(tx *store.Tx) error { return e.BookCredits(tx, w, mint.UUID(), c) })
}

// BookCredits books checked credits in the caller's transaction. The id names their cause
// in the ledger.
func (e *Engine) BookCredits(tx *store.Tx, w atelier.Wallet, id string, c Credits) error {
	cause := "credit/" + id
	for _, line := range []struct {
		token  atelier.Token
		amount atelier.Money
	}{{atelier.TokenSpark, c.Spark}, {atelier.TokenPremiumSpark, c.PremiumSpark}, {atelier.TokenSvc, c.Svc}} {
		if line.amount == 0 {
			continue
		}
		err := tx.Grant(store.LedgerEntry{
			Wallet: w, Token: line.token, Kind: "grant",
			Amount: line.amount, Cause: cause, At: e.now(),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Balance reads the generation balance of an account, and what its workers have earned in
// closed months and not claimed.
func (e *Engine) Balance(ctx context.Context, w atelier.Wallet) (b atelier.Balance, err error) {
	err = e.db.Snapshot(ctx, func(tx *store.Tx) error {
		purses, err := tx.Purses(w)
		if err != nil {
			return err
		}
		b = atelier.NewBalance(purses[atelier.TokenSpark], purses[atelier.TokenPremiumSpark], purses[atelier.TokenSvc])
		earned, err := tx.Earnings(w)
		for _, one := range earned {
			if !one.Unclaimed() {
				continue
			}
			b.USD.SubscriptionUnclaimed += one.USD
			if one.Network == atelier.NetworkFast {
				b.Svc.FastUnclaimed += one.Svc
			} else {
				b.Svc.RelaxedUnclaimed += one.Svc
			}
		}
		return err
	})
	return b, err
}
