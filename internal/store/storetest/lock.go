package storetest

import (
	"context"
	"testing"

	"github.com/atelier-project/atelier/internal/store"
)

// AwaitLock waits until a transaction on PostgreSQL waits for a lock, or one that may wait has ended.
func AwaitLock(t testing.TB, db *store.DB, ended <-chan bool) {
	t.Helper()
	for waiting := 0; waiting == 0; {
		select {
		case <-ended:
			return
		default:
		}
		err := db.Read(context.Background(), func(tx *store.Tx) error {
			return tx.Row(`SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
		})
		if err != nil {
			t.Error(err)
			return
		}
	}
}
