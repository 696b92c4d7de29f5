package run_test

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
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/run"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// fraction is what the places of nodes are in these tests, and the large runs in them.
const fraction = 64

// large is a request of a fraction of 4 MiB.
func large(owner atelier.Wallet) run.StartRequest {
	q := ask("A fox, please.")
	earlier := llm.Text("user", strings.Repeat("x ", 2<<20/fraction))
	q.Chat.Messages = append([]llm.Message{earlier}, q.Chat.Messages...)
	q.Chat.Caller.Account.Wallet = owner
	return q
}

// busy is a model that answers long conversations only when it is released.
type busy struct {
	asked   chan struct{} // receives when a long one has come
	release chan struct{}
}

func (m busy) Complete(ctx context.Context, q llm.Request, emit func(llm.Delta) error) error {
	for _, message := range q.Messages {
		if message.Role == "user" && len(message.Content[0].Text) > 1000 {
			m.asked <- struct{}{}
			select {
			case <-m.release:
			case <-ctx.Done():
				return ctx.Err()
			}
			break
		}
	}
	return emit(text("Done."))
}

// Five accounts with as many large runs as they may have, of a model that does not answer,
// do not keep the small run of a sixth waiting, nor one that comes when others wait already.
func TestSmallRunsDoNotWaitForLargeOnes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, storetest.Open(t, o))
		f.Freeze() // leases do not expire, however long it takes
		f.addAccounts()
		model := busy{make(chan struct{}, 100), make(chan struct{})}
		f.completer = model
		f.e = f.engine(f.Bus)
		f.e.ShrinkBounds(fraction)
		f.start()
		var runs []atelier.RunID
		for i := range 20 {
			w := atelier.Wallet(fmt.Sprint("0xhog", i%5))
			if i < 5 {
				f.AddAccount(atelier.Account{Wallet: w, Username: string(w)}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
			}
			runs = append(runs, f.begin(large(w)))
		}
		for range 12 { // as many as have a place
			<-model.asked
		}
		f.until(f.begin(ask("Hello")), over...)
		close(model.release)
		for i, id := range runs {
			w := atelier.Wallet(fmt.Sprint("0xhog", i%5))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			news, err := f.e.Follow(ctx, w, id, -1, time.Second)
			for n, err := range news {
				if err != nil || n.Standing != nil && n.Standing.Status.Terminal() {
					break
				}
			}
			if r, _ := f.e.Run(ctx, w, id); r.Status != atelier.StatusCompleted {
				t.Errorf("a large run is %s, %v", r.Status, err)
			}
			cancel()
		}
		f.Audit()
	})
}

// A large run that waits for its workflow gives its place to the next one of its account. Its
// log continues, and its call is made once.
func TestRunsThatWaitGiveTheirPlaceBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, storetest.Open(t, o), call("generate_image", `{"prompt":"a fox"}`), text("Here it is."))
		f.Freeze() // leases do not expire, however long it takes
		f.addAccounts()
		f.e.ShrinkBounds(fraction)
		f.RunFleet(f.Fleet)
		w := f.Connect(wil, apitype.WorkerSpec{Models: enginetest.AllModels(), Capacity: 64})
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		var serving sync.WaitGroup
		serving.Go(func() { f.e.Serve(ctx) })
		t.Cleanup(func() { cancel(); serving.Wait() })

		const many = 8 // the places of an account are for four
		var runs []atelier.RunID
		for range many {
			runs = append(runs, f.begin(large(ann)))
		}
		jobs := map[atelier.JobID]*atelier.Job{}
		var first atelier.JobID
		for len(jobs) < many {
			j, err := f.Fleet.ClaimJob(ctx, wil, w.ID, time.Minute)
			if err != nil || j == nil {
				t.Fatalf("after %d jobs: %v", len(jobs), err)
			}
			jobs[j.ID], first = j, j.ID
		}
		if _, err := f.Fleet.Progress(ctx, wil, w.ID, first, apitype.JobProgress{Progress: 0.5}); err != nil {
			t.Fatal(err)
		}
		seen := make(chan struct{}, many)
		for _, id := range runs {
			go func() {
				news, err := f.e.Follow(ctx, ann, id, -1, time.Second)
				if err != nil {
					return
				}
				for n, err := range news {
					if err != nil || n.Event == nil {
						continue
					}
					if p, ok := n.Event.Payload.(apitype.CallProgress); ok && p.Progress == 0.5 {
						seen <- struct{}{}
					}
				}
			}()
		}
		select {
		case <-seen:
		case <-ctx.Done():
			t.Fatal("a run that waits does not report the progress of its workflow")
		}
		if _, err := f.e.Cancel(ctx, ann, runs[many-1], "user_cancelled"); err != nil {
			t.Error(err)
		}
		for _, j := range jobs {
			_ = w.Deliver(j, j.Spec.Artifacts, nil) // one is cancelled
		}
		for i, id := range runs {
			r := f.until(id, over...)
			want := atelier.StatusCompleted
			if i == many-1 {
				want = atelier.StatusCancelled
			}
			if r.Status != want || len(r.ChildWorkflowIDs) != 1 {
				t.Errorf("run %d is %s with %d workflows", i, r.Status, len(r.ChildWorkflowIDs))
			}
		}
		f.Audit()
	})
}
