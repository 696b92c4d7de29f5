package store_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// audited is the report of an audit.
func audited(t *testing.T, db *store.DB) (out []string) {
	t.Helper()
	err := db.Snapshot(t.Context(), func(tx *store.Tx) error {
		_, _, err := tx.AuditCounters(func(text string) { out = append(out, text) })
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func countAll(t *testing.T, db *store.DB) {
	t.Helper()
	for n := 1; n > 0; {
		write(t, db, func(tx *store.Tx) (err error) { n, err = tx.CountWork(3); return err })
	}
}

// work is a settled render.
func work(cause string, at time.Time) store.Work {
	return store.Work{
		Cause: cause, Wallet: "0xann", App: "studio", Network: atelier.NetworkFast, ModelID: "m", At: at, Spark: 10, USD: 5, SparkSpent: 10, PaidSparkSpent: 4,
		Worker: "0xwil", NFT: "7", Held: 3 * time.Second, Render: 2 * time.Second, Switch: time.Second, Priming: 500 * time.Millisecond, PaySvc: 6,
	}
}

// spent books what a record says was spent.
func spent(tx *store.Tx, w store.Work) error {
	for _, part := range []atelier.ChargePart{{Token: atelier.TokenPremiumSpark, Amount: w.PaidSparkSpent}, {Token: atelier.TokenSpark, Amount: w.SparkSpent - w.PaidSparkSpent}} {
		if part.Amount == 0 {
			continue
		}
		tx.Hold(w.Cause, w.Wallet, part, w.At)
		if _, err := tx.SpendHold(store.LedgerEntry{Wallet: w.Wallet, Token: part.Token, Amount: part.Amount, Cause: w.Cause, At: w.At}); err != nil {
			return err
		}
	}
	return tx.RecordWork(w)
}

// Records are counted once, however they are grouped and however many tasks count them
// at the same time, and a read sees each of them at any moment.
func TestRecordsAreCountedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error { return tx.InsertAccount(account("ann")) })
		const writers, each = 4, 25
		begin := time.Date(2026, 10, 30, 22, 0, 0, 0, time.UTC)
		var wg sync.WaitGroup
		done := make(chan struct{})
		for i := range writers {
			wg.Go(func() {
				for n := range each {
					w := work(fmt.Sprintf("job/%d-%d/1", i, n), begin.Add(time.Duration(n)*time.Hour))
					if n%5 == 0 {
						w.Failed, w.Spark, w.SparkSpent, w.PaidSparkSpent = true, 0, 0, 0
					}
					if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.RecordWork(w) }); err != nil {
						t.Error(err)
					}
				}
			})
		}
		var counting sync.WaitGroup
		for range 2 {
			counting.Go(func() {
				for {
					if err := db.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.CountWork(7); return err }); err != nil {
						t.Error(err)
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
		seen := int64(0)
		for seen < writers*each {
			err := db.Snapshot(t.Context(), func(tx *store.Tx) error {
				counts, err := tx.WorkerCounts(store.WorkerFilter{Wallet: "0xwil"})
				n := int64(0)
				for _, s := range counts {
					n += s.Jobs + s.Errors
				}
				if n < seen {
					t.Errorf("%d were counted after %d", n, seen)
				}
				seen = n
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		wg.Wait()
		close(done)
		counting.Wait()
		countAll(t, db)
		write(t, db, func(tx *store.Tx) error {
			days, err := tx.UsageDays("0xann", store.Between{From: "2026-10-30", To: "2026-10-31"})
			// Two hours of the first day, of which the first failed, and a day of which five did.
			want := map[string]store.Usage{
				"2026-10-30": {Jobs: writers, SparkSpent: 10 * writers, PaidSparkSpent: 4 * writers},
				"2026-10-31": {Jobs: 19 * writers, SparkSpent: 190 * writers, PaidSparkSpent: 76 * writers},
			}
			if !reflect.DeepEqual(days, want) {
				t.Errorf("got %+v, want %+v", days, want)
			}
			return err
		})
	})
}

// The audit finds every row that was changed, and the records stand for jobs that were
// deleted.
func TestAuditOfCounters(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		at := time.Date(2026, 10, 30, 12, 0, 0, 0, time.UTC)
		write(t, db, func(tx *store.Tx) error {
			for _, name := range []string{"ann", "wil"} {
				if err := tx.InsertAccount(account(name)); err != nil {
					return err
				}
			}
			for _, token := range []atelier.Token{atelier.TokenSpark, atelier.TokenPremiumSpark} {
				if err := tx.Grant(store.LedgerEntry{Wallet: "0xann", Token: token, Kind: "grant", Amount: 1000, Cause: "credit/1", At: at}); err != nil {
					return err
				}
			}
			for i := range 4 {
				w := work(fmt.Sprintf("job/j%d/1", i), at.Add(time.Duration(i)*time.Minute))
				if err := spent(tx, w); err != nil {
					return err
				}
			}
			w := work("llm/c/1", at)
			w.Network, w.Worker, w.ByPlan, w.SparkSpent, w.PaidSparkSpent = "", "", true, 0, 0
			if err := tx.RecordWork(w); err != nil {
				return err
			}
			return tx.AddConnected(map[store.WorkerKey]time.Duration{{Wallet: "0xwil", Day: "2026-10-30", Network: atelier.NetworkFast, NFT: "7"}: time.Minute})
		})
		if got := audited(t, db); len(got) > 0 {
			t.Errorf("before they are counted: %q", got)
		}
		countAll(t, db)
		write(t, db, func(tx *store.Tx) error {
			_, err := tx.CloseMonth("2026-10", at)
			if err == nil {
				_, err = tx.PayMonth("2026-10", nil)
			}
			return err
		})
		if got := audited(t, db); len(got) > 0 {
			t.Errorf("after they are counted: %q", got)
		}
		for statement, want := range map[string]string{
			`UPDATE usage_day SET jobs = jobs + 1`:                                    "usage of",
			`UPDATE usage_part SET spark = spark + 1 WHERE day = '' AND jobs = 4`:     "usage by application and model of",
			`UPDATE plan_window SET spark = 0`:                                        "work that the plan covered of",
			`UPDATE worker_count SET errors = 1 WHERE wallet = '' AND day = ''`:       "counters of workers of",
			`UPDATE worker_count SET connected_ms = 0 WHERE wallet = '' AND day = ''`: "connected time over the lifetime of",
			`DELETE FROM worker_use WHERE wallet = '' AND day = ''`:                   "renders by model of",
			`UPDATE ledger SET amount = amount + 1 WHERE cause = 'job/j1/1'`:          "spend of",
			`DELETE FROM work_record WHERE cause = 'job/j2/1'`:                        "spend of",
			`UPDATE earning SET svc = svc + 1`:                                        "earnings of",
			`UPDATE earning SET claim = 'c'`:                                          "claim of",
			`INSERT INTO job (id, project_id, wallet, owner_kind, owner_id, owner_part, spec, network, model_id, class, class_limit, state, turn,
				attempt, cancel, worker_id, lease_until, progress, message, charge, error, created_at, started_at, ended_at)
				VALUES ('j9', 'p9', '0xann', 'test', 'o', '', '{}', 'fast', 'm', '', 0, 'completed', 1, 1, FALSE, 'w', 9, 0, '', '{}', '{}', 1, 2, 3)`: "job j9: it has completed",
		} {
			func() {
				undo := fmt.Errorf("undo")
				var got []string
				err := db.Write(t.Context(), func(tx *store.Tx) error {
					got = nil
					if err := store.Exec(tx, statement); err != nil {
						return err
					}
					if _, _, err := tx.AuditCounters(func(text string) { got = append(got, text) }); err != nil {
						return err
					}
					return undo
				})
				if err != undo {
					t.Fatalf("%s: %v", statement, err)
				}
				if text := strings.Join(got, "\n"); !strings.Contains(text, want) {
					t.Errorf("%s: the audit reports %q, want %q", statement, got, want)
				}
			}()
		}
	})
}

func wantEqual(t *testing.T, what string, got, want any, err error) {
	t.Helper()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %+v, %v, want %+v", what, got, err, want)
	}
}

