package chat_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/compose"
	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/filter"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
	"github.com/atelier-project/atelier/internal/workflow/snapshot"
)

const (
	ann = atelier.Wallet("0xann")
	wil = atelier.Wallet("0xwil") // owns the worker
)

var models = sync.OnceValue(func() *catalog.Catalog {
	c, err := catalog.Load("")
	if err != nil {
		panic(err)
	}
	return c
})

var composer = sync.OnceValue(func() *compose.Engine { return compose.New(models()) })

var content = sync.OnceValue(func() *filter.Filter {
	f, err := filter.New(filter.Options{})
	if err != nil {
		panic(err)
	}
	return f
})

// house is the engine on real parts, with a model that says what it is told.
type house struct {
	t         testing.TB
	db        *store.DB
	blobs     *blob.DiskServer
	bill      *billing.Engine
	fleet     *fleet.Engine
	workflows *workflow.Engine
	e         *chat.Engine
	model     *speaker
	kept      []string // types of what came inline

	mu sync.Mutex
}

func newHouse(t testing.TB, o store.Options, says ...llm.Delta) *house {
	t.Helper()
	h := &house{t: t, db: storetest.Open(t, o), model: &speaker{says: says}}
	disk, err := blob.OpenDisk(filepath.Join(t.TempDir(), "media"))
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	b, err := bus.Open(t.Context(), "", quiet)
	if err != nil {
		t.Fatal(err)
	}
	h.blobs = blob.NewDiskServer(disk, blob.DiskServerOptions{Secrets: []string{"a-secret-of-sixteen"}, URL: "http://house/storage", Now: time.Now})
	h.bill = billing.New(h.db, time.Now, func(atelier.PlanTier) int { return 0 })
	h.fleet = fleet.New(h.db, b, h.blobs, h.bill, fleet.Options{Lease: 15 * time.Second, DownloadTTL: time.Hour, Now: time.Now, Log: quiet})
	h.workflows = workflow.New(h.db, h.blobs, h.bill, models(), h.fleet, journal.New(h.db, b), workflow.Options{
		ActiveLimit: 50, PreviewTTL: time.Minute, DownloadTTL: time.Hour, Now: time.Now, Log: quiet, Web: fetch.New(fetch.Options{}),
		Filter: content(),
	})
	h.e = h.engineWith(nil)
	h.people()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { h.fleet.Run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait(); b.Close(); disk.Close() })
	return h
}

// engineWith is an engine with another model than wise.
func (h *house) engineWith(change func(*llm.Model)) *chat.Engine {
	h.t.Helper()
	m := h.wise()
	if change != nil {
		change(&m)
	}
	list, err := llm.NewModels([]llm.Model{m}, "")
	if err != nil {
		h.t.Fatal(err)
	}
	return chat.New(h.db, list, models(), h.workflows, h.bill, chat.Options{
		Heartbeat: time.Second, Now: time.Now, Log: slog.New(slog.DiscardHandler), Composer: composer(), Filter: content(),
		Keep: func(_ context.Context, _ atelier.Wallet, contentType string, _ []byte) (string, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.kept = append(h.kept, contentType)
			return "https://media.example/kept/" + string(rune('a'+len(h.kept)-1)) + ".png", nil
		},
	})
}

// engineOf is an engine whose model answers as c does.
func (h *house) engineOf(c llm.Completer) *chat.Engine {
	return h.engineWith(func(m *llm.Model) { m.Completer = c })
}

