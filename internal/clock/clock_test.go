package clock_test

import (
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
)

func TestBackoff(t *testing.T) {
	t.Parallel()
	b := clock.Backoff{First: time.Second, Most: time.Minute}
	for range 2 {
		var got []time.Duration
		for range 8 {
			got = append(got, b.Next()/time.Second)
		}
		if want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}; !slices.Equal(got, want) {
			t.Errorf("pauses of %d seconds, want %d", got, want)
		}
		b.Reset()
	}
}
