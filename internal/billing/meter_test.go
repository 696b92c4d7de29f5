package billing_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A reservation is settled once, dropped, or released when its process died; the
// ledger is consistent in each case.
func TestReservations(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		env := enginetest.New(t, o)
		e := env.Billing
		const ann = atelier.Wallet("0xann")
		env.AddAccount(atelier.Account{Wallet: ann}, billing.Credits{Spark: 100})
		want := func(net atelier.Money) {
			t.Helper()
			if got := env.Balance(ann).Spark.Net; got != net {
				t.Errorf("net %d, want %d", got, net)
			}
			env.Audit()
		}
		terms := atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}
		open := func(cause string) *billing.Reservation {
			t.Helper()
			reserved, err := e.Open(t.Context(), ann, cause, terms, atelier.Cost{Spark: 40})
			if err != nil {
				t.Fatal(err)
			}
			return reserved
		}
		paid, dropped := open("llm/a/1"), open("tool/b")
		want(20)
		if _, err := e.Open(t.Context(), ann, "llm/c/1", terms, atelier.Cost{Spark: 21}); !atelier.HasCode(err, atelier.CodeInsufficientBalance) {
			t.Errorf("more than there is: %v", err)
		}
		if unpaid, err := paid.Settle(t.Context(), atelier.Cost{Spark: 10}); err != nil || unpaid != 0 {
			t.Fatal(err)
		}
		if err := dropped.Drop(t.Context()); err != nil {
			t.Fatal(err)
		}
		want(90)
		open("llm/d/1") // as if the process died
		if n, err := e.Sweep(t.Context()); err != nil || n != 0 {
			t.Errorf("freed %d, %v while it may still be settled", n, err)
		}
		want(50)
		env.Advance(3 * time.Hour)
		if n, err := e.Sweep(t.Context()); err != nil || n != 1 {
			t.Errorf("freed %d, %v, want 1", n, err)
		}
		want(90)
	})
}
