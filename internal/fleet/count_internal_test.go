package fleet

import (
	"math"
	"testing"
	"time"
)

// The times that a worker reports are limited to what is possible.
func TestMetricsAreBounded(t *testing.T) {
	t.Parallel()
	for reported, want := range map[float64]int64{0: 0, 1.5: 1500, -3: 0, 12: 12_000, 13: 12_000, 9e15: 12_000, math.MaxFloat64: 12_000, math.Inf(-1): 0} {
		m := Metrics{reported, reported, reported}.within(12 * time.Second)
		for _, part := range []float64{m.Render, m.ModelSwitch, m.Priming} {
			if got := counted("renderSecCompleteWorker", part); got != want {
				t.Errorf("%v s: counted %d ms, want %d", reported, got, want)
			}
		}
	}
}
