package fleet_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/database/databasetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A progress report that counts render time and the end of another job of the same
// account and owner lock rows in the same order: neither is aborted by a deadlock
// and repeated.
func TestReportsAndEndsLockInOneOrder(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		if o.URL == "" {
			t.Skip("SQLite has one writer, and may run changes more than once")
		}
		f := newFrozenFixture(t, o)
		wil, ann := f.account("wil", 0), f.account("ann", 900)
		var runs atomic.Int32
		ended := make(chan struct{}) // closed when the hook of the end runs
		closeEnded := sync.OnceFunc(func() { close(ended) })
		reported := make(chan struct{}) // closed when the report holds the row
		closeReported := sync.OnceFunc(func() { close(reported) })
		// Both lock one row, as the hooks of a workflow with two steps do.
		lock := func(tx *store.Tx) error {
			_, err := tx.ClaimProject("the owner's row", ann, f.Now())
			return err
		}
		f.Fleet.RegisterHooks("pair", fleet.Hooks{
			Progressed: func(tx *store.Tx, _ atelier.Job) error {
				runs.Add(1)
				if err := lock(tx); err != nil {
					return err
				}
				closeReported()
				for !databasetest.IsWaiting(t, o) { // for this one
					select {
					case <-ended:
						return nil
					default:
					}
				}
				return nil
			},
			Ended: func(tx *store.Tx, _ atelier.Job, _ []atelier.Artifact) error {
				runs.Add(1)
				closeEnded()
				return lock(tx)
			},
		})
		w, err := f.Fleet.Connect(t.Context(), wil, apitype.WorkerSpec{Name: "w", Network: atelier.NetworkFast, Models: []string{model}, Capacity: 2})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			f.mustSubmit(ann, "p", func(s *fleet.Submission) { s.Owner.Kind = "pair" })
		}
		var jobs [2]*atelier.Job
		for i := range jobs {
			if jobs[i], err = f.Fleet.ClaimJob(t.Context(), wil, w.ID, 2*time.Minute); err != nil || jobs[i] == nil {
				t.Fatalf("claim: %v, %v", jobs[i], err)
			}
		}
		f.Advance(12 * time.Second) // more than a turn, less than a lease
		var both sync.WaitGroup
		both.Go(func() {
			if _, err := f.Fleet.Progress(t.Context(), wil, w.ID, jobs[0].ID, apitype.JobProgress{Progress: 0.5}); err != nil {
				t.Errorf("progress: %v", err)
			}
		})
		both.Go(func() {
			<-reported
			if err := f.Fleet.Fail(t.Context(), wil, w.ID, jobs[1].ID, atelier.JobError{Code: atelier.FailError, Message: "x"}); err != nil {
				t.Errorf("fail: %v", err)
			}
		})
		both.Wait()
		if n := runs.Load(); n != 2 {
			t.Errorf("the owner was ended %d times, want 2: one of the changes was repeated", n)
		}
	})
}
