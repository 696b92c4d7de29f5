package fleet_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Run ends leases and sessions that were not renewed, and jobs that no worker takes, by itself. The
// clock stands while each of them is waited for, however long that takes.
func TestRun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		const short = 30 * time.Millisecond // so that each task soon looks again
		f := &fixture{Env: enginetest.New(t, o, func(o *enginetest.Options) {
			o.Fleet = fleet.Options{Lease: short, NoWorkerTimeout: short}
		})}
		f.Freeze()
		happened := make(chan string, 10)
		report := func(tx *store.Tx, what string) error {
			tx.OnCommit(func() { happened <- what })
			return nil
		}
		f.Fleet.RegisterHooks(owner, fleet.Hooks{
			Dropped: func(tx *store.Tx, _ atelier.Job) error { return report(tx, "dropped") },
			Served:  func(tx *store.Tx, _ atelier.Job) error { return report(tx, "not served") },
			Ended: func(tx *store.Tx, j atelier.Job, _ []atelier.Artifact) error {
				return report(tx, string(j.State)+" "+j.Error.Code)
			},
		})
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { f.Fleet.Run(ctx) })
		t.Cleanup(func() { cancel(); running.Wait() })

		ann, wil := f.account("ann", 25), f.account("wil", 0)
		f.connect(wil).leased(ann, "one")
		for _, step := range []struct {
			after time.Duration
			want  string
		}{
			{short + time.Millisecond, "dropped"}, // the worker may still report
			{short, "not served"},                 // and has now left
			{2 * short, "failed " + atelier.FailNoWorker},
		} {
			f.Advance(step.after)
			select {
			case got := <-happened:
				if got != step.want {
					t.Fatalf("the job was %s, want %s", got, step.want)
				}
			case <-time.After(2 * time.Minute):
				t.Fatalf("it never was %s", step.want)
			}
		}
		f.wantBalance(ann, 25, 0)
		f.Audit()
	})
}
