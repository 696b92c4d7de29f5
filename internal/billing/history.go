package billing

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// DayUsage is what an account used on a UTC day. Work that a plan covers is included.
type DayUsage struct {
	Date string
	store.Usage
}

// History reads what an account used on each of the latest days, today included, the
// earliest first. Days without work are zero.
func (e *Engine) History(ctx context.Context, w atelier.Wallet, days int) (list []DayUsage, totals store.Usage, err error) {
	today := e.now().UTC()
	between := store.Between{From: store.Day(today.AddDate(0, 0, 1-days)), To: store.Day(today)}
	err = e.db.SnapshotBehind(ctx, func(tx *store.Tx) error {
		used, err := tx.UsageDays(w, between)
		list, totals = nil, store.Usage{}
		for i := range days {
			day := DayUsage{Date: store.Day(today.AddDate(0, 0, 1-days+i))}
			day.Usage = used[day.Date]
			totals.Add(day.Usage)
			list = append(list, day)
		}
		return err
	})
	return list, totals, err
}

// Parts reads what an account used between two days, both included, by application,
// network and model. An empty wallet is all accounts, and the zero value of days the
// lifetime.
func (e *Engine) Parts(ctx context.Context, w atelier.Wallet, days store.Between) (parts map[store.PartKey]store.PartSums, err error) {
	err = e.db.SnapshotBehind(ctx, func(tx *store.Tx) (err error) {
		parts, err = tx.UsageParts(w, days)
		return err
	})
	return parts, err
}

// PartUsage is what an account used on a UTC day with a model, in a network, by an application.
type PartUsage struct {
	store.PartKey
	store.PartSums
}

// RecentParts lists what an account used on the latest days, today included, the earliest
// day first.
func (e *Engine) RecentParts(ctx context.Context, w atelier.Wallet, days int) ([]PartUsage, error) {
	today := e.now().UTC()
	parts, err := e.Parts(ctx, w, store.Between{From: store.Day(today.AddDate(0, 0, 1-days)), To: store.Day(today)})
	list := make([]PartUsage, 0, len(parts))
	for key, sums := range parts {
		list = append(list, PartUsage{key, sums})
	}
	slices.SortFunc(list, func(a, b PartUsage) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.ModelID, b.ModelID), cmp.Compare(a.App, b.App), cmp.Compare(a.Network, b.Network))
	})
	return list, err
}

// KeyUsage is what an account used on a UTC day with an API key.
type KeyUsage struct {
	store.KeyDay
	store.KeySums
	Name string // of the key
}

// RecentKeys lists what an account used with its keys on the latest days, today included, the earliest day first.
func (e *Engine) RecentKeys(ctx context.Context, w atelier.Wallet, days int) ([]KeyUsage, error) {
	today := e.now().UTC()
	return e.Keys(ctx, w, store.Between{From: store.Day(today.AddDate(0, 0, 1-days)), To: store.Day(today)})
}

// Keys lists what an account used with its keys between two days, both included. An empty wallet is all accounts.
func (e *Engine) Keys(ctx context.Context, w atelier.Wallet, days store.Between) (list []KeyUsage, err error) {
	err = e.db.Snapshot(ctx, func(tx *store.Tx) error {
		used, err := tx.UsageKeys(w, days)
		if err != nil {
			return err
		}
		list = make([]KeyUsage, 0, len(used))
		ids := map[string]bool{}
		for day, sums := range used {
			list = append(list, KeyUsage{KeyDay: day, KeySums: sums})
			ids[day.KeyID] = true
		}
		names, err := tx.KeyNames(w, slices.Collect(maps.Keys(ids)))
		for i := range list {
			list[i].Name = names[list[i].KeyID]
		}
		return err
	})
	slices.SortFunc(list, func(a, b KeyUsage) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Wallet, b.Wallet), cmp.Compare(a.KeyID, b.KeyID))
	})
	return list, err
}

// KeyBudgets reads the budgets of the keys of an account, by the ids of the keys.
func (e *Engine) KeyBudgets(ctx context.Context, w atelier.Wallet) (map[string]KeyBudget, error) {
	out := map[string]KeyBudget{}
	err := e.db.Read(ctx, func(tx *store.Tx) error {
		rows, err := tx.KeyBudgets(w)
		for id, row := range rows {
			out[id] = KeyBudget{row, e.now()}
		}
		return err
	})
	return out, err
}

// Window is what a plan has covered in a part of time.
type Window struct {
	Start, End time.Time
	store.PlanUse
}

// PlanUsage is what the plan of an account has covered, and how far that is from its
// limits of fair use.
type PlanUsage struct {
	Plan     atelier.Subscription
	Daily    Window // anchored to the beginning of the billing period
	Cycle    Window
	Lifetime store.PlanUse
	Limit    FairUse // zero is no limit

	// Held is what work that is queued or under way counts for the limits.
	Held atelier.Money

	// Limited means that a limit is reached: renders on the fast network are paused until ResetAt, and those that the
	// plan covers go to the relaxed network, which has no limit; the balance pays for other work. While none is
	// reached, ResetAt is the end of the first window that has one.
	Limited bool
	ResetAt time.Time
}

// Percent is a part of a limit in percent; zero when there is no limit.
func Percent(used, limit atelier.Money) float64 {
	if limit == 0 {
		return 0
	}
	return 100 * float64(used) / float64(limit)
}

// PlanUsage reads the use of an account's plan.
func (e *Engine) PlanUsage(ctx context.Context, w atelier.Wallet) (u PlanUsage, err error) {
	now := e.now()
	err = e.db.Snapshot(ctx, func(tx *store.Tx) error {
		plan, err := tx.Subscription(w)
		if err != nil {
			return err
		}
		u = PlanUsage{Plan: plan.At(now)}
		u.Daily.Start, u.Daily.End = u.Plan.DailyWindow(now)
		u.Cycle.Start, u.Cycle.End = u.Plan.PeriodStart, u.Plan.PeriodEnd
		if u.Daily.PlanUse, u.Cycle.PlanUse, err = tx.PlanUses(w, u.Daily.Start, u.Cycle.Start); err != nil {
			return err
		}
		if u.Cycle.Start.IsZero() { // there is no plan, and no period
			u.Cycle.PlanUse = store.PlanUse{}
		}
		purses, err := tx.Purses(w)
		if err != nil {
			return err
		}
		u.Held = purses[atelier.TokenPlan].Held
		days, err := tx.UsageDays(w, store.Between{From: "0001-01-01", To: store.Day(now)})
		for _, d := range days {
			u.Lifetime.Jobs += d.PlanJobs
			u.Lifetime.Spark += d.PlanSpark
			u.Lifetime.USD += d.PlanUSD
		}
		return err
	})
	if err != nil || e.fairUse == nil || !u.Plan.Active() {
		return u, err
	}
	u.Limit = e.fairUse(u.Plan.Tier)
	u.ResetAt = u.Cycle.End
	if u.Limit.Daily > 0 {
		u.ResetAt = u.Daily.End
	}
	if u.Limit.Daily > 0 && u.Daily.Spark+u.Held >= u.Limit.Daily {
		u.Limited, u.ResetAt = true, u.Daily.End
	}
	if u.Limit.Cycle > 0 && u.Cycle.Spark+u.Held >= u.Limit.Cycle {
		u.Limited, u.ResetAt = true, u.Cycle.End
	}
	return u, nil
}
