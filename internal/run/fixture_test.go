package run_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/compose/composetest"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/run"

	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/workflow"
)

const (
	ann = atelier.Wallet("0xann")
	wil = atelier.Wallet("0xwil") // owns the worker
)

// fixture is a node that works on runs.
type fixture struct {
	ahead time.Duration // by which the clocks of engines go that are made from now on
	*enginetest.Env
	workflows *workflow.Engine
	model     *script
	completer llm.Completer // in place of the model, unless nil
	e         *run.Engine
	stop      func() // ends the node, as a signal does
}

// newFixture makes a node on a database. It serves once start is called.
func newFixture(t testing.TB, db *store.DB, says ...llm.Delta) *fixture {
	t.Helper()
	return newFixtureIn(t, db, "", says...)
}

// newFixtureIn is newFixture with its files in a directory.
func newFixtureIn(t testing.TB, db *store.DB, dir string, says ...llm.Delta) *fixture {
	t.Helper()
	f := &fixture{Env: enginetest.NewOn(t, db, func(o *enginetest.Options) { o.Dir = dir }), model: &script{says: says}}
	f.workflows = f.NewWorkflows(func(o *workflow.Options) { o.ActiveLimit = 1000 })
	f.e = f.engine(f.Bus)
	return f
}

// engine is another engine on the database of the fixture, as on another node.
func (f *fixture) engine(b *bus.Bus) *run.Engine {
	f.T.Helper()
	ahead := f.ahead
	var completer llm.Completer = f.model
	if f.completer != nil {
		completer = f.completer
	}
	m := llm.Model{ID: "wise", Vision: true, ContextLength: 65536, PriceIn: atelier.MoneyUnit, PriceOut: atelier.MoneyUnit, Completer: completer}
	models, err := llm.NewModels([]llm.Model{m}, "")
	if err != nil {
		f.T.Fatal(err)
	}
	chats := chat.New(f.DB, models, enginetest.Catalog(), f.workflows, f.Billing, chat.Options{
		Heartbeat: time.Second, Now: f.Now, Log: enginetest.Log, Composer: composetest.Engine(), Filter: enginetest.NewFilter(f.T, enginetest.FlagNaughty),
	})
	return run.New(f.DB, b, f.Store(), f.Billing, enginetest.Catalog(), f.workflows, chats, journal.New(f.DB, b), run.Options{
		PreviewTTL: 5 * time.Minute, DownloadTTL: time.Hour, Now: func() time.Time { return f.Now().Add(ahead) }, Log: enginetest.Log,
		Media: media.New(f.DB, f.Store(), media.Options{Now: f.Now}),
	})
}

// addAccounts opens the accounts of the tests.
func (f *fixture) addAccounts() {
	f.T.Helper()
	f.AddAccount(atelier.Account{Wallet: ann}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	f.AddAccount(atelier.Account{Wallet: wil, Worker: true}, billing.Credits{})
}

// start has the node serve, with a worker that does every job, until the test ends or
// stop is called.
func (f *fixture) start() {
	f.T.Helper()
	f.RunFleet(f.Fleet)
	w := f.Connect(wil, apitype.WorkerSpec{Models: enginetest.AllModels(), Capacity: 64})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { f.e.Serve(ctx) })
	wg.Go(func() {
		for ctx.Err() == nil {
			j, err := f.Fleet.ClaimJob(ctx, wil, w.ID, time.Minute)
			if err != nil || j == nil {
				return
			}
			_ = w.Deliver(j, j.Spec.Artifacts, nil) // the process may be dead
		}
	})
	f.stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	f.T.Cleanup(f.stop)
}

// ask is a request of ann's.
func ask(text string) run.StartRequest {
	return run.StartRequest{Chat: chat.Request{
		Caller: atelier.Caller{Account: atelier.Account{Wallet: ann}, Credential: atelier.CredentialAPIKey}, Messages: []llm.Message{llm.Text("user", text)},
		Family: catalog.CreativeAgent, Execute: true, Profile: chat.General, MaxTokens: 4096,
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Filter: true,
	}}
}

