package billing

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Cause names a piece of work in the ledger: a job and its attempt. Money is held, spent
// or released at most once for one cause.
func Cause(jobID atelier.JobID, attempt int) string { return fmt.Sprintf("job/%s/%d", jobID, attempt) }

// freeCause begins the cause of an entry of the ledger about work that cost nothing and would cost
// something otherwise. The rest is the cause of the work.
const freeCause = "free"

// Hold decides how a piece of work is paid and sets the money aside, in the caller's
// transaction. Work that a plan covers counts for its fair use from now on.
func (e *Engine) Hold(tx *store.Tx, a atelier.Wallet, cause string, t atelier.PaymentTerms, cost atelier.Cost) (atelier.Charge, error) {
	if err := tx.LockAccount(a); err != nil { // the funds must not change between the decision and the hold
		return atelier.Charge{}, err
	}
	funds, err := e.Funds(tx, a, t.Key)
	if err != nil {
		return atelier.Charge{}, err
	}
	charge, err := Decide(funds, t, cost)
	if err != nil {
		return charge, err
	}
	charge.App, charge.Key = t.App, t.Key
	charge.Budgeted = funds.Budget != nil && charge.Cost.Spark > 0
	if holdsPlan(charge) {
		tx.HoldPlan(cause, a, charge.Cost.Spark, e.now())
	}
	for _, part := range charge.Parts {
		tx.Hold(cause, a, part, e.now())
	}
	if charge.Budgeted {
		tx.HoldKey(cause, t.Key, atelier.KeyCost{Spark: charge.Cost.Spark, USD: charge.Cost.USD}, e.now())
	}
	return charge, nil
}

// holdsPlan reports whether work has a hold on the fair use of a plan. What is beyond it has
// none.
func holdsPlan(c atelier.Charge) bool { return c.ByPlan && !c.Slow && c.Cost.Spark > 0 }

// extendPlan counts more for the fair use of a plan that covers work under way, and for the budget of a key, as far as
// they reach, in the caller's transaction. It returns how much.
func (e *Engine) extendPlan(tx *store.Tx, a atelier.Wallet, cause string, c atelier.Charge, more atelier.Money) (atelier.Money, error) {
	if err := tx.LockAccount(a); err != nil {
		return 0, err
	}
	funds, err := e.Funds(tx, a, "")
	if err != nil {
		return 0, err
	}
	room, _, err := e.budgetRoom(tx, a, c)
	if err != nil {
		return 0, err
	}
	more = max(0, min(more, funds.Room, room))
	if err = tx.ExtendPlan(cause, a, more); errors.Is(err, store.ErrNotFound) {
		err = closed(cause)
	}
	if err == nil && c.Budgeted && more > 0 {
		tx.ExtendKey(cause, c.Key, worthOf(more, c.Cost), e.now())
	}
	return more, err
}

// budgetRoom is how much more Spark the budget of a key has for work that has a hold on it, and the limit that bounds
// it, as an error. Work without such a hold has no bound.
func (e *Engine) budgetRoom(tx *store.Tx, a atelier.Wallet, c atelier.Charge) (room atelier.Money, bound, err error) {
	if !c.Budgeted {
		return noLimit, nil, nil
	}
	row, err := tx.KeyBudget(c.Key, a)
	if err != nil {
		return 0, nil, err
	}
	budget := &KeyBudget{row, e.now()}
	room, by := budget.left(c.Cost)
	if by.limit > 0 {
		bound = budget.exceeded(by, "")
	}
	return room, bound, nil
}

// extend sets more money aside for work that continues, as far as the purses that its terms name and the budget of the
// key reach, in the caller's transaction. It returns the new charge, and by how much it has grown.
func (e *Engine) extend(tx *store.Tx, a atelier.Wallet, cause string, t atelier.PaymentTerms, c atelier.Charge,
	more atelier.Money) (atelier.Charge, atelier.Money, error) {
	if err := tx.LockAccount(a); err != nil {
		return c, 0, err
	}
	room, _, err := e.budgetRoom(tx, a, c)
	if err != nil {
		return c, 0, err
	}
	c, got, err := e.extendPurses(tx, a, cause, t, c, min(more, room))
	if err == nil && c.Budgeted && got > 0 {
		tx.ExtendKey(cause, c.Key, worthOf(got, c.Cost), e.now())
	}
	return c, got, err
}

