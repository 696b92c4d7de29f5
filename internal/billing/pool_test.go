package billing_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

const unit = atelier.MoneyUnit

// economy is a service with plans of 20 dollars, of which workers share half.
type economy struct {
	fixture
	jobs int
}

func newEconomy(t testing.TB, o store.Options, also ...func(*billing.Pool)) *economy {
	t.Helper()
	f := &economy{fixture: newFixture(t, o)}
	f.FreezeAt(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	f.e.SetFairUse(func(atelier.PlanTier) billing.FairUse {
		return billing.FairUse{Daily: 5000 * unit, Cycle: 50_000 * unit}
	})
	f.e.SetWorkerPay(func(atelier.Network) billing.Pay { return billing.Pay{PlanBps: 5000, TokenBps: 5000} })
	pool := billing.Pool{ShareBps: 5000, Price: func(tier atelier.PlanTier, term string) atelier.Money { return 20 * unit }}
	for _, do := range also {
		do(&pool)
	}
	f.e.SetPool(pool)
	f.e.SetReview(billing.Review{SvcUSD: 5000})
	return f
}

// subscribe opens an account with a plan and no balance.
func (f *economy) subscribe(name string, status atelier.SubscriptionStatus) atelier.Wallet {
	w := f.open(name, billing.Credits{})
	f.Write(func(tx *store.Tx) error {
		return tx.PutSubscription(w, atelier.Subscribe(atelier.TierUnlimited, status, time.Time{}, f.Now()), f.Now())
	})
	return w
}

// render has a worker render something that an account asks for, and returns how it was paid.
func (f *economy) render(asks, worker atelier.Wallet, spark atelier.Money, took time.Duration) (c atelier.Charge) {
	f.T.Helper()
	f.jobs++
	cause := billing.Cause(atelier.JobID(fmt.Sprint("j", f.jobs)), 1)
	cost := atelier.Cost{Spark: spark, USD: spark / 200, Render: true}
	f.Write(func(tx *store.Tx) (err error) {
		c, err = f.e.Hold(tx, asks, cause, atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, cost)
		return err
	})
	network := atelier.NetworkFast
	if c.Slow {
		network = atelier.NetworkRelaxed
	}
	f.Write(func(tx *store.Tx) error {
		return f.e.Settle(tx, asks, cause, c, cost, billing.Render{Network: network, ModelID: "m", Worker: worker, Held: took})
	})
	return c
}

// closeMonths closes what has ended.
func (f *economy) closeMonths() []billing.ClosedMonth {
	f.T.Helper()
	closed, err := f.e.CloseMonths(context.Background(), true)
	if err != nil {
		f.T.Fatal(err)
	}
	return closed
}

func (f *economy) earnings(w atelier.Wallet) billing.Earnings {
	f.T.Helper()
	e, err := f.e.Earnings(context.Background(), w, 3)
	if err != nil {
		f.T.Fatal(err)
	}
	return e
}

// An account earns nothing from its own work.
func TestOwnWorkEarnsNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newEconomy(t, o)
		cheat := f.subscribe("cheat", atelier.SubscriptionActive)
		rich := f.open("rich", billing.Credits{Spark: 1000 * unit})
		for range 20 {
			f.render(cheat, cheat, 200*unit, time.Second)
			f.render(rich, rich, 10*unit, time.Second)
		}
		f.Advance(31 * 24 * time.Hour)
		f.closeMonths()
		for _, w := range []atelier.Wallet{cheat, rich} {
			if c, err := f.e.Claim(t.Context(), w, true, nil); err != nil || c.USD != 0 || c.Svc != 0 {
				t.Errorf("%s earned %s USD and %s svc from its own work, %v", w, c.USD, c.Svc, err)
			}
		}
		if e := f.earnings(cheat); e.Months[1].RenderSpark != 4000*unit || e.Estimated != 0 {
			t.Errorf("the work is not recorded, or paid: %+v", e.Months[1])
		}
		f.Audit()
	})
}

