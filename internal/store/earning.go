package store

import (
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/wire"
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
	State     atelier.ClaimState // of the claim; empty without one
}

// Unclaimed reports whether it may still be paid.
func (e Earning) Unclaimed() bool { return e.State == "" || e.State == atelier.ClaimWaiting }

// Portion is what a render earns of the pool of a plan: what it earns at most, or less where
// all renders together would earn more than the pool. It is rounded down.
func (p PlanPool) Portion(most atelier.Money) atelier.Money {
	switch {
	case p.Pool <= 0:
		return 0
	case p.Due <= p.Pool:
		return most
	}
	high, low := bits.Mul64(uint64(most), uint64(p.Pool))
	part, _ := bits.Div64(high, low, uint64(p.Due)) // most is a part of Due, so it fits
	return atelier.Money(part)
}

// earned adds up what each account earns in a month whose pools are stored, by network.
func (tx *Tx) earned(month string) ([]Earning, error) {
	pays, err := tx.PaysOfMonth(month)
	if err != nil {
		return nil, err
	}
	pools, err := tx.Pools(month, nil)
	if err != nil {
		return nil, err
	}
	type key struct {
		wallet  atelier.Wallet
		network atelier.Network
	}
	sums := map[key]Earning{}
	for k, s := range pays {
		e := sums[key{k.Worker, k.Network}]
		e.Wallet, e.Month, e.Network = k.Worker, month, k.Network
		e.PlanSpark, e.USD, e.Svc = e.PlanSpark+s.PlanSpark, e.USD+pools[k.Wallet].Portion(s.USD), e.Svc+s.Svc
		sums[key{k.Worker, k.Network}] = e
	}
	return slices.Collect(maps.Values(sums)), nil
}

