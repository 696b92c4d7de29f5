package store

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// Usage is what an account used.
type Usage struct {
	Jobs           int64 // pieces of work: renders, rounds of a language model, tools
	PlanJobs       int64
	PlanSpark      atelier.Money
	PlanUSD        atelier.Money
	SparkSpent     atelier.Money
	PaidSparkSpent atelier.Money // the premium part of SparkSpent
	SvcSpent       atelier.Money
}

func (u *Usage) numbers() []int64 {
	return []int64{u.Jobs, u.PlanJobs, int64(u.PlanSpark), int64(u.PlanUSD), int64(u.SparkSpent), int64(u.PaidSparkSpent), int64(u.SvcSpent)}
}

func (u *Usage) set(n []int64) {
	*u = Usage{
		Jobs: n[0], PlanJobs: n[1], PlanSpark: atelier.Money(n[2]), PlanUSD: atelier.Money(n[3]),
		SparkSpent: atelier.Money(n[4]), PaidSparkSpent: atelier.Money(n[5]), SvcSpent: atelier.Money(n[6]),
	}
}

// Add adds other usage.
func (u *Usage) Add(o Usage) { u.set(plus(u.numbers(), o.numbers())) }

// UsageDays reads what an account used by day, including what is not counted yet.
// The caller reads a snapshot.
func (tx *Tx) UsageDays(w atelier.Wallet, b Between) (map[string]Usage, error) {
	out := map[string]Usage{}
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			day string
			n   [7]int64
			u   Usage
		)
		err := scan(append([]any{&day}, pointers(n[:])...)...)
		u.set(n[:])
		out[day] = u
		return err
	}, `SELECT day, `+usageSums+` FROM usage_day WHERE wallet = $1 AND day >= $2 AND day <= $3`, string(w), b.From, b.To)
	if err != nil {
		return nil, err
	}
	pending, err := tx.pendingSums(w)
	for k, u := range pending.usage {
		if b.has(k.Day) {
			sum := out[k.Day]
			sum.Add(u)
			out[k.Day] = sum
		}
	}
	return out, err
}

// UsageParts reads what an account used, by day, application, network and model,
// including what is not counted yet. An empty wallet is all accounts. The caller
// reads a snapshot.
func (tx *Tx) UsageParts(w atelier.Wallet, b Between) (map[PartKey]PartSums, error) {
	out := map[PartKey]PartSums{}
	where, args := `day >= $1 AND day <= $2`, []any{b.From, b.To}
	if w != "" {
		where, args = where+` AND wallet = $3`, append(args, string(w))
	}
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			k PartKey
			n [7]int64
			p PartSums
		)
		err := scan(append(append([]any{&k.Wallet, &k.Day, &k.App, &k.Network, &k.ModelID}, pointers(n[:])...), &p.Spark)...)
		p.Usage.set(n[:])
		out[k] = p
		return err
	}, `SELECT `+partKeys+`, `+usageSums+`, spark FROM usage_part WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	pending, err := tx.pendingSums(w)
	for k, p := range pending.parts {
		if b.has(k.Day) {
			sum := out[k]
			sum.Usage.Add(p.Usage)
			sum.Spark += p.Spark
			out[k] = sum
		}
	}
	return out, err
}

// UsageKeys reads what was used with API keys by day, including what is not counted yet. An empty wallet is all
// accounts. The caller reads a snapshot.
func (tx *Tx) UsageKeys(w atelier.Wallet, b Between) (map[KeyDay]KeySums, error) {
	out := map[KeyDay]KeySums{}
	where, args := `day >= $1 AND day <= $2`, []any{b.From, b.To}
	if w != "" {
		where, args = where+` AND wallet = $3`, append(args, string(w))
	}
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			k KeyDay
			n [7]int64
			s KeySums
		)
		err := scan(append(append([]any{&k.Wallet, &k.Day, &k.KeyID}, pointers(n[:])...), &s.Spark, &s.USD)...)
		s.Usage.set(n[:])
		out[k] = s
		return err
	}, `SELECT `+keyDays+`, `+usageSums+`, spark, usd FROM usage_key WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	pending, err := tx.pendingSums(w)
	for k, s := range pending.keys {
		if b.has(k.Day) {
			sum := out[k]
			sum.Add(s)
			out[k] = sum
		}
	}
	return out, err
}

// PlanUse is what a plan has covered.
type PlanUse struct {
	Jobs  int64
	Spark atelier.Money
	USD   atelier.Money
}

// PlanUses is what the plan of an account has covered since the beginnings of its
// daily window and of its billing period, which is not later.
func (tx *Tx) PlanUses(w atelier.Wallet, window, period time.Time) (daily, cycle PlanUse, err error) {
	const sum, sumDaily = `CAST(COALESCE(SUM(`, `CAST(COALESCE(SUM(CASE WHEN start >= $2 THEN `
	const end, endDaily = `), 0) AS BIGINT)`, ` ELSE 0 END), 0) AS BIGINT)`
	err = tx.Row(`SELECT `+sumDaily+`jobs`+endDaily+`, `+sumDaily+`spark`+endDaily+`, `+sumDaily+`usd`+endDaily+`,
		`+sum+`jobs`+end+`, `+sum+`spark`+end+`, `+sum+`usd`+end+`
		FROM plan_window WHERE wallet = $1 AND start >= $3`,
		string(w), database.Millis(window), database.Millis(period)).
		Scan(&daily.Jobs, &daily.Spark, &daily.USD, &cycle.Jobs, &cycle.Spark, &cycle.USD)
	return daily, cycle, err
}

// addToWindow adds work that a plan has covered to the daily window of the plan.
func (tx *Tx) addToWindow(w Work) error {
	plan, err := tx.Subscription(w.Wallet)
	if err != nil {
		return err
	}
	start, _ := plan.At(w.At).DailyWindow(w.At)
	return tx.addRows("plan_window", "wallet, start", "jobs, spark, usd", []row{{[]any{string(w.Wallet), database.Millis(start)}, []int64{1, int64(w.Spark), int64(w.USD)}}})
}
