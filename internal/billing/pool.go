package billing

import (
	"maps"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Pool is how much of what plans pay goes to the workers that render for them. The payment
// of a plan for a month is shared by the renders that this plan covered in the month, so
// that no plan pays out more than it took in, and none takes from the renders of another.
type Pool struct {
	ShareBps int // of the price, in hundredths of a percent

	// BeyondFairUse pays for renders on the relaxed network beyond fair use, and Trials for
	// those of trials, as if a trial were paid for.
	BeyondFairUse bool
	Trials        bool

	Price func(tier atelier.PlanTier, term string) atelier.Money // of a term of a plan
}

// SetPool sets what plans pay to workers; without it, nothing. It is called while the service
// is wired.
func (e *Engine) SetPool(p Pool) { e.pool = p }

// earns reports whether a worker earns something of the pool for work that a plan covers.
func (p Pool) earns(c atelier.Charge) bool {
	return (p.BeyondFairUse || !c.Slow) && (p.Trials || !c.Trial)
}

// income is what the plan of an account pays for a month: the price of each billing period is
// spread evenly over it. It is at most the price of a month.
func (p Pool) income(changes []store.SubscriptionChange, month string) atelier.Money {
	if p.Price == nil {
		return 0
	}
	from, to := store.Month(month)
	sum, most := atelier.Money(0), atelier.Money(0)
	for i, c := range changes {
		at, end := later(c.At, from), to
		if i+1 < len(changes) && changes[i+1].At.Before(to) {
			end = changes[i+1].At
		}
		for at.Before(end) {
			plan := c.Subscription.At(at)
			until := end
			if plan.PeriodEnd.After(at) && plan.PeriodEnd.Before(end) {
				until = plan.PeriodEnd
			}
			price := p.Price(plan.Tier, plan.Term)
			if p.paid(plan) && price > 0 {
				length := max(plan.PeriodEnd.Sub(plan.PeriodStart), plan.TermEnd().Sub(plan.PeriodStart))
				sum += price * atelier.Money(until.Sub(at)/time.Second) / atelier.Money(length/time.Second)
				most = max(most, price/atelier.Money(plan.Months()))
			}
			at = until
		}
	}
	return min(sum, most)
}

// paid reports whether a plan is paid for now.
func (p Pool) paid(s atelier.Subscription) bool {
	return s.Active() && (p.Trials || s.Status != atelier.SubscriptionTrialing)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// openPools are the pools of plans for a month that is open, by what all renders that each
// covered would earn at most.
func (e *Engine) openPools(tx *store.Tx, month string, due map[atelier.Wallet]atelier.Money) (map[atelier.Wallet]store.PlanPool, error) {
	changes, err := tx.SubscriptionChanges(slices.Collect(maps.Keys(due)))
	pools := map[atelier.Wallet]store.PlanPool{}
	for w, sum := range due {
		income := e.pool.income(changes[w], month)
		pools[w] = store.PlanPool{Income: income, Pool: share(income, e.pool.ShareBps), Due: sum}
	}
	return pools, err
}
