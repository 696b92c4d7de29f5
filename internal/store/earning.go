package store

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// Earning is what the workers of an account have earned in a network in a month that
// is closed.
type Earning struct {
	Wallet    atelier.Wallet
	Month     string // YYYY-MM
	Network   atelier.Network
	PlanSpark atelier.Money // renders that plans covered
	USD       atelier.Money
	Svc       atelier.Money
	Claim     string // empty until it is claimed
	ClaimedAt time.Time
}

// MonthDays are the days of a month.
func MonthDays(month string) Between { return Between{month + "-01", month + "-31"} }

// CloseMonth records what each account has earned in a month, once. It reports false,
// and changes nothing, when the month was closed before. All records of the month
// must be counted.
func (tx *Tx) CloseMonth(month string, at time.Time) (accounts int64, closed bool, err error) {
	n, err := tx.Exec(`INSERT INTO earning_month (month, closed_at) VALUES ($1, $2) ON CONFLICT (month) DO NOTHING`, month, database.Millis(at))
	if err != nil || n == 0 {
		return 0, false, err
	}
	days := MonthDays(month)
	if _, err = tx.Exec(`INSERT INTO earning (wallet, month, network, plan_spark, usd, svc, claim, claimed_at)
		SELECT wallet, $1, network, CAST(SUM(plan_spark) AS BIGINT), CAST(SUM(pay_usd) AS BIGINT), CAST(SUM(pay_svc) AS BIGINT), '', 0
		FROM worker_count WHERE wallet <> '' AND day >= $2 AND day <= $3 GROUP BY wallet, network
		HAVING SUM(pay_usd) > 0 OR SUM(pay_svc) > 0 OR SUM(plan_spark) > 0`, month, days.From, days.To); err != nil {
		return 0, false, err
	}
	err = tx.Row(`SELECT COUNT(DISTINCT wallet) FROM earning WHERE month = $1`, month).Scan(&accounts)
	return accounts, true, err
}

// OpenMonths lists the months before the given one in which workers have earned
// something and which are not closed.
func (tx *Tx) OpenMonths(before string) ([]string, error) {
	return tx.texts(`SELECT DISTINCT SUBSTR(day, 1, 7) AS month FROM worker_count WHERE wallet = '' AND day <> '' AND SUBSTR(day, 1, 7) < $1
		AND SUBSTR(day, 1, 7) NOT IN (SELECT month FROM earning_month) ORDER BY month`, before)
}

// ClosedMonths lists the months that are closed, from the given one on.
func (tx *Tx) ClosedMonths(from string) ([]string, error) {
	return tx.texts(`SELECT month FROM earning_month WHERE month >= $1 ORDER BY month`, from)
}

func (tx *Tx) texts(sql string, args ...any) (out []string, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		out = append(out, text)
		return err
	}, sql, args...)
	return out, err
}

const earningColumns = `wallet, month, network, plan_spark, usd, svc, claim, claimed_at`

func (tx *Tx) earnings(sql string, args ...any) (out []Earning, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			e  Earning
			at int64
		)
		err := scan(&e.Wallet, &e.Month, &e.Network, &e.PlanSpark, &e.USD, &e.Svc, &e.Claim, &at)
		e.ClaimedAt = database.FromMillis(at)
		out = append(out, e)
		return err
	}, sql, args...)
	return out, err
}

// Earnings lists what an account has earned in closed months.
func (tx *Tx) Earnings(w atelier.Wallet) ([]Earning, error) {
	return tx.earnings(`SELECT `+earningColumns+` FROM earning WHERE wallet = $1 ORDER BY month, network`, string(w))
}

// ClaimEarnings gives all unclaimed earnings of an account to a claim, and returns
// them.
func (tx *Tx) ClaimEarnings(w atelier.Wallet, claim string, at time.Time) ([]Earning, error) {
	return tx.earnings(`UPDATE earning SET claim = $2, claimed_at = $3 WHERE wallet = $1 AND claim = '' RETURNING `+earningColumns, string(w), claim, database.Millis(at))
}

// BookPayout records in the ledger that dollars were paid to an account outside the
// service. No purse holds them.
func (tx *Tx) BookPayout(e LedgerEntry) error {
	e.Kind = "payout"
	return tx.book(e)
}
