package store_test

import (
	"math"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A counter at its maximum stays there, and the rest of the change is made.
func TestCountersDoNotOverflow(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		for i, want := range []int64{5, 12, math.MaxInt64, math.MaxInt64} {
			var got int64
			write(t, db, func(tx *store.Tx) error {
				value := []int64{5, 7, math.MaxInt64 - 11, math.MaxInt64}[i]
				err := tx.Count("2026-11-15", "0xwil", atelier.NetworkFast, "", store.Counter{Name: "seconds", Value: value})
				if err == nil {
					got, err = tx.CounterOf("seconds")
				}
				return err
			})
			if got != want {
				t.Errorf("counted %d, want %d", got, want)
			}
		}
	})
}
