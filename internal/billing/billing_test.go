package billing_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// funds is a purse of each kind, in whole tokens, and perhaps a plan.
func funds(spark, premium, svc atelier.Money, active bool) billing.Funds {
	w := billing.Funds{Purses: map[atelier.Token]atelier.Purse{
		atelier.TokenSpark:        {Granted: spark * atelier.MoneyUnit},
		atelier.TokenPremiumSpark: {Granted: premium * atelier.MoneyUnit},
		atelier.TokenSvc:          {Granted: svc * atelier.MoneyUnit},
	}, VendorDiscountBps: 500, Room: atelier.MoneyUnit}
	if active {
		w.Plan = atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, now)
	}
	return w
}

func TestDecide(t *testing.T) {
	t.Parallel()
	native := atelier.Cost{Spark: 10 * atelier.MoneyUnit, USD: 50_000}
	vendor := atelier.Cost{Spark: 10 * atelier.MoneyUnit, USD: 50_000, Premium: true}
	render := atelier.Cost{Spark: 10 * atelier.MoneyUnit, USD: 50_000, Render: true}
	outside := atelier.Cost{Spark: 10 * atelier.MoneyUnit, USD: 50_000, NoPlan: true}
	free := atelier.Cost{Spark: 10 * atelier.MoneyUnit, USD: 50_000, Render: true, Free: atelier.FreeRemake}
	beyond := func(f billing.Funds) billing.Funds { f.Room = 0; return f } // fair use
	for _, tc := range []struct {
		name  string
		have  billing.Funds
		token atelier.TokenChoice
		mode  atelier.BillingMode
		cost  atelier.Cost
		want  string
	}{
		{"the plan covers what it can", funds(50, 0, 0, true), "auto", "auto", native, "plan"},
		{"the plan pays for spark too", funds(50, 0, 0, true), "spark", "auto", native, "plan"},
		{"svc is never covered", funds(0, 0, 50, true), "svc", "auto", native, "svc 10"},
		{"tokens always bills the balance", funds(50, 0, 0, true), "auto", "tokens", native, "spark 10"},
		{"subscription with a plan", funds(0, 0, 0, true), "auto", "subscription", native, "plan"},
		{"subscription without a plan", funds(50, 0, 0, false), "auto", "subscription", native, "subscription_limit"},
		{"subscription in svc", funds(50, 0, 50, true), "svc", "subscription", native, "subscription_limit"},
		{"premium is spent before the rest", funds(50, 4, 0, false), "auto", "auto", native, "premium_spark 4, spark 6"},
		{"then svc", funds(3, 4, 50, false), "auto", "auto", native, "premium_spark 4, spark 3, svc 3"},
		{"spark alone does not reach for svc", funds(3, 4, 50, false), "spark", "auto", native, "insufficient_balance"},
		{"svc alone does not reach for spark", funds(50, 50, 3, false), "svc", "auto", native, "insufficient_balance"},
		{"nothing", funds(0, 0, 0, false), "auto", "auto", native, "insufficient_balance"},
		{"exactly enough", funds(10, 0, 0, false), "auto", "auto", native, "spark 10"},
		{"a vendor takes premium alone", funds(50, 50, 50, false), "svc", "auto", vendor, "premium_spark 10"},
		{"a plan discounts a vendor and does not cover it", funds(50, 50, 50, true), "auto", "auto", vendor, "premium_spark 9.5"},
		{"a vendor without premium", funds(50, 9, 50, false), "auto", "auto", vendor, "insufficient_balance"},
		{"a render beyond fair use", beyond(funds(50, 0, 0, true)), "auto", "auto", render, "plan, slow"},
		{"a render beyond fair use by subscription", beyond(funds(0, 0, 0, true)), "auto", "subscription", render, "plan, slow"},
		{"a round of a model beyond fair use", beyond(funds(50, 0, 0, true)), "auto", "auto", native, "spark 10"},
		{"beyond fair use without a balance", beyond(funds(0, 0, 0, true)), "auto", "auto", native, "insufficient_balance"},
		{"beyond fair use by subscription", beyond(funds(50, 0, 0, true)), "auto", "subscription", native, "subscription_limit"},
		{"a model outside plans", funds(50, 0, 0, true), "auto", "auto", outside, "spark 10"},
		{"a model outside plans without a balance", funds(0, 0, 0, true), "auto", "auto", outside, "insufficient_balance"},
		{"a model outside plans by subscription", funds(50, 0, 0, true), "auto", "subscription", outside, "subscription_limit"},
		{"what is free, without a balance", funds(0, 0, 0, false), "auto", "auto", free, ""},
		{"what is free, with a plan", funds(50, 0, 0, true), "auto", "subscription", free, ""},
		{"a vendor by subscription", funds(50, 50, 50, true), "auto", "subscription", vendor, "subscription_limit"},
	} {
		charge, err := billing.Decide(tc.have, atelier.PaymentTerms{Token: tc.token, Mode: tc.mode}, tc.cost)
		if got := describe(charge, err); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}

func describe(c atelier.Charge, err error) string {
	var e *atelier.Error
	switch {
	case errors.As(err, &e):
		return e.Code.Slug
	case err != nil:
		return err.Error()
	case c.ByPlan && c.Slow:
		return "plan, slow"
	case c.ByPlan:
		return "plan"
	}
	text := ""
	for i, p := range c.Parts {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %v", p.Token, float64(p.Amount)/float64(atelier.MoneyUnit))
	}
	return text
}

// fixture is a billing engine with a fixed clock.
type fixture struct {
	*enginetest.Env
	e *billing.Engine
}

func newFixture(t testing.TB, o store.Options) fixture {
	t.Helper()
	f := fixture{Env: enginetest.New(t, o)}
	f.FreezeAt(now)
	f.e = billing.New(f.DB, f.Now, func(atelier.PlanTier) int { return 500 })
	return f
}

func (f fixture) open(name string, c billing.Credits) atelier.Wallet {
	f.T.Helper()
	return f.AddAccount(atelier.Account{Wallet: atelier.Wallet("0x" + name)}, c).Wallet
}

func (f fixture) hold(w atelier.Wallet, cause string, spark atelier.Money) (c atelier.Charge, err error) {
	err = f.DB.Write(context.Background(), func(tx *store.Tx) error {
		c, err = f.e.Hold(tx, w, cause, atelier.PaymentTerms{Token: "auto", Mode: "auto"}, atelier.Cost{Spark: spark})
		return err
	})
	return c, err
}

func (f fixture) settle(w atelier.Wallet, cause string, c atelier.Charge, spark atelier.Money) error {
	return f.DB.Write(context.Background(), func(tx *store.Tx) error {
		return f.e.Settle(tx, w, cause, c, atelier.Cost{Spark: spark}, billing.Render{})
	})
}

func (f fixture) release(w atelier.Wallet, cause string) error {
	return f.DB.Write(context.Background(), func(tx *store.Tx) error { return f.e.Release(tx, w, cause) })
}

func TestHoldSettleRelease(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann := f.open("ann", billing.Credits{Spark: 10, PremiumSpark: 5})
		c, err := f.hold(ann, billing.Cause("j1", 1), 12)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Balance(ann).Spark; got.Net != 3 || got.Debit != 12 || got.PremiumCredit != 0 {
			t.Errorf("while held: %+v", got)
		}
		f.Audit()
		if _, err := f.hold(ann, billing.Cause("j2", 1), 4); !atelier.HasCode(err, atelier.CodeInsufficientBalance) {
			t.Errorf("more than is left: %v", err)
		}
		if _, err := f.hold(ann, billing.Cause("j1", 1), 1); err == nil {
			t.Error("the same cause was held twice")
		}
		// Less was used than held: the rest is released, the premium part is spent
		// first.
		if err := f.settle(ann, billing.Cause("j1", 1), c, 7); err != nil {
			t.Fatal(err)
		}
		if got := f.Balance(ann).Spark; got.Net != 8 || got.Debit != 7 || got.PremiumCredit != 0 {
			t.Errorf("after settling: %+v", got)
		}
		if err := f.settle(ann, billing.Cause("j1", 1), c, 7); err == nil {
			t.Error("the same cause was settled twice")
		}
		if err := f.release(ann, billing.Cause("j1", 1)); err != nil {
			t.Errorf("a release after the settlement: %v", err)
		}
		if got := f.Balance(ann).Spark; got.Net != 8 {
			t.Errorf("a late release changed the balance: %+v", got)
		}
		// The second attempt of a job is a separate cause.
		if _, err := f.hold(ann, billing.Cause("j1", 2), 8); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := f.release(ann, billing.Cause("j1", 2)); err != nil {
				t.Fatal(err)
			}
		}
		if got := f.Balance(ann).Spark; got.Net != 8 || got.Debit != 7 {
			t.Errorf("after the release: %+v", got)
		}
		f.Audit()
	})
}

