package store_test

import (
	"errors"
	"testing"

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
					if err := errors.Join(tx.RecordWork(unpaid("job/early/1")), tx.Flush()); err != nil {
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
