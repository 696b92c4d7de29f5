package compose_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose"
	"github.com/atelier-project/atelier/internal/compose/composetest"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/workflow"
)

var engine = composetest.Engine

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
	r, err := engine().Run(t.Context(), llm.Model{}, checked(t, tool, args))
	if err != nil {
		t.Fatalf("%s %s: %v", tool, args, err)
	}
	return r
}

// checked has the catalog check the arguments of a tool, which it must accept.
func checked(t testing.TB, tool, args string) *catalog.Step {
	t.Helper()
	step, err := enginetest.Catalog().Step(tool, object(t, args), catalog.Facts{})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, args, err)
	}
	return step
}

// mustRun runs a tool that must succeed, and returns its result as a client reads
// it.
func mustRun(t testing.TB, tool, args string) map[string]any {
	t.Helper()
	r := run(t, tool, args)
	if !r.OK {
		t.Fatalf("%s %s: got %s %q, want a result", tool, args, r.ErrorType, r.Reason)
	}
	return wired(t, r)
}

// wired is a result as it is sent.
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

// fixture is the engines that plans and templates are made for.
type fixture struct {
	workflows *workflow.Engine
	templates *template.Engine
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	env := enginetest.New(t, storetest.SQLite(t))
	env.AddAccount(ann, billing.Credits{})
	return fixture{
		workflows: env.NewWorkflows(func(o *workflow.Options) { o.ActiveLimit = 1000 }),
		templates: template.New(env.DB, enginetest.Catalog(), template.Options{Limit: 1000, MaxBytes: 256 << 10, Now: env.Now}),
	}
}

// start has the workflow engine accept a plan, and returns its estimate.
func (f fixture) start(t *testing.T, title string, steps []atelier.StepInput, media []atelier.MediaReference) (int, error) {
	t.Helper()
	started, err := f.workflows.Start(t.Context(), ann, workflow.StartRequest{
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

// scriptedModel is a model that gives the answers of a test in order, and records
// the requests.
type scriptedModel struct {
	mu    sync.Mutex
	says  []string
	err   error
	asked []llm.Request
}

func (s *scriptedModel) Complete(ctx context.Context, q llm.Request, emit func(llm.Delta) error) error {
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