// Fifty accounts near zero, many callers: nothing is ever overdrawn, and the
// ledger agrees to the last millionth.
func TestRandomTrafficNeverOverdraws(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		var wallets []atelier.Wallet
		for i := range 50 {
			wallets = append(wallets, f.open(fmt.Sprint("a", i), billing.Credits{Spark: 3, PremiumSpark: 2, Svc: 2}))
		}
		var wg sync.WaitGroup
		for worker := range 16 {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(uint64(worker), 1))
				for i := range 60 {
					w := wallets[random.IntN(len(wallets))]
					cause := fmt.Sprintf("w%d/%d", worker, i)
					c, err := f.hold(w, cause, atelier.Money(1+random.IntN(4)))
					if atelier.HasCode(err, atelier.CodeInsufficientBalance) {
						continue
					}
					if err != nil {
						t.Error(err)
						continue
					}
					if random.IntN(3) == 0 {
						err = f.settle(w, cause, c, atelier.Money(random.IntN(int(c.Cost.Spark)+1)))
					} else {
						err = f.release(w, cause)
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		for _, w := range wallets {
			got := f.Balance(w)
			if got.Spark.Net < 0 || got.Svc.Net < 0 || got.Spark.PremiumCredit < 0 {
				t.Errorf("%s is overdrawn: %+v", w, got)
			}
		}
		f.Audit()
	})
}

func TestCreditsAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []billing.Credits{{Spark: -1}, {PremiumSpark: -1}, {Svc: -1}, {Spark: 2_000_000_000 * atelier.MoneyUnit}} {
		if err := c.Check(); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
			t.Errorf("%+v: got %v", c, err)
		}
	}
}