// CloseMonth closes a month: records that are counted from now on are paid in the next one.
// It reports false when the month was closed before. The caller pays it with PayMonth.
func (tx *Tx) CloseMonth(month string, at time.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO earning_month (month, closed_at) VALUES ($1, $2) ON CONFLICT (month) DO NOTHING`, month, database.Millis(at))
	return n > 0, err
}

// PayMonth records what each account has earned in a month that was just closed, of what the
// plans have paid for it. It returns how many accounts have earned something.
func (tx *Tx) PayMonth(month string, pools map[atelier.Wallet]PlanPool) (accounts int64, err error) {
	if err := tx.PutPools(month, pools); err != nil {
		return 0, err
	}
	earned, err := tx.earned(month)
	if err != nil {
		return 0, err
	}
	rows, who := []row{}, map[atelier.Wallet]bool{}
	for _, e := range earned {
		if e.PlanSpark > 0 || e.USD > 0 || e.Svc > 0 {
			rows = append(rows, row{[]any{string(e.Wallet), month, string(e.Network), ""}, []int64{int64(e.PlanSpark), int64(e.USD), int64(e.Svc), 0}})
			who[e.Wallet] = true
		}
	}
	err = tx.insertRows(`INSERT INTO earning (wallet, month, network, claim, plan_spark, usd, svc, claimed_at) VALUES `, ``, rows)
	return int64(len(who)), err
}

// OpenMonths lists the months before the given one in which workers have earned
// something and which are not closed.
func (tx *Tx) OpenMonths(before string) ([]string, error) {
	return tx.texts(`SELECT DISTINCT month FROM worker_pay WHERE worker = '' AND month < $1
		AND month NOT IN (SELECT month FROM earning_month) ORDER BY month`, before)
}

// AnyMonthEnd reports whether SeeMonthEnds would change something or months can be closed.
func (tx *Tx) AnyMonthEnd(month string, now time.Time) (is bool, err error) {
	err = tx.Row(`SELECT EXISTS (SELECT 1 FROM worker_pay WHERE worker = '' AND month < $1 AND month NOT IN (SELECT month FROM earning_month))
		OR EXISTS (SELECT 1 FROM month_end WHERE month >= $1 OR at > $2)`, month, database.Millis(now)).Scan(&is)
	return is, err
}

// SeeMonthEnds notes that months have ended by the clock of a node, and forgets it of those
// that have not: of the month now and later ones, and of what was seen in the future. It
// returns when it was first seen of each.
func (tx *Tx) SeeMonthEnds(ended []string, month string, now time.Time) (map[string]time.Time, error) {
	if _, err := tx.Exec(`DELETE FROM month_end WHERE month >= $1 OR at > $2`, month, database.Millis(now)); err != nil {
		return nil, err
	}
	for _, m := range ended {
		if _, err := tx.Exec(`INSERT INTO month_end (month, at) VALUES ($1, $2) ON CONFLICT (month) DO NOTHING`, m, database.Millis(now)); err != nil {
			return nil, err
		}
	}
	seen := map[string]time.Time{}
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			month string
			at    int64
		)
		err := scan(&month, &at)
		seen[month] = database.FromMillis(at)
		return err
	}, `SELECT month, at FROM month_end`)
	return seen, err
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

// Earnings lists what an account has earned in closed months.
func (tx *Tx) Earnings(w atelier.Wallet) ([]Earning, error) {
	return tx.earnings(`SELECT e.wallet, e.month, e.network, e.plan_spark, e.usd, e.svc, e.claim, e.claimed_at, COALESCE(c.state, '')
		FROM earning e LEFT JOIN earning_claim c ON c.id = e.claim WHERE e.wallet = $1 ORDER BY e.month, e.network`, string(w))
}

// EarningsOfClaim lists what a claim is about.
func (tx *Tx) EarningsOfClaim(c EarningClaim) ([]Earning, error) {
	all, err := tx.Earnings(c.Wallet)
	return slices.DeleteFunc(all, func(e Earning) bool { return e.Claim != c.ID }), err
}

func (tx *Tx) earnings(sql string, args ...any) (out []Earning, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			e  Earning
			at int64
		)
		err := scan(&e.Wallet, &e.Month, &e.Network, &e.PlanSpark, &e.USD, &e.Svc, &e.Claim, &at, &e.State)
		e.ClaimedAt = database.FromMillis(at)
		out = append(out, e)
		return err
	}, sql, args...)
	return out, err
}

// ClaimEarnings gives all unclaimed earnings of an account to a claim, and returns
// them.
func (tx *Tx) ClaimEarnings(w atelier.Wallet, claim string, at time.Time) ([]Earning, error) {
	return tx.earnings(`UPDATE earning SET claim = $2, claimed_at = $3 WHERE wallet = $1 AND claim = '' 
		RETURNING wallet, month, network, plan_spark, usd, svc, claim, claimed_at, ''`, string(w), claim, database.Millis(at))
}

// EarningClaim is a claim of earnings.
type EarningClaim struct {
	ID        string
	Wallet    atelier.Wallet
	At        time.Time
	USD       atelier.Money
	Svc       atelier.Money
	State     atelier.ClaimState
	Reasons   []string // why it waits for an operator
	DecidedAt time.Time
	Decision  string // the operator's words
}

// InsertClaim stores a new claim.
func (tx *Tx) InsertClaim(c EarningClaim) error {
	reasons, err := encode(c.Reasons)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO earning_claim (id, wallet, at, usd, svc, state, reasons, decided_at, decision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		c.ID, string(c.Wallet), database.Millis(c.At), int64(c.USD), int64(c.Svc), string(c.State), reasons, database.Millis(c.DecidedAt), c.Decision)
	return err
}

// DecideClaim moves a claim that waits to another state.
func (tx *Tx) DecideClaim(id string, to atelier.ClaimState, decision string, at time.Time) error {
	return tx.Must(`UPDATE earning_claim SET state = $2, decision = $3, decided_at = $4 WHERE id = $1 AND state = 'waiting'`,
		id, string(to), decision, database.Millis(at))
}

// WaitingClaims lists the claims that wait for an operator after one of a time and id, the
// oldest first.
func (tx *Tx) WaitingClaims(at time.Time, id string, limit int) ([]EarningClaim, error) {
	return tx.claims(`WHERE state = 'waiting' AND (at, id) > ($1, $2) ORDER BY at, id LIMIT $3`, database.Millis(at), id, limit)
}

// FindClaim returns a claim, or ErrNotFound.
func (tx *Tx) FindClaim(id string) (EarningClaim, error) {
	found, err := tx.claims(`WHERE id = $1`, id)
	if err == nil && len(found) == 0 {
		return EarningClaim{}, ErrNotFound
	}
	if err != nil {
		return EarningClaim{}, err
	}
	return found[0], nil
}

func (tx *Tx) claims(where string, args ...any) (out []EarningClaim, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			c           EarningClaim
			at, decided int64
			reasons     string
		)
		if err := scan(&c.ID, &c.Wallet, &at, &c.USD, &c.Svc, &c.State, &reasons, &decided, &c.Decision); err != nil {
			return err
		}
		c.At, c.DecidedAt = database.FromMillis(at), database.FromMillis(decided)
		out = append(out, c)
		return wire.Unmarshal([]byte(reasons), &out[len(out)-1].Reasons)
	}, `SELECT id, wallet, at, usd, svc, state, reasons, decided_at, decision FROM earning_claim `+where, args...)
	return out, err
}

// BookPayout records in the ledger that dollars were paid to an account outside the
// service. No purse holds them.
func (tx *Tx) BookPayout(e LedgerEntry) error {
	e.Kind = "payout"
	tx.book(e)
	return tx.Flush()
}
