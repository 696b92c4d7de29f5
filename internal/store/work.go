package store

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// Work is the record of a piece of work that has ended: what it cost, who asked for
// it and who did it.
type Work struct {
	Cause   string // as in the ledger
	Wallet  atelier.Wallet
	App     string
	KeyID   string          // of the API key that asked; empty if none did or it is not known
	Network atelier.Network // empty for work that is not a render
	ModelID string
	At      time.Time

	Failed bool // a worker failed: nothing was paid
	ByPlan bool

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
	PayUSD  atelier.Money // what the worker earns, at most: the pool of the plan may have less
	PaySvc  atelier.Money
}

// Day is the UTC day of a time, as the counters have it.
func Day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// Lifetime is the day of the counters that include all days.
const Lifetime = ""

const workColumns = `wallet, cause, at, app, network, model_id, failed, by_plan, spark, usd, spark_spent, paid_spark_spent, svc_spent,
	worker, nft, work_ms, render_ms, switch_ms, priming_ms, pay_usd, pay_svc, key_id`

// The values of a record; the database numbers it, except in a gap.
var (
	insertWork = `INSERT INTO work_record (` + workColumns + `) VALUES (` + database.Marks(1, workWidth) + `)`
	insertGap  = `INSERT INTO work_record (id, ` + workColumns + `) VALUES (` + database.Marks(1, 1+workWidth) + `) ON CONFLICT (id) DO NOTHING`
)

const workWidth = 22 // columns

func (w Work) values() []any {
	return []any{
		string(w.Wallet), w.Cause, database.Millis(w.At), w.App, string(w.Network), w.ModelID, w.Failed, w.ByPlan,
		int64(w.Spark), int64(w.USD), int64(w.SparkSpent), int64(w.PaidSparkSpent), int64(w.SvcSpent),
		string(w.Worker), w.NFT, w.Held.Milliseconds(), w.Render.Milliseconds(), w.Switch.Milliseconds(), w.Priming.Milliseconds(),
		int64(w.PayUSD), int64(w.PaySvc), w.KeyID,
	}
}

// works lists the records that a statement returns.
func (tx *Tx) works(each func(Work) error, sql string, args ...any) error {
	return tx.Rows(func(scan func(...any) error) error {
		var (
			w     Work
			at    int64
			times [4]int64
		)
		if err := scan(&w.Wallet, &w.Cause, &at, &w.App, &w.Network, &w.ModelID, &w.Failed, &w.ByPlan, &w.Spark, &w.USD, &w.SparkSpent,
			&w.PaidSparkSpent, &w.SvcSpent, &w.Worker, &w.NFT, &times[0], &times[1], &times[2], &times[3], &w.PayUSD, &w.PaySvc, &w.KeyID); err != nil {
			return err
		}
		w.At = database.FromMillis(at)
		for i, d := range []*time.Duration{&w.Held, &w.Render, &w.Switch, &w.Priming} {
			*d = time.Duration(times[i]) * time.Millisecond
		}
		return each(w)
	}, sql, args...)
}

// RecordWork records work that has ended. What a plan covers counts for its window at
// once, in a row of the account; CountWork counts everything else later.
func (tx *Tx) RecordWork(w Work) error {
	tx.RepeatLater(insertWork, w.values()...) // fillGaps may have taken the number
	if w.Failed || !w.ByPlan {
		return nil
	}
	return tx.addToWindow(w)
}

// CountWork adds records that are not counted yet, at most limit, to the counters. It
// returns how many numbers it has passed: fewer than limit when none is left. If each
// settlement did so itself, it would write a dozen rows, and on PostgreSQL wait for
// the other settlements that write the same ones.
func (tx *Tx) CountWork(limit int) (n int, err error) {
	var counted int64
	err = tx.Row(`UPDATE work_count SET counted = counted WHERE only_row = 1 RETURNING counted`).Scan(&counted) // on PostgreSQL others wait here
	if err != nil {
		return 0, err
	}
	last, err := tx.fillGaps(counted, limit)
	if err != nil || last == counted {
		return 0, err
	}
	closed, err := tx.closedSet()
	if err != nil {
		return 0, err
	}
	sums := newSums(closed)
	err = tx.works(sums.add, `SELECT `+workColumns+` FROM work_record WHERE id > $1 AND id <= $2 AND cause <> ''`, counted, last)
	if err != nil {
		return 0, err
	}
	if err := tx.Must(`UPDATE work_count SET counted = $1 WHERE only_row = 1`, last); err != nil {
		return 0, err
	}
	return int(last - counted), tx.addSums(sums)
}

// fillGaps returns the number of the last of the records after a number, at most limit.
// It sees to it that none can still appear before it: PostgreSQL numbers records when
// they are written, and their transactions end in another order, or not at all. An
// empty record in the place of a missing one waits until the transaction that has its
// number ends, and takes the number if no record has it. SQLite has no gaps.
func (tx *Tx) fillGaps(after int64, limit int) (last int64, err error) {
	var missing []int64
	last = after
	err = tx.Rows(func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		for last++; err == nil && last < id; last++ {
			missing = append(missing, last)
		}
		return err
	}, `SELECT id FROM work_record WHERE id > $1 ORDER BY id LIMIT $2`, after, limit)
	for _, id := range missing {
		if err == nil {
			_, err = tx.Exec(insertGap, append([]any{id}, Work{}.values()...)...)
		}
	}
	return last, err
}

// countedWork is the number of the last record that is counted.
func (tx *Tx) countedWork() (id int64, err error) {
	err = tx.Row(`SELECT counted FROM work_count WHERE only_row = 1`).Scan(&id)
	return id, err
}

// pendingWork lists the records that are not counted yet, of all accounts or, when
// the wallet is not empty, of one. The caller reads a snapshot.
func (tx *Tx) pendingWork(w atelier.Wallet, each func(Work) error) error {
	counted, err := tx.countedWork() // as a parameter: PostgreSQL then knows that few records follow
	if err != nil {
		return err
	}
	return tx.works(each, `SELECT `+workColumns+` FROM work_record WHERE id > $1 AND cause <> '' AND (wallet = $2 OR $2 = '')`, counted, string(w))
}

// AnyPending reports whether records wait to be counted.
func (tx *Tx) AnyPending() (is bool, err error) {
	err = tx.Row(`SELECT COALESCE(MAX(id), 0) > (SELECT counted FROM work_count WHERE only_row = 1) FROM work_record`).Scan(&is)
	return is, err
}
