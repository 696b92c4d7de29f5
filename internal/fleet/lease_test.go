package fleet_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A worker that keeps reporting cannot hold a job without end: neither a cancelled one,
// nor one that takes too long.
func TestALeaseIsNotRenewedForever(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
		worker := f.connect(eve)
		j := worker.leased(ann, "unwanted")
		if err := worker.report(j, 10*lease); err != nil {
			t.Fatal(err)
		}
		f.cancel(j.ID)
		if err := worker.report(j, 2*lease); err != nil {
			t.Errorf("it had no time to stop: %v", err)
		}
		f.cancel(j.ID) // a second cancel gives no more time
		if err := worker.report(j, lease); !atelier.HasCode(err, atelier.CodeJobLost) {
			t.Errorf("after three leases: got %v, want that the job is lost", err)
		}
		if got := f.job(j.ID).State; got != atelier.JobCancelled {
			t.Errorf("it is %s", got)
		}
		f.wantBalance(ann, 900, 0)

		j = worker.leased(ann, "long")
		if err := worker.report(j, renderTimeout-lease); err != nil {
			t.Errorf("it had no time to render: %v", err)
		}
		if err := worker.report(j, 2*lease); !atelier.HasCode(err, atelier.CodeJobLost) {
			t.Errorf("after the time it may take: got %v, want that the job is lost", err)
		}
		got := f.job(j.ID)
		if got.State != atelier.JobFailed || got.Error.Code != atelier.FailError || !strings.Contains(got.Error.Message, "longer than the limit of 30m") {
			t.Errorf("it is %s, %+v", got.State, got.Error)
		}
		f.wantBalance(ann, 900, 0)

		// A worker that stops reporting at that time has the same outcome.
		j = worker.leased(ann, "silent at last")
		if err := worker.report(j, renderTimeout-lease/3); err != nil {
			t.Fatal(err)
		}
		f.Advance(lease)
		f.expire()
		if got := f.job(j.ID); got.State != atelier.JobFailed || got.Error.Code != atelier.FailError {
			t.Errorf("it is %s, %+v", got.State, got.Error)
		}

		// A job at a vendor is requeued as unresolved instead.
		v := f.connect(wil)
		j = v.leased(ann, "at a vendor's")
		v.recordRef(j, "task 7")
		f.cancel(j.ID)
		if err := v.report(j, 5*lease); err != nil {
			t.Errorf("a vendor takes its time to stop: %v", err)
		}
		if err := v.report(j, renderTimeout); !atelier.HasCode(err, atelier.CodeJobLost) {
			t.Errorf("after the time it may take: %v", err)
		}
		if got := f.job(j.ID); got.State != atelier.JobQueued || got.Unresolved != 1 || got.ExternalRef != "task 7" {
			t.Errorf("it is %s with unresolved %d times and %q", got.State, got.Unresolved, got.ExternalRef)
		}
		f.wantBalance(ann, 890, 10)
		f.Audit()
	})
}

// Leases that expired while the node was down do not count: their workers have one
// lease of time to report.
func TestWorkersReportAfterAnOutage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		testOutage(t, newFrozenFixture(t, o), func(f *fixture) { f.stopNode() }, func(f *fixture) { f.Fleet = f.startNode() })
	})
}

// The same when the database was unavailable.
func TestWorkersReportAfterADatabaseOutage(t *testing.T) {
	t.Parallel()
	testOutage(t, newFrozenFixture(t, storetest.Postgres(t)), func(f *fixture) {
		away, cancel := context.WithCancel(t.Context())
		cancel()
		if err := f.Fleet.Expire(away); err == nil {
			t.Fatal("the database answered")
		}
	}, func(*fixture) {})
}

func testOutage(t *testing.T, f *fixture, begin, end func(*fixture)) {
	t.Helper()
	ann, wil := f.account("ann", 900), f.account("wil", 0)
	faithful, gone := f.connect(wil), f.connect(wil)
	f.mustSubmit(ann, "kept")
	f.mustSubmit(ann, "dropped")
	kept, dropped := faithful.MustClaim(), gone.MustClaim()
	begin(f)
	f.Advance(10 * lease)
	end(f)
	expire := func() {
		t.Helper()
		f.expire()
	}
	expire()
	for _, id := range []atelier.JobID{kept.ID, dropped.ID} {
		if got := f.job(id); got.State != atelier.JobLeased || got.Attempt != 1 {
			t.Errorf("it is %s in attempt %d", got.State, got.Attempt)
		}
	}
	if _, err := faithful.progress(kept, 0.5); err != nil {
		t.Errorf("the worker that is still there: %v", err)
	}
	f.Advance(lease - time.Second)
	if _, err := faithful.progress(kept, 0.6); err != nil {
		t.Error(err)
	}
	f.Advance(2 * time.Second)
	expire()
	if got := f.job(dropped.ID); got.State != atelier.JobQueued || got.Attempt != 2 {
		t.Errorf("of the worker that is gone: %s in attempt %d", got.State, got.Attempt)
	}
	if err := faithful.send(kept, "a0", "a1"); err != nil {
		t.Errorf("what was rendered meanwhile: %v", err)
	}
	f.Audit()
}

// A worker that stops reporting loses its job; its later reports are refused.
func TestLeasesEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		slow, quick := f.connect(wil), f.connect(wil)
		lost := slow.leased(ann, "one")
		slow.Upload(lost, "a0", "a1")
		f.Advance(lease + time.Second)
		if err := f.Fleet.Heartbeat(t.Context(), wil, quick.ID, apitype.Heartbeat{}); err != nil { // it stays connected
			t.Fatal(err)
		}
		f.expire()
		j := quick.MustClaim()
		if j.ID != lost.ID || j.Attempt != 2 {
			t.Fatalf("the second attempt: %+v", j)
		}
		if _, err := slow.progress(lost, 0.9); !atelier.HasCode(err, atelier.CodeJobLost) {
			t.Errorf("late progress: %v", err)
		}
		if err := slow.complete(lost, "a0", "a1"); err == nil {
			t.Error("a late answer was accepted")
		}
		if err := slow.Fail(lost, atelier.FailError); !atelier.HasCode(err, atelier.CodeJobLost) {
			t.Errorf("a late failure: %v", err)
		}
		quick.finish(j)
		f.wantBalance(ann, 15, 10)
		f.Audit()
	})
}

// A worker that was silent and takes a job again is not removed by a node that has not heard so yet: its
// lease has just begun.
func TestAWorkerThatComesBackKeepsItsJob(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		other, _ := f.NewFleet()
		ann, eve := f.account("ann", 900), f.account("eve", 0)
		worker := f.connect(eve)
		if err := f.Fleet.RecordPresence(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.Advance(2 * lease)
		j := worker.leased(ann, "again")
		f.Advance(lease / 2)
		if err := other.RecordPresence(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := worker.progress(j, 0.5); err != nil {
			t.Errorf("it has lost its job within the lease: %v", err)
		}
		f.Advance(2 * lease)
		if err := other.RecordPresence(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := worker.progress(j, 0.6); err == nil {
			t.Error("a worker that was silent for longer than its lease still has its job")
		}
	})
}
