package billing

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// KeyBudget is the budget of the API key that asks for work, as it is now. What is held counts as used, on every day
// until the work has ended: it will be spent on one of them.
type KeyBudget struct {
	store.KeyBudget
	now time.Time
}

// part is one limit of a budget.
type part struct {
	name   string
	limit  atelier.Money
	used   atelier.Money
	resets time.Time // zero: never
}

// in is an amount in the unit of the budget.
func (b KeyBudget) in(c atelier.KeyCost) atelier.Money {
	if b.Limit.Unit == atelier.BudgetUSD {
		return c.USD
	}
	return c.Spark
}

// Used is what counts for the budget now: of this UTC day, of this month, and in all, with what is held.
func (b KeyBudget) Used() (day, month, total atelier.Money) {
	held := b.in(b.Held)
	day, month, total = held, held, held+b.in(b.Ever)
	if b.Day >= store.Day(b.now) {
		day += b.in(b.OfDay)
	}
	if b.Month >= b.now.UTC().Format(store.MonthForm) {
		month += b.in(b.OfMonth)
	}
	return day, month, total
}

func (b KeyBudget) parts() []part {
	day, month, total := b.Used()
	now := b.now.UTC()
	return []part{
		{"day", b.Limit.Day, day, time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC)},
		{"month", b.Limit.Month, month, time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)},
		{"total", b.Limit.Total, total, time.Time{}},
	}
}

// check refuses work that is worth more than the budget has left. Without a budget it allows everything.
func (b *KeyBudget) check(cost atelier.Cost) error {
	if b == nil || cost.Spark == 0 {
		return nil
	}
	worth := b.in(atelier.KeyCost{Spark: cost.Spark, USD: cost.USD})
	for _, p := range b.parts() {
		if p.limit > 0 && p.used+worth > p.limit {
			return b.exceeded(p, fmt.Sprintf("This costs %s.", b.amount(worth)))
		}
	}
	return nil
}

// exceeded is the error for work beyond a limit.
func (b *KeyBudget) exceeded(p part, also string) error {
	per := map[string]string{"day": " a day", "month": " a month", "total": " in all"}[p.name]
	who := b.KeyID
	if b.Name != "" {
		who = fmt.Sprintf("%q (%s)", b.Name, b.KeyID)
	}
	text := fmt.Sprintf("The budget of the API key %s is %s%s, and %s of it is used.", who, b.amount(p.limit), per, b.amount(p.used))
	if also != "" {
		text += " " + also
	}
	if p.resets.IsZero() {
		text += " Raise the budget, or use another key."
	} else {
		text += fmt.Sprintf(" It begins again at %s.", p.resets.Format(time.RFC3339))
	}
	e := atelier.Errorf(atelier.CodeInsufficientBalance, "%s", text).With("budget", p.name).With("keyId", b.KeyID).With("keyName", b.Name).
		With("unit", b.Limit.Unit).With("limit", p.limit).With("used", p.used)
	if !p.resets.IsZero() {
		_ = e.With("resetsAt", p.resets)
	}
	return e
}

// amount is an amount of the unit, for people.
func (b *KeyBudget) amount(m atelier.Money) string {
	if b.Limit.Unit == atelier.BudgetUSD {
		return m.Short() + " US dollars"
	}
	return m.Short() + " Spark"
}

// take counts work that is held.
func (b *KeyBudget) take(cost atelier.Cost) *KeyBudget {
	if b == nil {
		return nil
	}
	out := *b
	out.Held.Spark += cost.Spark
	out.Held.USD += cost.USD
	return &out
}

// left is how much more Spark the budget has for work of a price, and the limit that bounds it.
func (b *KeyBudget) left(price atelier.Cost) (most atelier.Money, by part) {
	if b == nil {
		return noLimit, by
	}
	most = noLimit
	for _, p := range b.parts() {
		if p.limit == 0 {
			continue
		}
		free := max(0, p.limit-p.used)
		if b.Limit.Unit == atelier.BudgetUSD {
			free = scale(free, price.Spark, price.USD)
		}
		if free < most {
			most, by = free, p
		}
	}
	return most, by
}

// worthOf is what a part of the price of work is worth.
func worthOf(spark atelier.Money, price atelier.Cost) atelier.KeyCost {
	if price.Spark == 0 {
		return atelier.KeyCost{Spark: spark}
	}
	return atelier.KeyCost{Spark: spark, USD: scale(spark, price.USD, price.Spark)}
}

// scale is m × n ÷ by, rounded down; without a divisor there is no bound.
func scale(m, n, by atelier.Money) atelier.Money {
	if by <= 0 {
		return noLimit
	}
	high, low := bits.Mul64(uint64(m), uint64(n))
	if high >= uint64(by) {
		return noLimit
	}
	q, _ := bits.Div64(high, low, uint64(by))
	return atelier.Money(min(q, math.MaxInt64))
}

// NewKeyLimits shows the limits of a key, and what of its budget is used; nil without limits.
func NewKeyLimits(l atelier.KeyLimits, b KeyBudget, now time.Time) *apitype.KeyLimits {
	if l.OwnLimits().IsZero() {
		return nil
	}
	out := &apitype.KeyLimits{Groups: l.Groups, ReadOnly: l.ReadOnly, RequestsPerMinute: l.Rate, Models: l.Models, Tools: l.Tools}
	if !l.ExpiresAt.IsZero() {
		out.ExpiresAt = &l.ExpiresAt
	}
	for _, p := range l.Addresses {
		out.Addresses = append(out.Addresses, p.String())
	}
	out.Budget = NewKeyBudget(l.Budget, b, now)
	return out
}

// NewKeyBudget shows a budget, and what of it is used; nil without one.
func NewKeyBudget(l atelier.KeyBudget, b KeyBudget, now time.Time) *apitype.KeyBudget {
	if l == (atelier.KeyBudget{}) {
		return nil
	}
	b.Limit, b.now = l, now
	out := &apitype.KeyBudget{Unit: l.Unit}
	for i, p := range b.parts() {
		if p.limit == 0 {
			continue
		}
		shown := &apitype.BudgetPart{Limit: p.limit, Used: p.used}
		if !p.resets.IsZero() {
			shown.ResetsAt = &p.resets
		}
		*[]**apitype.BudgetPart{&out.Day, &out.Month, &out.Total}[i] = shown
	}
	return out
}
