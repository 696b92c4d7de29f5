package fleet_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func TestAJobIsDone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		worker := f.connect(wil)
		f.mustSubmit(ann, "one")
		f.wantBalance(ann, 15, 10)
		j := worker.MustClaim()
		if j.Attempt != 1 || j.State != atelier.JobLeased || j.Spec.Arguments["prompt"] != "x" {
			t.Errorf("claimed %+v", j)
		}
		if _, err := f.Fleet.ClaimJob(t.Context(), wil, worker.ID, 0); !atelier.HasCode(err, atelier.CodeWorkerFull) {
			t.Errorf("a full worker: got %v", err)
		}
		s, err := worker.progress(j, 0.5)
		if err != nil || s.Cancel || s.LeaseUntil.Before(f.Now().Add(lease-time.Second)) {
			t.Errorf("progress: %+v, %v", s, err)
		}
		if err := worker.complete(j, "a0", "a1"); err == nil || !strings.Contains(err.Error(), "not uploaded") {
			t.Errorf("before the upload: %v", err)
		}
		worker.Upload(j, "a0", "a1")
		for _, ids := range [][]string{{}, {"other"}, {"a0", "a0"}} {
			if err := worker.complete(j, ids...); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
				t.Errorf("complete with %q: %v", ids, err)
			}
		}
		if err := worker.complete(j, "a0", "a1"); err != nil {
			t.Fatal(err)
		}
		if err := worker.complete(j, "a0", "a1"); !atelier.HasCode(err, atelier.CodeJobLost) {
			t.Errorf("completed twice: %v", err)
		}
		f.wantBalance(ann, 15, 10)
		f.Audit()
		if got := f.hookLog(); got != "started one 1, progressed one 1, completed/2 one 1" {
			t.Errorf("the hooks logged %s", got)
		}
	})
}

// A dropped job is retried once; when it is dropped again, it fails.
func TestDropsAreRetriedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		worker := f.connect(wil)
		first := worker.leased(ann, "one")
		worker.MustFail(first, atelier.FailDropped)
		f.wantBalance(ann, 15, 10)
		second := worker.MustClaim()
		if second.ID != first.ID || second.Attempt != 2 {
			t.Errorf("the second attempt: %+v", second)
		}
		worker.MustFail(second, atelier.FailDropped)
		f.wantBalance(ann, 25, 0)
		f.Audit()
		if got := f.hookLog(); got != "started one 1, dropped one 1, started one 2, failed/0 one 2" {
			t.Errorf("the hooks logged %s", got)
		}
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil := f.account("ann", 50), f.account("wil", 0)
		waiting := f.mustSubmit(ann, "waiting")
		if f.cancel(waiting.ID) || f.job(waiting.ID).State != atelier.JobCancelled {
			t.Error("a waiting job did not end at once")
		}
		f.wantBalance(ann, 50, 0)
		worker := f.connect(wil)
		for _, end := range []func(*atelier.Job) error{
			func(j *atelier.Job) error { return worker.Fail(j, atelier.FailError) },
			func(j *atelier.Job) error { worker.Upload(j, "a0"); return worker.complete(j, "a0") },
			func(j *atelier.Job) error { return worker.Fail(j, atelier.FailDropped) },
		} {
			j := worker.leased(ann, "running")
			if !f.cancel(j.ID) {
				t.Error("a running job is not in flight")
			}
			if s, err := worker.progress(j, 0.1); err != nil || !s.Cancel {
				t.Errorf("the worker was not asked to stop: %+v, %v", s, err)
			}
			if err := end(j); err != nil {
				t.Fatal(err)
			}
			if got := f.job(j.ID).State; got != atelier.JobCancelled {
				t.Errorf("a cancelled job ended as %s", got)
			}
			if f.cancel(j.ID) {
				t.Error("a job that is over is in flight")
			}
		}
		f.wantBalance(ann, 50, 0)
		f.Audit()
	})
}

// A cancelled job whose worker stops reporting is not retried, and its message does
// not say so.
func TestCancelledJobsAreNotTriedAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	ann, wil := f.account("ann", 25), f.account("wil", 0)
	worker := f.connect(wil)
	j := worker.leased(ann, "one")
	f.cancel(j.ID)
	worker.MustFail(j, atelier.FailDropped)
	if got := f.job(j.ID); got.State != atelier.JobCancelled || got.Attempt != 1 || strings.Contains(got.Error.Message, "twice") {
		t.Errorf("got %+v", got.Job)
	}
	f.wantBalance(ann, 25, 0)
}

// Many workers, many jobs: each job is done once and charged once.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		wil := f.account("wil", 0)
		var wallets []atelier.Wallet
		for i := range 5 {
			wallets = append(wallets, f.account(fmt.Sprint("a", i), 200))
		}
		const jobs = 100
		var (
			wg   sync.WaitGroup
			mu   sync.Mutex
			done = map[atelier.JobID]int{}
		)
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		for range 10 {
			worker := f.connect(wil)
			wg.Go(func() {
				for ctx.Err() == nil {
					j, err := f.Fleet.ClaimJob(ctx, wil, worker.ID, 5*time.Second)
					if j == nil {
						if err != nil && ctx.Err() == nil {
							t.Error(err)
						}
						continue
					}
					worker.Upload(j, "a0", "a1")
					if err := worker.complete(j, "a0", "a1"); err != nil {
						t.Error(err)
					}
					mu.Lock()
					done[j.ID]++
					if len(done) == jobs {
						stop()
					}
					mu.Unlock()
				}
			})
		}
		for i := range jobs {
			wg.Go(func() { f.mustSubmit(wallets[i%5], fmt.Sprint(i)) })
		}
		wg.Wait()
		for id, n := range done {
			if n != 1 {
				t.Errorf("job %s was done %d times", id, n)
			}
		}
		for _, w := range wallets {
			f.wantBalance(w, 0, 200)
		}
		f.Audit()
	})
}