// The process dies before and after every commit of the counting. The next process
// counts what is left, and each record counts once.
func TestCountingSurvivesCrashes(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		for n := int64(1); countUntilCrash(t, n, after); n++ {
		}
	}
}

// countUntilCrash counts in a process that dies at its n-th commit, and then in another.
// It reports false when there are fewer commits.
func countUntilCrash(t *testing.T, n int64, after bool) bool {
	t.Helper()
	const records = 10
	path := storetest.Furnish(t, filepath.Join(t.TempDir(), "atelier.db"))
	db := storetest.OpenMortal(t, path, n, after)
	write(t, db.DB, func(tx *store.Tx) error {
		if err := tx.InsertAccount(account("ann")); err != nil {
			return err
		}
		for i := range records {
			w := work(fmt.Sprintf("job/%d/1", i), now.Add(time.Duration(i)*6*time.Hour))
			w.SparkSpent, w.PaidSparkSpent = 0, 0
			if err := tx.RecordWork(w); err != nil {
				return err
			}
		}
		return nil
	})
	db.Arm()
	for counted := 1; counted > 0; {
		if err := db.Write(t.Context(), func(tx *store.Tx) (err error) { counted, err = tx.CountWork(3); return err }); err != nil {
			break
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	next := storetest.Open(t, store.Options{Path: path, NoSync: true})
	for _, counted := range []bool{false, true} {
		if counted {
			countAll(t, next)
		}
		write(t, next, func(tx *store.Tx) error {
			counts, err := tx.WorkerCounts(store.WorkerFilter{Wallet: "0xwil"})
			for _, s := range counts {
				if s.Jobs != records {
					t.Errorf("dead at commit %d (after it: %v), all counted: %v: %d jobs, want %d", n, after, counted, s.Jobs, records)
				}
			}
			return err
		})
	}
	if got := audited(t, next); len(got) > 0 {
		t.Errorf("dead at commit %d (after it: %v): the audit reports %q", n, after, got)
	}
	return db.Dead()
}
