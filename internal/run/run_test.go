package run_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/run"

	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Many starts with one key make one run, whichever node they reach.
func TestOneKeyMakesOneRun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, storetest.Open(t, o), text("Hello."))
		f.addAccounts()
		f.start()
		var (
			mu  sync.Mutex
			ids = map[atelier.RunID]int{}
			wg  sync.WaitGroup
		)
		for range 100 {
			wg.Go(func() {
				q := ask("Hello?")
				q.Key = "k"
				started, err := f.e.Start(context.Background(), q)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				ids[started.Run.RunID]++
			})
		}
		wg.Wait()
		if len(ids) != 1 {
			t.Fatalf("100 starts have made %d runs", len(ids))
		}
		for id := range ids {
			f.checkLog(f.until(id, over...))
			f.checkMoney(f.get(id))
		}
	})
}

// Concurrent repeats of a decision by its key are answered like the first; the calls
// are dispatched once.
func TestConcurrentDecisions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, storetest.Open(t, o), call("generate_image", `{"prompt":"a fox"}`, "generate_image", `{"prompt":"an owl"}`), text("Done."))
		f.addAccounts()
		f.start()
		q := ask("A fox and an owl.")
		q.Confirm = true
		id := f.begin(q)
		paused := f.until(id, atelier.StatusWaitingForUser)
		f.Freeze() // they come at the same time
		var (
			mu            sync.Mutex
			first, repeat int
			wg            sync.WaitGroup
		)
		for range 16 {
			wg.Go(func() {
				decided, err := f.confirm(context.Background(), paused, true, "yes")
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if decided.Idempotent {
					repeat++
				} else {
					first++
				}
			})
		}
		wg.Wait()
		if first != 1 || repeat != 15 {
			t.Errorf("%d were first and %d repeats", first, repeat)
		}
		r := f.until(id, over...)
		f.checkLog(r)
		f.checkMoney(r)
		f.Advance(time.Millisecond)
		if _, err := f.confirm(context.Background(), paused, true, "yes"); !atelier.HasCode(err, atelier.CodeWrongState) {
			t.Errorf("a later repeat: %v", err)
		}
	})
}

// newWaitingFixture is a node whose model answers when the channel is closed.
func newWaitingFixture(t *testing.T, o store.Options, says ...llm.Delta) (*fixture, chan struct{}) {
	t.Helper()
	f := newFixture(t, storetest.Open(t, o), says...)
	f.addAccounts()
	answer := make(chan struct{})
	f.model.wait, f.model.began = answer, make(chan struct{}, 8)
	return f, answer
}

// serve has an engine serve until the test ends or stop is called.
func (f *fixture) serve(e *run.Engine) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { e.Serve(ctx) })
	stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	f.T.Cleanup(stop)
	return stop
}

// The runs of a node whose lease has ended are taken by another. What the first one
// does afterwards changes nothing, and is not paid.
func TestTakeover(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, answer := newWaitingFixture(t, o, call("generate_image", `{"prompt":"a fox"}`), text("Done."))
		f.start()
		id := f.begin(ask("A fox."))
		<-f.model.began
		f.ahead = time.Minute // for the other node the lease of this one has ended, whenever it was renewed
		f.serve(f.engine(f.Bus))
		<-f.model.began // asked again, by the other node
		close(answer)
		r := f.until(id, over...)
		if r.Status != atelier.StatusCompleted || r.Recovery.ResumeCount != 1 {
			t.Errorf("it is %s after %d resumes", r.Status, r.Recovery.ResumeCount)
		}
		if !slices.ContainsFunc(r.Events, func(ev apitype.RunEvent) bool { return ev.Type == atelier.EventRunResumed }) {
			t.Error("the log does not say that it was resumed")
		}
		f.stop()
		f.checkLog(r)
		f.checkMoney(f.get(id))
	})
}

// A node that shuts down hands its runs over at once.
func TestHandOver(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, answer := newWaitingFixture(t, o, text("Done."))
		leave := f.serve(f.e)
		id := f.begin(ask("Hello."))
		<-f.model.began
		leave()
		f.serve(f.engine(f.Bus)) // another node
		<-f.model.began
		close(answer)
		r := f.until(id, over...)
		if r.Status != atelier.StatusCompleted {
			t.Errorf("it is %s", r.Status)
		}
		f.checkLog(r)
		f.checkMoney(r)
	})
}

// A cancel on one node ends the work of another.
func TestCancelReachesTheOtherNode(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.Open(t, storetest.SQLite(t)), text("Too late."))
	f.addAccounts()
	f.model.wait, f.model.began = make(chan struct{}), make(chan struct{}, 1)
	f.serve(f.e)
	id := f.begin(ask("Hello."))
	<-f.model.began
	other := f.engine(f.Bus)
	done, err := other.Cancel(context.Background(), ann, id, "enough")
	if err != nil || done.Aborted {
		t.Errorf("%+v, %v: the other node was not signalled directly", done, err)
	}
	r := f.until(id, over...)
	if r.Status != atelier.StatusCancelled || r.CancellationReason != "enough" {
		t.Errorf("it is %s: %s", r.Status, r.CancellationReason)
	}
}

