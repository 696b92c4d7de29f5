package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/database/databasetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// PostgreSQL numbers records before their transactions end. Counting waits for one that
// has the number of a missing record, whether it then commits or not, and misses none.
func TestCountingWaitsForNumberedRecords(t *testing.T) {
	t.Parallel()
	for name, undo := range map[string]error{"committed": nil, "undone": errors.New("undo")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := storetest.Postgres(t)
			db := storetest.Open(t, o)
			write(t, db, func(tx *store.Tx) error { return tx.InsertAccount(account("ann")) })
			numbered, end, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			go func() {
				ended <- db.Write(t.Context(), func(tx *store.Tx) error {
					if err := tx.RecordWork(unpaid("job/early/1")); err != nil {
						return err
					}
					close(numbered)
					<-end
					return undo
				})
			}()
			<-numbered
			write(t, db, func(tx *store.Tx) error { return tx.RecordWork(unpaid("job/late/1")) })
			counted := make(chan error, 1)
			go func() {
				counted <- db.Write(t.Context(), func(tx *store.Tx) error {
					n, err := tx.CountWork(10)
					if n != 2 {
						t.Errorf("%d numbers were passed, want 2", n)
					}
					return err
				})
			}()
			waitUntilWaiting(t, o, counted)
			close(end)
			if err := <-counted; err != nil {
				t.Fatal(err)
			}
			if err := <-ended; !errors.Is(err, undo) {
				t.Fatal(err)
			}
			want := int64(2)
			if undo != nil {
				want = 1
			}
			wantJobs(t, db, want)
			write(t, db, func(tx *store.Tx) error { return tx.RecordWork(unpaid("job/later/1")) })
			wantJobs(t, db, want+1)
		})
	}
}

// waitUntilWaiting waits until a transaction waits for another one. It fails when the
// counting ends without.
func waitUntilWaiting(t *testing.T, o store.Options, counted <-chan error) {
	t.Helper()
	for !databasetest.IsWaiting(t, o) {
		select {
		case err := <-counted:
			t.Fatalf("it was counted while a record had no end: %v", err)
		default:
		}
	}
}

// A record whose number was taken meanwhile gets the next one.
func TestRecordGetsAnotherNumber(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.Postgres(t))
	write(t, db, func(tx *store.Tx) error { return tx.InsertAccount(account("ann")) })
	write(t, db, func(tx *store.Tx) error {
		if err := tx.RecordWork(unpaid("job/a/1")); err != nil {
			return err
		}
		if err := store.Exec(tx, `ALTER TABLE work_record ALTER COLUMN id RESTART WITH 1`); err != nil {
			return err
		}
		return tx.RecordWork(unpaid("job/b/1"))
	})
	wantJobs(t, db, 2)
}

// unpaid is a render that cost nothing.
func unpaid(cause string) store.Work {
	w := work(cause, now)
	w.Spark, w.USD, w.SparkSpent, w.PaidSparkSpent = 0, 0, 0, 0
	return w
}

// wantJobs checks how many renders are read, before and after they are counted.
func wantJobs(t *testing.T, db *store.DB, want int64) {
	t.Helper()
	for _, when := range []string{"before", "after"} {
		err := db.Snapshot(t.Context(), func(tx *store.Tx) error {
			days, err := tx.UsageDays("0xann", store.Between{From: store.Day(now), To: store.Day(now)})
			if got := days[store.Day(now)].Jobs; got != want {
				t.Errorf("%s they are counted: %d renders, want %d", when, got, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		countAll(t, db)
		if got := audited(t, db); len(got) > 0 {
			t.Errorf("the audit reports %q", got)
		}
	}
}

// The records of a database with two tables of them stay, those that are pending are
// counted once, and plans know at once what they have covered.
func TestRecordsOfTwoTablesAreCounted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		insert := func(table, cause string) string {
			return `INSERT INTO ` + table + ` VALUES ('0xann', '` + cause + `', 1793361600000, '', '', 'm', FALSE, FALSE, TRUE, 10, 5, 0, 0, 0, '', '', 0, 0, 0, 0, 0, 0)`
		}
		db := upgraded(t, o, 19,
			`INSERT INTO account (wallet, username, email, email_verified, worker, unfiltered, created_at) VALUES ('0xann', 'ann', '', FALSE, FALSE, FALSE, 1)`,
			insert("work_record", "llm/a/1"),
			`INSERT INTO usage_day VALUES ('0xann', '2026-10-30', 1, 1, 10, 5, 0, 0, 0)`,
			`INSERT INTO usage_part VALUES ('0xann', '', '', 'm', '2026-10-30', 1, 1, 10, 5, 0, 0, 0, 10)`,
			`INSERT INTO usage_part VALUES ('0xann', '', '', 'm', '', 1, 1, 10, 5, 0, 0, 0, 10)`,
			`INSERT INTO plan_window VALUES ('0xann', 1793318400000, 1, 10, 5)`,
			insert("work_pending", "llm/b/1"),
			insert("work_pending", "llm/c/1"),
		)
		for range 2 {
			if got := audited(t, db); len(got) > 0 {
				t.Errorf("the audit reports %q", got)
			}
			at := time.Date(2026, 10, 30, 0, 0, 0, 0, time.UTC)
			write(t, db, func(tx *store.Tx) error {
				days, err := tx.UsageDays("0xann", store.Between{From: "2026-10-30", To: "2026-10-30"})
				wantEqual(t, "usage", days, map[string]store.Usage{"2026-10-30": {Jobs: 3, PlanJobs: 3, PlanSpark: 30, PlanUSD: 15}}, err)
				daily, _, err := tx.PlanUses("0xann", at, at)
				wantEqual(t, "plan", daily, store.PlanUse{Jobs: 3, Spark: 30, USD: 15}, err)
				return nil
			})
			countAll(t, db)
		}
	})
}
