package run_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/run"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// writer is a model that writes what a test gives it, piece by piece.
type writer struct{ pieces chan string }

func (w writer) Complete(ctx context.Context, q llm.Request, emit func(llm.Delta) error) error {
	if !q.Stream {
		return emit(text("The answer was not asked for in pieces."))
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case piece, ok := <-w.pieces:
			if !ok {
				return nil
			}
			if err := emit(text(piece)); err != nil {
				return err
			}
		}
	}
}

// beginWriting makes a node with a run whose model waits for what it shall write.
func beginWriting(t *testing.T, o store.Options) (*fixture, writer, atelier.RunID) {
	t.Helper()
	model := writer{make(chan string)}
	f := newFixture(t, storetest.Open(t, o))
	f.completer = model
	f.e = f.engine(f.Bus)
	f.addAccounts()
	f.start()
	return f, model, f.begin(ask("Hello"))
}

// reading is a stream of a run, as a client reads it.
type reading struct {
	t    *testing.T
	next func() (run.Update, error, bool)
}

func (f *fixture) read(t *testing.T, e *run.Engine, id atelier.RunID, after int64) reading {
	t.Helper()
	news, err := e.Follow(t.Context(), ann, id, after, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	updates := make(chan run.Update)
	done := make(chan error, 1)
	go func() {
		defer close(updates)
		for n, err := range news {
			if err != nil {
				done <- err
				return
			}
			updates <- n
		}
	}()
	return reading{t, func() (run.Update, error, bool) {
		n, ok := <-updates
		if !ok && len(done) > 0 {
			return n, <-done, false
		}
		return n, nil, ok
	}}
}

// text reads until a model has written a text. What is replaced does not count.
func (r reading) text(want string) {
	r.t.Helper()
	got := ""
	for got != want {
		n, err, ok := r.next()
		if !ok || err != nil {
			r.t.Fatalf("the stream ended with %q and %v, want %q", got, err, want)
		}
		if n.Text != nil {
			if n.Text.IsFirst {
				got = ""
			}
			got += n.Text.Content
		}
	}
}

// end reads to the end, and lists the events and, between them, the texts.
func (r reading) end() (list []string) {
	r.t.Helper()
	for {
		n, err, ok := r.next()
		switch {
		case err != nil:
			r.t.Fatal(err)
		case !ok:
			return list
		case n.Text != nil:
			list = append(list, "text")
		case n.Event != nil:
			list = append(list, string(n.Event.Type))
		}
	}
}

// Readers of a run get what its model writes while it writes, a late one from the beginning of the round. The log
// has it once, when the round has ended.
func TestTextIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, model, id := beginWriting(t, o)
		early := f.read(t, f.e, id, -1)
		model.pieces <- "<think>Hm."
		model.pieces <- " </think>Good "
		early.text("Good ")
		late := f.read(t, f.e, id, -1)
		late.text("Good ")
		model.pieces <- "morning"
		late.text("morning")
		after := f.read(t, f.e, id, 1000) // it has seen every event
		after.text("Good morning")
		close(model.pieces)
		for name, r := range map[string]reading{"late": late, "after": after} {
			if list := r.end(); slices.Contains(list, "text") {
				t.Errorf("%s: text came after the round: %q", name, list)
			}
		}
		last := f.until(id, over...)
		if last.FinalResponse == nil || last.FinalResponse.Content != "Good morning" {
			t.Errorf("the answer is %+v", last.FinalResponse)
		}
		deltas := 0
		for _, ev := range last.Events {
			if p, ok := ev.Payload.(apitype.MessageDelta); ok && p.Content == "Good morning" {
				deltas++
			}
		}
		if deltas != 1 {
			t.Errorf("the log has the text %d times", deltas)
		}
		if list := f.read(t, f.e, id, -1).end(); slices.Contains(list, "text") {
			t.Errorf("a run that is over has text beside its log: %q", list)
		}
	})
}

