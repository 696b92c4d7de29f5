package billing_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// keyHash is the hash of the key of these tests.
const keyHash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

var keyID = atelier.KeyID(keyHash)

// addKey adds a key with a budget.
func (f fixture) addKey(w atelier.Wallet, hash string, b atelier.KeyBudget) {
	f.T.Helper()
	f.Write(func(tx *store.Tx) error {
		return tx.InsertKey(hash, w, atelier.APIKey{Name: "studio", CreatedAt: now, Limits: atelier.KeyLimits{Budget: b}})
	})
}

// used is what counts for the budget of the key.
func (f fixture) used(w atelier.Wallet) (day, month, total atelier.Money) {
	f.T.Helper()
	all, err := f.e.KeyBudgets(context.Background(), w)
	if err != nil {
		f.T.Fatal(err)
	}
	return all[keyID].Used()
}

func keyTerms() atelier.PaymentTerms {
	return atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto, Key: keyID}
}

// 200 requests at once, on two nodes where the database allows it, hold no more than the budget, whichever limit is the
// lowest, and what they settle and release leaves the counters as the records have them.
func TestBudgetsUnderConcurrency(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		nodes := []*store.DB{f.DB, f.DB}
		if o.URL != "" {
			nodes[1] = storetest.Open(t, o)
		}
		for i, b := range []atelier.KeyBudget{
			{Unit: atelier.BudgetSpark, Day: 100}, {Unit: atelier.BudgetSpark, Month: 100, Day: 1000}, {Unit: atelier.BudgetUSD, Total: 200},
		} {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				ann := f.open(fmt.Sprint("ann", i), billing.Credits{Spark: 100_000})
				hash := fmt.Sprint(i) + keyHash[1:]
				f.addKey(ann, hash, b)
				terms := keyTerms()
				terms.Key = atelier.KeyID(hash)
				type hold struct {
					cause  string
					charge atelier.Charge
				}
				var (
					wg   sync.WaitGroup
					mu   sync.Mutex
					held []hold
				)
				for n := range 200 {
					wg.Go(func() {
						cause := fmt.Sprintf("llm/c%d/%d", i, n)
						var c atelier.Charge
						err := nodes[n%2].Write(context.Background(), func(tx *store.Tx) (err error) {
							c, err = f.e.Hold(tx, ann, cause, terms, atelier.Cost{Spark: 3, USD: 6})
							return err
						})
						switch {
						case atelier.HasCode(err, atelier.CodeInsufficientBalance):
						case err != nil:
							t.Error(err)
						default:
							mu.Lock()
							held = append(held, hold{cause, c})
							mu.Unlock()
						}
					})
				}
				wg.Wait()
				if len(held) != 33 {
					t.Errorf("%d requests of 3 were held on a budget of 100, want 33", len(held))
				}
				for n, h := range held {
					wg.Go(func() {
						var err error
						if n%3 == 0 {
							err = f.release(ann, h.cause)
						} else {
							err = f.settle(ann, h.cause, h.charge, 2)
						}
						if err != nil {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				f.Audit()
			})
		}
	})
}

// What was used is paid: the balance pays the cost beyond a hold although the budget has nothing left, and all of it
// counts.
func TestCostBeyondABudgetIsPaid(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann := f.open("ann", billing.Credits{Spark: 1000})
		f.addKey(ann, keyHash, atelier.KeyBudget{Unit: atelier.BudgetSpark, Total: 10})
		reserved, err := f.e.Open(t.Context(), ann, "llm/a/1", keyTerms(), atelier.Cost{Spark: 10, USD: 10})
		if err != nil {
			t.Fatal(err)
		}
		if unpaid, err := reserved.Settle(t.Context(), atelier.Cost{Spark: 60, USD: 60}); err != nil || unpaid != 0 {
			t.Errorf("unpaid %d, %v, want all paid", unpaid, err)
		}
		if left := f.Balance(ann).Spark.Net; left != 940 {
			t.Errorf("%d Spark are left, want 940", left)
		}
		if _, _, total := f.used(ann); total != 60 {
			t.Errorf("%d of the budget is used, want 60", total)
		}
		if _, err := f.e.Open(t.Context(), ann, "llm/a/2", keyTerms(), atelier.Cost{Spark: 1, USD: 1}); !atelier.HasCode(err, atelier.CodeInsufficientBalance) {
			t.Errorf("more work: %v, want a refusal", err)
		}
		f.Audit()
	})
}

