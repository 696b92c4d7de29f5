package fleet_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A worker that completes a job and claims the next gets the same job as by a
// claim, in the same turn, and never more than it can hold.
func TestNext(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, bob, wil := f.account("ann", 900), f.account("bob", 900), f.account("wil", 0)
		worker := f.connect(wil)
		if j := worker.next(); j != nil {
			t.Errorf("of an empty queue parts %+v", j)
		}
		f.mustSubmit(ann, "ann0")
		f.mustSubmit(ann, "ann1")
		f.mustSubmit(bob, "bob0")
		f.mustSubmit(bob, "other", func(s *fleet.Submission) { s.Spec.ModelID = "another" })
		var parts []string
		for j := worker.next(); j != nil; j = worker.next() {
			parts = append(parts, j.Owner.Part)
			if j.State != atelier.JobLeased || j.WorkerID != worker.ID || j.Attempt != 1 || !j.Lease.After(f.Now()) {
				t.Errorf("it got %+v", j)
			}
			if more := worker.next(); more != nil {
				t.Errorf("a full worker got %+v", more)
			}
			worker.mustSend(j)
		}
		if got := strings.Join(parts, " "); got != "ann0 bob0 ann1" {
			t.Errorf("it got %s, want ann0 bob0 ann1", got)
		}
		f.wantBalance(ann, 880, 20)
		f.Audit()
		want := "started ann0 1, completed/2 ann0 1, started bob0 1, completed/2 bob0 1, started ann1 1, completed/2 ann1 1"
		if got := f.hookLog(); got != want {
			t.Errorf("the hooks logged %s", got)
		}
	})
}

// A worker that drains, or is connected to a node that shuts down, gets no next
// job.
func TestNextWhileDraining(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
		worker := f.connect(wil)
		f.mustSubmit(ann, "one")
		for _, drained := range []bool{true, false} {
			if err := f.Fleet.DrainWorker(t.Context(), worker.ID, drained, nil); err != nil {
				t.Fatal(err)
			}
			f.Advance(lease/2 + time.Second) // the node reads the worker again
			if j := worker.next(); (j == nil) != drained {
				t.Errorf("drained %v: got %+v", drained, j)
			}
		}
		for name, ask := range map[string]func() (*apitype.Assignment, error){
			"another's worker": func() (*apitype.Assignment, error) { return f.Fleet.Next(t.Context(), eve, worker.ID) },
			"no worker":        func() (*apitype.Assignment, error) { return f.Fleet.Next(t.Context(), wil, "none") },
		} {
			if j, err := ask(); j != nil || !atelier.HasCode(err, atelier.CodeNotFound) {
				t.Errorf("%s: got %+v, %v, want not found", name, j, err)
			}
		}
		f.mustSubmit(ann, "two")
		free := f.connect(wil)
		f.Fleet.Drain()
		if j := free.next(); j != nil {
			t.Errorf("a node that shuts down gave %+v", j)
		}
	})
}

// A caller that has left gets no job: the job stays queued, and the attempt is not
// counted.
func TestNextAfterTheCallerLeft(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	ann, wil := f.account("ann", 900), f.account("wil", 0)
	worker := f.connect(wil)
	f.mustSubmit(ann, "one")
	gone, leave := context.WithCancel(t.Context())
	leave()
	if j, err := f.Fleet.Next(gone, wil, worker.ID); j != nil || err != nil {
		t.Errorf("a caller that left got %+v, %v", j, err)
	}
	if j := worker.next(); j == nil || j.Attempt != 1 {
		t.Errorf("then parts %+v, want the first attempt", j)
	}
	f.wantBalance(ann, 890, 10)
	f.Audit()
}
