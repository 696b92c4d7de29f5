package admission_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/admission"
)

func TestBucket(t *testing.T) {
	t.Parallel()
	var b admission.Bucket
	now := time.Unix(1_700_000_000, 0)
	take := func(n float64, want time.Duration) {
		t.Helper()
		if got := b.Take(now, 2, 10, n); got != want {
			t.Errorf("take %v: wait %s, want %s", n, got, want)
		}
	}
	take(4, 0)
	take(6, 0)
	take(1, 500*time.Millisecond)
	now = now.Add(time.Second)
	take(3, 500*time.Millisecond)
	take(2, 0)
	b.Add(5) // more than there are
	take(1, 3*time.Second)
	b.Add(-5)
	now = now.Add(-time.Hour) // a clock that is set back gives nothing
	take(1, 500*time.Millisecond)
	now = now.Add(time.Hour)
	if got := b.Taken(now, 2); got != 0 {
		t.Errorf("after an hour %v are taken", got)
	}
	b.Add(-3)
	take(11, 500*time.Millisecond) // it never holds more
}