// One transaction holds twice, from two purses, as the steps of a workflow do, while another settles what the second of
// them pays for: neither waits for the other while the other waits for it, so that none runs again.
func TestBudgetsDoNotDeadlock(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		if o.URL == "" {
			t.Skip("SQLite has one writer, and runs its changes again for other reasons")
		}
		f := newFixture(t, o)
		ann := f.open("ann", billing.Credits{Spark: 1000, Svc: 1000})
		f.addKey(ann, keyHash, atelier.KeyBudget{Unit: atelier.BudgetSpark, Total: 1_000_000})
		spark, svc := keyTerms(), keyTerms()
		spark.Token, svc.Token = atelier.PaySpark, atelier.PaySvc
		cost := atelier.Cost{Spark: 1, USD: 1}
		reserved, err := f.e.Open(t.Context(), ann, "llm/a/1", svc, cost)
		if err != nil {
			t.Fatal(err)
		}
		var holds, settlements int
		first, ended := make(chan bool), make(chan bool)
		go func() {
			defer close(ended)
			<-first
			err := f.DB.Write(context.Background(), func(tx *store.Tx) error {
				settlements++
				_, err := reserved.SettleIn(tx, cost)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}()
		err = f.DB.Write(t.Context(), func(tx *store.Tx) error {
			holds++
			if _, err := f.e.Hold(tx, ann, "job/1/1", spark, cost); err != nil {
				return err
			}
			if err := tx.Flush(); err != nil {
				return err
			}
			if holds == 1 {
				close(first)
				storetest.AwaitLock(t, f.DB, ended)
			}
			_, err := f.e.Hold(tx, ann, "job/2/1", svc, cost)
			return err
		})
		<-ended
		if err != nil || holds != 1 || settlements != 1 {
			t.Errorf("%v after %d runs of the holds and %d of the settlement, want one of each", err, holds, settlements)
		}
		f.Audit()
	})
}

// Session tokens that a key of an operator makes for other accounts share its budget: extensions at once hold no more
// than it, and who is refused learns which budget it was.
func TestBudgetsOfSeveralAccounts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		for i := range 50 {
			op := f.open(fmt.Sprint("op", i), billing.Credits{})
			hash := fmt.Sprintf("%08d", i) + keyHash[8:]
			f.addKey(op, hash, atelier.KeyBudget{Unit: atelier.BudgetSpark, Total: 10})
			terms := keyTerms()
			terms.Key = atelier.KeyID(hash)
			wallets := []atelier.Wallet{f.open(fmt.Sprint("ann", i), billing.Credits{Spark: 1000}), f.open(fmt.Sprint("bob", i), billing.Credits{Spark: 1000})}
			reserved := make([]*billing.Reservation, len(wallets))
			for n, w := range wallets {
				var err error
				if reserved[n], err = f.e.Open(t.Context(), w, fmt.Sprintf("llm/a/%d/%d", i, n), terms, atelier.Cost{Spark: 1, USD: 1}); err != nil {
					t.Fatal(err)
				}
			}
			var wg sync.WaitGroup
			for _, r := range reserved {
				wg.Go(func() {
					if _, err := r.Extend(context.Background(), 3); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			for n, r := range reserved {
				wg.Go(func() {
					if _, err := r.Extend(context.Background(), 2); err != nil {
						t.Error(err)
					}
				})
				wg.Go(func() {
					_, err := f.e.Open(context.Background(), wallets[n], fmt.Sprintf("llm/b/%d/%d", i, n), terms, atelier.Cost{Spark: 2, USD: 2})
					var refused *atelier.Error
					if err != nil && (!errors.As(err, &refused) || refused.Details["budget"] != "total") {
						t.Errorf("the refusal does not say which budget it was: %v", err)
					}
				})
			}
			wg.Wait()
			all, err := f.e.KeyBudgets(t.Context(), op)
			if held := all[terms.Key].Held.Spark; err != nil || held > 10 {
				t.Errorf("%d is held on a budget of 10, %v", held, err)
			}
		}
		f.Audit()
	})
}

