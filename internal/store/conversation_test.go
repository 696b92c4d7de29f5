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

// A search shows the line around what it found, as it was written, also where letters have other lengths in lower case.
func TestConversationExcerpt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		const long = "İn the morning we went along the coast for a very long time, until Lighthouses stood at the end of the bay, " +
			"and then we walked on for many hours more, past the harbour, the old mill and all the other things that one sees there"
		write(t, db, func(tx *store.Tx) error {
			if err := tx.InsertAccount(account("ann")); err != nil {
				return err
			}
			run := store.StoredRun{ID: "run_1", Head: store.Head{Wallet: "0xann", Status: atelier.StatusCompleted, CreatedAt: now, UpdatedAt: now}, Request: []byte("{}"), State: []byte("{}"), Session: "s", Text: "Walks"}
			if err := tx.InsertRun(run); err != nil {
				return err
			}
			for _, message := range []string{long, "Make a picture.\nA Red Fox in the snow\nplease"} {
				if err := tx.AddToConversation("0xann", "s", message); err != nil {
					return err
				}
			}
			return nil
		})
		for search, want := range map[string]string{
			"":            "",
			"red":         "A Red Fox in the snow",
			"LIGHTHOUSES": "…the coast for a very long time, until Lighthouses stood at the end of the bay, and then we walked on for many hours more, past the harbour, the old mill and…",
			"please fox":  "please",
			"walks":       "",
		} {
			err := db.Read(t.Context(), func(tx *store.Tx) error {
				found, err := tx.Conversations("0xann", search, nil, 10)
				if err == nil && (len(found) != 1 || found[0].Excerpt != want) {
					t.Errorf("%q: got %+v, want the excerpt %q", search, found, want)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
}
