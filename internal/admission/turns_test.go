package admission_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/admission"
)

func always(int) bool { return true }

func TestTurns(t *testing.T) {
	t.Parallel()
	var turns admission.Turns[string, int]
	for i := range 3 {
		turns.Add("eve", i)
	}
	turns.Add("ann", 10)
	var order []string
	next := func(fits func(int) bool) {
		if account, thing, ok := turns.Next(fits); ok {
			order = append(order, fmt.Sprint(account, thing))
		} else {
			order = append(order, "none")
		}
	}
	next(always)
	next(func(n int) bool { return n != 10 }) // ann's does not fit, and keeps her turn
	turns.Add("bob", 20)
	next(func(n int) bool { return n != 10 })
	next(always)
	next(always)
	next(always) // each has one under way
	turns.Done("eve")
	turns.Add("dan", 30)
	turns.Done("ann")
	for range 3 {
		next(always)
	}
	turns.Remove("eve", func(n int) bool { return n == 2 })
	if got, want := strings.Join(order, " "), "eve0 none none ann10 bob20 none eve1 dan30 none"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, account := range []string{"eve", "bob", "dan"} {
		turns.Done(account)
	}
	if turns.Len() != 0 || turns.Accounts() != 0 {
		t.Errorf("%d of %d accounts are left", turns.Len(), turns.Accounts())
	}
}

// Whatever the others do, an account that waits is next after at most one thing of each of them.
func TestTurnsAreFair(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var turns admission.Turns[int, int]
		accounts := 2 + random.IntN(5)
		for range 50 {
			turns.Add(1+random.IntN(accounts), 0)
		}
		turns.Add(0, 1)
		before := map[int]int{}
		for {
			account, _, ok := turns.Next(always)
			if !ok {
				t.Fatal("nothing is next while an account waits")
			}
			if account == 0 {
				break
			}
			if before[account]++; before[account] > 1 {
				t.Fatalf("account %d had %d turns first", account, before[account])
			}
			turns.Done(account)
			turns.Add(account, 0)
		}
	}
}
