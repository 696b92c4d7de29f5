package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/database"
)

// AuditCounters recomputes every counter from the records of ended work, and compares
// the records with the ledger and with the jobs that still exist. It reports each
// difference in a sentence, and returns how many records and counters there are. The
// caller reads a snapshot.
//
// Connected time has no records: the lifetime is compared with the days, and the
// network with its accounts.
func (tx *Tx) AuditCounters(report func(string)) (records, counters int, err error) {
	a := audit{tx: tx, report: report, sums: newSums(nil)}
	for _, step := range []func() error{a.readRecords, a.usage, a.keys, a.workers, a.connected, a.ledger, a.jobs, a.pays, a.earnings, a.claims} {
		if err := step(); err != nil {
			return 0, 0, err
		}
	}
	return a.records, a.counters, nil
}

// audit is one recomputation.
type audit struct {
	tx       *Tx
	report   func(string)
	sums     *sums
	covered  table // what plans have paid, by wallet
	records  int
	counters int
}

// table is numbers by a key, whose parts are separated by keyBreak.
type table map[string][]int64

const keyBreak = "\x00"

// add adds numbers to those of a key.
func (t table) add(key string, n []int64) {
	if t[key] == nil {
		t[key] = make([]int64, len(n))
	}
	t[key] = plus(t[key], n)
}

// newTable makes a table of rows.
func newTable(rows []row) table {
	t := table{}
	for _, r := range rows {
		var parts []string
		for _, k := range r.keys {
			parts = append(parts, fmt.Sprint(k))
		}
		t.add(strings.Join(parts, keyBreak), r.sums)
	}
	return t
}

// read reads a table: rows of texts, which are the key, and of numbers.
func (a *audit) read(keys, numbers int, sql string, args ...any) (table, error) {
	t := table{}
	err := a.tx.Rows(func(scan func(...any) error) error {
		parts, n := make([]string, keys), make([]int64, numbers)
		into := make([]any, 0, keys+numbers)
		for i := range parts {
			into = append(into, &parts[i])
		}
		err := scan(append(into, pointers(n)...)...)
		t.add(strings.Join(parts, keyBreak), n)
		return err
	}, sql, args...)
	return t, err
}

// compare reports each key at which two tables differ. A key that one lacks is zero.
func (a *audit) compare(what, names string, got table, from string, want table) {
	a.counters += len(got)
	for _, key := range slices.Sorted(maps.Keys(want)) {
		got.add(key, make([]int64, len(want[key])))
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		want.add(key, make([]int64, len(got[key])))
		if !slices.Equal(got[key], want[key]) {
			a.report(fmt.Sprintf("%s of %q: %s are %v; by the %s they are %v", what, strings.Split(key, keyBreak), names, got[key], from, want[key]))
		}
	}
}

func (a *audit) readRecords() error {
	counted, err := a.tx.countedWork()
	if err != nil {
		return err
	}
	err = a.tx.works(func(w Work) error {
		a.records++
		return a.sums.add(w)
	}, `SELECT `+workColumns+` FROM work_record WHERE id <= $1 AND cause <> ''`, counted)
	if err != nil {
		return err
	}
	a.covered, err = a.read(1, 3, `SELECT wallet, 1, spark, usd FROM work_record WHERE by_plan AND NOT failed`)
	return err
}

// usage compares what accounts used.
func (a *audit) usage() error {
	days, err := a.read(2, 7, `SELECT wallet, day, `+usageSums+` FROM usage_day`)
	if err != nil {
		return err
	}
	a.compare("usage", usageSums, days, "records", newTable(sortedRows(a.sums.usage, UsageKey.values, func(u Usage) []int64 { return u.numbers() })))
	parts, err := a.read(5, 8, `SELECT `+partKeys+`, `+usageSums+`, spark FROM usage_part`)
	if err != nil {
		return err
	}
	a.compare("usage by application and model", usageSums+", spark", parts, "records",
		newTable(sortedRows(a.sums.parts, PartKey.values, func(p PartSums) []int64 { return append(p.numbers(), int64(p.Spark)) })))
	plans, err := a.read(1, 3, `SELECT wallet, jobs, spark, usd FROM plan_window`)
	a.compare("work that the plan covered", "jobs, spark, usd", plans, "records", a.covered)
	return err
}

