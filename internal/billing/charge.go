package billing

import (
	"maps"
	"math"

	"github.com/atelier-project/atelier"
)

// Funds is what an account can pay with now.
type Funds struct {
	Plan   atelier.Subscription
	Purses map[atelier.Token]atelier.Purse

	// VendorDiscountBps is the discount of the plan on vendor prices, in hundredths of a
	// percent.
	VendorDiscountBps int

	// What the plan still covers of its fair use. Without a limit it is never used up.
	Room atelier.Money

	// Budget is that of the API key that asks; nil without one. Work that a plan covers counts too.
	Budget *KeyBudget
}

// noLimit is what a plan without a limit still covers.
const noLimit atelier.Money = math.MaxInt64

// exhausted reports whether the plan has reached its fair use. The last piece of work may
// exceed it.
func (w Funds) exhausted() bool { return w.Room <= 0 }

// Decide says how a piece of work is paid. It is the only place that knows which token
// pays, what a plan covers and what vendor models need; every paid path calls it. Beyond fair
// use a plan covers renders alone, on the relaxed network: the balance pays for other work.
// The error is CodeInsufficientBalance when the balance or the budget of the key is too low,
// CodeSubscriptionLimit when only the plan may pay and it does not cover the work.
func Decide(w Funds, t atelier.PaymentTerms, cost atelier.Cost) (atelier.Charge, error) {
	charge, err := decide(w, t, cost)
	if err == nil {
		err = w.Budget.check(charge.Cost)
	}
	if err != nil {
		return atelier.Charge{}, err
	}
	return charge, nil
}

func decide(w Funds, t atelier.PaymentTerms, cost atelier.Cost) (atelier.Charge, error) {
	if cost.Free != "" { // whatever its price would be
		cost.Spark, cost.USD = 0, 0
		return atelier.Charge{Cost: cost}, nil
	}
	if cost.Premium {
		return decidePremium(w, t, cost)
	}
	// Work paid in svc is never covered by a plan.
	covered := w.Plan.Active() && t.Token != atelier.PaySvc && !cost.NoPlan
	used := w.exhausted() && !cost.Render
	switch {
	case t.Mode == atelier.BillSubscription && !covered:
		return atelier.Charge{}, atelier.Errorf(atelier.CodeSubscriptionLimit, "The plan does not cover this, and billing_mode is subscription.")
	case t.Mode == atelier.BillSubscription && used:
		return atelier.Charge{}, atelier.Errorf(atelier.CodeSubscriptionLimit, "The fair use of the plan is used up, and billing_mode is subscription.")
	case covered && !used && t.Mode != atelier.BillTokens:
		return atelier.Charge{ByPlan: true, Slow: w.exhausted(), Trial: w.Plan.Status == atelier.SubscriptionTrialing, Cost: cost}, nil
	}
	return fromPurses(w, cost, purseOrder(t))
}

// Take decides how a piece of work would be paid, and takes it from these funds. Nothing is
// held: it is for estimates of several pieces of work.
func (w *Funds) Take(t atelier.PaymentTerms, cost atelier.Cost) (atelier.Charge, error) {
	charge, err := Decide(*w, t, cost)
	if err != nil {
		return charge, err
	}
	purses := maps.Clone(w.Purses)
	for _, part := range charge.Parts {
		p := purses[part.Token]
		p.Held += part.Amount
		purses[part.Token] = p
	}
	w.Purses = purses
	if charge.ByPlan && w.Room != noLimit {
		w.Room -= charge.Cost.Spark
	}
	w.Budget = w.Budget.take(charge.Cost)
	return charge, nil
}

// purseOrder is the order in which purses pay for work that is not a vendor's.
func purseOrder(t atelier.PaymentTerms) []atelier.Token {
	switch t.Token {
	case atelier.PaySpark:
		return []atelier.Token{atelier.TokenPremiumSpark, atelier.TokenSpark}
	case atelier.PaySvc:
		return []atelier.Token{atelier.TokenSvc}
	}
	return []atelier.Token{atelier.TokenPremiumSpark, atelier.TokenSpark, atelier.TokenSvc}
}

// decidePremium pays for a vendor model: only with Premium Spark, whatever token was
// requested, less the plan's discount.
func decidePremium(w Funds, t atelier.PaymentTerms, cost atelier.Cost) (atelier.Charge, error) {
	if t.Mode == atelier.BillSubscription {
		return atelier.Charge{}, atelier.Errorf(atelier.CodeSubscriptionLimit, "Vendor models are never covered by a plan.")
	}
	return fromPurses(w, Discounted(cost, w.Discount()), []atelier.Token{atelier.TokenPremiumSpark})
}

// Discount is the discount on vendor prices now, in hundredths of a percent.
func (w Funds) Discount() int {
	if !w.Plan.Active() {
		return 0
	}
	return w.VendorDiscountBps
}

// Discounted is a cost less a discount in hundredths of a percent, which only vendor models have.
func Discounted(cost atelier.Cost, bps int) atelier.Cost {
	if cost.Premium {
		cost.Spark -= cost.Spark * atelier.Money(bps) / 10_000
		cost.USD -= cost.USD * atelier.Money(bps) / 10_000
	}
	return cost
}

// fromPurses takes the cost from purses in their order.
func fromPurses(w Funds, cost atelier.Cost, order []atelier.Token) (atelier.Charge, error) {
	charge, rest := atelier.Charge{Cost: cost}, cost.Spark
	for _, token := range order {
		amount := min(rest, w.Purses[token].Available())
		if amount > 0 {
			charge.Parts = append(charge.Parts, atelier.ChargePart{Token: token, Amount: amount})
			rest -= amount
		}
	}
	if rest > 0 {
		return atelier.Charge{}, insufficient(cost)
	}
	return charge, nil
}

func insufficient(cost atelier.Cost) error {
	what := "The balance is too low."
	if cost.Premium {
		what = "The Premium Spark balance is too low."
	}
	return atelier.Errorf(atelier.CodeInsufficientBalance, "%s It costs %s Spark.", what, cost.Spark.Short())
}