// A reader at another node gets the text too, through the database, of which nothing is left in the end.
func TestTextIsReadAtAnotherNode(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, model, id := beginWriting(t, o)
		model.pieces <- "Good "
		other := f.engine(f.Bus)
		ctx, cancel := context.WithCancel(t.Context())
		var serving sync.WaitGroup
		serving.Go(func() { other.Serve(ctx) })
		defer serving.Wait()
		defer cancel()
		r := f.read(t, other, id, -1)
		r.text("Good ")
		model.pieces <- "morn\x00ing"
		r.text("morning")
		close(model.pieces)
		if list := r.end(); slices.Contains(list, "text") {
			t.Errorf("text came after the round: %q", list)
		}
		f.until(id, over...)
		f.stop()
		if n := storetest.CountRows(t, f.DB, "run_draft"); n > 0 {
			t.Errorf("%d drafts are left", n)
		}
	})
}

// The text of a round that is asked again replaces that of the first attempt.
func TestTextOfAnInterruptedRound(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, model, id := beginWriting(t, o)
		model.pieces <- "Good even"
		r := f.read(t, f.e, id, -1)
		r.text("Good even")
		f.e.LoseRuns()
		f.Advance(run.DefaultLease)
		f.e.Look()
		model.pieces <- "Good morning"
		r.text("Good morning")
		close(model.pieces)
		f.until(id, over...)
	})
}

// brittle is a model whose first answer breaks.
type brittle struct {
	writer
	isBroken atomic.Bool
}

func (b *brittle) Complete(ctx context.Context, q llm.Request, emit func(llm.Delta) error) error {
	if b.isBroken.Swap(true) {
		return b.writer.Complete(ctx, q, emit)
	}
	if err := emit(text("Good even")); err != nil {
		return err
	}
	<-b.pieces
	return atelier.Errorf(atelier.CodeUpstream, "The connection broke.")
}

// A model server that breaks in the middle of an answer is asked again. Only the answer that is recorded is paid.
func TestAnswerThatBreaks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		model := &brittle{writer: writer{make(chan string)}}
		f := newFixture(t, storetest.Open(t, o))
		f.completer = llm.NewRouter(model)
		f.e = f.engine(f.Bus)
		f.addAccounts()
		f.start()
		id := f.begin(ask("Hello"))
		r := f.read(t, f.e, id, -1)
		r.text("Good even")
		model.pieces <- "and now it breaks"
		model.pieces <- "Good morning"
		r.text("Good morning")
		close(model.pieces)
		last := f.until(id, over...)
		if last.Status != atelier.StatusCompleted || last.FinalResponse.Content != "Good morning" {
			t.Errorf("the run is %s with %+v", last.Status, last.FinalResponse)
		}
		f.checkLog(last)
		f.checkMoney(last)
	})
}

// A draft is stored only by the node that has the run, and an old one replaces no newer one.
func TestDraftsAreBoundToTheTakeover(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, model, id := beginWriting(t, o)
		model.pieces <- "the run is running"
		err := f.DB.Write(t.Context(), func(tx *store.Tx) error {
			row, err := tx.Run(ann, id)
			if err != nil {
				return err
			}
			put := func(version int64, content string) {
				if err := tx.PutRunDraft(store.RunDraft{RunID: id, Version: version, Round: 1, Content: content}); err != nil {
					t.Error(err)
				}
			}
			want := func(content string) {
				t.Helper()
				if d, err := tx.RunDraft(id); err != nil || d.Content != content {
					t.Errorf("the draft is %+v, %v, want %q", d, err, content)
				}
			}
			later := row
			later.Takeovers++
			put(later.DraftVersion(1), "of another node")
			want("")
			put(row.DraftVersion(5), "new")
			put(row.DraftVersion(4), "old")
			want("new")
			if err := tx.DeleteRunDraft(id, row.DraftVersion(4)); err != nil {
				return err
			}
			want("new")
			return tx.DeleteRunDraft(id, row.DraftVersion(5))
		})
		if err != nil {
			t.Error(err)
		}
	})
}