// What all workers together earn from the work of a plan in a month is at most a share of its
// price, divided by their work, while it lasts and after the month is closed. Beyond fair use
// and for trials they earn nothing unless the operator allows it.
func TestPlanPool(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		status atelier.SubscriptionStatus
		also   func(*billing.Pool)
		jobs   int           // of 500 Spark, at most 1.25 USD each
		days   int           // between them
		first  atelier.Money // what the first worker earns, which renders two of three jobs
		second atelier.Money
	}{
		{"a little work", atelier.SubscriptionActive, nil, 3, 1, 2_500_000, 1_250_000},
		{"more than the pool", atelier.SubscriptionActive, nil, 27, 1, 6_666_666, 3_333_333},
		{"beyond fair use", atelier.SubscriptionActive, nil, 60, 0, 7_000_000, 3_000_000},
		{"a trial", atelier.SubscriptionTrialing, nil, 9, 0, 0, 0},
		{"a trial that pays", atelier.SubscriptionTrialing, func(p *billing.Pool) { p.Trials = true }, 9, 0, 666_666, 333_333}, // three of 30 days
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, o store.Options) {
				var also []func(*billing.Pool)
				if tc.also != nil {
					also = append(also, tc.also)
				}
				f := newEconomy(t, o, also...)
				asks, one, two := f.subscribe("asks", tc.status), f.open("one", billing.Credits{}), f.open("two", billing.Credits{})
				for i := range tc.jobs {
					f.render(asks, []atelier.Wallet{one, one, two}[i%3], 500*unit, time.Minute)
					f.Advance(time.Duration(tc.days) * 24 * time.Hour)
				}
				check := func(what string) {
					t.Helper()
					first, second := f.earnings(one).Estimated, f.earnings(two).Estimated
					if first != tc.first || second != tc.second {
						t.Errorf("%s: the workers earn %s and %s, want %s and %s", what, first, second, tc.first, tc.second)
					}
				}
				check("before the month is closed")
				f.FreezeAt(time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC))
				f.closeMonths()
				check("after the month is closed")
				for _, w := range []atelier.Wallet{one, two} {
					want := f.earnings(w).Estimated
					if c, err := f.e.Claim(t.Context(), w, true, nil); err != nil || c.USD != want {
						t.Errorf("%s claimed %s, %v, want %s", w, c.USD, err, want)
					}
				}
				f.Audit()
			})
		})
	}
}

// An economy of a month, with honest accounts and with some that pretend work for each other
// as much as they can: what is paid out never exceeds the pools, the accounts of a ring get
// back less than their plans cost, and the others earn what they would earn without them.
func TestEconomy(t *testing.T) {
	t.Parallel()
	seeds := []uint64{1, 2, 20261117}
	if testing.Short() {
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			alone, _, _ := playMonth(t, storetest.SQLite(t), seed, false)
			with, ring, paid := playMonth(t, storetest.SQLite(t), seed, true)
			for i := range alone {
				if alone[i] == 0 || with[i] != alone[i] {
					t.Errorf("honest worker %d earned %s beside a ring and %s without it", i, with[i], alone[i])
				}
			}
			if ring > paid/2 {
				t.Errorf("the ring earned %s with plans of %s", ring, paid)
			}
			t.Logf("the ring earned %s of %s that its plans cost; honest workers earned %v", ring, paid, with)
		})
	}
}

// playMonth plays a month and returns what the honest workers and a ring of colluding accounts
// have earned, in dollars, and what the plans of the ring cost.
func playMonth(t *testing.T, o store.Options, seed uint64, collude bool) (honest []atelier.Money, ring, paid atelier.Money) {
	t.Helper()
	f := newEconomy(t, o)
	random := rand.New(rand.NewPCG(seed, 7))
	var people, workers, cheats []atelier.Wallet
	for i := range 6 {
		people = append(people, f.subscribe(fmt.Sprint("p", i), atelier.SubscriptionActive))
	}
	people = append(people, f.subscribe("trial", atelier.SubscriptionTrialing))
	for i := range 3 {
		workers = append(workers, f.open(fmt.Sprint("w", i), billing.Credits{}))
	}
	if collude {
		for i := range 3 {
			cheats = append(cheats, f.subscribe(fmt.Sprint("c", i), atelier.SubscriptionActive))
		}
	}
	for day := range 30 {
		ask := people
		if day >= 3 { // the trial is over
			ask = people[:6]
		}
		for range 4 {
			f.render(ask[random.IntN(len(ask))], workers[random.IntN(len(workers))], atelier.Money(random.Int64N(int64(400*unit))), time.Minute)
		}
		for i, c := range cheats { // each renders for the next, as much as it can
			for range 3 {
				f.render(c, cheats[(i+1)%len(cheats)], 4000*unit, time.Millisecond)
			}
		}
		f.Advance(24 * time.Hour)
	}
	f.FreezeAt(time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC))
	f.closeMonths()
	total, pools := atelier.Money(0), atelier.Money(0)
	f.Read(func(tx *store.Tx) error {
		all, err := tx.Pools("2026-11", nil)
		for _, p := range all {
			pools += p.Pool
		}
		return err
	})
	claim := func(w atelier.Wallet) atelier.Money {
		c, err := f.e.Claim(t.Context(), w, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		total += c.USD
		return c.USD
	}
	for _, w := range workers {
		honest = append(honest, claim(w))
	}
	for _, w := range cheats {
		ring, paid = ring+claim(w), paid+20*unit
	}
	if total > pools {
		t.Errorf("paid out %s of pools of %s", total, pools)
	}
	f.Audit()
	return honest, ring, paid
}