// The first budget of a key is set while the work of another account, by a session token of the key, settles: it
// counts.
func TestAFirstBudgetWaitsForOtherAccounts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		if o.URL == "" {
			t.Skip("SQLite has one writer, and runs its changes again for other reasons")
		}
		f := newFixture(t, o)
		op := f.open("op", billing.Credits{Spark: 1000})
		ann := f.open("ann", billing.Credits{Spark: 1000})
		f.addKey(op, keyHash, atelier.KeyBudget{})
		reserved, err := f.e.Open(t.Context(), ann, "llm/a/1", keyTerms(), atelier.Cost{Spark: 10, USD: 10})
		if err != nil {
			t.Fatal(err)
		}
		settled, ended := make(chan bool), make(chan bool)
		go func() {
			defer close(ended)
			<-settled
			err := f.DB.Write(context.Background(), func(tx *store.Tx) error {
				if err := tx.LockAccount(op); err != nil {
					return err
				}
				return tx.PutKeyLimits(keyHash, atelier.KeyLimits{Budget: atelier.KeyBudget{Unit: atelier.BudgetSpark, Total: 100}}, f.Now())
			})
			if err != nil {
				t.Error(err)
			}
		}()
		f.Write(func(tx *store.Tx) error {
			if _, err := reserved.SettleIn(tx, atelier.Cost{Spark: 10, USD: 10}); err != nil {
				return err
			}
			if err := tx.Flush(); err != nil {
				return err
			}
			close(settled)
			storetest.AwaitLock(t, f.DB, ended)
			return nil
		})
		<-ended
		if _, _, total := f.used(op); total != 10 {
			t.Errorf("%d of the first budget is used, want 10", total)
		}
		f.Audit()
	})
}

// The refusal says which limit it was, of which key, and when it begins again; what is held counts, and a settlement of
// less gives the rest back.
func TestBudgetsSayWhichItWas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		budget atelier.KeyBudget
		want   string
		resets bool
	}{
		{atelier.KeyBudget{Unit: atelier.BudgetSpark, Day: 10, Month: 100}, "day", true},
		{atelier.KeyBudget{Unit: atelier.BudgetSpark, Day: 100, Month: 10}, "month", true},
		{atelier.KeyBudget{Unit: atelier.BudgetUSD, Total: 20}, "total", false},
	} {
		f := newFixture(t, storetest.SQLite(t))
		ann := f.open("ann", billing.Credits{Spark: 1000})
		f.addKey(ann, keyHash, c.budget)
		hold := func(cause string, spark atelier.Money) (charge atelier.Charge, err error) {
			err = f.DB.Write(t.Context(), func(tx *store.Tx) error {
				charge, err = f.e.Hold(tx, ann, cause, keyTerms(), atelier.Cost{Spark: spark, USD: 2 * spark})
				return err
			})
			return charge, err
		}
		first, err := hold("llm/a/1", 8)
		if err != nil {
			t.Fatal(err)
		}
		_, err = hold("llm/a/2", 3)
		var refused *atelier.Error
		if !errors.As(err, &refused) || refused.Code != atelier.CodeInsufficientBalance || refused.Details["budget"] != c.want || refused.Details["keyId"] != keyID {
			t.Fatalf("%+v: got %v, want the refusal of the budget for the %s", c.budget, err, c.want)
		}
		if _, resets := refused.Details["resetsAt"]; resets != c.resets || !strings.Contains(err.Error(), `"studio"`) {
			t.Errorf("%+v: got %v, which resets: %v", c.budget, err, resets)
		}
		if err := f.settle(ann, "llm/a/1", first, 2); err != nil {
			t.Fatal(err)
		}
		if _, err := hold("llm/a/3", 3); err != nil {
			t.Errorf("%+v: after a settlement of less: %v", c.budget, err)
		}
		f.Audit()
	}
}

// A reservation grows as far as the budget of its key reaches, and its end names the budget.
func TestReservationsEndWithTheBudget(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann := f.open("ann", billing.Credits{Spark: 1000})
		f.addKey(ann, keyHash, atelier.KeyBudget{Unit: atelier.BudgetUSD, Month: 50})
		reserved, err := f.e.Open(t.Context(), ann, "llm/a/1", keyTerms(), atelier.Cost{Spark: 10, USD: 20})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []atelier.Money{12, 3, 0} {
			if got, err := reserved.Extend(t.Context(), 12); err != nil || got != want {
				t.Errorf("extension %d: got %d, %v, want %d", i, got, err, want)
			}
		}
		if err := reserved.UsedUp(); !strings.Contains(err.Error(), "budget of the API key") {
			t.Errorf("the error at the end is %v", err)
		}
		if unpaid, err := reserved.Settle(t.Context(), atelier.Cost{Spark: 25, USD: 50}); err != nil || unpaid != 0 {
			t.Errorf("unpaid %d, %v", unpaid, err)
		}
		if _, month, _ := f.used(ann); month != 50 {
			t.Errorf("%d of the month is used, want 50", month)
		}
		f.Audit()
	})
}

