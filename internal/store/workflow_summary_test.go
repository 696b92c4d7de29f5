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

// Tools, models and reasons select, together and with what selects besides, and go with their workflows.
func TestWorkflowLabels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error {
			for _, name := range []string{"ann", "rob"} {
				if err := tx.InsertAccount(account(name)); err != nil {
					return err
				}
			}
			for i := range 40 {
				at := now.Add(time.Duration(i/4) * time.Second) // several of one moment
				w := store.StoredWorkflow{ID: atelier.WorkflowID(fmt.Sprintf("wf_%02d", i)), Head: store.Head{Wallet: "0xann", Status: "queued", CreatedAt: at, UpdatedAt: at}, Plan: []byte("{}"), State: []byte("{}"),
					Kind: "image", Tools: []string{"generate_image", "generate_image"}, Models: []string{"z", ""}, Texts: []string{"a hen"}}
				switch {
				case i%10 == 3:
					w.Tools, w.Models, w.Texts = append(w.Tools, "upscale_image"), []string{"q"}, []string{"a fox"}
				case i%10 == 4:
					w.Wallet, w.Tools, w.Reason = "0xrob", []string{"upscale_image"}, "of_rob"
				}
				if err := tx.InsertWorkflow(w); err != nil {
					return err
				}
			}
			for _, id := range []atelier.WorkflowID{"wf_13", "wf_20"} {
				w, err := tx.LockWorkflow(id)
				if err != nil {
					return err
				}
				if w.Status, w.Reason = "failed", "out_of_memory"; tx.UpdateWorkflow(&w) != nil {
					return fmt.Errorf("%s fails", id)
				}
			}
			return nil
		})
		check := func(f store.WorkflowFilter, pageSize, scan int, want ...string) {
			t.Helper()
			err := db.Read(t.Context(), func(tx *store.Tx) error {
				got := []string{}
				for after := (*store.WorkflowPosition)(nil); ; {
					found, next, err := tx.SelectWorkflows("0xann", f, after, pageSize, 1<<20, scan)
					if err != nil {
						return err
					}
					for _, w := range found {
						got = append(got, string(w.ID))
					}
					if next == nil {
						break
					}
					after = next
				}
				wantEqual(t, fmt.Sprintf("%+v", f), got, append([]string{}, want...), nil)
				counts, complete, err := tx.CountWorkflows("0xann", f, 100)
				n := 0
				for _, c := range counts {
					n += c
				}
				if n != len(want) || !complete {
					t.Errorf("%+v: counted %v, complete %v", f, counts, complete)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		check(store.WorkflowFilter{Tool: "upscale_image"}, 3, 100, "wf_33", "wf_23", "wf_13", "wf_03")
		check(store.WorkflowFilter{Tool: "upscale_image", Words: []string{"fox"}}, 1, 2, "wf_33", "wf_23", "wf_13", "wf_03")
		check(store.WorkflowFilter{Tool: "upscale_image", Statuses: []atelier.Status{"failed"}}, 10, 2, "wf_13")
		check(store.WorkflowFilter{Tool: "generate_image", Model: "q", Reason: "out_of_memory"}, 10, 1, "wf_13")
		check(store.WorkflowFilter{Model: "z", Reason: "out_of_memory"}, 10, 10, "wf_20")
		check(store.WorkflowFilter{Reason: "out_of_memory", Kinds: []string{"image"}, From: now.Add(4 * time.Second)}, 10, 10, "wf_20")
		check(store.WorkflowFilter{Reason: "of_rob"}, 10, 10)
		check(store.WorkflowFilter{Tool: "unknown"}, 10, 10)
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			counts, complete, err := tx.CountWorkflows("0xann", store.WorkflowFilter{Tool: "upscale_image"}, 2)
			wantEqual(t, "counts of the newest", counts, map[atelier.Status]int{"queued": 2}, err)
			if complete {
				t.Error("two of four are said to be all")
			}
			names, err := tx.WorkflowNames("0xann")
			wantEqual(t, "names", names, store.WorkflowNames{Tools: []string{"generate_image", "upscale_image"}, Models: []string{"q", "z"}, Reasons: []string{"out_of_memory"}}, err)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		write(t, db, func(tx *store.Tx) error { _, err := tx.DeleteWorkflow("wf_13"); return err })
		check(store.WorkflowFilter{Tool: "upscale_image"}, 10, 10, "wf_33", "wf_23", "wf_03")
	})
}
