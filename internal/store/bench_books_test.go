package store_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

const fewRecords = 10_000

// manyRecords is how many records the larger database has. BOOKS_RECORDS sets it.
func manyRecords(b *testing.B) int {
	text := os.Getenv("BOOKS_RECORDS")
	if text == "" {
		return 1_000_000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkBooks measures reads of the counters beside ten thousand records of work and
// beside many, spread over a year, 20 accounts, 20 workers and 10 models. The two take
// turns, and the ratio of the medians counts.
func BenchmarkBooks(b *testing.B) {
	for _, engine := range []struct {
		name string
		open func(testing.TB) store.Options
	}{
		{"sqlite", storetest.SQLite},
		{"postgres", storetest.Postgres},
	} {
		b.Run(engine.name, func(b *testing.B) {
			var dbs [2]*store.DB
			for i, records := range []int{fewRecords, manyRecords(b)} {
				dbs[i] = storetest.Open(b, engine.open(b))
				fillBooks(b, dbs[i], records)
			}
			times := map[string][2][]float64{}
			for b.Loop() {
				for name, read := range bookReads {
					for i, db := range dbs {
						began := time.Now()
						for range 10 {
							if err := db.Snapshot(b.Context(), read); err != nil {
								b.Fatal(err)
							}
						}
						t := times[name]
						t[i] = append(t[i], time.Since(began).Seconds()*100) // ms of one
						times[name] = t
					}
				}
			}
			b.ReportMetric(float64(storetest.Size(b, dbs[1]))/(1<<20), "MiB")
			b.ReportMetric(fewRecords, "few")
			b.ReportMetric(float64(manyRecords(b)), "records")
			for name, t := range times {
				few, many := middle(t[0]), middle(t[1])
				b.ReportMetric(many, name+"-ms")
				b.ReportMetric(many/few, name+"-ratio")
			}
		})
	}
}

func middle(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

var bookReads = map[string]func(*store.Tx) error{
	"history": func(tx *store.Tx) error {
		days, err := tx.UsageDays("0xa3", store.Between{From: "2026-08-01", To: "2026-10-29"})
		if err == nil && len(days) == 0 {
			err = fmt.Errorf("there is no history")
		}
		return err
	},
	"chart": func(tx *store.Tx) error {
		for _, w := range []atelier.Wallet{"", "0xw3"} {
			days, err := tx.WorkerCounts(store.WorkerFilter{Wallet: w, Between: store.Between{From: "2026-07-02", To: "2026-10-29"}})
			if err != nil || len(days) == 0 {
				return fmt.Errorf("%d days, %w", len(days), err)
			}
		}
		return nil
	},
	"stats": func(tx *store.Tx) error {
		uses, err := tx.WorkerUses(store.WorkerFilter{Wallet: "0xw3", Network: atelier.NetworkFast})
		if err != nil {
			return err
		}
		jobs := map[string]int64{}
		for k, u := range uses {
			jobs[k.ModelID] += u.Jobs
		}
		ranks, err := tx.RankUses(store.RankedWorkers, atelier.NetworkFast, store.Lifetime, jobs)
		if err == nil && len(ranks) == 0 {
			err = fmt.Errorf("there are no ranks")
		}
		return err
	},
}

// fillBooks writes records and what they add up to, some of them pending.
func fillBooks(b *testing.B, db *store.DB, records int) {
	b.Helper()
	run := func(sql string) {
		b.Helper()
		if err := db.Write(b.Context(), func(tx *store.Tx) error { return store.Exec(tx, sql) }); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 20 {
		run(fmt.Sprintf(`INSERT INTO account (wallet, username, email, email_verified, worker, unfiltered, created_at) VALUES ('0xa%d', 'a%d', '', FALSE, FALSE, FALSE, 1)`, i, i))
	}
	const days = 365
	for d := range days {
		at := time.Date(2025, 11, 15, 0, 0, 0, 0, time.UTC).AddDate(0, 0, d)
		day, each := at.Format(time.DateOnly), records/days
		run(fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO work_record (wallet, cause, at, app, network, model_id, failed, by_plan, spark, usd, spark_spent, paid_spark_spent, svc_spent,
			worker, nft, work_ms, render_ms, switch_ms, priming_ms, pay_usd, pay_svc)  SELECT '0xa' || CAST(i %% 20 AS TEXT), 'job/%s-' || CAST(i AS TEXT) || '/1', %d + i, 'app', 'fast', 'm' || CAST(i %% 10 AS TEXT),
			FALSE, FALSE, 10, 5, 10, 0, 0, '0xw' || CAST(i / 10 %% 20 AS TEXT), '', 1000, 900, 10, 10, 0, 5 FROM n`, each-1, day, at.UnixMilli()))
		within := fmt.Sprintf(` FROM work_record WHERE id > %d AND id <= %d`, d*each, (d+1)*each)
		run(`INSERT INTO usage_day SELECT wallet, '` + day + `', COUNT(*), 0, 0, 0, COUNT(*) * 10, 0, 0` + within + ` GROUP BY wallet`)
		run(`INSERT INTO usage_part SELECT wallet, 'app', 'fast', model_id, '` + day + `', COUNT(*), 0, 0, 0, COUNT(*) * 10, 0, 0, COUNT(*) * 10` + within + ` GROUP BY wallet, model_id`)
		const counted = `COUNT(*), 0, 0, COUNT(*) * 1000, COUNT(*) * 900, COUNT(*) * 10, COUNT(*) * 10, COUNT(*) * 10, COUNT(*) * 5, 0`
		run(`INSERT INTO worker_count SELECT worker, 'fast', '', '` + day + `', ` + counted + within + ` GROUP BY worker`)
		run(`INSERT INTO worker_count SELECT '', 'fast', '', '` + day + `', ` + counted + within)
		run(`INSERT INTO worker_use SELECT worker, 'fast', '', model_id, '` + day + `', COUNT(*), COUNT(*) * 10, COUNT(*) * 1000` + within + ` GROUP BY worker, model_id`)
	}
	run(`INSERT INTO worker_use SELECT wallet, network, nft, model_id, '', CAST(SUM(jobs) AS BIGINT), CAST(SUM(spark) AS BIGINT), CAST(SUM(work_ms) AS BIGINT) FROM worker_use GROUP BY wallet, network, nft, model_id`)
	run(`UPDATE work_count SET counted = (SELECT MAX(id) FROM work_record)`)
	for i := range 250 { // as many as wait on a busy node
		w := work(fmt.Sprintf("job/pending-%d/1", i), time.Date(2026, 10, 29, 0, 0, 0, 0, time.UTC))
		w.Wallet, w.Worker, w.NFT = "0xa3", atelier.Wallet(fmt.Sprintf("0xw%d", i%20)), ""
		if err := db.Write(b.Context(), func(tx *store.Tx) error { return tx.RecordWork(w) }); err != nil {
			b.Fatal(err)
		}
	}
	run("ANALYZE")
}
