package retention

import (
	"testing"
	"time"
)

// Batches grow while they are quick, and shrink to one while others wait for long.
func TestNextBatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		size int
		took time.Duration
		want int
	}{
		{16, time.Millisecond, 32}, {200, time.Millisecond, mostBatch}, {mostBatch, 0, mostBatch},
		{16, goodTime, 16}, {16, 2 * goodTime, 16}, {16, 2*goodTime + 1, 8}, {1, time.Minute, 1},
	} {
		if got := nextBatch(tc.size, tc.took); got != tc.want {
			t.Errorf("after %d in %v: %d, want %d", tc.size, tc.took, got, tc.want)
		}
	}
}
