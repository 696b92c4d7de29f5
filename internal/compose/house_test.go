package compose_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose"
	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/filter"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/workflow"
)

var models = sync.OnceValue(func() *catalog.Catalog {
	c, err := catalog.Load("")
	if err != nil {
		panic(err)
	}
	return c
})

var engine = sync.OnceValue(func() *compose.Engine { return compose.New(models()) })

var ann = atelier.Account{Wallet: "0xann", Username: "ann"}

// object reads arguments written as JSON.
func object(t testing.TB, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

// run runs a tool by rules.
func run(t testing.TB, tool, args string) compose.Result {
	t.Helper()
	return runWith(t, llm.Model{}, tool, args)
}

// runWith runs a tool with a model.
func runWith(t testing.TB, m llm.Model, tool, args string) compose.Result {
	t.Helper()
	r, err := engine().Run(t.Context(), m, checked(t, tool, args))
	if err != nil {
		t.Fatalf("%s %s: %v", tool, args, err)
	}
	return r
}

// checked has the catalog check the arguments of a tool, which it must accept.
func checked(t testing.TB, tool, args string) *catalog.Step {
	t.Helper()
	step, err := models().Step(tool, object(t, args), catalog.Facts{})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, args, err)
	}
	return step
}

// made runs a tool that must work, and returns its result as a client reads it.
func made(t testing.TB, tool, args string) map[string]any {
	t.Helper()
	r := run(t, tool, args)
	if !r.OK {
		t.Fatalf("%s %s: got %s %q, want a result", tool, args, r.ErrorType, r.Reason)
	}
	return wired(t, r)
}

// wired is a result as it goes over the wire.
func wired(t testing.TB, r compose.Result) map[string]any {
	t.Helper()
	text, err := wire.Marshal(r)
	if err != nil {
		t.Fatalf("marshal %+v: %v", r, err)
	}
	return object(t, string(text))
}

// planOf is a plan as POST workflows reads it: no fields but title and steps.
func planOf(t testing.TB, m map[string]any) (title string, steps []atelier.StepInput) {
	t.Helper()
	p, ok := m["plan"].(map[string]any)
	if !ok {
		t.Fatalf("got no plan in %v", m)
	}
	for name := range p {
		if name != "title" && name != "steps" {
			t.Errorf("the plan has the field %s, which POST workflows refuses", name)
		}
	}
	text, err := json.Marshal(p["steps"])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &steps); err != nil {
		t.Fatal(err)
	}
	title, _ = p["title"].(string)
	return title, steps
}

// studio is the engines that plans and templates are made for, on real parts.
type studio struct {
	workflows *workflow.Engine
	templates *template.Engine
}

func newStudio(t *testing.T) studio {
	t.Helper()
	db := storetest.Open(t, storetest.SQLite(t))
	disk, err := blob.OpenDisk(filepath.Join(t.TempDir(), "media"))
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	b, err := bus.Open(t.Context(), "", quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close(); disk.Close() })
	blobs := blob.NewDiskServer(disk, blob.DiskServerOptions{Secrets: []string{"a-secret-of-sixteen"}, URL: "http://house/storage", Now: time.Now})
	content, err := filter.New(filter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bill := billing.New(db, time.Now, func(atelier.PlanTier) int { return 0 })
	yard := fleet.New(db, b, blobs, bill, fleet.Options{Lease: 15 * time.Second, DownloadTTL: time.Hour, Now: time.Now, Log: quiet})
	if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.InsertAccount(ann) }); err != nil {
		t.Fatal(err)
	}
	return studio{
		workflows: workflow.New(db, blobs, bill, models(), yard, journal.New(db, b), workflow.Options{
			ActiveLimit: 1000, PreviewTTL: 5 * time.Minute, DownloadTTL: time.Hour, Now: time.Now, Log: quiet,
			Filter: content, Web: fetch.New(fetch.Options{}),
		}),
		templates: template.New(db, models(), template.Options{Limit: 1000, MaxBytes: 256 << 10, Now: time.Now}),
	}
}

// start has the workflow engine accept a plan, and returns its estimate.
func (s studio) start(t *testing.T, title string, steps []atelier.StepInput, media []atelier.MediaReference) (int, error) {
	t.Helper()
	started, err := s.workflows.Start(t.Context(), ann, workflow.StartRequest{
		Title: title, Steps: steps, Media: media, Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Filter: true, Approve: true,
	})
	if err != nil {
		return 0, err
	}
	text, err := wire.Marshal(started.Workflow)
	if err != nil {
		t.Fatal(err)
	}
	var w struct {
		BillingPreview struct {
			Total float64 `json:"totalEstimatedCapacityUnits"`
		} `json:"billingPreview"`
	}
	if err := json.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	return int(w.BillingPreview.Total), nil
}

// picture is a reference for plans that work on one.
var picture = []atelier.MediaReference{{Kind: "image", URL: "https://example.com/a.png"}}

// speaker says what it was told to, in turn, and remembers what it was asked.
type speaker struct {
	mu    sync.Mutex
	says  []string
	err   error
	asked []llm.Request
}

func (s *speaker) Complete(ctx context.Context, q llm.Request, emit func(llm.Delta) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q)
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.err != nil {
		return s.err
	}
	n := min(len(s.asked), len(s.says)) - 1
	return emit(llm.Delta{Content: s.says[n], FinishReason: "stop", Usage: &llm.Usage{PromptTokens: 100, CompletionTokens: 20}})
}

func writer(s llm.Completer) llm.Model {
	return llm.Model{ID: "a-model", ContextLength: 32768, Completer: s}
}
