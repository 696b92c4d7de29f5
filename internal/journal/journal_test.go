package journal_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// fixture is a journal with one writer.
type fixture struct {
	*enginetest.Env
	j *journal.Journal

	mu   sync.Mutex
	next map[string]int64
}

func newFixture(t testing.TB, db *store.DB) *fixture {
	t.Helper()
	env := enginetest.NewOn(t, db)
	return &fixture{Env: env, j: journal.New(db, env.Bus), next: map[string]int64{}}
}

// write adds n events to a log, in one change.
func (f *fixture) write(log string, n int) {
	f.T.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	next := f.next[log]
	err := f.DB.Write(context.Background(), func(tx *store.Tx) (err error) {
		next, err = f.store(tx, log, f.next[log], n)
		return err
	})
	if err != nil {
		f.T.Errorf("store: %v", err)
	}
	f.next[log] = next
}

// store adds n events that say which they are to a log, and returns the next sequence.
func (f *fixture) store(tx *store.Tx, log string, first int64, n int) (next int64, err error) {
	head := store.Head{Status: atelier.StatusRunning, Events: first}
	var c journal.Change
	for i := first; i < first+int64(n); i++ {
		c.Emit(head, fmt.Sprint(i), apitype.WorkflowProgress{Progress: float64(i)})
	}
	err = f.j.Store(tx, log, &head, &c, time.UnixMilli(1000), 0)
	if len(c.Stored) != n && err == nil {
		f.T.Errorf("%d events were stored, want %d", len(c.Stored), n)
	}
	return head.Events, err
}

// reader follows a log and holds what it reads against what it must read.
type reader struct {
	t    testing.TB
	next int64
}

// take looks at a batch.
func (r *reader) take(batch []atelier.Event) {
	r.t.Helper()
	for _, e := range batch {
		if e.Sequence != r.next || e.Message != fmt.Sprint(r.next) || e.Payload != (apitype.WorkflowProgress{Progress: float64(r.next)}) || e.Status != atelier.StatusRunning || e.At.UnixMilli() != 1000 {
			r.t.Errorf("got %+v, want the event %d", e, r.next)
		}
		r.next = e.Sequence + 1
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, storetest.Open(t, o))
		f.write("a", 2)
		f.write("b", 1)
		f.write("a", 0)
		f.write("a", 3)
		if f.next["a"] != 5 || f.next["b"] != 1 {
			t.Errorf("the next are %v, want 5 and 1", f.next)
		}
		broken := errors.New("no")
		err := f.DB.Write(t.Context(), func(tx *store.Tx) error {
			if _, err := f.store(tx, "a", 5, 1); err != nil {
				return err
			}
			return broken
		})
		if !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		err = f.DB.Write(t.Context(), func(tx *store.Tx) error {
			_, err := f.store(tx, "a", 4, 1)
			return err
		})
		if !errors.Is(err, store.ErrExists) {
			t.Errorf("a sequence was given twice: %v", err)
		}
		r := reader{t, 0}
		for batch, err := range f.j.Follow(t.Context(), "a", -1, time.Minute) {
			if r.take(batch); len(batch) == 0 || err != nil {
				break
			}
		}
		if r.next != 5 {
			t.Errorf("read up to %d, want 5", r.next)
		}
	})
}

// Replay continues into live reading without a seam, from any place, for any
// number of readers, in logs longer than a page.
func TestFollow(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, storetest.Open(t, o))
		const before, after = 300, 100
		for range before / 30 {
			f.write("a", 30)
		}
		f.write("b", 3)
		var readers, live sync.WaitGroup
		follow := func(from int64) {
			readers.Go(func() {
				caughtUp := sync.OnceFunc(live.Done)
				defer caughtUp()
				r := reader{t, from + 1}
				for batch, err := range f.j.Follow(t.Context(), "a", from, time.Minute) {
					if err != nil {
						t.Errorf("after %d: %v", from, err)
						return
					}
					if r.take(batch); len(batch) == 0 {
						caughtUp()
					}
					if r.next == before+after {
						return
					}
				}
				t.Errorf("after %d: it ended before %d", from, r.next)
			})
		}
		for i := range int64(6) {
			live.Add(1)
			follow(i*55 - 1)
		}
		live.Wait()
		for i := range after / 10 {
			f.write("a", 4)
			f.write("b", 1)
			f.write("a", 6)
			if i%4 == 0 { // some come later
				live.Add(1)
				follow(int64(i) * 20)
			}
		}
		readers.Wait()
	})
}

// What one reader has read the others take from memory: they go on when the
// database is gone.
func TestReadersShare(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), storetest.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	quickLive, quickDone := make(chan struct{}), make(chan struct{})
	slowLive, slowGo, slowDone := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(quickDone)
		r := reader{t, 0}
		for batch := range f.j.Follow(ctx, "a", -1, time.Minute) {
			if r.take(batch); len(batch) == 0 {
				close(quickLive)
			}
			if r.next == 3 {
				return
			}
		}
	}()
	go func() {
		defer close(slowDone)
		r := reader{t, 0}
		for batch := range f.j.Follow(ctx, "a", -1, time.Minute) {
			if r.take(batch); len(batch) == 0 {
				close(slowLive)
				<-slowGo
			}
			if r.next == 3 {
				return
			}
		}
		t.Errorf("the slow reader ended before %d", r.next)
	}()
	<-quickLive
	<-slowLive
	f.write("a", 3)
	<-quickDone
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	close(slowGo)
	select {
	case <-slowDone:
	case <-time.After(2 * time.Minute):
		t.Error("the slow reader asks the database for what is known")
		cancel()
	}
}

// A reader that leaves is not in the way of those that stay or come.
func TestReadersLeave(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.Open(t, storetest.SQLite(t)))
	f.write("a", 3)
	for range 3 {
		r := reader{t, 0}
		for batch := range f.j.Follow(t.Context(), "a", -1, time.Minute) {
			r.take(batch)
			break // in the middle
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := reader{t, 0}
	for batch, err := range f.j.Follow(ctx, "a", -1, time.Minute) {
		if r.take(batch); err != nil {
			t.Errorf("it ends with %v", err)
		}
		if len(batch) == 0 {
			cancel()
		}
	}
	if r.next != 3 {
		t.Errorf("read up to %d, want 3", r.next)
	}
	for batch, err := range f.j.Follow(ctx, "a", -1, time.Minute) {
		t.Errorf("got %v, %v after the end", batch, err)
	}
}

// A nudge that was lost is made up for, and a stream beats meanwhile.
func TestLostNudge(t *testing.T) {
	t.Parallel()
	o := storetest.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		f := newFixture(t, db)
		began, beats := time.Now(), 0
		for batch, err := range f.j.Follow(t.Context(), "a", -1, 15*time.Second) {
			if err != nil {
				t.Fatal(err)
			}
			if len(batch) > 0 {
				break
			}
			if beats++; beats == 1 { // everything is read: now one without a nudge
				err := db.Write(t.Context(), func(tx *store.Tx) error {
					return tx.InsertEvents("a", []atelier.Event{{Type: atelier.EventWorkflowProgress, Payload: apitype.WorkflowProgress{}}})
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if waited := time.Since(began); waited > 3*time.Minute || beats != 1+int(waited/(15*time.Second)) {
			t.Errorf("it took %v and %d beats", waited, beats)
		}
	})
}
