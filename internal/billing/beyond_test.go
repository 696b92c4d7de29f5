package billing_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func (f fixture) reserve(w atelier.Wallet, cause string, token atelier.TokenChoice, most atelier.Money) *billing.Reservation {
	f.T.Helper()
	reserved, err := f.e.Open(f.T.Context(), w, cause, atelier.PaymentTerms{Token: token, Mode: atelier.BillAuto}, atelier.Cost{Spark: most})
	if err != nil {
		f.T.Fatal(err)
	}
	return reserved
}

// The cost of work beyond its hold is taken from the free balance, in the order of
// the tokens, and never more than there is.
func TestSettleBeyondTheHold(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		for i, c := range []struct {
			name         string
			credits      billing.Credits
			token        atelier.TokenChoice
			held, actual atelier.Money
			unpaid       atelier.Money
			spark, svc   atelier.Money // what is left
		}{
			{"less than held", billing.Credits{Spark: 100}, atelier.PayAuto, 10, 4, 0, 96, 0},
			{"exactly held", billing.Credits{Spark: 100}, atelier.PayAuto, 10, 10, 0, 90, 0},
			{"beyond", billing.Credits{Spark: 100}, atelier.PayAuto, 10, 60, 0, 40, 0},
			{"to the last", billing.Credits{Spark: 100}, atelier.PayAuto, 10, 100, 0, 0, 0},
			{"more than there is", billing.Credits{Spark: 100}, atelier.PayAuto, 10, 130, 30, 0, 0},
			{"from premium on to the others", billing.Credits{Spark: 20, PremiumSpark: 15, Svc: 50}, atelier.PayAuto, 10, 60, 0, 0, 25},
			{"not from what the terms leave out", billing.Credits{Spark: 20, Svc: 50}, atelier.PaySpark, 10, 60, 40, 0, 50},
			{"in svc", billing.Credits{Spark: 20, Svc: 50}, atelier.PaySvc, 10, 60, 10, 20, 0},
		} {
			t.Run(c.name, func(t *testing.T) {
				f := newFixture(t, o)
				w := f.open(fmt.Sprintf("ann%d", i), c.credits)
				cause := fmt.Sprintf("llm/beyond%d/1", i)
				reserved := f.reserve(w, cause, c.token, c.held)
				unpaid, err := reserved.Settle(t.Context(), atelier.Cost{Spark: c.actual})
				if err != nil || unpaid != c.unpaid {
					t.Errorf("unpaid %d, %v, want %d", unpaid, err, c.unpaid)
				}
				if got := f.Balance(w); got.Spark.Net != c.spark || got.Svc.Net != c.svc {
					t.Errorf("left %d spark and %d svc, want %d and %d", got.Spark.Net, got.Svc.Net, c.spark, c.svc)
				}
				if _, err := reserved.Settle(t.Context(), atelier.Cost{Spark: c.actual}); err == nil {
					t.Error("it was settled twice")
				}
				if got := f.Balance(w); got.Spark.Net != c.spark || got.Svc.Net != c.svc {
					t.Errorf("the second try left %d spark and %d svc", got.Spark.Net, got.Svc.Net)
				}
				f.Audit()
			})
		}
	})
}

// A reservation can be extended while the work runs, up to the balance. A closed
// one cannot be reopened by it.
func TestExtendReservation(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann := f.open("ann", billing.Credits{Spark: 100, Svc: 30})
		reserved := f.reserve(ann, "llm/a/1", atelier.PayAuto, 10)
		for i, want := range []atelier.Money{50, 50, 20, 0} {
			if got, err := reserved.Extend(t.Context(), 50); err != nil || got != want {
				t.Errorf("extension %d: got %d, %v, want %d", i, got, err, want)
			}
		}
		if got := f.Balance(ann); got.Spark.Net != 0 || got.Svc.Net != 0 {
			t.Errorf("%d spark and %d svc are free", got.Spark.Net, got.Svc.Net)
		}
		f.Audit()
		if unpaid, err := reserved.Settle(t.Context(), atelier.Cost{Spark: 105}); err != nil || unpaid != 0 {
			t.Errorf("unpaid %d, %v", unpaid, err)
		}
		if got := f.Balance(ann); got.Spark.Net != 0 || got.Svc.Net != 25 {
			t.Errorf("%d spark and %d svc are left, want 0 and 25", got.Spark.Net, got.Svc.Net)
		}
		if got, err := reserved.Extend(t.Context(), 5); err == nil {
			t.Errorf("a closed reservation grew by %d", got)
		}
		f.Audit()
	})
}

// An estimate is charged as far as it is held.
func TestAtMost(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	reserved := f.reserve(f.open("ann", billing.Credits{Spark: 100}), "llm/a/1", atelier.PayAuto, 10)
	for _, c := range []struct{ usd, spark, wantUSD, wantSpark atelier.Money }{
		{0, 0, 0, 0}, {4, 9, 4, 9}, {4, 10, 4, 10}, {4, 20, 2, 10}, {1 << 61, 1 << 62, 5, 10},
	} {
		got := reserved.AtMost(atelier.Cost{USD: c.usd, Spark: c.spark})
		if got.USD != c.wantUSD || got.Spark != c.wantSpark {
			t.Errorf("%d dollars and %d Spark: got %d and %d, want %d and %d", c.usd, c.spark, got.USD, got.Spark, c.wantUSD, c.wantSpark)
		}
	}
	var free *billing.Reservation
	if got := free.AtMost(atelier.Cost{USD: 4, Spark: 20}); got.Spark != 20 {
		t.Errorf("what costs nothing was limited to %d", got.Spark)
	}
}

// However many reservations settle beyond their holds at the same time, the account
// pays all it has, to the last millionth, and not more.
func TestSettleBeyondTogether(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		const n, held, actual = 24, 10, 70
		ann := f.open("ann", billing.Credits{Spark: 500, PremiumSpark: 300, Svc: 200})
		var (
			wg     sync.WaitGroup
			mu     sync.Mutex
			unpaid atelier.Money
		)
		reservations := make([]*billing.Reservation, n)
		for i := range reservations {
			reservations[i] = f.reserve(ann, fmt.Sprintf("llm/together/%d", i), atelier.PayAuto, held)
		}
		for i, reserved := range reservations {
			wg.Go(func() {
				if i%3 == 0 { // some were extended before
					if _, err := reserved.Extend(t.Context(), 15); err != nil {
						t.Error(err)
					}
				}
				lost, err := reserved.Settle(t.Context(), atelier.Cost{Spark: actual})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				unpaid += lost
			})
		}
		wg.Wait()
		if got := f.Balance(ann); got.Spark.Net != 0 || got.Svc.Net != 0 {
			t.Errorf("%d spark and %d svc are left", got.Spark.Net, got.Svc.Net)
		}
		if want := atelier.Money(n*actual - 1000); unpaid != want {
			t.Errorf("%d went unpaid, want %d", unpaid, want)
		}
		f.Audit()
	})
}
