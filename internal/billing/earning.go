package billing

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// Pay is the part of the price of a render that its worker earns, in hundredths of a
// percent. Work that a plan covers is paid in dollars, other work in svc.
type Pay struct {
	PlanBps  int
	TokenBps int
}

// pay sets what the worker of a record earns.
func (e *Engine) pay(w *store.Work) {
	if e.workerPay == nil || w.Worker == "" {
		return
	}
	pay := e.workerPay(w.Network)
	if w.ByPlan {
		w.PayUSD = share(w.USD, pay.PlanBps)
		return
	}
	w.PaySvc = share(w.SparkSpent+w.SvcSpent, pay.TokenBps)
}

// share is a part of an amount, rounded down.
func share(m atelier.Money, bps int) atelier.Money { return m * atelier.Money(bps) / 10_000 }

// monthForm is how months are written.
const monthForm = "2006-01"

// closeDelay is how long after its end a month can be closed: the last transactions of
// the month are committed by then.
const closeDelay = time.Hour

// ClosedMonth is a month that was closed.
type ClosedMonth struct {
	Month    string
	Accounts int64 // which earned something
}

// CloseMonths closes the months that have ended: from then on, what workers have earned in
// them is final and can be claimed. A month is closed once, however often this is called and
// by however many nodes. Months in which no render was settled are not listed.
func (e *Engine) CloseMonths(ctx context.Context) (closed []ClosedMonth, err error) {
	now := e.now()
	before := now.UTC().Add(-closeDelay).Format(monthForm)
	var open []string
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		open, err = tx.OpenMonths(before)
		return err
	})
	if err != nil || len(open) == 0 {
		return nil, err
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		closed = nil
		for { // all records of the months
			if n, err := tx.CountWork(1000); err != nil || n == 0 {
				if err != nil {
					return err
				}
				break
			}
		}
		for _, month := range open {
			accounts, isNew, err := tx.CloseMonth(month, now)
			if err != nil {
				return err
			}
			if isNew {
				closed = append(closed, ClosedMonth{month, accounts})
			}
		}
		return nil
	})
	return closed, err
}

// Claimed is what a claim has paid.
type Claimed struct {
	ID     string // empty when there was nothing to claim
	Months []string
	USD    atelier.Money // to be paid outside the service
	Svc    atelier.Money // booked into the purse
}

// Claim pays all unclaimed earnings of closed months to an account: svc goes into its purse,
// dollars are recorded in the ledger as paid. When there are none, the claim is empty.
func (e *Engine) Claim(ctx context.Context, w atelier.Wallet) (c Claimed, err error) {
	now, id := e.now(), mint.UUID()
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		c = Claimed{ID: id, Months: []string{}}
		if err := tx.LockAccount(w); err != nil {
			return err
		}
		earnings, err := tx.ClaimEarnings(w, c.ID, now)
		if err != nil {
			return err
		}
		for _, one := range earnings {
			c.USD += one.USD
			c.Svc += one.Svc
			c.Months = append(c.Months, one.Month)
		}
		if len(earnings) == 0 {
			c.ID = ""
			return nil
		}
		slices.Sort(c.Months)
		c.Months = slices.Compact(c.Months)
		return e.bookClaim(tx, w, c, now)
	})
	return c, err
}

func (e *Engine) bookClaim(tx *store.Tx, w atelier.Wallet, c Claimed, now time.Time) error {
	cause := "claim/" + c.ID
	if c.Svc > 0 {
		if err := tx.Grant(store.LedgerEntry{Wallet: w, Token: atelier.TokenSvc, Kind: "grant", Amount: c.Svc, Cause: cause, At: now}); err != nil {
			return err
		}
	}
	if c.USD == 0 {
		return nil
	}
	return tx.BookPayout(store.LedgerEntry{Wallet: w, Token: atelier.TokenUSD, Amount: c.USD, Cause: cause, At: now})
}

// Earnings are what the workers of an account have earned from work that plans covered.
type Earnings struct {
	Estimated atelier.Money // in the window, closed or not
	Finalized atelier.Money // in all closed months
	Unclaimed atelier.Money
	Claimed   atelier.Money
	Months    []EarningMonth // of the window, the latest first
}

