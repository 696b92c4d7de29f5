package billing_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// spend holds and settles the same amount, for an application.
func (f fixture) spend(w atelier.Wallet, cause, app string, token atelier.TokenChoice, amount atelier.Money) {
	f.T.Helper()
	tab, err := f.e.Open(f.T.Context(), w, cause, atelier.PaymentTerms{Token: token, Mode: atelier.BillAuto, App: app}, atelier.Cost{Spark: amount})
	if err == nil {
		_, err = tab.Settle(f.T.Context(), atelier.Cost{Spark: amount})
	}
	if err != nil {
		f.T.Fatalf("%s for %q: %v", cause, app, err)
	}
}

func (f fixture) usage(w atelier.Wallet, since time.Time) []billing.Usage {
	f.T.Helper()
	list, err := f.e.Usage(f.T.Context(), w, since)
	if err != nil {
		f.T.Fatal(err)
	}
	return list
}

// Spend is summed by account, application, kind of work and token. What was
// only held, freed or covered by a plan was not spent.
func TestUsage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, bob := f.open("ann", billing.Credits{Spark: 100, PremiumSpark: 2, Svc: 50}), f.open("bob", billing.Credits{Spark: 100})
		pat := f.open("pat", billing.Credits{})
		err := f.DB.Write(t.Context(), func(tx *store.Tx) error {
			return tx.PutSubscription(pat, atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, now), now)
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.usage("", time.Time{}); len(got) != 0 {
			t.Errorf("before anything was spent: %+v", got)
		}
		f.spend(ann, billing.Cause("j1", 1), "studio", atelier.PayAuto, 5) // two of it premium
		f.spend(ann, billing.Cause("j2", 1), "studio", atelier.PayAuto, 7)
		f.spend(ann, "llm/c/1", "studio", atelier.PaySvc, 1)
		f.spend(ann, "llm/c/2", "studio", atelier.PaySvc, 2)
		f.spend(ann, "tool/t", "", atelier.PaySpark, 4)
		f.spend(bob, billing.Cause("j3", 2), "Studio", atelier.PayAuto, 9)
		f.spend(pat, billing.Cause("j4", 1), "studio", atelier.PayAuto, 9) // by the plan
		if _, err := f.hold(bob, billing.Cause("j5", 1), 3); err != nil {
			t.Fatal(err)
		}
		if _, err := f.hold(bob, billing.Cause("j6", 1), 3); err != nil {
			t.Fatal(err)
		}
		if err := f.release(bob, billing.Cause("j6", 1)); err != nil {
			t.Fatal(err)
		}
		anns := []billing.Usage{
			{ann, "", billing.ToolWork, atelier.TokenSpark, 1, 4},
			{ann, "studio", billing.ModelWork, atelier.TokenSvc, 2, 3},
			{ann, "studio", billing.RenderWork, atelier.TokenPremiumSpark, 1, 2},
			{ann, "studio", billing.RenderWork, atelier.TokenSpark, 2, 10},
		}
		bobs := []billing.Usage{{bob, "Studio", billing.RenderWork, atelier.TokenSpark, 1, 9}}
		for _, tc := range []struct {
			who   atelier.Wallet
			since time.Time
			want  []billing.Usage
		}{
			{"", time.Time{}, slices.Concat(anns, bobs)},
			{ann, time.Time{}, anns},
			{bob, now, bobs}, // the time itself is included
			{bob, now.Add(time.Millisecond), []billing.Usage{}},
			{pat, time.Time{}, []billing.Usage{}},
			{"0xnobody", time.Time{}, []billing.Usage{}},
		} {
			if got := f.usage(tc.who, tc.since); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("of %q since %v:\n got %+v\nwant %+v", tc.who, tc.since, got, tc.want)
			}
		}
		f.Audit()
	})
}

// A charge has the application that it was held for, and any name that a request
// can have is booked.
func TestAnyNameIsBooked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann := f.open("ann", billing.Credits{Spark: 100})
		for i, app := range []string{"", "-", "狐と雪", "'; DROP TABLE ledger; --", "a\tb\x1b[2J", "\uFFFD\uFFFE\x01", strings.Repeat("🦊", 128)} {
			since := now.Add(time.Duration(i) * time.Second)
			e := billing.New(f.DB, func() time.Time { return since }, func(atelier.PlanTier) int { return 0 })
			cause := billing.Cause(atelier.JobID(fmt.Sprint("j", i)), 1)
			err := f.DB.Write(t.Context(), func(tx *store.Tx) error {
				c, err := e.Hold(tx, ann, cause, atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto, App: app}, atelier.Cost{Spark: 1})
				if err == nil && c.App != app {
					t.Errorf("the charge is for %q, want %q", c.App, app)
				}
				if err == nil {
					err = e.Settle(tx, ann, cause, c, atelier.Cost{Spark: 1}, billing.Render{})
				}
				return err
			})
			if err != nil {
				t.Errorf("%q: %v", app, err)
				continue
			}
			if got, want := f.usage(ann, since), []billing.Usage{{ann, app, billing.RenderWork, atelier.TokenSpark, 1, 1}}; !reflect.DeepEqual(got, want) {
				t.Errorf("%q: got %+v, want %+v", app, got, want)
			}
		}
		f.Audit()
	})
}