// until follows a run until it has one of some statuses, and returns it.
func (f *fixture) until(id atelier.RunID, statuses ...atelier.Status) apitype.Run {
	f.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := f.await(ctx, id, statuses...); err != nil {
		r := f.get(id)
		f.T.Fatalf("the run is %s (%s): %v", r.Status, r.FailureReason, err)
	}
	return f.get(id)
}

// await follows a run until it has one of some statuses.
func (f *fixture) await(ctx context.Context, id atelier.RunID, statuses ...atelier.Status) error {
	news, err := f.e.Follow(ctx, ann, id, -1, time.Second)
	if err != nil {
		return err
	}
	for n, err := range news {
		if err != nil {
			return err
		}
		if n.Standing != nil && slices.Contains(statuses, n.Standing.Status) {
			return nil
		}
	}
	return fmt.Errorf("it is not one of %v: %w", statuses, ctx.Err())
}

// over are the statuses of a run that has ended.
var over = []atelier.Status{atelier.StatusCompleted, atelier.StatusPartialFailure, atelier.StatusFailed, atelier.StatusCancelled}

func (f *fixture) get(id atelier.RunID) apitype.Run {
	f.T.Helper()
	r, err := f.e.Run(context.Background(), ann, id)
	if err != nil {
		f.T.Fatal(err)
	}
	return r
}

func (f *fixture) begin(q run.StartRequest) atelier.RunID {
	f.T.Helper()
	started, err := f.e.Start(context.Background(), q)
	if err != nil {
		f.T.Fatal(err)
	}
	return started.Run.RunID
}

// confirm decides about the cost of a run that waits.
func (f *fixture) confirm(ctx context.Context, r apitype.Run, yes bool, key string) (run.Decided, error) {
	d := run.Decision{Key: key, ToolCallID: r.Waiting.Details.ToolCallID, Confirm: yes, Arrived: f.Now()}
	if p := r.Waiting.Details.CostApprovalPreview; p != nil {
		d.Preview = &atelier.CostPreview{TotalEstimatedCapacityUnits: p.TotalEstimatedCapacityUnits, TokenType: p.TokenType, ValidityUntil: p.ValidityUntil}
	}
	return f.e.Confirm(ctx, ann, r.RunID, d)
}

// script is a model that gives the n-th answer to a conversation with n answers, so
// that it says the same when it is asked again.
type script struct {
	mu    sync.Mutex
	says  []llm.Delta
	asked int
	wait  chan struct{} // unless nil, it answers when this is closed
	began chan struct{} // unless nil, receives when it is asked

	panics bool
}

func (s *script) Complete(ctx context.Context, q llm.Request, emit func(llm.Delta) error) error {
	s.mu.Lock()
	s.asked++
	wait, began, panics := s.wait, s.began, s.panics
	s.mu.Unlock()
	if panics {
		panic("the model panics")
	}
	if began != nil {
		began <- struct{}{}
	}
	if wait != nil {
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	n := 0
	for _, m := range q.Messages {
		if m.Role == "assistant" {
			n++
		}
	}
	if n >= len(s.says) {
		return errors.New("the model has nothing more to say")
	}
	return emit(s.says[n])
}

// used is the usage of every answer.
var used = &llm.Usage{PromptTokens: 100, CompletionTokens: 50}

// text is an answer in words.
func text(s string) llm.Delta { return llm.Delta{Content: s, FinishReason: "stop", Usage: used} }

// call is an answer that calls tools: name, arguments, and so on.
func call(words ...string) llm.Delta {
	d := llm.Delta{FinishReason: "tool_calls", Usage: used}
	for i := 0; i+1 < len(words); i += 2 {
		d.ToolCalls = append(d.ToolCalls, llm.ToolCallDelta{Index: i / 2, ID: "c" + string(rune('1'+i/2)), Name: words[i], Arguments: words[i+1]})
	}
	return d
}