// keys compares what was used with API keys, and the budgets of keys: what the records of a key are worth, and what is
// held for it.
func (a *audit) keys() error {
	days, err := a.read(3, 9, `SELECT `+keyDays+`, `+usageSums+`, spark, usd FROM usage_key`)
	if err != nil {
		return err
	}
	a.compare("usage by key", usageSums+", spark, usd", days, "records", newTable(sortedRows(a.sums.keys, KeyDay.values, KeySums.sums)))
	const sums = `day_spark, day_usd, month_spark, month_usd, spark, usd`
	budgets, err := a.read(1, 6, `SELECT key_id, `+sums+` FROM key_budget`)
	if err != nil {
		return err
	}
	worth := table{}
	err = a.tx.Rows(func(scan func(...any) error) error {
		var key, day, month string
		var at, spark, usd int64
		if err := scan(&key, &day, &month, &at, &spark, &usd); err != nil {
			return err
		}
		n := []int64{0, 0, 0, 0, spark, usd}
		ended := database.FromMillis(at)
		if Day(ended) == day {
			n[0], n[1] = spark, usd
		}
		if ended.UTC().Format(MonthForm) == month {
			n[2], n[3] = spark, usd
		}
		worth.add(key, n)
		return nil
	}, `SELECT w.key_id, b.day, b.month, w.at, w.spark, w.usd FROM work_record w JOIN key_budget b ON b.key_id = w.key_id WHERE NOT w.failed`)
	if err != nil {
		return err
	}
	a.compare("budget of a key", sums, budgets, "records", worth)
	held, err := a.read(1, 2, `SELECT key_id, held_spark, held_usd FROM key_budget`)
	if err != nil {
		return err
	}
	holds, err := a.read(1, 2, `SELECT key_id, CAST(SUM(spark) AS BIGINT), CAST(SUM(usd) AS BIGINT) FROM key_hold GROUP BY key_id`)
	a.compare("held for a key", "held_spark, held_usd", held, "holds", holds)
	return err
}

// workers compares the counters of workers.
func (a *audit) workers() error {
	const sums = `jobs, errors, work_ms, render_ms, switch_ms, priming_ms, spark, usd, plan_spark`
	counts, err := a.read(4, 9, `SELECT `+workerKeys+`, `+sums+` FROM worker_count`)
	if err != nil {
		return err
	}
	want := newTable(sortedRows(a.sums.workers, WorkerKey.values, func(c WorkerSums) []int64 { return slices.Delete(c.numbers(), 2, 3) }))
	a.compare("counters of workers", sums, counts, "records", want)
	uses, err := a.read(5, 3, `SELECT `+useKeys+`, `+useSums+` FROM worker_use`)
	a.compare("renders by model", useSums, uses, "records", newTable(sortedRows(a.sums.uses, UseKey.values, UseSums.numbers)))
	return err
}

// connected compares the connected time of lifetimes and of networks with that of days
// and accounts.
func (a *audit) connected() error {
	for _, c := range []struct{ what, row, parts string }{
		{"connected time over the lifetime",
			`SELECT wallet, network, nft, connected_ms FROM worker_count WHERE day = ''`,
			`SELECT wallet, network, nft, CAST(SUM(connected_ms) AS BIGINT) FROM worker_count WHERE day <> '' GROUP BY wallet, network, nft`},
		{"connected time of a network",
			`SELECT '', network, day, connected_ms FROM worker_count WHERE wallet = ''`,
			`SELECT '', network, day, CAST(SUM(connected_ms) AS BIGINT) FROM worker_count WHERE wallet <> '' GROUP BY network, day`},
	} {
		got, err := a.read(3, 1, c.row)
		if err != nil {
			return err
		}
		want, err := a.read(3, 1, c.parts)
		if err != nil {
			return err
		}
		a.compare(c.what, "connected_ms", got, "sums of its parts", want)
	}
	return nil
}

// ledger compares the records with what was spent.
func (a *audit) ledger() error {
	spent, err := a.read(1, 3, `SELECT cause, CAST(SUM(CASE WHEN token <> 'svc' THEN amount ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN token = 'premium_spark' THEN amount ELSE 0 END) AS BIGINT), CAST(SUM(CASE WHEN token = 'svc' THEN amount ELSE 0 END) AS BIGINT)
		FROM ledger WHERE kind = 'spend' GROUP BY cause`)
	if err != nil {
		return err
	}
	records, err := a.read(1, 3, `SELECT cause, spark_spent, paid_spark_spent, svc_spent FROM work_record
		WHERE spark_spent > 0 OR svc_spent > 0`)
	a.compare("spend", "spark_spent, paid_spark_spent, svc_spent of the record", records, "ledger", spent)
	return err
}

