package fleet_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/database/databasetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// standings is a fleet of a worker that fails and one that does not.
type standings struct {
	*fixture
	bad, good testWorker
	customers []atelier.Wallet
	next      int // customer
	jobs      int
}

func newStandings(t *testing.T, o store.Options) *standings {
	s := &standings{fixture: newFrozenFixture(t, o)}
	for i := range 12 {
		s.customers = append(s.customers, s.account(fmt.Sprint("customer", i), 9000))
	}
	s.bad = testWorker{s.Connect(s.account("bob", 0), apitype.WorkerSpec{Models: []string{model, other}, Version: "1"}), s.fixture}
	s.good = s.connect(s.account("wil", 0))
	return s
}

// submitNext queues a job of the next customer, and returns its part.
func (s *standings) submitNext(change ...func(*fleet.Submission)) string {
	s.T.Helper()
	s.jobs++
	part := fmt.Sprint("j", s.jobs)
	s.mustSubmit(s.customers[s.next%len(s.customers)], part, change...)
	s.next++
	return part
}

// lapse has a job fail on the bad worker and succeed on the good one.
func (s *standings) lapse() {
	s.T.Helper()
	part := s.submitNext()
	if j := s.bad.wantJob("to fail", part); j != nil {
		s.bad.failWith(j, atelier.FailDropped, "No space left on device")
	}
	if j := s.good.wantJob("to complete", part); j != nil {
		s.good.mustSend(j)
	}
}

func (s *standings) lower() {
	s.T.Helper()
	for range 3 {
		s.wantLow("before three lapses", false)
		s.lapse()
	}
	s.wantLow("after three lapses", true)
}

// row reads the worker.
func (s *standings) row(w testWorker) (row atelier.Worker) {
	s.T.Helper()
	s.Read(func(tx *store.Tx) (err error) { row, err = tx.AnyWorker(w.ID); return err })
	return row
}

func (s *standings) wantLow(when string, isLow bool) {
	s.T.Helper()
	if w := s.row(s.bad); w.LowSince.IsZero() == isLow || (w.LowReason == "") == isLow {
		s.T.Errorf("%s: low since %v (%q), want low: %v", when, w.LowSince, w.LowReason, isLow)
	}
	if w := s.row(s.good); !w.LowSince.IsZero() {
		s.T.Errorf("%s: the standing of the good worker is low since %v: %s", when, w.LowSince, w.LowReason)
	}
}

// A worker that fails jobs which another completes is in low standing: others are preferred, and
// trials show whether it is well.
func TestStanding(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newStandings(t, o)
		s.lower()
		if w := s.row(s.bad); w.Lapses != 3 || w.LowReason != "Other workers have completed 3 jobs that it failed at. The last one, of "+model+": The worker dropped the job: No space left on device." {
			t.Errorf("got %d lapses and %q", w.Lapses, w.LowReason)
		}

		one := s.submitNext()
		s.bad.wantJob("while another serves the model", "")
		only := s.submitNext(ofModel(other))
		alone := s.bad.wantJob("of a model that no other serves", only)
		s.bad.mustSend(alone)
		s.wantLow("after a job of another model", true)
		held := s.good.wantJob("in good standing", one)

		// The trial after one that failed comes after a longer pause.
		s.Advance(time.Minute)
		s.bad.beat(apitype.Heartbeat{})
		trial := s.submitNext()
		j := s.bad.wantJob("as a trial", trial)
		s.submitNext()
		s.bad.failWith(j, atelier.FailDropped, "again")
		s.bad.wantJob("after a trial that failed", "")
		s.good.mustSend(held)
		s.good.mustSend(s.good.wantJob("what the trial was", trial))
		s.Advance(time.Minute)
		s.bad.beat(apitype.Heartbeat{})
		s.bad.wantJob("before the pause is over", "")
		s.Advance(time.Minute)
		for range 3 {
			s.submitNext()
			s.bad.mustSend(s.bad.MustClaim())
		}
		s.wantLow("after three jobs in a row", false)
		if w := s.row(s.bad); w.Lapses != 0 {
			t.Errorf("it remembers %d lapses", w.Lapses)
		}
	})
}

// A worker whose standing is low renders what no worker in good standing serves, and no last attempt.
func TestALowWorkerIsNotIdle(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newStandings(t, o)
		s.lower()
		third := s.connect(s.account("ned", 0))
		s.Advance(2 * time.Minute) // a trial is due
		s.bad.beat(apitype.Heartbeat{})
		s.good.beat(apitype.Heartbeat{})
		last := s.submitNext()
		j := s.good.wantJob("first", last)
		s.good.failWith(j, atelier.FailDropped, "")
		s.bad.wantJob("a last attempt", "")
		third.mustSend(third.wantJob("a last attempt", last))
		third.leave()
		alone := s.submitNext()
		s.good.failWith(s.good.wantJob("first", alone), atelier.FailDropped, "")
		s.bad.wantJob("a last attempt that no third worker takes", "")
		s.good.mustSend(s.good.wantJob("its own job again, beside a worker of low standing", alone))

		one, two := s.submitNext(), s.submitNext()
		s.good.beat(apitype.Heartbeat{Unavailable: away})
		s.bad.mustSend(s.bad.wantJob("while the other is away", one))
		s.bad.mustSend(s.bad.wantJob("while the other is away", two))
		s.wantLow("after two", true)
	})
}

