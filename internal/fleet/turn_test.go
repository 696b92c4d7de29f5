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

// render takes the next job, does it for as long as its owner's jobs take, and
// says whose it was.
func (h hand) render() string {
	h.y.t.Helper()
	j := h.must()
	if strings.HasPrefix(j.Owner.Part, "long") {
		if err := h.report(j, long); err != nil {
			h.y.t.Fatal(err)
		}
	} else {
		h.y.advance(quick)
	}
	if err := h.send(h.y.e, j, "a0", "a1"); err != nil {
		h.y.t.Fatal(err)
	}
	return j.Owner.Part
}

// heavies are accounts that have queued some long jobs each.
func (y *yard) heavies(accounts, jobs int) {
	y.t.Helper()
	var wallets []atelier.Wallet
	for i := range accounts {
		wallets = append(wallets, y.account(fmt.Sprint("long", i), 1<<40))
	}
	for range jobs {
		for i, w := range wallets {
			y.mustSubmit(w, fmt.Sprint("long", i))
		}
	}
}

// Twenty accounts of long jobs have all the machines. Somebody who comes with a
// few quick ones is served next, as soon as a machine is free.
func TestQuickJobsGoBetweenLongOnes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o).freeze()
		wil, ann := y.account("wil", 0), y.account("ann", 900)
		y.heavies(20, 3)
		var hands []hand
		var jobs []*atelier.Job
		for range 20 {
			h := y.connect(wil)
			hands, jobs = append(hands, h), append(jobs, h.must())
		}
		for range 10 { // they are all at it, for fifty seconds
			y.advance(5 * time.Second)
			for i, h := range hands {
				if _, err := h.progress(jobs[i], 0.5); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i := range 3 {
			y.mustSubmit(ann, fmt.Sprint("quick", i))
		}
		if err := hands[7].send(y.e, jobs[7], "a0", "a1"); err != nil {
			t.Fatal(err)
		}
		var got []string
		for range 4 {
			j := hands[7].must()
			got = append(got, j.Owner.Part)
			if err := hands[7].send(y.e, j, "a0", "a1"); err != nil {
				t.Fatal(err)
			}
		}
		if want := "quick0 quick1 quick2 long"; !strings.HasPrefix(strings.Join(got, " "), want) {
			t.Errorf("the machine that was free rendered %q, want %s…", got, want)
		}
	})
}

// So it is when each of them waits for a machine: that a job of theirs takes
// long is known by those before it.
func TestANewcomerDoesNotWaitForEverybody(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o).freeze()
		wil, ann := y.account("wil", 0), y.account("ann", 900)
		y.heavies(20, 30)
		h := y.connect(wil)
		first := map[string]bool{}
		for range 20 {
			first[h.render()] = true
		}
		if len(first) != 20 {
			t.Errorf("%d of 20 accounts were served in the first round", len(first))
		}
		for range 20 {
			h.render()
		}
		h.render() // the third round has begun
		for i := range 5 {
			y.mustSubmit(ann, fmt.Sprint("quick", i))
		}
		var got []string
		for range 6 {
			got = append(got, h.render())
		}
		if want := "quick0 quick1 quick2 quick3 quick4 long"; !strings.HasPrefix(strings.Join(got, " "), want) {
			t.Errorf("the machine rendered %q, want %s…", got, want)
		}
		// And no account is forgotten.
		rest := map[string]bool{}
		for range 20 {
			rest[h.render()] = true
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
		y := newYard(t, o).freeze()
		wil, ann, bob := y.account("wil", 0), y.account("ann", 1<<40), y.account("bob", 1<<40)
		for i := range 6 {
			y.mustSubmit(bob, fmt.Sprintf("long%02d", i))
		}
		for i := range 40 {
			y.mustSubmit(ann, fmt.Sprintf("quick%02d", i))
		}
		h := y.connect(wil)
		var all, slow, swift []string
		for range 30 {
			part := h.render()
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

// A backlog of one account does not make claims dear: however much time it has
// used, what is moved in the queue is about what it has used of it.
func TestALongBacklogIsServed(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t)).freeze()
	wil, ann, bob := y.account("wil", 0), y.account("ann", 1<<40), y.account("bob", 1<<40)
	for i := range 300 {
		y.mustSubmit(bob, fmt.Sprintf("long%03d", i))
	}
	h := y.connect(wil)
	var got []string
	for range 3 {
		got = append(got, h.render())
	}
	y.mustSubmit(ann, "quick")
	got = append(got, h.render(), h.render())
	if want := "long000 long001 long002 quick long003"; strings.Join(got, " ") != want {
		t.Errorf("rendered %q, want %s", got, want)
	}
	front, last := y.job(y.find("long004")).Turn, y.job(y.find("long299")).Turn
	if last > 301 || front > last+200 {
		t.Errorf("the next job is at %d, the last one at %d: all of them were moved", front, last)
	}
}

// find is the id of a job.
func (y *yard) find(part string) (id atelier.JobID) {
	y.t.Helper()
	err := y.db.Read(y.t.Context(), func(tx *store.Tx) error {
		jobs, err := tx.JobsOf(atelier.JobOwner{Kind: owner, ID: "o"})
		for _, j := range jobs {
			if j.Owner.Part == part {
				id = j.ID
			}
		}
		return err
	})
	if err != nil || id == "" {
		y.t.Fatalf("no job %s: %v", part, err)
	}
	return id
}