// A clock that is wrong for a while closes no month, and a record that comes after its month
// was closed is paid in the next open one.
func TestMonthsAndClocks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newEconomy(t, o)
		asks, worker := f.subscribe("asks", atelier.SubscriptionActive), f.open("wil", billing.Credits{})
		sweep := func(want ...string) {
			t.Helper()
			closed, err := f.e.CloseMonths(t.Context(), false)
			var got []string
			for _, c := range closed {
				got = append(got, c.Month)
			}
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("at %s: closed %v, %v, want %v", f.Now(), got, err, want)
			}
		}
		at := func(month time.Month, day, hour int) {
			f.FreezeAt(time.Date(2026, month, day, hour, 0, 0, 0, time.UTC))
		}
		at(11, 17, 0)
		f.render(asks, worker, 200*unit, time.Minute) // 0.5 USD
		sweep()
		at(12, 1, 12) // the clock is wrong
		sweep()
		at(11, 17, 1) // it is put right
		sweep()
		f.render(asks, worker, 200*unit, time.Minute)
		at(12, 1, 2)
		sweep()
		at(12, 2, 1)
		sweep()
		at(12, 2, 2)
		sweep("2026-11")
		sweep()
		if e := f.earnings(worker); e.Finalized != unit {
			t.Errorf("finalized %s, want 1", e.Finalized)
		}
		at(11, 30, 23) // the clock of another node is late
		f.render(asks, worker, 400*unit, time.Minute)
		f.Audit()
		at(12, 3, 0)
		e := f.earnings(worker)
		if e.Months[0].Month != "2026-12" || e.Months[0].USD != unit || e.Months[1].USD != unit || e.Finalized != unit {
			t.Errorf("late work is paid as %+v", e)
		}
		at(1, 3, 0)
		f.FreezeAt(f.Now().AddDate(1, 0, 0))
		sweep()
		f.Advance(25 * time.Hour)
		sweep("2026-12")
		if c, err := f.e.Claim(t.Context(), worker, true, nil); err != nil || c.USD != 2*unit {
			t.Errorf("claimed %s, %v, want 2", c.USD, err)
		}
		f.Audit()
	})
}

// What is queued and running counts for fair use: of many pieces of work at once only as much
// is covered as when they come one after the other, and failed work gives its part back.
func TestFairUseCountsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newEconomy(t, o)
		pat := f.subscribe("pat", atelier.SubscriptionActive)
		terms := atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}
		hold := func(cause string, cost atelier.Cost) (c atelier.Charge, err error) {
			return c, f.DB.Write(t.Context(), func(tx *store.Tx) (err error) { c, err = f.e.Hold(tx, pat, cause, terms, cost); return err })
		}
		for i := range 10 { // ten jobs of a tenth of a day
			c, err := hold(fmt.Sprintf("job/%d/1", i), atelier.Cost{Spark: 500 * unit, Render: true})
			if err != nil || !c.ByPlan || c.Slow {
				t.Fatalf("job %d: %+v, %v, want the plan, on the fast network", i, c, err)
			}
		}
		if c, err := hold("job/10/1", atelier.Cost{Spark: 500 * unit, Render: true}); err != nil || !c.Slow {
			t.Errorf("another job: %+v, %v, want the relaxed network", c, err)
		}
		if u, err := f.e.PlanUsage(t.Context(), pat); err != nil || !u.Limited || u.Held != 5000*unit {
			t.Errorf("usage: %+v, %v, want the limit to be reached", u, err)
		}
		var refused *atelier.Error
		if _, err := hold("llm/a/1", atelier.Cost{Spark: unit}); !errors.As(err, &refused) || refused.Code != atelier.CodeInsufficientBalance {
			t.Errorf("a round of a model: %v, want insufficient_balance", err)
		}
		f.Audit()
		f.Write(func(tx *store.Tx) error { return f.e.Release(tx, pat, "job/3/1") })
		if c, err := hold("llm/a/2", atelier.Cost{Spark: unit}); err != nil || !c.ByPlan {
			t.Errorf("a round of a model after a job failed: %+v, %v, want the plan", c, err)
		}
		f.Audit()
	})
}

