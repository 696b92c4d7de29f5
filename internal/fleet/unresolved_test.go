package fleet_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// An unresolved job keeps its money and its ExternalRef, is leased again after a while,
// as the same attempt, and is charged once.
func TestUnresolvedJobs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		worker := f.connect(wil)
		j := worker.leased(ann, "one")
		if j.ExternalRef != "" {
			t.Errorf("a new job has the receipt %q", j.ExternalRef)
		}
		worker.recordRef(j, "task 7")
		for i, wait := range []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second} {
			worker.MustFail(j, atelier.FailUnknown)
			f.wantBalance(ann, 15, 10)
			if early := worker.Claim(0); early != nil {
				t.Fatalf("it was offered again at once: %+v", early)
			}
			f.Advance(wait)
			if j = worker.MustClaim(); j.ExternalRef != "task 7" || j.Attempt != 1 || j.Unresolved != i+1 {
				t.Fatalf("it came back as %+v", j)
			}
		}
		worker.finish(j)
		f.wantBalance(ann, 15, 10)
		f.Audit()
		if got, want := f.hookLog(), "started one 1, progressed one 1, progressed one 1, started one 1, progressed one 1, started one 1, progressed one 1, started one 1, completed/2 one 1"; got != want {
			t.Errorf("the hooks logged %s\nwant %s", got, want)
		}
	})
}

// A worker that records an ExternalRef and stops reporting has not dropped its job: the
// vendor may render it. One that reports a drop knows that it does not.
func TestExternalRefsOutliveWorkers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		silent := f.connect(wil)
		f.mustSubmit(ann, "one")
		silent.recordRef(silent.MustClaim(), "task 7")
		f.Advance(lease + time.Second)
		f.expire()
		f.wantBalance(ann, 15, 10)
		f.Advance(time.Minute)
		if err := f.Fleet.RemoveSilent(t.Context()); err != nil { // a job that was dropped would be left to it
			t.Fatal(err)
		}
		leaving := f.connect(wil)
		if j := leaving.MustClaim(); j.ExternalRef != "task 7" || j.Attempt != 1 {
			t.Fatalf("after silence: %+v", j)
		}
		if err := f.Fleet.Disconnect(t.Context(), wil, leaving.ID); err != nil {
			t.Fatal(err)
		}
		f.Advance(time.Hour)
		knowing := f.connect(wil)
		j := knowing.MustClaim()
		if j.ExternalRef != "task 7" || j.Attempt != 1 {
			t.Fatalf("after a worker left: %+v", j)
		}
		knowing.MustFail(j, atelier.FailDropped)
		if j = knowing.MustClaim(); j.ExternalRef != "" || j.Attempt != 2 {
			t.Fatalf("after a drop: %+v", j)
		}
		knowing.MustFail(j, atelier.FailError)
		f.wantBalance(ann, 25, 0)
		f.Audit()
	})
}

// A worker whose renderer is away does not know what a vendor has rendered: a job that comes
// back from it keeps its ExternalRef and its money, however often it does, also when it was
// cancelled.
func TestExternalRefsOutliveUnavailability(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		worker := f.connect(wil)
		j := worker.leased(ann, "one")
		worker.recordRef(j, "task 7")
		for n := range 5 {
			if n == 4 {
				f.cancel(j.ID)
			}
			worker.failWith(j, atelier.FailUnavailable, away)
			f.wantBalance(ann, 15, 10)
			f.Advance(time.Hour)
			worker = f.connect(wil)
			if j = worker.MustClaim(); j.ExternalRef != "task 7" || j.Attempt != 1 {
				t.Fatalf("it came back as %+v", j)
			}
		}
		f.Audit()
	})
}

// A cancel of an unresolved job refunds nothing; it makes the job available at once, and
// the worker that gets it stops it.
func TestCancelUnresolved(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		worker := f.connect(wil)
		j := worker.leased(ann, "one")
		worker.recordRef(j, "task 7")
		worker.MustFail(j, atelier.FailUnknown)
		var inFlight bool
		if err := f.DB.Write(t.Context(), func(tx *store.Tx) (err error) { inFlight, err = f.Fleet.Cancel(tx, j.ID); return err }); err != nil || !inFlight {
			t.Fatalf("in flight is %v, %v", inFlight, err)
		}
		f.wantBalance(ann, 15, 10)
		j = worker.MustClaim()
		if s, err := worker.progress(j, 0); err != nil || !s.Cancel {
			t.Errorf("the worker was not asked to stop: %+v, %v", s, err)
		}
		worker.MustFail(j, atelier.FailUnknown) // the outcome is still unknown
		f.wantBalance(ann, 15, 10)
		f.Advance(time.Hour)
		worker.MustFail(worker.MustClaim(), atelier.FailError)
		if got := f.job(j.ID).State; got != atelier.JobCancelled {
			t.Errorf("it ended as %s", got)
		}
		f.wantBalance(ann, 25, 0)
		// A vendor that has rendered the job despite the cancel is paid.
		j = worker.leased(ann, "two")
		worker.recordRef(j, "task 8")
		if err := f.DB.Write(t.Context(), func(tx *store.Tx) (err error) { _, err = f.Fleet.Cancel(tx, j.ID); return err }); err != nil {
			t.Fatal(err)
		}
		worker.finish(j)
		if got := f.job(j.ID).State; got != atelier.JobCompleted {
			t.Errorf("it ended as %s", got)
		}
		f.wantBalance(ann, 15, 10)
		f.Audit()
	})
}

// An operator ends a job that the vendor did not render.
func TestResolve(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil := f.account("ann", 25), f.account("wil", 0)
		worker := f.connect(wil)
		j := worker.leased(ann, "one")
		giveUp := func() error {
			return f.DB.Write(t.Context(), func(tx *store.Tx) error { return tx.ResolveJob(j.ID) })
		}
		if err := giveUp(); err == nil {
			t.Error("a job that is being rendered was given up")
		}
		worker.recordRef(j, "task 7")
		worker.MustFail(j, atelier.FailUnknown)
		f.expire()
		f.wantBalance(ann, 15, 10) // time alone changes nothing
		if err := giveUp(); err != nil {
			t.Fatal(err)
		}
		f.expire()
		f.wantBalance(ann, 25, 0)
		f.Audit()
		if got := f.job(j.ID); got.State != atelier.JobFailed || got.Error.Message == "" {
			t.Errorf("it ended as %s, %+v", got.State, got.Error)
		}
		if err := giveUp(); err == nil {
			t.Error("a job that is over was given up")
		}
	})
}
