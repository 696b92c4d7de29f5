package billing_test

import (
	"fmt"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// One page of one model looks at a part of a long ledger, and the next one continues there.
func TestLedgerOfOneModelIsBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann := f.open("ann", billing.Credits{})
		err := f.DB.Write(t.Context(), func(tx *store.Tx) error {
			for i := range 5_200 {
				if err := tx.Grant(store.LedgerEntry{Wallet: ann, Token: atelier.TokenSpark, Kind: "grant", Amount: 1, Cause: fmt.Sprintf("credit/%d", i), At: now}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		q := billing.LedgerQuery{ModelID: "none", Limit: 50}
		pages := 0
		for {
			p, err := f.e.Ledger(t.Context(), ann, q)
			if err != nil || len(p.Lines) != 0 {
				t.Fatalf("page %d: %d lines, %v", pages, len(p.Lines), err)
			}
			pages++
			if p.Next == nil {
				break
			}
			q.Cursor = *p.Next
		}
		if pages != 2 {
			t.Errorf("%d pages, want 2", pages)
		}
	})
}