// A round that a plan covers grows only as far as fair use reaches, and is settled once.
func TestReservationsOfPlans(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newEconomy(t, o)
		pat := f.subscribe("pat", atelier.SubscriptionActive)
		terms := atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}
		tab, err := f.e.Open(t.Context(), pat, "llm/a/1", terms, atelier.Cost{Spark: 4000 * unit})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []atelier.Money{800, 200, 0} {
			if got, err := tab.Extend(t.Context(), 800*unit); err != nil || got != want*unit {
				t.Errorf("extension %d: got %s, %v, want %d", i, got, err, want)
			}
		}
		if err := tab.UsedUp(); !strings.Contains(err.Error(), "fair use") {
			t.Errorf("used up: %v", err)
		}
		if unpaid, err := tab.Settle(t.Context(), atelier.Cost{Spark: 1000 * unit, USD: 5 * unit}); err != nil || unpaid != 0 {
			t.Errorf("settled: %s unpaid, %v", unpaid, err)
		}
		if _, err := tab.Settle(t.Context(), atelier.Cost{Spark: 1000 * unit}); err == nil {
			t.Error("it was settled twice")
		}
		if got, err := tab.Extend(t.Context(), unit); err == nil {
			t.Errorf("a closed reservation grew by %s", got)
		}
		if u, err := f.e.PlanUsage(t.Context(), pat); err != nil || u.Held != 0 || u.Daily.Spark != 1000*unit {
			t.Errorf("usage: %+v, %v", u, err)
		}
		f.Audit()
	})
}

// A claim that is large, whose renders one account asked for, or that ended much sooner than
// those of others waits for an operator, who pays or refuses it once.
func TestClaimsWaitForAnOperator(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newEconomy(t, o)
		f.e.SetReview(billing.Review{Above: 8 * unit, OddFrom: unit, RequesterPercent: 90, Speed: 4, SvcUSD: 5000})
		var people []atelier.Wallet
		for i := range 4 {
			people = append(people, f.subscribe(fmt.Sprint("p", i), atelier.SubscriptionActive))
		}
		good, large, single, quick, small := f.open("good", billing.Credits{}), f.open("large", billing.Credits{}), f.open("single", billing.Credits{}), f.open("quick", billing.Credits{}), f.open("small", billing.Credits{})
		for _, p := range people[:3] {
			f.render(p, good, 500*unit, time.Minute)
			f.render(p, quick, 500*unit, time.Second)
			f.render(p, large, 2000*unit, 4*time.Minute)
		}
		f.render(people[3], single, 1000*unit, 2*time.Minute)
		f.render(people[3], small, 10*unit, time.Millisecond)
		f.FreezeAt(time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC))
		f.closeMonths()
		for _, tc := range []struct {
			worker atelier.Wallet
			state  atelier.ClaimState
			reason string
		}{
			{good, atelier.ClaimPaid, ""},
			{small, atelier.ClaimPaid, ""},
			{large, atelier.ClaimWaiting, "It is worth "},
			{single, atelier.ClaimWaiting, "One account, 0xp3, asked for 100 % of it."},
			{quick, atelier.ClaimWaiting, "Its renders with m took "},
		} {
			f.Advance(time.Minute) // claims are listed by their time
			c, err := f.e.Claim(t.Context(), tc.worker, false, nil)
			if err != nil || c.State != tc.state || (tc.reason != "" && (len(c.Reasons) != 1 || !strings.HasPrefix(c.Reasons[0], tc.reason))) {
				t.Errorf("%s: %s, %q, %v, want %s: %s", tc.worker, c.State, c.Reasons, err, tc.state, tc.reason)
			}
			e := f.earnings(tc.worker)
			if waits := c.State == atelier.ClaimWaiting; waits != (e.Unclaimed == c.USD) || waits != (e.Claimed == 0) {
				t.Errorf("%s: its claim of %s is %s, and %s are unclaimed, %s claimed", tc.worker, c.USD, c.State, e.Unclaimed, e.Claimed)
			}
			if again, err := f.e.Claim(t.Context(), tc.worker, true, nil); err != nil || again.ID != "" {
				t.Errorf("%s claimed again: %+v, %v", tc.worker, again, err)
			}
		}
		f.Audit()
		waiting, err := f.e.Waiting(t.Context(), time.Time{}, "", 100)
		if err != nil || len(waiting) != 3 || len(waiting[0].Facts.Requesters) != 3 || waiting[0].Facts.Models[0].Usual == 0 {
			t.Fatalf("waiting: %+v, %v", waiting, err)
		}
		for i, pay := range []bool{true, false, true} {
			id := waiting[i].ID
			c, err := f.e.DecideClaim(t.Context(), id, pay, "seen", nil)
			want := map[bool]atelier.ClaimState{true: atelier.ClaimPaid, false: atelier.ClaimRefused}[pay]
			if err != nil || c.State != want || c.Decision != "seen" {
				t.Errorf("decided: %+v, %v, want %s", c, err, want)
			}
			var refused *atelier.Error
			if _, err := f.e.DecideClaim(t.Context(), id, !pay, "", nil); !errors.As(err, &refused) || refused.Code != atelier.CodeWrongState {
				t.Errorf("decided again: %v", err)
			}
			if e := f.earnings(c.Wallet); (e.Claimed == c.USD) != pay || e.Unclaimed != 0 {
				t.Errorf("%s: %+v after it was %s", c.Wallet, e, want)
			}
		}
		f.Audit()
	})
}
