package store_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A summary has the status of its workflow, and goes with it.
func TestSummariesFollowTheirWorkflows(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		counted := func(want map[atelier.Status]int) {
			t.Helper()
			err := db.Read(t.Context(), func(tx *store.Tx) error {
				got, _, err := tx.CountWorkflows("0xann", store.WorkflowFilter{}, 100)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("got %v, want %v", got, want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		write(t, db, func(tx *store.Tx) error {
			if err := tx.InsertAccount(account("ann")); err != nil {
				return err
			}
			// Texts are cut between characters.
			return tx.InsertWorkflow(store.StoredWorkflow{ID: "wf_1", Head: store.Head{Wallet: "0xann", Status: "queued", CreatedAt: now, UpdatedAt: now}, Texts: []string{"x" + strings.Repeat("ü", 600)}})
		})
		counted(map[atelier.Status]int{"queued": 1})
		write(t, db, func(tx *store.Tx) error {
			w, err := tx.LockWorkflow("wf_1")
			if err != nil {
				return err
			}
			for _, s := range []atelier.Status{"running", "queued", "running", "completed"} { // also several times in one change
				if w.Status = s; tx.UpdateWorkflow(&w) != nil {
					return fmt.Errorf("%s fails", s)
				}
			}
			return nil
		})
		counted(map[atelier.Status]int{"completed": 1})
		write(t, db, func(tx *store.Tx) error { _, err := tx.DeleteWorkflow("wf_1"); return err })
		counted(map[atelier.Status]int{})
	})
}

// A search looks at a number of workflows at a time, and finds all of them in the end.
func TestSearchesAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error {
			if err := tx.InsertAccount(account("ann")); err != nil {
				return err
			}
			for i := range 50 {
				text := "a hen"
				if i == 3 || i == 44 || i == 45 {
					text = "a fox"
				}
				at := now.Add(time.Duration(i/4) * time.Second) // several of one moment
				w := store.StoredWorkflow{ID: atelier.WorkflowID(fmt.Sprintf("wf_%02d", i)), Head: store.Head{Wallet: "0xann", Status: "queued", CreatedAt: at, UpdatedAt: at}, Plan: []byte("{}"), State: []byte("{}"), Texts: []string{text}}
				if err := tx.InsertWorkflow(w); err != nil {
					return err
				}
			}
			return nil
		})
		fox := store.WorkflowFilter{Words: []string{"fox"}}
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			var pages []string
			for after := (*store.WorkflowPosition)(nil); ; {
				found, next, err := tx.SelectWorkflows("0xann", fox, after, 1, 1<<20, 10)
				if err != nil {
					return err
				}
				page := ""
				for _, w := range found {
					page += string(w.ID)
				}
				if pages = append(pages, page); next == nil {
					break
				}
				after = next
			}
			// The first page is full after 45; the next looks at 44 to 35, and so on.
			wantEqual(t, "pages", pages, []string{"wf_45", "wf_44", "", "", "", "wf_03"}, nil)
			counts, complete, err := tx.CountWorkflows("0xann", fox, 10)
			wantEqual(t, "counts of the newest", counts, map[atelier.Status]int{"queued": 2}, err)
			if complete {
				t.Error("ten of fifty are said to be all")
			}
			counts, complete, err = tx.CountWorkflows("0xann", fox, 100)
			wantEqual(t, "counts", counts, map[atelier.Status]int{"queued": 3}, err)
			if !complete {
				t.Error("all are said not to be all")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
