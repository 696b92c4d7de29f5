package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// BenchmarkWorkflowLists measures pages and counts of the workflows of an account that
// has 100,000 of them.
func BenchmarkWorkflowLists(b *testing.B) {
	const total = 100_000
	at := func(n int) time.Time { return now.Add(time.Duration(n) * time.Minute) }
	rare := []atelier.Status{atelier.StatusWaitingForUser, atelier.StatusFailed}
	reads := []struct {
		name string
		read func(*store.Tx) error
	}{
		{"first page", page(store.WorkflowFilter{}, nil)},
		{"deep page", page(store.WorkflowFilter{}, &store.WorkflowPosition{CreatedAt: at(total / 2), ID: "x"})},
		{"rare status", page(store.WorkflowFilter{Statuses: rare}, nil)},
		{"rare kind", page(store.WorkflowFilter{Kinds: []string{"model"}}, nil)},
		{"rare word", page(store.WorkflowFilter{Words: []string{"heron"}}, nil)},
		{"rare tool", page(store.WorkflowFilter{Tool: "image_to_3d"}, nil)},
		{"rare reason of a tool", page(store.WorkflowFilter{Tool: "generate_image", Reason: "error"}, nil)},
		{"names", func(tx *store.Tx) error { _, err := tx.WorkflowNames("0xbench1"); return err }},
		{"counts of a tool", counts(store.WorkflowFilter{Tool: "generate_image"})},
		{"counts", counts(store.WorkflowFilter{})},
		{"counts of a kind", counts(store.WorkflowFilter{Kinds: []string{"video"}})},
		{"counts of a word", counts(store.WorkflowFilter{Words: []string{"heron"}})},
	}
	for _, engine := range []struct {
		name string
		open func(testing.TB) store.Options
	}{{"sqlite", storetest.SQLite}, {"postgres", storetest.Postgres}} {
		b.Run(engine.name, func(b *testing.B) {
			db := storetest.Open(b, engine.open(b))
			fillWorkflows(b, db, total, at)
			for _, r := range reads {
				b.Run(r.name, func(b *testing.B) {
					for b.Loop() {
						if err := db.Snapshot(b.Context(), r.read); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

func page(f store.WorkflowFilter, after *store.WorkflowPosition) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		found, _, err := tx.SelectWorkflows("0xbench1", f, after, 50, 2<<20, 5_000)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("%+v finds nothing", f)
		}
		return err
	}
}

func counts(f store.WorkflowFilter) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		found, _, err := tx.CountWorkflows("0xbench1", f, 20_000)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("%+v counts nothing", f)
		}
		return err
	}
}

// fillWorkflows writes workflows with documents of 4 kB and prompts of 150 characters.
// One in 1000 has failed, one in 5000 makes a 3D model and one in 10,000 a heron.
func fillWorkflows(b *testing.B, db *store.DB, total int, at func(int) time.Time) {
	b.Helper()
	document := fmt.Appendf(nil, `{"text": "%04000d"}`, 7)
	for from := 0; from < total; from += 1000 {
		err := db.Write(b.Context(), func(tx *store.Tx) error {
			if from == 0 {
				if err := register(tx, 1); err != nil {
					return err
				}
			}
			for n := from; n < from+1000; n++ {
				w := store.StoredWorkflow{
					ID: atelier.WorkflowID(fmt.Sprintf("wf_%032d", n)), Plan: document, State: []byte(`{}`),
					Head: store.Head{Wallet: "0xbench1", Status: atelier.StatusCompleted, CreatedAt: at(n), UpdatedAt: at(n)},
					Kind: []string{"image", "video", "audio"}[n%3], Texts: []string{fmt.Sprintf("a red fox %d in the deep snow of a northern forest at dusk, soft light, long shadows, film grain, 35 mm", n)},
					Tools: []string{"generate_image"}, Models: []string{"z_image_turbo_bf16"},
				}
				switch {
				case n%10_000 == 77:
					w.Texts = append(w.Texts, "beside a heron")
				case n%5000 == 78:
					w.Kind, w.Tools = "model", []string{"image_to_3d"}
				case n%1000 == 79:
					w.Status, w.Reason = atelier.StatusFailed, "error"
				}
				if err := tx.InsertWorkflow(w); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