// The standing of a worker outlives its session, but not its version.
func TestStandingOfARestartedWorker(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newStandings(t, o)
		s.lower()
		again := func(version string) {
			s.T.Helper()
			s.bad.leave()
			s.bad = testWorker{s.Connect(s.bad.Wallet, apitype.WorkerSpec{Models: []string{model}, Version: version}), s.fixture}
		}
		s.Advance(20 * time.Second) // it does not fail because it stops
		s.bad.beat(apitype.Heartbeat{})
		s.good.beat(apitype.Heartbeat{})
		again("1")
		s.wantLow("connected again", true)
		part := s.submitNext()
		s.bad.wantJob("connected again", "")
		s.good.mustSend(s.good.wantJob("in good standing", part))
		again("2")
		s.wantLow("with another version", false)
		s.bad.mustSend(s.bad.wantJob("with another version", s.submitNext()))
	})
}

// What is no lapse: a job that every worker fails at, one that its worker cannot render by its
// content, one that was cancelled, one given back by a worker that leaves, and one that a
// fallback worker renders.
func TestNoLapse(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newStandings(t, o)
		lapses := func(when string, want int) {
			t.Helper()
			s.Read(func(tx *store.Tx) error {
				list, err := tx.Lapses(store.WorkerName{Wallet: s.bad.Wallet, Name: "worker"}, 10)
				if len(list) != want {
					t.Errorf("%s: got %+v, want %d", when, list, want)
				}
				return err
			})
		}
		part := s.submitNext()
		s.bad.failWith(s.bad.wantJob("first", part), atelier.FailDropped, "")
		s.good.failWith(s.good.wantJob("second", part), atelier.FailDropped, "")
		lapses("a job that all fail at", 0)

		part = s.submitNext()
		s.bad.failWith(s.bad.wantJob("first", part), atelier.FailContentFiltered, "")
		lapses("a refused job", 0)

		part = s.submitNext()
		j := s.bad.wantJob("first", part)
		s.cancel(j.ID)
		s.bad.failWith(j, atelier.FailDropped, "")
		lapses("a cancelled job", 0)

		part = s.submitNext()
		j = s.bad.wantJob("first", part)
		s.bad.failWith(j, atelier.FailDropped, "The worker is shutting down.")
		s.bad.leave()
		s.good.mustSend(s.good.wantJob("second", part))
		lapses("as it left", 0)

		s.bad = testWorker{s.Connect(s.bad.Wallet, apitype.WorkerSpec{Models: []string{model}, Version: "1"}), s.fixture}
		part = s.submitNext()
		s.bad.wantJob("first", part)
		s.bad.leave()
		s.good.mustSend(s.good.wantJob("second", part))
		lapses("with a job that it held", 0)

		s.bad = testWorker{s.Connect(s.bad.Wallet, apitype.WorkerSpec{Models: []string{model}, Version: "1"}), s.fixture}
		s.good.leave()
		part = s.submitNext()
		s.bad.failWith(s.bad.wantJob("first", part), atelier.FailDropped, "")
		s.bad.drain(true)
		s.Advance(noWorkerTimeout + time.Second)
		painter := s.connectFallback(s.customers[0], model)
		painter.mustSend(painter.wantJob("a preview", part))
		lapses("that a fallback worker renders", 0)
	})
}

// A worker that stops reporting with several jobs has lapsed once in all. Old lapses are forgotten.
func TestSilentWorkerLapses(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newStandings(t, o)
		wide := testWorker{s.Connect(s.account("dan", 0), apitype.WorkerSpec{Models: []string{model}, Capacity: 3, Version: "1"}), s.fixture}
		for range 3 {
			wide.wantJob("first", s.submitNext())
		}
		s.Advance(2 * lease)
		s.good.beat(apitype.Heartbeat{})
		s.expire()
		for range 3 {
			s.good.mustSend(s.good.MustClaim())
		}
		if w := s.row(wide); w.Lapses != 3 || !w.LowSince.IsZero() {
			t.Errorf("got %d lapses, low since %v", w.Lapses, w.LowSince)
		}
		for range 2 {
			s.Advance(3 * time.Hour)
			s.good.beat(apitype.Heartbeat{})
		}
		s.Advance(time.Minute)
		wide.beat(apitype.Heartbeat{})
		if err := s.Fleet.RecordPresence(context.Background()); err != nil {
			t.Fatal(err)
		}
		if w := s.row(wide); w.Lapses != 0 {
			t.Errorf("after six hours: got %d lapses", w.Lapses)
		}
	})
}

