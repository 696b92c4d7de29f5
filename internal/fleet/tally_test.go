package fleet_test

import (
	"math"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/fleet"
)

// Quantiles of waits are within five percent, also after others were added.
func TestWaits(t *testing.T) {
	t.Parallel()
	if _, ok := (fleet.Waits{}).Quantile(0.5); ok {
		t.Error("no waits have a quantile")
	}
	odd, all := fleet.Waits{}, fleet.Waits{}
	for i := 1; i <= 1000; i++ {
		wait := time.Duration(i) * 100 * time.Millisecond
		if i%2 == 1 {
			odd.Note(wait)
		} else {
			all.Note(wait)
		}
	}
	all.Add(odd)
	for part, want := range map[float64]time.Duration{0.01: time.Second, 0.5: 50 * time.Second, 0.95: 95 * time.Second, 1: 100 * time.Second} {
		got, ok := all.Quantile(part)
		if off := math.Abs(float64(got)/float64(want) - 1); !ok || off > 0.05 {
			t.Errorf("the quantile %v is %v, want %v", part, got, want)
		}
	}
	none := fleet.Waits{}
	none.Note(-time.Second) // a clock that was set back
	if got, _ := none.Quantile(0.95); got > 2*time.Millisecond {
		t.Errorf("no wait is %v", got)
	}
}
