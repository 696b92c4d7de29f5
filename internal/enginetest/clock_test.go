package enginetest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/internal/enginetest"
)

// No clock of a test begins shortly before midnight.
func TestStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // it begins at midnight
		midnight := time.Now().UTC()
		for _, c := range []struct{ at, want time.Duration }{
			{0, 0}, {12 * time.Hour, 12 * time.Hour}, {24*time.Hour - time.Minute, 24 * time.Hour}, {24*time.Hour - 1, 24 * time.Hour}, {24 * time.Hour, 24 * time.Hour},
		} {
			time.Sleep(time.Until(midnight.Add(c.at)))
			if got := enginetest.Start().Sub(midnight); got != c.want {
				t.Errorf("at %v it begins at %v, want %v", c.at, got, c.want)
			}
		}
	})
}
