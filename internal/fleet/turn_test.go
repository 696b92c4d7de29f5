package fleet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// long is how long a long render takes, and quick a quick one.
const (
	long  = time.Minute
	quick = time.Second
)

// The workers of these tests connect before jobs are queued. Jobs queued without a worker
// are marked, and the mark is removed when one connects; on PostgreSQL a claim passes over
// the row that is being changed, and takes the next.

// render claims the next job, renders it for as long as the jobs of its account
// take, and returns the account.
func (w testWorker) render() string {
	w.f.T.Helper()
	j := w.MustClaim()
	if strings.HasPrefix(j.Owner.Part, "long") {
		if err := w.report(j, long); err != nil {
			w.f.T.Fatal(err)
		}
	} else {
		w.f.Advance(quick)
	}
	w.mustSend(j)
	return j.Owner.Part
}

// heavies are accounts that have queued some long jobs each.
func (f *fixture) heavies(accounts, jobs int) {
	f.T.Helper()
	var wallets []atelier.Wallet
	for i := range accounts {
		wallets = append(wallets, f.account(fmt.Sprint("long", i), 1<<40))
	}
	for range jobs {
		for i, w := range wallets {
			f.mustSubmit(w, fmt.Sprint("long", i))
		}
	}
}

// Twenty accounts with long jobs occupy all workers. An account with a few quick
// jobs is served next, as soon as a worker is free.
func TestQuickJobsGoBetweenLongOnes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		wil, ann := f.account("wil", 0), f.account("ann", 900)
		var workers []testWorker
		for range 20 {
			workers = append(workers, f.connect(wil))
		}
		f.heavies(20, 3)
		var jobs []*atelier.Job
		for _, worker := range workers {
			jobs = append(jobs, worker.MustClaim())
		}
		for range 10 { // all of them render for fifty seconds
			f.Advance(5 * time.Second)
			for i, worker := range workers {
				if _, err := worker.progress(jobs[i], 0.5); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i := range 3 {
			f.mustSubmit(ann, fmt.Sprint("quick", i))
		}
		workers[7].mustSend(jobs[7])
		var got []string
		for range 4 {
			j := workers[7].MustClaim()
			got = append(got, j.Owner.Part)
			workers[7].mustSend(j)
		}
		if want := "quick0 quick1 quick2 long"; !strings.HasPrefix(strings.Join(got, " "), want) {
			t.Errorf("the free worker rendered %q, want %s…", got, want)
		}
	})
}

// The same holds when their jobs are queued: the earlier jobs of an account show
// how long its jobs take.
func TestANewAccountDoesNotWaitForAllOthers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		wil, ann := f.account("wil", 0), f.account("ann", 900)
		worker := f.connect(wil)
		f.heavies(20, 6)
		first := map[string]bool{}
		for range 20 {
			first[worker.render()] = true
		}
		if len(first) != 20 {
			t.Errorf("%d of 20 accounts were served in the first round", len(first))
		}
		for range 20 {
			worker.render()
		}
		worker.render() // the third round has begun
		for i := range 5 {
			f.mustSubmit(ann, fmt.Sprint("quick", i))
		}
		var got []string
		for range 6 {
			got = append(got, worker.render())
		}
		if want := "quick0 quick1 quick2 quick3 quick4 long"; !strings.HasPrefix(strings.Join(got, " "), want) {
			t.Errorf("the worker rendered %q, want %s…", got, want)
		}
		// All other accounts are served too.
		rest := map[string]bool{}
		for range 20 {
			rest[worker.render()] = true
		}
		if len(rest) < 19 {
			t.Errorf("what followed went to %d accounts", len(rest))
		}
	})
}

// An account of long jobs and one of quick ones, both with many, share a machine
// by time rather than by jobs, and the jobs of one account stay in order.
func TestTurnsCountTime(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		wil, ann, bob := f.account("wil", 0), f.account("ann", 1<<40), f.account("bob", 1<<40)
		worker := f.connect(wil)
		for i := range 6 {
			f.mustSubmit(bob, fmt.Sprintf("long%02d", i))
		}
		for i := range 40 {
			f.mustSubmit(ann, fmt.Sprintf("quick%02d", i))
		}
		var all, slow, swift []string
		for range 30 {
			part := worker.render()
			all = append(all, part)
			if strings.HasPrefix(part, "long") {
				slow = append(slow, part)
			} else {
				swift = append(swift, part)
			}
		}
		if len(slow) < 2 || len(slow) > 5 {
			t.Errorf("of 30 renders %d were long: %q", len(slow), all)
		}
		if !slices.IsSorted(slow) || !slices.IsSorted(swift) {
			t.Errorf("an account's jobs came out of order: %q", all)
		}
	})
}

// A backlog of one account does not make claims expensive: the number of jobs that
// move in the queue depends on the time it has used, not on the backlog.
func TestALongBacklogIsServed(t *testing.T) {
	t.Parallel()
	f := newFrozenFixture(t, storetest.SQLite(t))
	wil, ann, bob := f.account("wil", 0), f.account("ann", 1<<40), f.account("bob", 1<<40)
	for i := range 300 {
		f.mustSubmit(bob, fmt.Sprintf("long%03d", i))
	}
	worker := f.connect(wil)
	var got []string
	for range 3 {
		got = append(got, worker.render())
	}
	f.mustSubmit(ann, "quick")
	got = append(got, worker.render(), worker.render())
	if want := "long000 long001 long002 quick long003"; strings.Join(got, " ") != want {
		t.Errorf("rendered %q, want %s", got, want)
	}
	front, last := f.job(f.find("long004")).Turn, f.job(f.find("long299")).Turn
	if last > 301 || front > last+200 {
		t.Errorf("the next job is at %d, the last one at %d: all of them were moved", front, last)
	}
}

// find is the id of a job.
func (f *fixture) find(part string) (id atelier.JobID) {
	f.T.Helper()
	err := f.DB.Read(f.T.Context(), func(tx *store.Tx) error {
		jobs, err := storetest.JobsOf(tx, atelier.JobOwner{Kind: owner, ID: "o"})
		for _, j := range jobs {
			if j.Owner.Part == part {
				id = j.ID
			}
		}
		return err
	})
	if err != nil || id == "" {
		f.T.Fatalf("no job %s: %v", part, err)
	}
	return id
}

// Accounts take turns, however many jobs one of them brings.
func TestAccountsTakeTurns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, bob, cat, wil := f.account("ann", 900), f.account("bob", 900), f.account("cat", 900), f.account("wil", 0)
		worker := f.connect(wil)
		for i := range 4 {
			f.mustSubmit(ann, fmt.Sprint("ann", i))
		}
		for i := range 2 {
			f.mustSubmit(bob, fmt.Sprint("bob", i))
		}
		f.mustSubmit(cat, "cat0")
		if got := worker.claimOrder(7); got != "ann0 bob0 cat0 ann1 bob1 ann2 ann3" {
			t.Errorf("order: %s", got)
		}
	})
}

// An account whose queue was empty does not come after those that joined later.
func TestTurnsContinueAfterAPause(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, bob, wil := f.account("ann", 900), f.account("bob", 900), f.account("wil", 0)
		worker := f.connect(wil)
		for i := range 5 {
			f.mustSubmit(ann, fmt.Sprint("early", i))
			worker.MustFail(worker.MustClaim(), atelier.FailError)
		}
		for i := range 3 {
			f.mustSubmit(bob, fmt.Sprint("bob", i))
		}
		f.mustSubmit(ann, "ann")
		if got := worker.claimOrder(4); got != "bob0 ann bob1 bob2" {
			t.Errorf("order: %s", got)
		}
	})
}