// Another node goes by the standing at once.
func TestStandingOnAnotherNode(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newStandings(t, o)
		there := s.bad.at(s.startNode())
		there.beat(apitype.Heartbeat{})
		s.lower()
		if err := there.Fleet().RefreshWorkers(t.Context()); err != nil {
			t.Fatal(err)
		}
		part := s.submitNext()
		there.wantJob("at the other node", "")
		s.good.mustSend(s.good.wantJob("in good standing", part))
	})
}

// A worker that renders one model and fails at another gets no trial for each job that it renders:
// every other job of it would fail.
func TestOtherModelsShowNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newStandings(t, o)
		s.lower()
		for range 4 {
			s.bad.mustSend(s.bad.wantJob("of a model that no other serves", s.submitNext(ofModel(other))))
			part := s.submitNext()
			s.bad.wantJob("of the model that it fails at", "")
			s.good.mustSend(s.good.wantJob("in good standing", part))
		}
	})
}

// Sessions that share a name share a trial, also when they claim together.
func TestSessionsShareATrial(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newStandings(t, o)
		s.lower()
		twin := testWorker{s.Connect(s.bad.Wallet, apitype.WorkerSpec{Models: []string{model}, Version: "1"}), s.fixture}
		s.Advance(time.Minute)
		s.good.beat(apitype.Heartbeat{})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		got := make(chan *atelier.Job, 2)
		s.ClaimWaits.Clear()
		for _, w := range []testWorker{s.bad, twin} {
			w.beat(apitype.Heartbeat{})
			go func() {
				j, err := s.Fleet.ClaimJob(ctx, w.Wallet, w.ID, time.Hour)
				if err != nil {
					t.Error(err)
				}
				got <- j
			}()
		}
		s.ClaimWaits.Wait(t, 2)
		s.Write(func(tx *store.Tx) error { // both are queued at once
			for _, c := range s.customers[:2] {
				if _, err := s.submitIn(tx, c, "twins"); err != nil {
					return err
				}
			}
			return nil
		})
		if <-got == nil {
			t.Error("none of them got a trial")
		}
		if n := strings.Count(s.hookLog(), "started twins"); n != 1 {
			t.Errorf("they got %d trials, want one", n)
		}
	})
}

// A worker that stops gives back its jobs while it hands over its last result. That others complete
// them before it disconnects is no lapse of it; what it failed at before stays one.
func TestAWorkerThatStopsSlowly(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newStandings(t, o)
		s.bad.leave()
		again := func() {
			s.bad = testWorker{s.Connect(s.bad.Wallet, apitype.WorkerSpec{Models: []string{model}, Capacity: 3, Version: "1"}), s.fixture}
		}
		again()
		s.lapse()
		s.Advance(2 * time.Minute)
		s.bad.beat(apitype.Heartbeat{})
		s.good.beat(apitype.Heartbeat{})
		var held []*atelier.Job
		for range 3 {
			held = append(held, s.bad.wantJob("before it stops", s.submitNext()))
		}
		for _, j := range held {
			s.bad.failWith(j, atelier.FailDropped, "The worker is shutting down.")
			s.good.mustSend(s.good.wantJob("what it gave back", j.Owner.Part))
		}
		s.bad.leave()
		s.wantLapses(1)
		again()
		s.wantLow("when it is back", false)
		s.lapse()
		s.wantLow("after two lapses", false)
		s.Advance(2 * time.Minute)
		s.bad.beat(apitype.Heartbeat{})
		s.good.beat(apitype.Heartbeat{})
		s.lapse()
		s.wantLow("after three lapses", true)
		s.Advance(2 * time.Minute)
		s.bad.beat(apitype.Heartbeat{})
		s.bad.leave()
		again()
		s.wantLow("when it is back after that", true)
	})
}

// A worker disconnects in the moment in which another completes the job that it gave back: the job
// is completed all the same.
func TestALapseIsForgottenMeanwhile(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		if o.URL == "" {
			t.Skip("SQLite has one writer")
		}
		s := newStandings(t, o)
		part := s.submitNext()
		s.bad.failWith(s.bad.wantJob("first", part), atelier.FailDropped, "")
		j := s.good.wantJob("second", part)
		completed := make(chan error, 1)
		s.Write(func(tx *store.Tx) error { // what a disconnect does
			row, err := tx.AnyWorker(s.bad.ID)
			if err == nil {
				_, err = tx.ForgetDropped(row.ID, store.NameOf(row), time.Time{}, time.Time{})
			}
			if err == nil {
				err = tx.DeleteWorker(row.ID)
			}
			go func() { completed <- s.good.send(j, "a0", "a1") }()
			for !databasetest.IsWaiting(t, o) { // for this one
				select {
				case err := <-completed:
					completed <- err
					return nil
				default:
				}
			}
			return err
		})
		if err := <-completed; err != nil {
			t.Errorf("complete: %v", err)
		}
		s.wantLapses(0)
	})
}

func (s *standings) wantLapses(want int) {
	s.T.Helper()
	s.Read(func(tx *store.Tx) error {
		list, err := tx.Lapses(store.WorkerName{Wallet: s.bad.Wallet, Name: "worker"}, 10)
		if len(list) != want {
			s.T.Errorf("got %+v, want %d", list, want)
		}
		return err
	})
}
