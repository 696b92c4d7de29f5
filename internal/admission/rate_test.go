package admission_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
)

// A request that takes as much as several leaves less to others.
func TestTakeMore(t *testing.T) {
	t.Parallel()
	l, now := admission.NewRate(10, false), time.Now()
	for _, more := range []int{0, 4, 3} { // with the one that each takes: 1, 5, 4
		if err := l.Take("a", now); err != nil {
			t.Fatal(err)
		}
		if err := l.TakeMore("a", now, more); err != nil {
			t.Fatalf("%d more: %v", more, err)
		}
	}
	if err := l.Take("a", now); err == nil {
		t.Error("an eleventh was let through")
	}
	later := now.Add(30 * time.Second) // five more
	if err := l.Take("a", later); err != nil {
		t.Fatal(err)
	}
	err := l.TakeMore("a", later, 5)
	if e, ok := err.(*atelier.Error); !ok || e.Code != atelier.CodeRateLimited || e.RetryAfter != 6*time.Second {
		t.Errorf("got %v", err)
	}
	if err := l.Take("b", now); err != nil {
		t.Fatal(err)
	}
	if err := l.TakeMore("b", now, 1000); err != nil {
		t.Errorf("more than a minute's worth takes all there is: %v", err)
	}
}