// EarningMonth is what was earned in a month.
type EarningMonth struct {
	Month     string
	ByNetwork map[atelier.Network]NetworkEarning
	ByWorker  []WorkerEarning
	Closed    bool // it has ended and is final; otherwise the amounts are estimates
	Ended     bool
	Claims    []EarningClaim // of its networks
	NetworkEarning
}

// NetworkEarning is a part of what was earned in a month.
type NetworkEarning struct {
	RenderSpark  atelier.Money // own renders that plans covered
	NetworkSpark atelier.Money // all renders that plans covered
	USD          atelier.Money
}

// SharePct is the part of all renders, in percent.
func (n NetworkEarning) SharePct() float64 {
	if n.NetworkSpark == 0 {
		return 0
	}
	return 100 * float64(n.RenderSpark) / float64(n.NetworkSpark)
}

// WorkerEarning is what the workers with an NFT, or without one, have earned in a network.
type WorkerEarning struct {
	NFT         string
	Network     atelier.Network
	RenderSpark atelier.Money
	USD         atelier.Money
}

// EarningClaim is a claim of a month's earnings.
type EarningClaim struct {
	ID      string // empty while it is unclaimed
	Network atelier.Network
	USD     atelier.Money
	At      time.Time
}

// Earnings reads what the workers of an account have earned in the latest months.
func (e *Engine) Earnings(ctx context.Context, w atelier.Wallet, months int) (out Earnings, err error) {
	now := e.now().UTC()
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC).AddDate(0, 1-months, 0)
	days := store.Between{From: store.Day(first), To: store.Day(now)}
	err = e.db.Snapshot(ctx, func(tx *store.Tx) error {
		own, err := tx.WorkerCounts(store.WorkerFilter{Wallet: w, Between: days})
		if err != nil {
			return err
		}
		all, err := tx.WorkerCounts(store.WorkerFilter{Between: days})
		if err != nil {
			return err
		}
		closed, err := tx.ClosedMonths(first.Format(monthForm))
		if err != nil {
			return err
		}
		final, err := tx.Earnings(w)
		if err != nil {
			return err
		}
		out = Earnings{}
		for _, f := range final {
			out.Finalized += f.USD
			if f.Claim == "" {
				out.Unclaimed += f.USD
			} else {
				out.Claimed += f.USD
			}
		}
		for m := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC); !m.Before(first); m = m.AddDate(0, -1, 0) {
			month := earningMonth(m.Format(monthForm), own, all, final)
			month.Closed, month.Ended = slices.Contains(closed, month.Month), !m.AddDate(0, 1, 0).After(now)
			out.Estimated += month.USD
			out.Months = append(out.Months, month)
		}
		return nil
	})
	return out, err
}

// earningMonth adds up the counters of a month.
func earningMonth(month string, own, all map[store.WorkerKey]store.WorkerSums, final []store.Earning) EarningMonth {
	m := EarningMonth{Month: month, ByNetwork: map[atelier.Network]NetworkEarning{}}
	workers := map[WorkerEarning]WorkerEarning{}
	for k, s := range all {
		if k.Day[:len(month)] == month {
			n := m.ByNetwork[k.Network]
			n.NetworkSpark += s.PlanSpark
			m.ByNetwork[k.Network] = n
			m.NetworkSpark += s.PlanSpark
		}
	}
	for k, s := range own {
		if k.Day[:len(month)] != month {
			continue
		}
		n := m.ByNetwork[k.Network]
		n.RenderSpark += s.PlanSpark
		n.USD += s.PayUSD
		m.ByNetwork[k.Network] = n
		m.RenderSpark += s.PlanSpark
		m.USD += s.PayUSD
		key := WorkerEarning{NFT: k.NFT, Network: k.Network}
		w := workers[key]
		workers[key] = WorkerEarning{k.NFT, k.Network, w.RenderSpark + s.PlanSpark, w.USD + s.PayUSD}
	}
	for _, w := range workers {
		m.ByWorker = append(m.ByWorker, w)
	}
	slices.SortFunc(m.ByWorker, func(a, b WorkerEarning) int {
		return cmp.Or(cmp.Compare(a.NFT, b.NFT), cmp.Compare(a.Network, b.Network))
	})
	for _, f := range final {
		if f.Month == month {
			m.Claims = append(m.Claims, EarningClaim{f.Claim, f.Network, f.USD, f.ClaimedAt})
		}
	}
	return m
}
