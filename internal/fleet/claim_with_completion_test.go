package fleet_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// chained makes each job of a kind of owner queue the next of its parts when it ends.
func (f *fixture) chained(kind string, started func(atelier.Job) error, parts ...string) (first func(*fleet.Submission)) {
	next := map[string]string{}
	for i := range parts[1:] {
		next[parts[i]] = parts[i+1]
	}
	owned := func(s *fleet.Submission) { s.Owner.Kind = kind }
	f.Fleet.RegisterHooks(kind, fleet.Hooks{
		Started: func(_ *store.Tx, j atelier.Job) error { return started(j) },
		Ended: func(tx *store.Tx, j atelier.Job, _ []atelier.Artifact) error {
			part, ok := next[j.Owner.Part]
			if !ok {
				return nil
			}
			_, err := f.submitIn(tx, j.Wallet, part, owned)
			return err
		},
	})
	return owned
}

// sendAndClaim completes a job and claims the next.
func (w testWorker) sendAndClaim(j *atelier.Job) (*apitype.Assignment, error) {
	w.Upload(j, "a0", "a1")
	return w.Fleet().Complete(context.Background(), w.Wallet, w.ID, j.ID,
		apitype.Completion{Artifacts: []apitype.ReportedArtifact{{ID: "a0"}, {ID: "a1"}}, ClaimNext: true})
}

// A worker that completes a job gets the one that follows from it in the same transaction.
func TestClaimWithCompletion(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		var writes atomic.Int64
		o.Observe = func(operation string, _ time.Duration) {
			if operation == "write" {
				writes.Add(1)
			}
		}
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 900), f.account("wil", 0)
		first := f.chained("chain", func(atelier.Job) error { return nil }, "one", "two", "three")
		worker := f.connect(wil)
		j := worker.leased(ann, "one", first)
		for _, part := range []string{"two", "three"} {
			before := writes.Load()
			a, err := worker.sendAndClaim(j)
			if err != nil || a == nil {
				t.Fatalf("before %s: got %v, %v", part, a, err)
			}
			if n := writes.Load() - before; n != 1 {
				t.Errorf("before %s: %d transactions, want 1", part, n)
			}
			next := f.job(a.JobID).Job
			if j = &next; j.Owner.Part != part || j.State != atelier.JobLeased || j.WorkerID != worker.ID || j.Leases != 1 {
				t.Errorf("got %+v, want %s", j, part)
			}
		}
		if a, err := worker.sendAndClaim(j); err != nil || a != nil {
			t.Errorf("after the last one: got %v, %v", a, err)
		}
		f.wantBalance(ann, 870, 30)
		f.Audit()
	})
}

// A job whose claim fails is queued still, and the one that was completed stays completed.
func TestClaimFailsBesideCompletion(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 900), f.account("wil", 0)
		first := f.chained("chain", func(j atelier.Job) error {
			if j.Owner.Part == "two" {
				return errors.New("the claim fails")
			}
			return nil
		}, "one", "two")
		worker := f.connect(wil)
		j := worker.leased(ann, "one", first)
		if a, err := worker.sendAndClaim(j); err != nil || a != nil {
			t.Errorf("got %v, %v, want a completion without a next job", a, err)
		}
		if got := f.job(j.ID).State; got != atelier.JobCompleted {
			t.Errorf("the job is %s, want completed", got)
		}
		f.wantBalance(ann, 880, 20)
		f.Audit()
	})
}

// Workers that complete the jobs of many chains at once, and claim the next with each, lose
// none, and get none twice.
func TestClaimsWithCompletionsAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		parts := []string{"one", "two", "three", "four"}
		first := f.chained("chain", func(atelier.Job) error { return nil }, parts...)
		const chains = 6
		wil, ann := f.account("wil", 0), f.account("ann", 9000)
		for range chains {
			f.mustSubmit(ann, "one", first)
		}
		var done atomic.Int64
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var wg sync.WaitGroup
		for range 3 {
			worker := f.connect(wil)
			wg.Go(func() {
				for ctx.Err() == nil {
					j, _ := f.Fleet.ClaimJob(ctx, wil, worker.ID, time.Minute)
					for j != nil {
						a, err := worker.sendAndClaim(j)
						if err != nil {
							t.Errorf("complete %s: %v", j.Owner.Part, err)
						}
						if done.Add(1) == chains*int64(len(parts)) || err != nil {
							stop()
						}
						if j = nil; a != nil {
							next := f.job(a.JobID).Job
							j = &next
						}
					}
				}
			})
		}
		wg.Wait()
		if n := done.Load(); n != chains*int64(len(parts)) {
			t.Errorf("%d jobs were completed, want %d", n, chains*len(parts))
		}
		f.wantBalance(ann, 9000-10*chains*atelier.Money(len(parts)), 10*chains*atelier.Money(len(parts)))
		f.Audit()
	})
}
