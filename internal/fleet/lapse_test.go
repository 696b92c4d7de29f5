package fleet_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// report makes a worker report in time for a duration. It returns the last error.
func (h hand) report(j *atelier.Job, d time.Duration) (err error) {
	const step = lease / 3
	for ; d > 0 && err == nil; d -= step {
		h.y.advance(step)
		_, err = h.progress(j, 0.5)
	}
	return err
}

// A worker that keeps reporting cannot hold a job without end: neither a cancelled one,
// nor one that takes too long.
func TestALeaseIsNotRenewedForEver(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o).freeze()
		ann, wil, eve := y.account("ann", 900), y.account("wil", 0), y.account("eve", 0)
		h := y.connect(eve)
		y.mustSubmit(ann, "unwanted")
		j := h.must()
		if err := h.report(j, 10*lease); err != nil {
			t.Fatal(err)
		}
		if err := y.cancel(j.ID); err != nil {
			t.Fatal(err)
		}
		if err := h.report(j, 2*lease); err != nil {
			t.Errorf("it had no time to stop: %v", err)
		}
		if err := y.cancel(j.ID); err != nil { // again: it has no more time for that
			t.Fatal(err)
		}
		if err := h.report(j, lease); !atelier.HasCode(err, atelier.CodeJobLost) {
			t.Errorf("after three leases: got %v, want that the job is lost", err)
		}
		if got := y.job(j.ID).State; got != atelier.JobCancelled {
			t.Errorf("it is %s", got)
		}
		y.want(ann, 900, 0)

		y.mustSubmit(ann, "long")
		j = h.must()
		if err := h.report(j, renderTimeout-lease); err != nil {
			t.Errorf("it had no time to render: %v", err)
		}
		if err := h.report(j, 2*lease); !atelier.HasCode(err, atelier.CodeJobLost) {
			t.Errorf("after the time it may take: got %v, want that the job is lost", err)
		}
		got := y.job(j.ID)
		if got.State != atelier.JobFailed || got.Error.Code != atelier.FailError || !strings.Contains(got.Error.Message, "longer than the limit of 30m") {
			t.Errorf("it is %s, %+v", got.State, got.Error)
		}
		y.want(ann, 900, 0)

		// One that stops reporting just then ends the same way.
		y.mustSubmit(ann, "silent at last")
		j = h.must()
		if err := h.report(j, renderTimeout-lease/3); err != nil {
			t.Fatal(err)
		}
		y.advance(lease)
		if err := y.e.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := y.job(j.ID); got.State != atelier.JobFailed || got.Error.Code != atelier.FailError {
			t.Errorf("it is %s, %+v", got.State, got.Error)
		}

		// What a vendor renders is asked for again instead.
		v := y.connect(wil)
		y.mustSubmit(ann, "at a vendor's")
		j = v.must()
		v.keep(j, "task 7")
		if err := y.cancel(j.ID); err != nil {
			t.Fatal(err)
		}
		if err := v.report(j, 5*lease); err != nil {
			t.Errorf("a vendor takes its time to stop: %v", err)
		}
		if err := v.report(j, renderTimeout); !atelier.HasCode(err, atelier.CodeJobLost) {
			t.Errorf("after the time it may take: %v", err)
		}
		if got := y.job(j.ID); got.State != atelier.JobQueued || got.Unresolved != 1 || got.ExternalRef != "task 7" {
			t.Errorf("it is %s with unresolved %d times and %q", got.State, got.Unresolved, got.ExternalRef)
		}
		y.want(ann, 890, 10)
		y.audit()
	})
}

// Leases that ran out while the node was away are not held against their workers:
// they have a lease's time to report.
func TestWorkersReportAfterAnOutage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		testOutage(t, newYard(t, o).freeze(), func(y *yard) { y.die() }, func(y *yard) { y.e = y.node() })
	})
}

// Nor while the database was.
func TestWorkersReportAfterTheDatabaseWasAway(t *testing.T) {
	t.Parallel()
	testOutage(t, newYard(t, storetest.Postgres(t)).freeze(), func(y *yard) {
		away, cancel := context.WithCancel(t.Context())
		cancel()
		if err := y.e.Expire(away); err == nil {
			t.Fatal("the database answered")
		}
	}, func(*yard) {})
}

func testOutage(t *testing.T, y *yard, begin, end func(*yard)) {
	t.Helper()
	ann, wil := y.account("ann", 900), y.account("wil", 0)
	faithful, gone := y.connect(wil), y.connect(wil)
	y.mustSubmit(ann, "kept")
	y.mustSubmit(ann, "dropped")
	kept, dropped := faithful.must(), gone.must()
	begin(y)
	y.advance(10 * lease)
	end(y)
	expire := func() {
		t.Helper()
		if err := y.e.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	expire()
	for _, id := range []atelier.JobID{kept.ID, dropped.ID} {
		if got := y.job(id); got.State != atelier.JobLeased || got.Attempt != 1 {
			t.Errorf("it is %s in attempt %d", got.State, got.Attempt)
		}
	}
	if _, err := faithful.progress(kept, 0.5); err != nil {
		t.Errorf("the worker that is still there: %v", err)
	}
	y.advance(lease - time.Second)
	if _, err := faithful.progress(kept, 0.6); err != nil {
		t.Error(err)
	}
	y.advance(2 * time.Second)
	expire()
	if got := y.job(dropped.ID); got.State != atelier.JobQueued || got.Attempt != 2 {
		t.Errorf("of the worker that is gone: %s in attempt %d", got.State, got.Attempt)
	}
	if err := faithful.send(y.e, kept, "a0", "a1"); err != nil {
		t.Errorf("what was rendered meanwhile: %v", err)
	}
	y.audit()
}
