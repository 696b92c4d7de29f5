package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// AuditCounters recomputes every counter from the records of ended work, and compares
// the records with the ledger and with the jobs that still exist. It reports each
// difference in a sentence, and returns how many records and counters there are. The
// caller reads a snapshot.
//
// Connected time has no records: the lifetime is compared with the days, and the
// network with its accounts.
func (tx *Tx) AuditCounters(report func(string)) (records, counters int, err error) {
	a := audit{tx: tx, report: report, sums: newSums()}
	for _, step := range []func() error{a.readRecords, a.usage, a.workers, a.connected, a.ledger, a.jobs, a.earnings, a.claims} {
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
		a.sums.add(w)
		return nil
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
	want, err := a.read(2, 7, `SELECT wallet, day, `+usageSums+` FROM usage_before`)
	if err != nil {
		return err
	}
	for key, n := range newTable(sortedRows(a.sums.usage, UsageKey.values, func(u Usage) []int64 { return u.numbers() })) {
		want.add(key, n)
	}
	a.compare("usage", usageSums, days, "records", want)
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

// workers compares the counters of workers.
func (a *audit) workers() error {
	const sums = `jobs, errors, work_ms, render_ms, switch_ms, priming_ms, spark, usd, plan_spark, pay_usd, pay_svc`
	counts, err := a.read(4, 11, `SELECT `+workerKeys+`, `+sums+` FROM worker_count`)
	if err != nil {
		return err
	}
	before, err := a.read(4, 11, `SELECT `+workerKeys+`, jobs, errors, work_ms, render_ms, switch_ms, priming_ms, 0, 0, 0, 0, 0 FROM worker_count_before`)
	if err != nil {
		return err
	}
	want := newTable(sortedRows(a.sums.workers, WorkerKey.values, func(c WorkerSums) []int64 { return slices.Delete(c.numbers(), 2, 3) }))
	for key, n := range before {
		k := strings.Split(key, keyBreak) // wallet, day, network, nft
		for _, part := range [][]string{k, {k[0], Lifetime, k[2], k[3]}, {"", k[1], k[2], ""}, {"", Lifetime, k[2], ""}} {
			want.add(strings.Join(part, keyBreak), n)
		}
	}
	a.compare("counters of workers", sums, counts, "records", want)
	uses, err := a.read(5, 2, `SELECT `+useKeys+`, jobs, spark FROM worker_use`)
	a.compare("renders by model", "jobs, spark", uses, "records",
		newTable(sortedRows(a.sums.uses, UseKey.values, func(u UseSums) []int64 { return []int64{u.Jobs, int64(u.Spark)} })))
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

// ledger compares the records with what was spent. Entries of before there were
// records have none.
func (a *audit) ledger() error {
	spent, err := a.read(1, 3, `SELECT cause, CAST(SUM(CASE WHEN token <> 'svc' THEN amount ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN token = 'premium_spark' THEN amount ELSE 0 END) AS BIGINT), CAST(SUM(CASE WHEN token = 'svc' THEN amount ELSE 0 END) AS BIGINT)
		FROM ledger WHERE kind = 'spend' AND recorded GROUP BY cause`)
	if err != nil {
		return err
	}
	records, err := a.read(1, 3, `SELECT cause, spark_spent, paid_spark_spent, svc_spent FROM work_record
		WHERE NOT imported AND (spark_spent > 0 OR svc_spent > 0)`)
	a.compare("spend", "spark_spent, paid_spark_spent, svc_spent of the record", records, "ledger", spent)
	return err
}

// jobs compares the records with the jobs that exist: those of old workflows are deleted.
func (a *audit) jobs() error {
	return a.tx.Rows(func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		a.report(fmt.Sprintf("job %s: it has completed, and no record says so", id))
		return err
	}, `SELECT job.id FROM job LEFT JOIN work_record AS work ON work.cause = 'job/' || job.id || '/' || CAST(job.attempt AS TEXT)
		AND work.wallet = job.wallet AND work.network = job.network AND work.model_id = job.model_id AND work.at = job.ended_at AND NOT work.failed
		WHERE job.state = 'completed' AND job.network IN ('fast', 'relaxed') AND work.cause IS NULL ORDER BY job.id`)
}

// earnings compares the closed months with the counters of their days.
func (a *audit) earnings() error {
	closed, err := a.read(3, 3, `SELECT wallet, month, network, plan_spark, usd, svc FROM earning`)
	if err != nil {
		return err
	}
	days, err := a.read(3, 3, `SELECT wallet, SUBSTR(day, 1, 7), network, CAST(SUM(plan_spark) AS BIGINT), CAST(SUM(pay_usd) AS BIGINT), CAST(SUM(pay_svc) AS BIGINT)
		FROM worker_count WHERE wallet <> '' AND day <> '' AND SUBSTR(day, 1, 7) IN (SELECT month FROM earning_month) GROUP BY wallet, SUBSTR(day, 1, 7), network`)
	a.compare("earnings", "plan_spark, usd, svc", closed, "counters of the days", days)
	return err
}

// claims compares what was claimed with what was booked for it.
func (a *audit) claims() error {
	booked, err := a.read(1, 2, `SELECT cause, CAST(SUM(CASE WHEN kind = 'payout' THEN amount ELSE 0 END) AS BIGINT), CAST(SUM(CASE WHEN kind = 'grant' THEN amount ELSE 0 END) AS BIGINT)
		FROM ledger WHERE SUBSTR(cause, 1, 6) = 'claim/' GROUP BY cause`)
	if err != nil {
		return err
	}
	claimed, err := a.read(1, 2, `SELECT 'claim/' || claim, CAST(SUM(usd) AS BIGINT), CAST(SUM(svc) AS BIGINT) FROM earning WHERE claim <> '' GROUP BY claim`)
	a.compare("claim", "usd, svc", booked, "earnings", claimed)
	return err
}
