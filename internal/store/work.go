package store

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Work is the record of a piece of work that has ended: what it cost, who asked for
// it and who did it.
type Work struct {
	Cause   string // as in the ledger
	Wallet  atelier.Wallet
	App     string
	Network atelier.Network // empty for work that is not a render
	ModelID string
	At      time.Time

	Failed   bool // a worker failed: nothing was paid
	Imported bool // it ended before there were records, so the counters of its day have it already
	ByPlan   bool

	Spark          atelier.Money // what it cost, by balance or by plan
	USD            atelier.Money
	SparkSpent     atelier.Money
	PaidSparkSpent atelier.Money
	SvcSpent       atelier.Money

	Worker  atelier.Wallet // empty if no worker did it, or it is not known which
	NFT     string
	Held    time.Duration // how long the worker had it
	Render  time.Duration
	Switch  time.Duration
	Priming time.Duration
	PayUSD  atelier.Money // what the worker earns
	PaySvc  atelier.Money
}

// Day is the UTC day of a time, as the counters have it.
func Day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// Lifetime is the day of the counters that include all days.
const Lifetime = ""

const workColumns = `wallet, cause, at, app, network, model_id, failed, imported, by_plan, spark, usd, spark_spent, paid_spark_spent, svc_spent,
	worker, nft, work_ms, render_ms, switch_ms, priming_ms, pay_usd, pay_svc`

const workWidth = 22 // columns

func (w Work) values() []any {
	return []any{
		string(w.Wallet), w.Cause, millis(w.At), w.App, string(w.Network), w.ModelID, w.Failed, w.Imported, w.ByPlan,
		int64(w.Spark), int64(w.USD), int64(w.SparkSpent), int64(w.PaidSparkSpent), int64(w.SvcSpent),
		string(w.Worker), w.NFT, w.Held.Milliseconds(), w.Render.Milliseconds(), w.Switch.Milliseconds(), w.Priming.Milliseconds(),
		int64(w.PayUSD), int64(w.PaySvc),
	}
}

// works lists the records that a statement returns.
func (tx *Tx) works(each func(Work) error, sql string, args ...any) error {
	return tx.rows(func(scan func(...any) error) error {
		var (
			w     Work
			at    int64
			times [4]int64
		)
		if err := scan(&w.Wallet, &w.Cause, &at, &w.App, &w.Network, &w.ModelID, &w.Failed, &w.Imported, &w.ByPlan, &w.Spark, &w.USD, &w.SparkSpent,
			&w.PaidSparkSpent, &w.SvcSpent, &w.Worker, &w.NFT, &times[0], &times[1], &times[2], &times[3], &w.PayUSD, &w.PaySvc); err != nil {
			return err
		}
		w.At = fromMillis(at)
		for i, d := range []*time.Duration{&w.Held, &w.Render, &w.Switch, &w.Priming} {
			*d = time.Duration(times[i]) * time.Millisecond
		}
		return each(w)
	}, sql, args...)
}

// RecordWork records work that has ended. CountWork counts it later.
func (tx *Tx) RecordWork(w Work) error {
	if tx.noRecords {
		return nil
	}
	_, err := tx.exec(`INSERT INTO work_pending (`+workColumns+`) VALUES (`+marks(1, workWidth)+`)`, w.values()...)
	return err
}

// CountWork adds pending records, at most limit, to the counters. It returns how
// many there were. If each settlement did so itself, it would write a dozen rows,
// and on PostgreSQL wait for the other settlements that write the same ones.
func (tx *Tx) CountWork(limit int) (n int, err error) {
	if err := tx.must(`UPDATE work_count SET records = records + 1 WHERE only_row = 1`); err != nil { // on PostgreSQL others wait here
		return 0, err
	}
	var (
		sums    = newSums()
		records []row
	)
	err = tx.works(func(w Work) error {
		records = append(records, row{keys: w.values()})
		sums.add(w)
		return nil
	}, `DELETE FROM work_pending WHERE (wallet, cause) IN (SELECT wallet, cause FROM work_pending ORDER BY wallet, cause LIMIT $1) RETURNING `+workColumns, limit)
	if err != nil || len(records) == 0 {
		return 0, err
	}
	if err := tx.insertRows(`INSERT INTO work_record (`+workColumns+`) VALUES `, "", records); err != nil {
		return 0, err
	}
	return len(records), tx.addSums(sums)
}

// pendingWork lists the records that are not counted yet, of all accounts or, when
// the wallet is not empty, of one.
func (tx *Tx) pendingWork(w atelier.Wallet, each func(Work) error) error {
	if w == "" {
		return tx.works(each, `SELECT `+workColumns+` FROM work_pending`)
	}
	return tx.works(each, `SELECT `+workColumns+` FROM work_pending WHERE wallet = $1`, string(w))
}

// AnyPending reports whether records wait to be counted.
func (tx *Tx) AnyPending() (bool, error) {
	var n int64
	err := tx.row(`SELECT COUNT(*) FROM (SELECT 1 FROM work_pending LIMIT 1) AS one`).scan(&n)
	return n > 0, err
}