// extendPurses sets more money aside for work that has a hold, from the purses that its terms
// name and as far as they reach, in the caller's transaction. It returns the new charge, and by how much it has grown.
func (e *Engine) extendPurses(tx *store.Tx, a atelier.Wallet, cause string, t atelier.PaymentTerms, c atelier.Charge,
	more atelier.Money) (atelier.Charge, atelier.Money, error) {
	if err := tx.LockAccount(a); err != nil { // the lock keeps free money free
		return c, 0, err
	}
	c.Parts = slices.Clone(c.Parts) // the transaction may run again
	rest := more
	for _, token := range purseOrder(t) {
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
	funds, err := e.Funds(tx, a, t.Key)
	if err == nil {
		_, err = Decide(funds, t, cost)
	}
	return err
}

// IsCovered reports, in the caller's transaction, whether the plan of an account would cover a piece of work now.
func (e *Engine) IsCovered(tx *store.Tx, a atelier.Wallet, t atelier.PaymentTerms, cost atelier.Cost) (bool, error) {
	funds, err := e.Funds(tx, a, t.Key)
	if err != nil {
		return false, err
	}
	charge, err := Decide(funds, t, cost)
	return err == nil && charge.ByPlan, nil
}

// Funds reads the funds of an account, and the budget of a key unless its id is empty.
func (e *Engine) Funds(tx *store.Tx, a atelier.Wallet, key string) (Funds, error) {
	means, err := tx.Means(a, key)
	if err != nil {
		return Funds{}, err
	}
	plan := means.Plan.At(e.now())
	f := Funds{Plan: plan, Purses: means.Purses, VendorDiscountBps: e.vendorDiscount(plan.Tier)}
	if means.Budget != nil {
		f.Budget = &KeyBudget{*means.Budget, e.now()}
	}
	f.Room, err = e.room(tx, a, plan, means.Purses[atelier.TokenPlan].Held)
	return f, err
}

// This is what a plan still covers of its fair use. What is held counts as used.
func (e *Engine) room(tx *store.Tx, a atelier.Wallet, plan atelier.Subscription, held atelier.Money) (atelier.Money, error) {
	if e.fairUse == nil || !plan.Active() {
		return noLimit, nil
	}
	limit := e.fairUse(plan.Tier)
	if limit == (FairUse{}) {
		return noLimit, nil
	}
	window, _ := plan.DailyWindow(e.now())
	today, cycle, err := tx.PlanUses(a, window, plan.PeriodStart)
	room := noLimit
	if limit.Daily > 0 {
		room = limit.Daily - today.Spark - held
	}
	if limit.Cycle > 0 {
		room = min(room, limit.Cycle-cycle.Spark-held)
	}
	return room, err
}

// Render is what the record of a settlement says about a render besides its price.
type Render struct {
	Network atelier.Network
	ModelID string
	Worker  atelier.Wallet
	NFT     string
	Preview bool          // a fallback worker made it in the place of the model: it earns nothing
	Ended   time.Time     // the end of the job, whose day counts
	Held    time.Duration // how long the worker had the job
	Render  time.Duration
	Switch  time.Duration
	Priming time.Duration
}

// Settle spends the actual cost of work, in the caller's transaction: at most what is held
// for it, and only once. The rest is released. It records the work, and what its worker earns.
func (e *Engine) Settle(tx *store.Tx, a atelier.Wallet, cause string, c atelier.Charge, actual atelier.Cost, r Render) error {
	w := store.Work{
		Cause: cause, Wallet: a, App: c.App, KeyID: c.Key, Network: r.Network, ModelID: r.ModelID, At: e.ended(r), ByPlan: c.ByPlan, Spark: actual.Spark, USD: actual.USD,
		Worker: r.Worker, NFT: r.NFT, Held: r.Held, Render: r.Render, Switch: r.Switch, Priming: r.Priming,
	}
	if holdsPlan(c) {
		if _, err := tx.SpendHold(store.LedgerEntry{Wallet: a, Token: atelier.TokenPlan, Cause: cause}); errors.Is(err, store.ErrNotFound) {
			return closed(cause)
		} else if err != nil {
			return err
		}
	}
	if c.Cost.Free != "" {
		free := store.LedgerEntry{Wallet: a, Token: atelier.TokenSpark, Cause: freeCause + "/" + cause, App: c.App, KeyID: c.Key, At: e.now()}
		tx.BookFree(free)
	}
	rest := actual.Spark
	for _, part := range c.Parts { // in order: the token that pays first is spent first
		spent, err := tx.SpendHold(store.LedgerEntry{Wallet: a, Token: part.Token, Amount: rest, Cause: cause, App: c.App, KeyID: c.Key, At: e.now()})
		if errors.Is(err, store.ErrNotFound) {
			return closed(cause)
		}
		if err != nil {
			return err
		}
		rest -= spent
		switch part.Token {
		case atelier.TokenPremiumSpark:
			w.PaidSparkSpent += spent
			w.SparkSpent += spent
		case atelier.TokenSpark:
			w.SparkSpent += spent
		case atelier.TokenSvc:
			w.SvcSpent += spent
		}
	}
	if r.Network == atelier.NetworkNode && actual.Spark == 0 {
		return nil // a task of the service, which its owner does not see
	}
	if w.KeyID != "" {
		tx.SettleKey(w, c.Budgeted)
	}
	if !r.Preview {
		e.pay(&w, c)
	}
	return e.record(tx, w)
}

// RecordFailure records, in the caller's transaction, that a worker failed at an attempt
// of a job.
func (e *Engine) RecordFailure(tx *store.Tx, a atelier.Wallet, cause string, c atelier.Charge, r Render) error {
	return e.record(tx, store.Work{
		Cause: cause, Wallet: a, App: c.App, KeyID: c.Key, Network: r.Network, ModelID: r.ModelID, At: e.ended(r), Failed: true, ByPlan: c.ByPlan,
		Worker: r.Worker, NFT: r.NFT, Held: r.Held,
	})
}

// ended is when work has ended: now, for work that is not a render.
func (e *Engine) ended(r Render) time.Time {
	if r.Ended.IsZero() {
		return e.now()
	}
	return r.Ended
}

func (e *Engine) record(tx *store.Tx, w store.Work) error {
	if e.recorded != nil {
		tx.OnCommit(func() { e.recorded(w) })
	}
	return tx.RecordWork(w)
}

// Release frees the hold of work that failed, in the caller's transaction. Work that holds
// nothing, or is already closed, is ignored.
func (e *Engine) Release(tx *store.Tx, a atelier.Wallet, cause string) error {
	return tx.ReleaseHolds(cause, a)
}
