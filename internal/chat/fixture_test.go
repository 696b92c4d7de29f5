package chat_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/compose/composetest"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/filter"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/workflow"
)

const (
	ann = atelier.Wallet("0xann")
	wil = atelier.Wallet("0xwil") // owns the worker
)

var content = sync.OnceValue(func() *filter.Filter {
	f, err := filter.New(filter.Options{})
	if err != nil {
		panic(err)
	}
	return f
})

// fixture is a chat engine with a model whose answers the test writes.
type fixture struct {
	*enginetest.Env
	workflows *workflow.Engine
	e         *chat.Engine
	model     *speaker

	mu   sync.Mutex
	kept []string // content types of inline media
}

func newFixture(t testing.TB, o store.Options, says ...llm.Delta) *fixture {
	t.Helper()
	env := &fixture{Env: enginetest.New(t, o), model: &speaker{says: says}}
	env.workflows = env.NewWorkflows(func(o *workflow.Options) { o.ActiveLimit, o.Filter = 50, content() })
	env.e = env.engineWith(nil)
	env.AddAccount(atelier.Account{Wallet: ann}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	env.AddAccount(atelier.Account{Wallet: wil, Worker: true}, billing.Credits{})
	env.RunFleet(env.Fleet)
	return env
}

// engineWith is an engine with another model than wise.
func (env *fixture) engineWith(change func(*llm.Model)) *chat.Engine {
	env.T.Helper()
	m := env.wise()
	if change != nil {
		change(&m)
	}
	list, err := llm.NewModels([]llm.Model{m}, "")
	if err != nil {
		env.T.Fatal(err)
	}
	return chat.New(env.DB, list, enginetest.Catalog(), env.workflows, env.Billing, chat.Options{
		Heartbeat: time.Second, Now: env.Now, Log: enginetest.Log, Composer: composetest.Engine(), Filter: content(),
		Keep: func(_ context.Context, _ atelier.Wallet, contentType string, _ []byte) (string, error) {
			env.mu.Lock()
			defer env.mu.Unlock()
			env.kept = append(env.kept, contentType)
			return "https://media.example/kept/" + string(rune('a'+len(env.kept)-1)) + ".png", nil
		},
	})
}

// engineOf is an engine whose model answers as c does.
func (env *fixture) engineOf(c llm.Completer) *chat.Engine {
	return env.engineWith(func(m *llm.Model) { m.Completer = c })
}

// wise is a model at a dollar for a million tokens either way.
func (env *fixture) wise() llm.Model {
	return llm.Model{ID: "wise", ContextLength: 65536, PriceIn: atelier.MoneyUnit, PriceOut: atelier.MoneyUnit, Completer: env.model}
}

// runWorker has a worker do every job until the test ends.
func (env *fixture) runWorker() {
	env.T.Helper()
	w := env.Connect(wil, apitype.WorkerSpec{Models: enginetest.AllModels(), Capacity: 64})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			j, err := env.Fleet.ClaimJob(ctx, wil, w.ID, time.Minute)
			if err != nil || j == nil {
				return
			}
			if err := w.Deliver(j, j.Spec.Artifacts, nil); err != nil {
				env.T.Errorf("complete a job of %s: %v", j.Spec.Tool, err)
			}
		}
	})
	env.T.Cleanup(func() { cancel(); wg.Wait() })
}

// ask is a request of ann's with an API key.
func (env *fixture) ask(text string) chat.Request {
	return chat.Request{
		ID: "chatcmpl-" + mint.UUID(), Caller: atelier.Caller{Account: atelier.Account{Wallet: ann}, Credential: atelier.CredentialAPIKey},
		Messages: []llm.Message{llm.Text("user", text)}, Family: catalog.CreativeTools, Execute: true, Thinking: true, Profile: chat.General,
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Filter: true,
	}
}

// complete answers a request and collects what happens.
func (env *fixture) complete(q chat.Request) (chat.Completion, []chat.Event) {
	env.T.Helper()
	var events []chat.Event
	done, err := env.e.Complete(env.T.Context(), &q, func(ev chat.Event) error {
		events = append(events, ev)
		return nil
	})
	if err != nil {
		env.T.Fatalf("complete: %v", err)
	}
	return done, events
}

// plan answers a request until a tool has started a workflow, and then leaves:
// the workflow is what matters. It is nil when none was started.
func (env *fixture) plan(q chat.Request) (*apitype.Workflow, chat.Completion) {
	env.T.Helper()
	id := ""
	done, err := env.e.Complete(env.T.Context(), &q, func(ev chat.Event) error {
		if ev.Workflow != nil {
			id = ev.Workflow.WorkflowID
			return errLeft
		}
		return nil
	})
	if err != nil && !errors.Is(err, errLeft) {
		env.T.Fatalf("complete: %v", err)
	}
	if id == "" {
		return nil, done
	}
	w, err := env.workflows.Workflow(env.T.Context(), ann, atelier.WorkflowID(id))
	if err != nil {
		env.T.Fatal(err)
	}
	return &w, done
}

// paid is what ann has spent, in millionths of a Spark. Nothing may be held.
func (env *fixture) paid() atelier.Money {
	env.T.Helper()
	b := env.Balance(ann)
	env.Audit()
	if held := b.Spark.Credit - b.Spark.Debit - b.Spark.Net; held != 0 {
		env.T.Errorf("%s is still held", held)
	}
	return b.Spark.Debit
}

// speaker is a model that answers with what the test has written: each answer ends
// with a finish reason.
type speaker struct {
	mu    sync.Mutex
	says  []llm.Delta
	asked []llm.Request
	err   error // when it has nothing more to say
}

func (s *speaker) Complete(ctx context.Context, q llm.Request, emit func(llm.Delta) error) error {
	s.mu.Lock()
	s.asked = append(s.asked, q)
	var now []llm.Delta
	for len(s.says) > 0 {
		d := s.says[0]
		now, s.says = append(now, d), s.says[1:]
		if d.FinishReason != "" {
			break
		}
	}
	err := s.err
	s.mu.Unlock()
	for _, d := range now {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := emit(d); err != nil {
			return err
		}
	}
	if len(now) == 0 || now[len(now)-1].FinishReason == "" {
		if err == nil {
			err = errors.New("the model has nothing more to say")
		}
		return err
	}
	return nil
}

func (s *speaker) request(n int) llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[n]
}

// used is the usage of every answer that has one.
var used = &llm.Usage{PromptTokens: 100, CompletionTokens: 50, CachedTokens: 20}

// text is an answer in one piece.
func text(s string) llm.Delta { return llm.Delta{Content: s, FinishReason: "stop", Usage: used} }

// call is an answer that calls tools: name, arguments, and so on.
func call(words ...string) llm.Delta {
	d := llm.Delta{FinishReason: "tool_calls", Usage: used}
	for i := 0; i+1 < len(words); i += 2 {
		d.ToolCalls = append(d.ToolCalls, llm.ToolCallDelta{Index: i / 2, ID: "c" + string(rune('1'+i/2)), Name: words[i], Arguments: words[i+1]})
	}
	return d
}

// piece is a part of an answer.
func piece(s string) llm.Delta { return llm.Delta{Content: s} }

func ptr(q chat.Request) *chat.Request { return &q }