// The newest events are kept, and a reader whose position was trimmed is told.
func TestLogIsTrimmed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, storetest.Open(t, o), call("generate_image", `{"prompt":"a fox"}`))
		f.addAccounts()
		f.start()
		q := ask("A fox.")
		q.Confirm = true
		id := f.begin(q)
		f.until(id, atelier.StatusWaitingForUser)
		for range 21 {
			if err := f.e.AppendEvents(context.Background(), ann, id, 100); err != nil {
				t.Fatal(err)
			}
		}
		r := f.get(id)
		first := r.Events[0].Sequence
		if len(r.Events) != run.KeptEvents || first == 0 {
			t.Errorf("%d events are kept, from %d", len(r.Events), first)
		}
		for _, tt := range []struct {
			after   int64
			trimmed bool
		}{{-1, true}, {first - 2, true}, {first - 1, false}, {first + 5, false}} {
			log, err := f.e.Events(context.Background(), ann, id, tt.after)
			if err != nil || log.Trimmed != tt.trimmed || log.Events[0].Sequence != max(first, tt.after+1) {
				t.Errorf("after %d: trimmed %v, first %d, %v", tt.after, log.Trimmed, log.Events[0].Sequence, err)
			}
			news, err := f.e.Follow(context.Background(), ann, id, tt.after, time.Second)
			if err != nil {
				t.Fatal(err)
			}
			for n := range news {
				if n.Event == nil || n.Missed != tt.trimmed {
					t.Errorf("after %d the stream begins with %+v", tt.after, n)
				}
				break
			}
		}
	})
}

// A reader that comes back after a restart misses nothing and reads nothing twice.
func TestReaderComesBackAfterRestart(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, storetest.Open(t, o), call("generate_image", `{"prompt":"a fox"}`), text("Done."))
		f.addAccounts()
		f.start()
		q := ask("A fox.")
		q.Confirm = true
		id := f.begin(q)
		f.until(id, atelier.StatusWaitingForUser)
		var seen []int64
		read := func(e *run.Engine, until atelier.Status) {
			after := int64(-1)
			if len(seen) > 0 {
				after = seen[len(seen)-1]
			}
			news, err := e.Follow(context.Background(), ann, id, after, time.Second)
			if err != nil {
				t.Fatal(err)
			}
			for n := range news {
				if n.Event != nil {
					seen = append(seen, n.Event.Sequence)
				}
				if n.Standing != nil && n.Standing.Status == until {
					return
				}
			}
		}
		read(f.e, atelier.StatusWaitingForUser)
		f.stop()
		heir := newFixtureIn(t, f.DB, "", f.model.says...)
		heir.Advance(0)
		heir.start()
		if _, err := heir.confirm(context.Background(), heir.get(id), true, ""); err != nil {
			t.Fatal(err)
		}
		read(heir.e, atelier.StatusCompleted)
		for i, s := range seen {
			if s != int64(i) {
				t.Fatalf("the reader got %v", seen)
			}
		}
		if len(seen) < 10 {
			t.Errorf("the reader got only %d events", len(seen))
		}
	})
}

// A run that makes the program panic fails, and nothing else does.
func TestPanicEndsTheRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.Open(t, storetest.SQLite(t)), text("Hello."))
	f.addAccounts()
	f.model.panics = true
	f.serve(f.e)
	id := f.begin(ask("Hello."))
	if r := f.until(id, over...); r.Status != atelier.StatusFailed || r.Error == nil || r.Error.Code != "internal_error" {
		t.Errorf("it is %s: %+v", r.Status, r.Error)
	}
	f.model.mu.Lock()
	f.model.panics = false
	f.model.mu.Unlock()
	if r := f.until(f.begin(ask("Hello.")), over...); r.Status != atelier.StatusCompleted {
		t.Errorf("the next one is %s", r.Status)
	}
}

// A run that is cancelled while its model answers pays for the answer, and holds
// nothing any more.
func TestCancelledRoundIsPaid(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, answer := newWaitingFixture(t, o, text("Too late."))
		leave := f.serve(f.e)
		id := f.begin(ask("Hello."))
		<-f.model.began
		quiet, err := bus.Open(t.Context(), bus.Options{}) // the node is not nudged
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(quiet.Close)
		if _, err := f.engine(quiet).Cancel(context.Background(), ann, id, "enough"); err != nil {
			t.Fatal(err)
		}
		close(answer)
		leave()
		r := f.get(id)
		if last := r.Events[len(r.Events)-1]; r.Status != atelier.StatusCancelled || last.Type != atelier.EventSpend {
			t.Errorf("it is %s, and its log ends with %s", r.Status, last.Type)
		}
		f.checkMoney(r)
	})
}
