package retention_test

import (
	"errors"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database/databasetest"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/retention"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A change that comes to need a result while a sweep is about to remove it keeps it: the sweep waits for the change,
// and then sees it.
func TestWhatIsNeededMeanwhile(t *testing.T) {
	t.Parallel()
	for name, need := range map[string]func(tx *store.Tx, f *fixture, i store.LibraryItem) error{
		"a favourite": func(tx *store.Tx, _ *fixture, i store.LibraryItem) error {
			ref, err := tx.LockItem(ann, i.ID, false)
			if err != nil {
				return err
			}
			return tx.AddMark(ref, store.Mark{Name: store.MarkFavourite})
		},
		"the input of a workflow": func(tx *store.Tx, f *fixture, i store.LibraryItem) error {
			id := atelier.WorkflowID(store.WorkflowPrefix + mint.OrderedUUIDAt(f.Now()))
			h := store.Head{Wallet: ann, Status: atelier.StatusRunning, CreatedAt: f.Now(), UpdatedAt: f.Now()}
			err := tx.InsertWorkflow(store.StoredWorkflow{ID: id, Head: h, Plan: []byte("{}"), State: []byte("{}"), Kind: "image", Texts: []string{"a fox"}})
			if err != nil {
				return err
			}
			return tx.UseArtifact("results/"+i.ID, id)
		},
		"a file of a chat run": func(tx *store.Tx, f *fixture, i store.LibraryItem) error {
			id := atelier.RunID(store.RunPrefix + mint.OrderedUUIDAt(f.Now()))
			h := store.Head{Wallet: ann, Status: atelier.StatusRunning, CreatedAt: f.Now(), UpdatedAt: f.Now()}
			if err := tx.InsertRun(store.StoredRun{ID: id, Head: h, Request: []byte("{}"), State: []byte("{}")}); err != nil {
				return err
			}
			return tx.InsertRunFile(id, "results/"+i.ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := storetest.Postgres(t)
			f := newFixture(t, o)
			flow := f.begin(store.WorkflowPrefix)
			i := f.item(flow)
			f.end(flow, atelier.StatusCompleted)
			f.Advance(31 * day)
			swept := make(chan error, 1)
			f.Write(func(tx *store.Tx) error {
				if err := tx.LockAccount(ann); err != nil {
					return err
				}
				if err := need(tx, f, i); err != nil {
					return err
				}
				if err := tx.Flush(); err != nil {
					return err
				}
				go func() {
					_, err := f.engine(retention.Ages{Workflows: 30 * day}).Sweep(t.Context())
					swept <- err
				}()
				for !databasetest.IsWaiting(t, o) && len(swept) == 0 {
				}
				return nil
			})
			if err := <-swept; err != nil {
				t.Fatal(err)
			}
			if !f.isThere(flow) {
				t.Errorf("the workflow was removed after its result was needed: %s marks, inputs and files are left", f.counts("library_mark", "workflow_input", "run_file"))
			}
		})
	}
}

// What a chat run may have made stays while the run waits for its user. What was made while it waited goes.
func TestWhatARunThatWaitsHasMade(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		other := f.fill(1)[0]
		run := f.begin(store.RunPrefix)
		made := f.fill(1)[0]
		f.Advance(time.Second)
		f.Write(func(tx *store.Tx) error {
			r, err := tx.Run(ann, atelier.RunID(run))
			if err != nil {
				return err
			}
			r.Status, r.UpdatedAt = atelier.StatusWaitingForUser, f.Now()
			return tx.UpdateRun(r, atelier.StatusRunning)
		})
		later := f.fill(1)[0]
		f.Advance(31 * day)
		e := f.engine(retention.Ages{Workflows: 30 * day, ChatRuns: 30 * day})
		f.sweep(e, map[string]int64{retention.Workflows: 2})
		if f.isThere(other) || !f.isThere(made) || f.isThere(later) {
			t.Errorf("made before the run: %t, by it: %t, while it waits: %t; want what it made alone", f.isThere(other), f.isThere(made), f.isThere(later))
		}
		f.end(run, atelier.StatusCancelled)
		f.Advance(31 * day)
		f.sweep(e, map[string]int64{retention.ChatRuns: 1, retention.Workflows: 1})
	})
}

// A chat run that is started with what was removed meanwhile is refused.
func TestAFileThatIsGone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		id := atelier.RunID(store.RunPrefix + mint.OrderedUUIDAt(f.Now()))
		h := store.Head{Wallet: ann, Status: atelier.StatusRunning, CreatedAt: f.Now(), UpdatedAt: f.Now()}
		err := f.DB.Write(t.Context(), func(tx *store.Tx) error {
			err := tx.InsertRun(store.StoredRun{ID: id, Head: h, Request: []byte("{}"), State: []byte("{}")})
			return errors.Join(err, tx.InsertRunFile(id, "results/gone"))
		})
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a run with a file that is gone: %v, want %v", err, store.ErrNotFound)
		}
	})
}
