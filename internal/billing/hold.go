package billing

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Cause names a piece of work in the ledger: a job and its attempt. Nothing is
// held, spent or released twice for one cause.
func Cause(jobID atelier.JobID, attempt int) string { return fmt.Sprintf("job/%s/%d", jobID, attempt) }

// Hold decides how a piece of work is paid and sets the money aside, in the
// caller's transaction. What a plan covers holds nothing.
func (e *Engine) Hold(tx *store.Tx, a atelier.Wallet, cause string, t atelier.PaymentTerms, cost atelier.Cost) (atelier.Charge, error) {
	if err := tx.LockAccount(a); err != nil { // the decision stands until the money is set aside
		return atelier.Charge{}, err
	}
	wealth, err := e.wealth(tx, a)
	if err != nil {
		return atelier.Charge{}, err
	}
	charge, err := Decide(wealth, t, cost)
	if err != nil {
		return charge, err
	}
	charge.App = t.App
	for _, part := range charge.Parts {
		enough, err := tx.Hold(cause, a, part, e.now())
		if err != nil {
			return charge, err
		}
		if !enough {
			return charge, insufficient(cost)
		}
	}
	return charge, nil
}

// extend sets more aside for work that holds money already, from the purses that
// its terms name and as far as they reach, in the caller's transaction. It
// returns the charge as it is then, and by how much it has grown.
func (e *Engine) extend(tx *store.Tx, a atelier.Wallet, cause string, t atelier.PaymentTerms, c atelier.Charge,
	more atelier.Money) (atelier.Charge, atelier.Money, error) {
	if err := tx.LockAccount(a); err != nil { // what is free now stays so
		return c, 0, err
	}
	c.Parts = slices.Clone(c.Parts) // the transaction may run again
	rest := more
	for _, token := range order(t) {
		if rest == 0 {
			break
		}
		got, err := tx.ExtendHold(cause, a, atelier.ChargePart{Token: token, Amount: rest}, e.now())
		if errors.Is(err, store.ErrNotFound) {
			err = closed(cause)
		}
		if err != nil {
			return c, 0, err
		}
		rest -= got
		if i := slices.IndexFunc(c.Parts, func(p atelier.ChargePart) bool { return p.Token == token }); i >= 0 {
			c.Parts[i].Amount += got
		} else if got > 0 {
			c.Parts = append(c.Parts, atelier.ChargePart{Token: token, Amount: got})
		}
	}
	return c, more - rest, nil
}

func closed(cause string) error {
	return fmt.Errorf("billing: nothing is held for %s: the hold is already closed", cause)
}

// Affords reports, in the caller's transaction, whether an account could pay
// for a piece of work now. The error is that of Decide.
func (e *Engine) Affords(tx *store.Tx, a atelier.Wallet, t atelier.PaymentTerms, cost atelier.Cost) error {
	wealth, err := e.wealth(tx, a)
	if err == nil {
		_, err = Decide(wealth, t, cost)
	}
	return err
}

// wealth reads what an account can pay with.
func (e *Engine) wealth(tx *store.Tx, a atelier.Wallet) (Funds, error) {
	plan, err := tx.Subscription(a)
	if err != nil {
		return Funds{}, err
	}
	plan = plan.At(e.now())
	purses, err := tx.Purses(a)
	if err != nil {
		return Funds{}, err
	}
	exhausted, err := e.exhausted(tx, a, plan)
	return Funds{Plan: plan, Purses: purses, VendorDiscountBps: e.vendorDiscount(plan.Tier), Exhausted: exhausted}, err
}

// exhausted reports whether a plan has paid as much as is fair.
func (e *Engine) exhausted(tx *store.Tx, a atelier.Wallet, plan atelier.Subscription) (bool, error) {
	if e.fairUse == nil || !plan.Active() {
		return false, nil
	}
	limit := e.fairUse(plan.Tier)
	if limit == (FairUse{}) {
		return false, nil
	}
	today, cycle, err := tx.PlanSpark(a, day(e.now()), day(plan.PeriodStart))
	return (limit.Daily > 0 && today >= limit.Daily) || (limit.Cycle > 0 && cycle >= limit.Cycle), err
}

// Settle spends what work has really cost, in the caller's transaction: at
// most what is held for it, and only once. The rest is free again.
func (e *Engine) Settle(tx *store.Tx, a atelier.Wallet, cause string, c atelier.Charge, actual atelier.Cost) error {
	u := store.Usage{Jobs: 1}
	if c.ByPlan {
		u.PlanJobs, u.PlanSpark, u.PlanUSD = 1, actual.Spark, actual.USD
		return tx.AddUsage(a, day(e.now()), u)
	}
	rest := actual.Spark
	for _, part := range c.Parts { // in order: the token that pays first is spent first
		spent, err := tx.SpendHold(store.LedgerEntry{Wallet: a, Token: part.Token, Amount: rest, Cause: cause, App: c.App, At: e.now()})
		if errors.Is(err, store.ErrNotFound) {
			return closed(cause)
		}
		if err != nil {
			return err
		}
		rest -= spent
		switch part.Token {
		case atelier.TokenPremiumSpark:
			u.PaidSparkSpent += spent
			u.SparkSpent += spent
		case atelier.TokenSpark:
			u.SparkSpent += spent
		case atelier.TokenSvc:
			u.SvcSpent += spent
		}
	}
	return tx.AddUsage(a, day(e.now()), u)
}

// Release frees what is held for work that came to nothing, in the caller's
// transaction. Work that holds nothing, or was closed before, is left alone.
func (e *Engine) Release(tx *store.Tx, a atelier.Wallet, cause string) error {
	return tx.ReleaseHolds(cause, a)
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
