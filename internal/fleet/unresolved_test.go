package fleet_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// keep makes a worker record an ExternalRef.
func (h hand) keep(j *atelier.Job, ref string) {
	h.y.t.Helper()
	if _, err := h.y.e.Progress(h.y.t.Context(), h.w, h.id, j.ID, fleet.ProgressReport{Message: "sent", ExternalRef: ref}); err != nil {
		h.y.t.Fatal(err)
	}
}

// An unresolved job keeps its money and its ExternalRef, is leased again after a while,
// as the same attempt, and is charged once.
func TestUnresolvedJobs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 25), y.account("wil", 0)
		h := y.connect(wil)
		y.mustSubmit(ann, "one")
		j := h.must()
		if j.ExternalRef != "" {
			t.Errorf("a new job has the receipt %q", j.ExternalRef)
		}
		h.keep(j, "task 7")
		for i, wait := range []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second} {
			if err := h.fail(j, atelier.FailUnknown); err != nil {
				t.Fatal(err)
			}
			y.want(ann, 15, 10)
			if early := h.claim(0); early != nil {
				t.Fatalf("it was asked for again at once: %+v", early)
			}
			y.advance(wait)
			if j = h.must(); j.ExternalRef != "task 7" || j.Attempt != 1 || j.Unresolved != i+1 {
				t.Fatalf("it came back as %+v", j)
			}
		}
		h.upload(j, "a0", "a1")
		if err := h.complete(j, "a0", "a1"); err != nil {
			t.Fatal(err)
		}
		y.want(ann, 15, 10)
		y.audit()
		if got, want := y.heard(), "started one 1, progressed one 1, progressed one 1, started one 1, progressed one 1, started one 1, progressed one 1, started one 1, completed/2 one 1"; got != want {
			t.Errorf("heard %s\nwant %s", got, want)
		}
	})
}

// A worker that records an ExternalRef and stops reporting has not dropped its job: the
// vendor may render it. One that reports a drop knows that it does not.
func TestExternalRefsOutliveWorkers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 25), y.account("wil", 0)
		silent := y.connect(wil)
		y.mustSubmit(ann, "one")
		silent.keep(silent.must(), "task 7")
		y.advance(lease + time.Second)
		if err := y.e.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		y.want(ann, 15, 10)
		y.advance(time.Minute)
		leaving := y.connect(wil)
		if j := leaving.must(); j.ExternalRef != "task 7" || j.Attempt != 1 {
			t.Fatalf("after silence: %+v", j)
		}
		if err := y.e.Disconnect(t.Context(), wil, leaving.id); err != nil {
			t.Fatal(err)
		}
		y.advance(time.Hour)
		knowing := y.connect(wil)
		j := knowing.must()
		if j.ExternalRef != "task 7" || j.Attempt != 1 {
			t.Fatalf("after a worker left: %+v", j)
		}
		if err := knowing.fail(j, atelier.FailDropped); err != nil {
			t.Fatal(err)
		}
		if j = knowing.must(); j.ExternalRef != "" || j.Attempt != 2 {
			t.Fatalf("after a drop: %+v", j)
		}
		if err := knowing.fail(j, atelier.FailError); err != nil {
			t.Fatal(err)
		}
		y.want(ann, 25, 0)
		y.audit()
	})
}

// A cancel of an unresolved job refunds nothing; it makes the job available at once, and
// the worker that gets it stops it.
func TestCancelUnresolved(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 25), y.account("wil", 0)
		h := y.connect(wil)
		y.mustSubmit(ann, "one")
		j := h.must()
		h.keep(j, "task 7")
		if err := h.fail(j, atelier.FailUnknown); err != nil {
			t.Fatal(err)
		}
		var inFlight bool
		if err := y.db.Write(t.Context(), func(tx *store.Tx) (err error) { inFlight, err = y.e.Cancel(tx, j.ID); return err }); err != nil || !inFlight {
			t.Fatalf("in flight is %v, %v", inFlight, err)
		}
		y.want(ann, 15, 10)
		j = h.must()
		if s, err := h.progress(j, 0); err != nil || !s.Cancel {
			t.Errorf("the worker was not told: %+v, %v", s, err)
		}
		if err := h.fail(j, atelier.FailUnknown); err != nil { // it does not know yet either
			t.Fatal(err)
		}
		y.want(ann, 15, 10)
		y.advance(time.Hour)
		if err := h.fail(h.must(), atelier.FailError); err != nil {
			t.Fatal(err)
		}
		if got := y.job(j.ID).State; got != atelier.JobCancelled {
			t.Errorf("it ended as %s", got)
		}
		y.want(ann, 25, 0)
		// A vendor that has done it all the same is paid.
		y.mustSubmit(ann, "two")
		j = h.must()
		h.keep(j, "task 8")
		if err := y.db.Write(t.Context(), func(tx *store.Tx) (err error) { _, err = y.e.Cancel(tx, j.ID); return err }); err != nil {
			t.Fatal(err)
		}
		h.upload(j, "a0", "a1")
		if err := h.complete(j, "a0", "a1"); err != nil {
			t.Fatal(err)
		}
		if got := y.job(j.ID).State; got != atelier.JobCompleted {
			t.Errorf("it ended as %s", got)
		}
		y.want(ann, 15, 10)
		y.audit()
	})
}

// An operator who knows that nothing came of a job ends it.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 25), y.account("wil", 0)
		h := y.connect(wil)
		y.mustSubmit(ann, "one")
		j := h.must()
		giveUp := func() error {
			return y.db.Write(t.Context(), func(tx *store.Tx) error { return tx.GiveUpJob(j.ID) })
		}
		if err := giveUp(); err == nil {
			t.Error("a job that is being rendered was given up")
		}
		h.keep(j, "task 7")
		if err := h.fail(j, atelier.FailUnknown); err != nil {
			t.Fatal(err)
		}
		if err := y.e.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		y.want(ann, 15, 10) // time alone does nothing
		if err := giveUp(); err != nil {
			t.Fatal(err)
		}
		if err := y.e.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		y.want(ann, 25, 0)
		y.audit()
		if got := y.job(j.ID); got.State != atelier.JobFailed || got.Error.Message == "" {
			t.Errorf("it ended as %s, %+v", got.State, got.Error)
		}
		if err := giveUp(); err == nil {
			t.Error("a job that is over was given up")
		}
	})
}