func (h *house) people() {
	h.t.Helper()
	err := h.db.Write(h.t.Context(), func(tx *store.Tx) error {
		for _, w := range []atelier.Wallet{ann, wil} {
			if err := tx.InsertAccount(atelier.Account{Wallet: w, Username: string(w[2:]), Worker: w == wil, CreatedAt: time.Now()}); err != nil {
				return err
			}
		}
		return h.bill.BookCredits(tx, ann, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// wise is a model at a dollar for a million tokens either way.
func (h *house) wise() llm.Model {
	return llm.Model{ID: "wise", ContextLength: 65536, PriceIn: atelier.MoneyUnit, PriceOut: atelier.MoneyUnit, Completer: h.model}
}

// paint has a worker do every job until the test ends.
func (h *house) paint() {
	h.t.Helper()
	w, err := h.fleet.Connect(h.t.Context(), wil, fleet.NewWorker{
		Name: "hand", Network: atelier.NetworkFast, Models: append(models().NativeModels(), models().WorkerTools()...), Capacity: 64,
	})
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			j, err := h.fleet.ClaimJob(ctx, wil, w.ID, time.Minute)
			if err != nil || j == nil {
				return
			}
			if err := h.deliver(w.ID, j); err != nil {
				h.t.Errorf("complete a job of %s: %v", j.Spec.Tool, err)
			}
		}
	})
	h.t.Cleanup(func() { cancel(); wg.Wait() })
}

func (h *house) deliver(worker atelier.WorkerID, j *atelier.Job) error {
	caller := atelier.Caller{Account: atelier.Account{Wallet: wil, Worker: true}, Credential: atelier.CredentialAPIKey}
	var made []fleet.Made
	for _, a := range j.Spec.Artifacts {
		place, err := h.fleet.UploadPlace(context.Background(), caller, j.ProjectID, a.ID, false)
		if err != nil {
			return err
		}
		if _, err := h.blobs.Put(context.Background(), place.Key, strings.NewReader(`{}`), blob.PutOptions{ContentType: place.ContentType}); err != nil {
			return err
		}
		made = append(made, fleet.Made{ID: a.ID, Width: 64, Height: 48, Seed: j.Spec.Seed})
	}
	return h.fleet.Complete(context.Background(), wil, worker, j.ID, made, fleet.Metrics{})
}

// ask is a request of ann's with an API key.
func (h *house) ask(text string) chat.Request {
	return chat.Request{
		ID: "chatcmpl-" + mint.UUID(), Caller: atelier.Caller{Account: atelier.Account{Wallet: ann}, Credential: atelier.CredentialAPIKey},
		Messages: []llm.Message{llm.Text("user", text)}, Family: catalog.CreativeTools, Execute: true, Thinking: true, Profile: chat.General,
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Filter: true,
	}
}

// complete answers a request and collects what happens.
func (h *house) complete(q chat.Request) (chat.Completion, []chat.Event) {
	h.t.Helper()
	var events []chat.Event
	done, err := h.e.Complete(h.t.Context(), &q, func(ev chat.Event) error {
		events = append(events, ev)
		return nil
	})
	if err != nil {
		h.t.Fatalf("complete: %v", err)
	}
	return done, events
}

// plan answers a request until a tool has started a workflow, and then leaves:
// the workflow is what matters. It is nil when none was started.
func (h *house) plan(q chat.Request) (*snapshot.Workflow, chat.Completion) {
	h.t.Helper()
	id := ""
	done, err := h.e.Complete(h.t.Context(), &q, func(ev chat.Event) error {
		if ev.Workflow != nil {
			id = ev.Workflow.WorkflowID
			return errLeft
		}
		return nil
	})
	if err != nil && !errors.Is(err, errLeft) {
		h.t.Fatalf("complete: %v", err)
	}
	if id == "" {
		return nil, done
	}
	w, err := h.workflows.Workflow(h.t.Context(), ann, atelier.WorkflowID(id))
	if err != nil {
		h.t.Fatal(err)
	}
	return &w, done
}

// paid is what ann has spent, in millionths of a Spark. Nothing may be held.
func (h *house) paid() atelier.Money {
	h.t.Helper()
	b, err := h.bill.Balance(h.t.Context(), ann)
	if err != nil {
		h.t.Fatal(err)
	}
	if _, differences, err := h.bill.Audit(h.t.Context()); err != nil || len(differences) > 0 {
		h.t.Errorf("audit: %v %q", err, differences)
	}
	if held := b.Spark.Credit - b.Spark.Debit - b.Spark.Net; held != 0 {
		h.t.Errorf("%s is still held", held)
	}
	return b.Spark.Debit
}

// speaker says what it is told: each answer ends with a finish reason. What is
// left unsaid is silence.
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