// jobs compares the records with the jobs that exist: those of old workflows are deleted.
func (a *audit) jobs() error {
	return a.tx.Rows(func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		a.report(fmt.Sprintf("job %s: it has completed, but has no record", id))
		return err
	}, `SELECT job.id FROM job LEFT JOIN work_record AS work ON work.cause = 'job/' || job.id || '/' || CAST(job.attempt AS TEXT)
		AND work.wallet = job.wallet AND work.network = job.network AND work.model_id = job.model_id AND work.at = job.ended_at AND NOT work.failed
		WHERE job.state = 'completed' AND job.network IN ('fast', 'relaxed') AND work.cause IS NULL ORDER BY job.id`)
}

// pays compares what workers earn with the records, over all months: a record of a month
// that was closed before it was counted is paid in a later one.
func (a *audit) pays() error {
	pays, err := a.read(4, 4, `SELECT worker, network, nft, wallet, `+paySums+` FROM worker_pay`)
	want := table{}
	for k, s := range a.sums.pays {
		want.add(strings.Join([]string{string(k.Worker), string(k.Network), k.NFT, string(k.Wallet)}, keyBreak), s.numbers())
	}
	a.compare("pay of workers", paySums, pays, "records", want)
	return err
}

// earnings compares the closed months with what the workers earn of the pools of the plans.
func (a *audit) earnings() error {
	closed, err := a.read(3, 3, `SELECT wallet, month, network, plan_spark, usd, svc FROM earning`)
	if err != nil {
		return err
	}
	months, err := a.tx.ClosedMonths("")
	if err != nil {
		return err
	}
	want := table{}
	for _, month := range months {
		earned, err := a.tx.earned(month)
		if err != nil {
			return err
		}
		for _, e := range earned {
			want.add(strings.Join([]string{string(e.Wallet), month, string(e.Network)}, keyBreak), []int64{int64(e.PlanSpark), int64(e.USD), int64(e.Svc)})
		}
	}
	a.compare("earnings", "plan_spark, usd, svc", closed, "pools of the plans", want)
	due, err := a.read(2, 1, `SELECT month, wallet, due FROM plan_pool`)
	if err != nil {
		return err
	}
	totals, err := a.read(2, 1, `SELECT month, wallet, usd FROM worker_pay WHERE worker = '' AND wallet <> '' AND month IN (SELECT month FROM earning_month)`)
	if err != nil {
		return err
	}
	a.compare("pool of a plan", "due", due, "pay of workers", totals)
	return a.tx.Rows(func(scan func(...any) error) error {
		var month string
		var usd, pool int64
		err := scan(&month, &usd, &pool)
		a.report(fmt.Sprintf("month %s: workers earned %d of pools of %d", month, usd, pool))
		return err
	}, `SELECT e.month, e.usd, p.pool FROM (SELECT month, CAST(SUM(usd) AS BIGINT) AS usd FROM earning GROUP BY month) e
		LEFT JOIN (SELECT month, CAST(SUM(pool) AS BIGINT) AS pool FROM plan_pool GROUP BY month) p ON p.month = e.month
		WHERE e.usd > COALESCE(p.pool, 0) ORDER BY e.month`)
}

// claims compares what was claimed with what was booked for it.
func (a *audit) claims() error {
	booked, err := a.read(1, 2, `SELECT cause, CAST(SUM(CASE WHEN kind = 'payout' THEN amount ELSE 0 END) AS BIGINT), CAST(SUM(CASE WHEN kind = 'grant' THEN amount ELSE 0 END) AS BIGINT)
		FROM ledger WHERE SUBSTR(cause, 1, 6) = 'claim/' GROUP BY cause`)
	if err != nil {
		return err
	}
	paid, err := a.read(1, 2, `SELECT 'claim/' || id, usd, svc FROM earning_claim WHERE state = 'paid' AND usd + svc > 0`)
	if err != nil {
		return err
	}
	a.compare("paid claim", "usd, svc", booked, "claims", paid)
	claims, err := a.read(1, 2, `SELECT id, usd, svc FROM earning_claim`)
	if err != nil {
		return err
	}
	claimed, err := a.read(1, 2, `SELECT claim, CAST(SUM(usd) AS BIGINT), CAST(SUM(svc) AS BIGINT) FROM earning WHERE claim <> '' GROUP BY claim`)
	a.compare("claim", "usd, svc", claims, "earnings", claimed)
	return err
}
