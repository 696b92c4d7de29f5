package admission_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
)

// fill opens as many as an account gets, and checks that the one too many is a 429 that says when to come again.
func fill(t *testing.T, o *admission.Open, w atelier.Wallet) (n int) {
	t.Helper()
	for {
		err := o.Enter(w)
		if err == nil {
			n++
			continue
		}
		var e *atelier.Error
		if !errors.As(err, &e) || e.Code != atelier.CodeStreamLimit || e.RetryAfter <= 0 {
			t.Errorf("the refusal is %v", err)
		}
		return n
	}
}

// An account has its limit. Without one that is reached, each account that opens all it can gets half of what is free
// but for the reserve, and then what is for accounts with few.
func TestOpen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		limit, capacity int
		want            []int // that each account gets, one after the other
	}{
		{10, 0, []int{10, 10}},
		{10, 1000, []int{10, 10, 10}},
		{0, 100, []int{38, 19, 9, 5, 2, 1, 1}},
		{30, 100, []int{30, 23, 11, 6, 3, 1, 1}},
	} {
		o := admission.NewOpen("streams", tc.limit, tc.capacity)
		sum := 0
		for i, want := range tc.want {
			w := atelier.Wallet(string(rune('a' + i)))
			if got := fill(t, o, w); got != want {
				t.Errorf("limit %d, capacity %d: account %d has %d, want %d", tc.limit, tc.capacity, i, got, want)
			}
			sum += want
		}
		if o.Count() != sum {
			t.Errorf("limit %d, capacity %d: %d are open, want %d", tc.limit, tc.capacity, o.Count(), sum)
		}
	}
}

// Two accounts that open all they can, in turns, have as much as each other, and a third finds half of what is left.
func TestOpenIsShared(t *testing.T) {
	t.Parallel()
	o := admission.NewOpen("streams", 0, 120) // 30 of them reserved
	got := map[atelier.Wallet]int{}
	for range 100 {
		for _, w := range []atelier.Wallet{"a", "b"} {
			if o.Enter(w) == nil {
				got[w]++
			}
		}
	}
	if got["a"] != 30 || got["b"] != 30 {
		t.Errorf("they have %v, want 30 each", got)
	}
	if n := fill(t, o, "c"); n != 15 {
		t.Errorf("a third gets %d, want half of what is left, 15", n)
	}
	for range 30 {
		o.Leave("a")
	}
	if n := fill(t, o, "c"); n != 15 {
		t.Errorf("when the first has left, the third gets %d more, want 15", n)
	}
}

// However many accounts have opened all they can one after the other, sixteen that have none open find a few each.
func TestNewcomersFindSome(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ capacity, few int }{{384, 6}, {1536, 16}, {24576, 16}} {
		o := admission.NewOpen("streams", 2000, tc.capacity)
		for i := 0; i < 1000; i++ {
			w := atelier.Wallet("greedy " + strconv.Itoa(i))
			if n := fill(t, o, w); n <= tc.few { // it got none but of the reserve
				for range n {
					o.Leave(w)
				}
				break
			}
		}
		for i := range 16 {
			if n := fill(t, o, atelier.Wallet("new "+strconv.Itoa(i))); n < tc.few {
				t.Errorf("of %d, newcomer %d finds %d, want %d", tc.capacity, i+1, n, tc.few)
			}
		}
	}
}