// Work that a plan covers counts for the budget; the key may be revoked before it is settled; a first budget begins
// with what was spent before, and work that was held before it counts when it is settled.
func TestWhatCountsForABudget(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann := f.open("ann", billing.Credits{Spark: 1000})
		f.addKey(ann, keyHash, atelier.KeyBudget{})
		hold := func(cause string) (charge atelier.Charge) {
			f.Write(func(tx *store.Tx) (err error) {
				charge, err = f.e.Hold(tx, ann, cause, keyTerms(), atelier.Cost{Spark: 4, USD: 4})
				return err
			})
			return charge
		}
		settle := func(cause string, c atelier.Charge) {
			f.Write(func(tx *store.Tx) error {
				return f.e.Settle(tx, ann, cause, c, atelier.Cost{Spark: 4, USD: 4}, billing.Render{})
			})
		}
		check := func(when string, want atelier.Money) {
			t.Helper()
			day, month, total := f.used(ann)
			if day != want || month != want || total != want {
				t.Errorf("%s: %d, %d and %d are used, want %d", when, day, month, total, want)
			}
			f.Audit()
		}
		settle("llm/a/1", hold("llm/a/1"))
		before := hold("llm/a/2")
		f.Write(func(tx *store.Tx) error {
			if err := tx.LockAccount(ann); err != nil {
				return err
			}
			return tx.PutKeyLimits(keyHash, atelier.KeyLimits{Budget: atelier.KeyBudget{Unit: atelier.BudgetSpark, Day: 100}}, f.Now())
		})
		check("a first budget", 4)
		settle("llm/a/2", before)
		check("held before the budget", 8)
		f.Write(func(tx *store.Tx) error {
			return tx.PutSubscription(ann, atelier.Subscribe("unlimited", atelier.SubscriptionActive, time.Time{}, f.Now()), f.Now())
		})
		covered := hold("llm/a/3")
		if !covered.ByPlan {
			t.Fatalf("got %+v, want work that the plan covers", covered)
		}
		check("covered by a plan, under way", 12)
		f.Write(func(tx *store.Tx) error { return tx.RevokeKey(keyHash, f.Now()) })
		settle("llm/a/3", covered)
		check("covered by a plan, and settled after the key was revoked", 12)
	})
}

// The process dies before and after every commit. The next one finds counters that agree with the records and the
// holds.
func TestBudgetsSurviveCrashes(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		for n := int64(1); spendUntilCrash(t, n, after); n++ {
		}
	}
}

// spendUntilCrash spends in a process that dies at its n-th commit. It reports false when there are fewer commits.
func spendUntilCrash(t *testing.T, n int64, after bool) bool {
	t.Helper()
	path := storetest.Furnish(t, filepath.Join(t.TempDir(), "atelier.db"))
	db := storetest.OpenMortal(t, path, n, after)
	f := fixture{Env: enginetest.NewOn(t, db.DB)}
	f.FreezeAt(now)
	f.e = billing.New(db.DB, f.Now, func(atelier.PlanTier) int { return 0 })
	ann := f.open("ann", billing.Credits{Spark: 1000})
	f.addKey(ann, keyHash, atelier.KeyBudget{Unit: atelier.BudgetSpark, Day: 50, Total: 500})
	db.Arm()
	random := rand.New(rand.NewPCG(uint64(n), 1))
	for i := range 4 {
		reserved, err := f.e.Open(db.Alive, ann, fmt.Sprintf("llm/a/%d", i), keyTerms(), atelier.Cost{Spark: 5, USD: 5})
		if err != nil {
			break
		}
		if _, err = reserved.Extend(db.Alive, 2); err == nil && random.IntN(2) == 0 {
			err = reserved.Drop(db.Alive)
		} else if err == nil {
			_, err = reserved.Settle(db.Alive, atelier.Cost{Spark: 6, USD: 6})
		}
		if err != nil {
			break
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	next := fixture{Env: enginetest.NewOn(t, storetest.Open(t, store.Options{Path: path, NoSync: true}))}
	next.FreezeAt(now.Add(3 * time.Hour))
	next.e = billing.New(next.DB, next.Now, func(atelier.PlanTier) int { return 0 })
	next.Audit()
	if _, err := next.e.Sweep(t.Context()); err != nil { // what the dead process held
		t.Fatal(err)
	}
	next.Audit()
	all, err := next.e.KeyBudgets(t.Context(), ann)
	if got := all[keyID].Held; err != nil || got != (atelier.KeyCost{}) {
		t.Errorf("dead at commit %d (after it: %v): %+v is held, %v", n, after, got, err)
	}
	return db.Dead()
}
