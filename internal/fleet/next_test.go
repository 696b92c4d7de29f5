package fleet_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// next asks for a job to go on with.
func (h hand) next() *atelier.Job {
	h.y.t.Helper()
	a, err := h.y.e.Next(context.Background(), h.w, h.id)
	if err != nil {
		h.y.t.Fatalf("next: %v", err)
	}
	if a == nil {
		return nil
	}
	j := h.y.job(a.JobID).Job
	return &j
}

// Whoever completes a job and asks for the next gets what a claim would get,
// in the same turn, and never more than it can hold.
func TestNext(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, bob, wil := y.account("ann", 900), y.account("bob", 900), y.account("wil", 0)
		h := y.connect(wil)
		if j := h.next(); j != nil {
			t.Errorf("of an empty queue came %+v", j)
		}
		y.mustSubmit(ann, "ann0")
		y.mustSubmit(ann, "ann1")
		y.mustSubmit(bob, "bob0")
		y.mustSubmit(bob, "other", func(s *fleet.Submission) { s.Spec.ModelID = "another" })
		var came []string
		for j := h.next(); j != nil; j = h.next() {
			came = append(came, j.Owner.Part)
			if j.State != atelier.JobLeased || j.WorkerID != h.id || j.Attempt != 1 || !j.Lease.After(y.now()) {
				t.Errorf("it got %+v", j)
			}
			if more := h.next(); more != nil {
				t.Errorf("a full worker got %+v", more)
			}
			if err := h.send(y.e, j, "a0", "a1"); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(came, " "); got != "ann0 bob0 ann1" {
			t.Errorf("it got %s, want ann0 bob0 ann1", got)
		}
		y.want(ann, 880, 20)
		y.audit()
		want := "started ann0 1, completed/2 ann0 1, started bob0 1, completed/2 bob0 1, started ann1 1, completed/2 ann1 1"
		if got := y.heard(); got != want {
			t.Errorf("heard %s", got)
		}
	})
}

// A worker that is to take no more jobs, or of a node that goes, gets none.
func TestNextOfWhoLeaves(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil, eve := y.account("ann", 900), y.account("wil", 0), y.account("eve", 0)
		h := y.connect(wil)
		y.mustSubmit(ann, "one")
		for _, drained := range []bool{true, false} {
			if err := y.e.DrainWorker(t.Context(), h.id, drained); err != nil {
				t.Fatal(err)
			}
			y.advance(lease/2 + time.Second) // the node asks again
			if j := h.next(); (j == nil) != drained {
				t.Errorf("drained %v: got %+v", drained, j)
			}
		}
		for name, ask := range map[string]func() (*fleet.Assignment, error){
			"another's worker": func() (*fleet.Assignment, error) { return y.e.Next(t.Context(), eve, h.id) },
			"no worker":        func() (*fleet.Assignment, error) { return y.e.Next(t.Context(), wil, "none") },
		} {
			if j, err := ask(); j != nil || !atelier.HasCode(err, atelier.CodeNotFound) {
				t.Errorf("%s: got %+v, %v, want not found", name, j, err)
			}
		}
		y.mustSubmit(ann, "two")
		free := y.connect(wil)
		y.e.Drain()
		if j := free.next(); j != nil {
			t.Errorf("a node that goes gave %+v", j)
		}
	})
}

// A caller that has left gets nothing: its job waits on, uncounted.
func TestNextOfWhoHasLeft(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	ann, wil := y.account("ann", 900), y.account("wil", 0)
	h := y.connect(wil)
	y.mustSubmit(ann, "one")
	gone, leave := context.WithCancel(t.Context())
	leave()
	if j, err := y.e.Next(gone, wil, h.id); j != nil || err != nil {
		t.Errorf("a caller that left got %+v, %v", j, err)
	}
	if j := h.next(); j == nil || j.Attempt != 1 {
		t.Errorf("then came %+v, want the first attempt", j)
	}
	y.want(ann, 890, 10)
	y.audit()
}
