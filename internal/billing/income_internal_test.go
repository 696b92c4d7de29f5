package billing

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// What a plan pays for a month is the price of its periods, spread evenly over them: only time
// in which the plan was paid for counts, however often the plan is set again, and a month
// never has more than the price of a month.
func TestIncome(t *testing.T) {
	t.Parallel()
	const unit = atelier.MoneyUnit
	at := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC) }
	set := func(tier atelier.PlanTier, status atelier.SubscriptionStatus, when, end time.Time) store.SubscriptionChange {
		return store.SubscriptionChange{At: when, Subscription: atelier.Subscribe(tier, status, end, when)}
	}
	active := func(when time.Time) store.SubscriptionChange {
		return set(atelier.TierUnlimited, atelier.SubscriptionActive, when, time.Time{})
	}
	annual := active(at(1, 0))
	annual.Term, annual.PeriodEnd = "annual", annual.PeriodStart.AddDate(1, 0, 0)
	pool := Pool{Price: func(tier atelier.PlanTier, term string) atelier.Money {
		switch {
		case tier == atelier.TierUnlimitedPro:
			return 60 * unit
		case tier == atelier.TierUnlimited && term == "annual":
			return 365 * unit
		case tier == atelier.TierUnlimited:
			return 30 * unit
		}
		return 0
	}}
	for _, tc := range []struct {
		name    string
		changes []store.SubscriptionChange
		trials  bool
		want    atelier.Money // for November, which has 30 days
	}{
		{"no plan", nil, false, 0},
		{"the whole month", []store.SubscriptionChange{active(at(1, 0))}, false, 30 * unit},
		{"since last year", []store.SubscriptionChange{active(at(1, 0).AddDate(-1, 0, 0))}, false, 30 * unit},
		{"from the 16th on", []store.SubscriptionChange{active(at(16, 0))}, false, 15 * unit},
		{"from the next month on", []store.SubscriptionChange{active(at(1, 0).AddDate(0, 1, 0))}, false, 0},
		{"ended on the 11th", []store.SubscriptionChange{active(at(1, 0)), set(atelier.TierNone, atelier.SubscriptionNone, at(11, 0), time.Time{})}, false, 10 * unit},
		{"set again every day", func() (list []store.SubscriptionChange) {
			for day := 1; day <= 30; day++ {
				list = append(list, active(at(day, 0)))
			}
			return list
		}(), false, 30 * unit},
		{"a period of an hour pays for an hour", []store.SubscriptionChange{set(atelier.TierUnlimited, atelier.SubscriptionActive, at(1, 0), at(1, 1))}, false, 30 * unit / 720},
		{"a long period is paid once", []store.SubscriptionChange{set(atelier.TierUnlimited, atelier.SubscriptionActive, at(1, 0), at(1, 0).AddDate(0, 0, 300))}, false, 3 * unit},
		{"a year", []store.SubscriptionChange{annual}, false, 30 * unit},
		{"an upgrade on the 16th", []store.SubscriptionChange{active(at(1, 0)), set(atelier.TierUnlimitedPro, atelier.SubscriptionActive, at(16, 0), time.Time{})}, false, 45 * unit},
		{"a trial", []store.SubscriptionChange{set(atelier.TierUnlimited, atelier.SubscriptionTrialing, at(1, 0), at(4, 0))}, false, 0},
		{"a trial that counts", []store.SubscriptionChange{set(atelier.TierUnlimited, atelier.SubscriptionTrialing, at(1, 0), at(4, 0))}, true, 3 * unit},
		{"past due", []store.SubscriptionChange{set(atelier.TierUnlimited, atelier.SubscriptionPastDue, at(1, 0), time.Time{})}, false, 0},
		{"cancelled on the 1st, to the end of the period", []store.SubscriptionChange{set(atelier.TierUnlimited, atelier.SubscriptionCancelEnd, at(1, 0), at(11, 0))}, false, 10 * unit},
	} {
		pool.Trials = tc.trials
		if got := pool.income(tc.changes, "2026-11"); got < tc.want-10 || got > tc.want { // a division is rounded down
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}

// The portions of a pool never add up to more than the pool, and none is more than it was
// entitled to.
func TestPortion(t *testing.T) {
	t.Parallel()
	for _, pool := range []atelier.Money{0, 1, 7, 999_999, 10 * atelier.MoneyUnit, 1_000_000 * atelier.MoneyUnit} {
		for _, parts := range [][]atelier.Money{{1}, {3, 3, 1}, {500_000, 499_999, 12}, {9_000_000_000_000, 4_000_000_000_000}, {1, 9_000_000_000_000}} {
			due, sum := atelier.Money(0), atelier.Money(0)
			for _, p := range parts {
				due += p
			}
			for _, most := range parts {
				got := store.PlanPool{Pool: pool, Due: due}.Portion(most)
				if got > most || got < 0 {
					t.Errorf("pool %d, %v: a portion of %d for %d", pool, parts, got, most)
				}
				sum += got
			}
			if sum > pool || (due <= pool && sum != due) {
				t.Errorf("pool %d, %v: portions of %d in all", pool, parts, sum)
			}
		}
	}
}
