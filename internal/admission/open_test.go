package admission_test

import (
	"errors"
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

// An account has its limit. Without one that is reached, accounts that open all they can share the capacity evenly, and
// a newcomer still finds a part of it.
func TestOpen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		limit, capacity int
		want            []int // that each account gets, one after the other
	}{
		{10, 0, []int{10, 10}},
		{10, 1000, []int{10, 10, 10}},
		{0, 100, []int{50, 25, 13, 6}},
		{30, 100, []int{30, 30, 20, 10}},
	} {
		o := admission.NewOpen(tc.limit, tc.capacity)
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

// Two accounts that open all they can, in turns, have as much as each other, and a third finds as much.
func TestOpenIsShared(t *testing.T) {
	t.Parallel()
	o := admission.NewOpen(0, 90)
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
