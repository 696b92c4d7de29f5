package template_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/wire"
)

var (
	ann = atelier.Account{Wallet: "0xann", Username: "ann"}
	bob = atelier.Account{Wallet: "0xbob", Username: "bob"}
)

const limit = 5

// fixture is a template engine with two accounts.
type fixture struct {
	*enginetest.Env
	*template.Engine
	onTick func() // called when the clock is read, unless it is nil
}

func newFixture(t testing.TB, o store.Options) *fixture {
	t.Helper()
	env := &fixture{Env: enginetest.New(t, o)}
	env.FreezeAt(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	env.Engine = template.New(env.DB, enginetest.Catalog(), template.Options{Limit: limit, MaxBytes: 16 << 10, Now: env.tick})
	env.AddAccount(ann, billing.Credits{})
	env.AddAccount(bob, billing.Credits{})
	return env
}

// tick moves the clock a second whenever it is read, so that lists have an order.
func (env *fixture) tick() time.Time {
	env.Advance(time.Second)
	if env.onTick != nil {
		env.onTick()
	}
	return env.Now()
}

// create saves a template that must be valid.
func (env *fixture) create(who atelier.Account, text string) atelier.Template {
	env.T.Helper()
	saved, err := env.Create(env.T.Context(), who, fields(env.T, text))
	if err != nil {
		env.T.Fatalf("create %s: %v", text, err)
	}
	return saved.Template
}

// fields reads the fields of a JSON object.
func fields(t testing.TB, text string) template.Fields {
	t.Helper()
	var f template.Fields
	if err := wire.Unmarshal([]byte(text), &f); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

// document is a template as a client reads it.
func document(t testing.TB, v atelier.Template) map[string]any {
	t.Helper()
	text, err := wire.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func object(t testing.TB, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

// refusal is the error that something must end with.
func refusal(t testing.TB, err error, code atelier.Code) *atelier.Error {
	t.Helper()
	var e *atelier.Error
	if !errors.As(err, &e) || e.Code.Number != code.Number {
		t.Fatalf("got %v, want the error %s", err, code.Slug)
	}
	return e
}

// summarize writes issues as severity, code and path, for comparison.
func summarize(list []atelier.Issue) []string {
	var out []string
	for _, i := range list {
		out = append(out, i.Severity+" "+i.Code+" "+i.Path)
	}
	return out
}

// mentions fails unless one of the issues is the wanted one.
func mentions(t testing.TB, list []atelier.Issue, want string) {
	t.Helper()
	if !slices.Contains(summarize(list), want) {
		t.Errorf("got %q, want %q among them", summarize(list), want)
	}
	for _, i := range list {
		if i.Path != "" && !strings.HasPrefix(i.Message, i.Path+" ") {
			t.Errorf("the message %q does not begin with its path %q", i.Message, i.Path)
		}
	}
}

// compile compiles a template written as JSON, with inputs written as JSON.
func compile(t testing.TB, text, inputs string) (template.Compiled, error) {
	t.Helper()
	return compileWith(t, text, template.Request{Inputs: object(t, inputs)})
}

func compileWith(t testing.TB, text string, q template.Request) (template.Compiled, error) {
	t.Helper()
	return template.Compile(t.Context(), enginetest.Catalog(), parsed(t, text), q)
}

// parsed is a template as it would be read again after it was saved. It need
// not be valid.
func parsed(t testing.TB, text string) atelier.Template {
	t.Helper()
	out, err := template.Open([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

// compiled compiles a template that must compile.
func compiled(t testing.TB, text, inputs string) template.Compiled {
	t.Helper()
	out, err := compile(t, text, inputs)
	if err != nil {
		t.Fatalf("compile: %v\n%v", err, details(err))
	}
	return out
}

func details(err error) []atelier.Issue {
	var e *atelier.Error
	if !errors.As(err, &e) {
		return nil
	}
	list, _ := e.Details["compileErrors"].([]atelier.Issue)
	return list
}

// uncompiled returns the issues of a template that must not compile.
func uncompiled(t testing.TB, text, inputs string) []atelier.Issue {
	t.Helper()
	out, err := compile(t, text, inputs)
	if err == nil {
		t.Fatalf("compiled to %+v, want a refusal", out.Steps)
	}
	e := refusal(t, err, atelier.CodeTemplateCompile)
	if _, ok := e.Details["compileWarnings"].([]atelier.Issue); !ok {
		t.Errorf("compileWarnings is %T, want a list", e.Details["compileWarnings"])
	}
	return details(err)
}

// unrecorded writes nothing in the transaction of a change.
func unrecorded(*store.Tx, atelier.Template) error { return nil }
