package store_test

import (
	"math"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A counter at its maximum stays there, and the rest of the change is made.
func TestCountersDoNotOverflow(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		const most = math.MaxInt64 / int64(time.Millisecond) * int64(time.Millisecond) // durations are counted in milliseconds
		key := store.WorkerKey{Wallet: "0xwil", Day: "2026-11-15", Network: atelier.NetworkFast}
		for range 3 {
			write(t, db, func(tx *store.Tx) error {
				return store.Exec(tx, "UPDATE worker_count SET connected_ms = 9223372036854775806")
			})
			write(t, db, func(tx *store.Tx) error {
				return tx.AddConnected(map[store.WorkerKey]time.Duration{key: time.Duration(most)})
			})
		}
		var got int64
		write(t, db, func(tx *store.Tx) (err error) { got, err = tx.ConnectedOf("0xwil"); return err })
		if got != math.MaxInt64 {
			t.Errorf("counted %d, want %d", got, int64(math.MaxInt64))
		}
	})
}
