package store_test

import (
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database/databasetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A conversation whose only run expires while another one is started stays.
func TestConversationStaysWithNewRun(t *testing.T) {
	t.Parallel()
	o := storetest.Postgres(t)
	db := storetest.Open(t, o)
	run := func(id atelier.RunID, status atelier.Status) store.StoredRun {
		return store.StoredRun{ID: id, Head: store.Head{Wallet: "0xann", Status: status, CreatedAt: now, UpdatedAt: now}, Request: []byte("{}"), State: []byte("{}"), Session: "s", Text: "a fox"}
	}
	write(t, db, func(tx *store.Tx) error {
		if err := tx.InsertAccount(account("ann")); err != nil {
			return err
		}
		return tx.InsertRun(run("run_1", atelier.StatusCompleted))
	})
	expired := make(chan error, 1)
	write(t, db, func(tx *store.Tx) error {
		if err := tx.InsertRun(run("run_2", atelier.StatusQueued)); err != nil {
			return err
		}
		go func() {
			expired <- db.Write(t.Context(), func(tx *store.Tx) error {
				_, err := tx.DeleteRun("run_1")
				return err
			})
		}()
		for !databasetest.IsWaiting(t, o) {
		}
		return nil
	})
	if err := <-expired; err != nil {
		t.Fatal(err)
	}
	err := db.Read(t.Context(), func(tx *store.Tx) error {
		c, err := tx.Conversation("0xann", "s")
		if err == nil && (c.Runs != 1 || c.LastRun != "run_2") {
			t.Errorf("got %+v", c)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
