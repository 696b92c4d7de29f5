package workflow_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// told writes news down in short: events by their type, standings in brackets,
// beats as a dot.
func told(n workflow.Update) string {
	switch {
	case n.Event != nil:
		return string(n.Event.Type)
	case n.Standing == nil:
		return "."
	case n.Standing.Waiting != "":
		return "[" + string(n.Standing.Status) + ":" + string(n.Standing.Waiting) + "]"
	}
	return "[" + string(n.Standing.Status) + "]"
}

// follow reads a stream until it ends, without its beats.
func (f *fixture) follow(ctx context.Context, id string, after int64) (list []workflow.Update) {
	f.T.Helper()
	news, err := f.e.Follow(ctx, ann, atelier.WorkflowID(id), after, time.Minute)
	if err != nil {
		f.T.Errorf("follow: %v", err)
		return nil
	}
	for n, err := range news {
		if err != nil {
			f.T.Errorf("follow: %v", err)
			return list
		}
		list = append(list, n)
	}
	return list
}

func tell(list []workflow.Update) string {
	var out []string
	for _, n := range list {
		out = append(out, told(n))
	}
	return strings.Join(out, " ")
}

// A stream tells what was, where the workflow stands, and then what happens;
// a change of status after the event that brought it. It stays through a pause
// and ends with the workflow.
func TestFollow(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	q := plan(fox)
	q.Terms.Token = atelier.PaySvc
	w := f.begin(q)
	caughtUp, stream := make(chan struct{}), make(chan string)
	go func() {
		news, err := f.e.Follow(context.Background(), ann, atelier.WorkflowID(w.WorkflowID), -1, time.Minute)
		if err != nil {
			t.Errorf("follow: %v", err)
		}
		var list []workflow.Update
		for n := range news {
			if list = append(list, n); n.Standing != nil && n.Standing.Waiting != "" {
				close(caughtUp)
			}
		}
		stream <- tell(list)
	}()
	<-caughtUp
	if err := f.Billing.Credit(t.Context(), ann, billing.Credits{Svc: 10 * atelier.MoneyUnit}); err != nil {
		t.Fatal(err)
	}
	f.resume(ann, w.WorkflowID)
	f.done("step/0")
	want := "workflow_started step_waiting_for_user workflow_waiting_for_user [waiting_for_user:insufficient_credit] " +
		"custom [queued] step_started [running] artifact_created step_completed workflow_completed [completed]"
	if got := <-stream; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for after, want := range map[int64]string{
		-1:      "workflow_started step_waiting_for_user workflow_waiting_for_user custom step_started artifact_created step_completed workflow_completed [completed]",
		5:       "step_completed workflow_completed [completed]",
		7:       "[completed]",
		8:       "[completed]",
		1 << 40: "[completed]",
	} {
		if got := tell(f.follow(t.Context(), w.WorkflowID, after)); got != want {
			t.Errorf("after %d: got %s, want %s", after, got, want)
		}
	}
	events, err := f.e.Events(t.Context(), ann, atelier.WorkflowID(w.WorkflowID), 5)
	if err != nil || len(events) != 2 || events[0].Sequence != 6 {
		t.Errorf("the log after 5: %+v, %v", events, err)
	}
	_, err = f.e.Follow(t.Context(), wil, atelier.WorkflowID(w.WorkflowID), -1, time.Minute)
	wantCode(t, "a stranger follows", err, atelier.CodeNotFound, nil)
	_, err = f.e.Events(t.Context(), wil, atelier.WorkflowID(w.WorkflowID), -1)
	wantCode(t, "a stranger reads", err, atelier.CodeNotFound, nil)
}

// A reader that asks for more than there is yet still sees the workflow end.
func TestFollowFromBeyond(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	w := f.begin(plan(fox))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	news, err := f.e.Follow(ctx, ann, atelier.WorkflowID(w.WorkflowID), 1000, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	var list []workflow.Update
	for n := range news {
		if list = append(list, n); len(list) == 1 {
			if _, err := f.e.Cancel(t.Context(), ann, atelier.WorkflowID(w.WorkflowID), ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := tell(list), "[queued] [cancelled]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Readers that come at any time, from any place, see every event once and in
// order while the log grows beneath them.
func TestFollowWhileTheLogGrows(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		w := f.begin(plan(image("a", "a fox"), image("b", "a hen"), upscale("c", "a", true)))
		one, two := f.must("step/0"), f.must("step/1")
		var readers, writers sync.WaitGroup
		read := func(after int64) {
			readers.Go(func() {
				next := after + 1
				last := ""
				for _, n := range f.follow(t.Context(), w.WorkflowID, after) {
					if n.Event != nil {
						if n.Event.Sequence != next {
							t.Errorf("after %d: got event %d, want %d", after, n.Event.Sequence, next)
						}
						next = n.Event.Sequence + 1
					}
					last = told(n)
				}
				if end := int64(len(f.get(w.WorkflowID).Events)); next != end || last != "[completed]" {
					t.Errorf("after %d: it ended before %d with %s, want %d", after, next, last, end)
				}
			})
		}
		for after := range int64(6) {
			read(after - 1)
		}
		for _, j := range []*atelier.Job{one, two} {
			writers.Go(func() {
				for k := range 20 {
					if _, err := f.Fleet.Progress(t.Context(), wil, f.worker.ID, j.ID, apitype.JobProgress{Progress: float64(k) / 20, Message: fmt.Sprint(k)}); err != nil {
						t.Errorf("progress: %v", err)
					}
					if k%7 == 3 {
						read(int64(k))
					}
				}
			})
		}
		writers.Wait()
		f.completeAll(map[string]*atelier.Job{"one": one, "two": two})
		f.done("step/2")
		readers.Wait()
	})
}

// A stream ends when its reader leaves, and beats while nothing happens.
func TestFollowBeats(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	w := f.begin(plan(fox))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	news, err := f.e.Follow(ctx, ann, atelier.WorkflowID(w.WorkflowID), -1, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	var list []workflow.Update
	for n, err := range news {
		if err != nil {
			t.Errorf("it ends with %v", err)
		}
		if list = append(list, n); len(list) == 4 {
			cancel()
		}
	}
	if got, want := tell(list), "workflow_started [queued] . ."; got != want && got != want+" ." {
		t.Errorf("got %s, want %s", got, want)
	}
	for range news {
		t.Error("it continues after its reader left")
	}
}
