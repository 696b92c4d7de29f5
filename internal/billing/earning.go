package billing

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Pay is the part of the price of a render that its worker earns at most, in hundredths of
// a percent. Work that a plan covers is paid in dollars, from the pool of the plan, other work
// in svc.
type Pay struct {
	PlanBps  int
	TokenBps int
}

// pay sets what the worker of a record earns. An account earns nothing from its
// own work.
func (e *Engine) pay(w *store.Work, c atelier.Charge) {
	if e.workerPay == nil || w.Worker == "" || w.Worker == w.Wallet {
		return
	}
	pay := e.workerPay(w.Network)
	switch {
	case !w.ByPlan:
		w.PaySvc = share(w.SparkSpent+w.SvcSpent, pay.TokenBps)
	case e.pool.earns(c):
		w.PayUSD = share(w.USD, pay.PlanBps)
	}
}

// Earns reports whether a worker of another account earns something for work that is charged
// like this.
func (e *Engine) Earns(c atelier.Charge, n atelier.Network) bool {
	if e.workerPay == nil || c.Cost.Spark == 0 {
		return false
	}
	pay := e.workerPay(n)
	if !c.ByPlan {
		return pay.TokenBps > 0
	}
	return pay.PlanBps > 0 && e.pool.ShareBps > 0 && e.pool.earns(c)
}

// share is a part of an amount, rounded down.
func share(m atelier.Money, bps int) atelier.Money { return m * atelier.Money(bps) / 10_000 }

// A month can be closed closeDelay after its end: the last transactions of the month are
// committed by then. It is closed closeWait after a node has first seen that, unless a node
// sees in the meantime that it has not ended: a clock that is wrong for a while closes
// nothing.
const (
	closeDelay = time.Hour
	closeWait  = 24 * time.Hour
)

// ClosedMonth is a month that was closed.
type ClosedMonth struct {
	Month    string
	Accounts int64 // which earned something
}

// CloseMonths closes the months that have ended a day ago: from then on, what workers have
// earned in them is final and can be claimed. With force it closes those that have just ended.
// A month is closed once, however often this is called and by however many nodes. Months in
// which no render was settled are not listed.
func (e *Engine) CloseMonths(ctx context.Context, force bool) (closed []ClosedMonth, err error) {
	now := e.now()
	month := now.UTC().Add(-closeDelay).Format(store.MonthForm)
	var due bool
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		if due, err = tx.AnyMonthEnd(month, now); err == nil && !due {
			due, err = tx.AnyPending() // of a month that has ended, perhaps
		}
		return err
	})
	if err != nil || !due {
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
		open, err := tx.OpenMonths(month)
		if err != nil {
			return err
		}
		seen, err := tx.SeeMonthEnds(open, month, now)
		if err != nil {
			return err
		}
		for _, month := range open {
			if !force && now.Sub(seen[month]) < closeWait {
				continue
			}
			isNew, err := tx.CloseMonth(month, now)
			if err != nil {
				return err
			}
			if !isNew {
				continue
			}
			totals, err := tx.PayTotals(month, nil)
			if err != nil {
				return err
			}
			pools, err := e.openPools(tx, month, totals)
			if err != nil {
				return err
			}
			accounts, err := tx.PayMonth(month, pools)
			if err != nil {
				return err
			}
			closed = append(closed, ClosedMonth{month, accounts})
		}
		return nil
	})
	return closed, err
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
	State   atelier.ClaimState
	Network atelier.Network
	USD     atelier.Money
	At      time.Time
}

// Earnings reads what the workers of an account have earned in the latest months.
func (e *Engine) Earnings(ctx context.Context, w atelier.Wallet, months int) (out Earnings, err error) {
	now := e.now().UTC()
	last := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	first := last.AddDate(0, 1-months, 0)
	from := first.Format(store.MonthForm)
	err = e.db.Snapshot(ctx, func(tx *store.Tx) error {
		own, err := tx.Pays(w, from)
		if err != nil {
			return err
		}
		all, err := tx.Pays("", from)
		if err != nil {
			return err
		}
		closed, err := tx.ClosedMonths(from)
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
			switch {
			case f.State == atelier.ClaimPaid:
				out.Claimed += f.USD
			case f.Unclaimed():
				out.Unclaimed += f.USD
			}
		}
		if lastMonth(own).After(last) { // records that came after their month was closed
			last = last.AddDate(0, 1, 0)
		}
		for m := last; !m.Before(first); m = m.AddDate(0, -1, 0) {
			name := m.Format(store.MonthForm)
			month := EarningMonth{Month: name, Closed: slices.Contains(closed, name), Ended: !m.AddDate(0, 1, 0).After(now)}
			pools, err := e.pools(tx, month, own)
			if err != nil {
				return err
			}
			month.add(own, all, pools)
			for _, f := range final {
				if f.Month == name && (f.USD > 0 || f.Svc > 0) {
					month.Claims = append(month.Claims, EarningClaim{f.Claim, f.State, f.Network, f.USD, f.ClaimedAt})
				}
			}
			out.Estimated += month.USD
			out.Months = append(out.Months, month)
		}
		return nil
	})
	return out, err
}

// lastMonth is the latest month that pays for something.
func lastMonth(pays map[store.PayKey]store.PaySums) (last time.Time) {
	for k := range pays {
		if start, _ := store.Month(k.Month); start.After(last) {
			last = start
		}
	}
	return last
}

// pools are the pools of the plans whose renders are paid in a month: as they were when it
// was closed, or as they are expected to be.
func (e *Engine) pools(tx *store.Tx, m EarningMonth, own map[store.PayKey]store.PaySums) (map[atelier.Wallet]store.PlanPool, error) {
	asked := []atelier.Wallet{}
	for k, s := range own {
		if k.Month == m.Month && s.USD > 0 {
			asked = append(asked, k.Wallet)
		}
	}
	slices.Sort(asked)
	asked = slices.Compact(asked)
	if m.Closed {
		return tx.Pools(m.Month, asked)
	}
	due, err := tx.PayTotals(m.Month, asked)
	if err != nil {
		return nil, err
	}
	return e.openPools(tx, m.Month, due)
}

// add adds up what is paid in the month.
func (m *EarningMonth) add(own, all map[store.PayKey]store.PaySums, pools map[atelier.Wallet]store.PlanPool) {
	m.ByNetwork = map[atelier.Network]NetworkEarning{}
	for k, s := range all {
		if k.Month == m.Month {
			n := m.ByNetwork[k.Network]
			n.NetworkSpark += s.PlanSpark
			m.ByNetwork[k.Network] = n
			m.NetworkSpark += s.PlanSpark
		}
	}
	workers := map[WorkerEarning]WorkerEarning{}
	for k, s := range own {
		if k.Month != m.Month {
			continue
		}
		usd := pools[k.Wallet].Portion(s.USD)
		n := m.ByNetwork[k.Network]
		n.RenderSpark += s.PlanSpark
		n.USD += usd
		m.ByNetwork[k.Network] = n
		m.RenderSpark += s.PlanSpark
		m.USD += usd
		key := WorkerEarning{NFT: k.NFT, Network: k.Network}
		w := workers[key]
		workers[key] = WorkerEarning{k.NFT, k.Network, w.RenderSpark + s.PlanSpark, w.USD + usd}
	}
	for _, w := range workers {
		m.ByWorker = append(m.ByWorker, w)
	}
	slices.SortFunc(m.ByWorker, func(a, b WorkerEarning) int {
		return cmp.Or(cmp.Compare(a.NFT, b.NFT), cmp.Compare(a.Network, b.Network))
	})
}
