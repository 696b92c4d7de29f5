package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// What an earlier program has written is still there for this one: money, held
// and spent, logs and keys.
func TestFewerIndexesKeepWhatWasThere(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		before, err := store.OpenAt(t.Context(), o, 5)
		if err != nil {
			t.Fatal(err)
		}
		write(t, before, func(tx *store.Tx) error {
			for _, sql := range []string{
				`INSERT INTO account VALUES ('0xann', 'ann', '', FALSE, FALSE, FALSE, 1)`,
				`INSERT INTO purse VALUES ('0xann', 'spark', 100, 30, 20)`,
				`INSERT INTO ledger VALUES ('1', '0xann', 'spark', 'grant', 100, 'credit/1', 1)`,
				`INSERT INTO ledger VALUES ('2', '0xann', 'spark', 'hold', 40, 'job/a/1', 2)`,
				`INSERT INTO ledger VALUES ('3', '0xann', 'spark', 'release', 40, 'job/a/1', 3)`,
				`INSERT INTO ledger VALUES ('4', '0xann', 'spark', 'spend', 30, 'job/a/1', 3)`,
				`INSERT INTO ledger VALUES ('5', '0xann', 'spark', 'hold', 20, 'job/b/1', 4)`,
				`INSERT INTO hold VALUES ('job/a/1', 'spark', '0xann', 40, FALSE, 2)`,
				`INSERT INTO hold VALUES ('job/b/1', 'spark', '0xann', 20, TRUE, 4)`,
				`INSERT INTO event VALUES ('wf_1', 0, 'workflow_started', 5, 'hello', '{"n":1}', 'queued', '')`,
				`INSERT INTO idempotency VALUES ('0xann', 'workflow', 'k', 'wf_1', 'd', '', 6)`,
			} {
				if err := tx.Exec(sql); err != nil {
					return err
				}
			}
			return nil
		})
		if err := before.Close(); err != nil {
			t.Fatal(err)
		}
		db := storetest.Open(t, o)
		var purses []store.PurseSums
		err = db.Read(t.Context(), func(tx *store.Tx) error {
			events, err := tx.Events("wf_1", -1, 10)
			if err != nil || len(events) != 1 || events[0].Message != "hello" || events[0].Payload["n"] != 1.0 {
				t.Errorf("the log is %+v, %v", events, err)
			}
			deed, err := tx.Deed("0xann", "workflow", "k")
			if err != nil || deed.Resource != "wf_1" {
				t.Errorf("the key made %+v, %v", deed, err)
			}
			return tx.Audit(func(s store.PurseSums) error { purses = append(purses, s); return nil })
		})
		want := atelier.Purse{Granted: 100, Spent: 30, Held: 20}
		if err != nil || len(purses) != 1 || purses[0].Row != want || purses[0].Ledger != want {
			t.Errorf("the purses are %+v, %v; want %+v, twice", purses, err, want)
		}
		write(t, db, func(tx *store.Tx) error { return tx.ReleaseHolds("job/a/1", "0xann") }) // it is over: nothing is held for it
		write(t, db, func(tx *store.Tx) error {
			spent, err := tx.SpendHold(store.LedgerEntry{Wallet: "0xann", Token: atelier.Spark, Amount: 15, Cause: "job/b/1", At: now})
			if spent != 15 {
				t.Errorf("spent %d of 20 held, want 15", spent)
			}
			return err
		})
	})
}

// What was spent before applications were kept was spent for nobody in
// particular, and what is spent from then on says for whom.
func TestAppsKeepTheLedger(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		before, err := store.OpenAt(t.Context(), o, 8)
		if err != nil {
			t.Fatal(err)
		}
		write(t, before, func(tx *store.Tx) error {
			for _, sql := range []string{
				`INSERT INTO account VALUES ('0xann', 'ann', '', FALSE, FALSE, FALSE, 1)`,
				`INSERT INTO purse VALUES ('0xann', 'spark', 100, 30, 20)`,
				`INSERT INTO ledger VALUES ('credit/1', 'grant', 'spark', '0xann', 100, 1)`,
				`INSERT INTO ledger VALUES ('job/a/1', 'spend', 'spark', '0xann', 30, 3)`,
				`INSERT INTO hold VALUES ('job/b/1', 'spark', '0xann', 20, 4)`,
			} {
				if err := tx.Exec(sql); err != nil {
					return err
				}
			}
			return nil
		})
		if err := before.Close(); err != nil {
			t.Fatal(err)
		}
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error {
			_, err := tx.SpendHold(store.LedgerEntry{Wallet: "0xann", Token: atelier.Spark, Amount: 15, Cause: "job/b/1", App: "studio", At: now})
			return err
		})
		var purses []store.PurseSums
		var sums []store.SpendSum
		err = db.Read(t.Context(), func(tx *store.Tx) (err error) {
			if sums, err = tx.SpendSums("0xann", time.Time{}); err != nil {
				return err
			}
			return tx.Audit(func(s store.PurseSums) error { purses = append(purses, s); return nil })
		})
		if want := (atelier.Purse{Granted: 100, Spent: 45}); err != nil || len(purses) != 1 || purses[0].Row != want || purses[0].Ledger != want {
			t.Errorf("the purses are %+v, %v; want %+v, twice", purses, err, want)
		}
		for _, want := range []store.SpendSum{
			{Wallet: "0xann", Kind: "job", Token: atelier.Spark, Charges: 1, Amount: 30},
			{Wallet: "0xann", App: "studio", Kind: "job", Token: atelier.Spark, Charges: 1, Amount: 15},
		} {
			if len(sums) != 2 || !slices.Contains(sums, want) {
				t.Errorf("the sums are %+v, want two with %+v", sums, want)
			}
		}
	})
}
