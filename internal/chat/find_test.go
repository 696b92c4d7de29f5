package chat_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// forgetful is the Recorder of a run that is never continued.
type forgetful struct{ chat.Recorder }

func (forgetful) RoundStarted(context.Context, int) error { return nil }
func (forgetful) RoundEnded(context.Context, *chat.Round, []*chat.Bill, bool) error {
	return nil
}
func (forgetful) CallEnded(context.Context, *chat.Call, chat.Outcome, []*chat.Bill) error { return nil }

// continueRun answers a request of a run, and returns what each round has described to the model.
func (env *fixture) continueRun(q chat.Request, rounds ...*chat.Round) [][]llm.Tool {
	env.T.Helper()
	q.Family = catalog.CreativeAgent
	before := len(env.model.asked)
	if _, err := env.e.Continue(env.T.Context(), &q, rounds, forgetful{}, func(chat.Event) error { return nil }); err != nil {
		env.T.Fatal(err)
	}
	var out [][]llm.Tool
	for _, r := range env.model.asked[before:] {
		out = append(out, r.Tools)
	}
	return out
}

func described(tools []llm.Tool, name string) *llm.Function {
	i := slices.IndexFunc(tools, func(t llm.Tool) bool { return t.Function.Name == name })
	if i < 0 {
		return nil
	}
	return &tools[i].Function
}

// A run describes few tools to its model: those that the message asks for in full, the core set briefly, and one that
// finds the others.
func TestAskedTools(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	most := 0
	for _, tool := range enginetest.Catalog().ToolFamily(catalog.CreativeTools) {
		env.model.says = append(env.model.says, text("Yes."))
		tools := env.continueRun(env.ask(asking[tool.Name]))[0]
		most = max(most, llm.ToolTokens(tools))
		if f := described(tools, tool.Name); f == nil || string(f.Parameters) != string(tool.Function().Parameters) {
			t.Errorf("%q: %s is not described in full among %d tools", asking[tool.Name], tool.Name, len(tools))
		}
		if described(tools, "find_tools") == nil {
			t.Errorf("%q: there is no tool that finds others", asking[tool.Name])
		}
	}
	env.model.says = append(env.model.says, text("Hello."))
	tools := env.continueRun(env.ask("Say hello."))[0]
	t.Logf("tokens of the tools: %d for a greeting, at most %d for a request", llm.ToolTokens(tools), most)
	if n := llm.ToolTokens(tools); n > 1000 || len(tools) > 10 {
		t.Errorf("a greeting describes %d tools with %d tokens", len(tools), n)
	}
	if most > 2600 {
		t.Errorf("a request describes tools with %d tokens", most)
	}
}

// A model finds a tool that was not described to it, and the next round describes it; also when the run is continued
// by another process.
func TestFindTools(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	env.model.says = append(env.model.says, call("find_tools", `{"query":"subtitles for a clip"}`), text("Here it is."))
	rounds := env.continueRun(env.ask("Thanks."))
	if described(rounds[0], "add_subtitles") != nil || described(rounds[1], "add_subtitles") == nil {
		t.Errorf("add_subtitles is described %v and then %v", described(rounds[0], "add_subtitles"), described(rounds[1], "add_subtitles"))
	}
	made := llm.ToolCall{ID: "call_1", Type: "function"}
	made.Function.Name, made.Function.Arguments = "find_tools", `{"query":"subtitles for a clip"}`
	env.model.says = append(env.model.says, text("Here it is."))
	again := env.continueRun(env.ask("Thanks."), &chat.Round{Calls: []*chat.Call{{ToolCall: made, Outcome: &chat.Outcome{Tool: "find_tools"}}}})
	if described(again[0], "add_subtitles") == nil {
		t.Error("a run that is continued has lost what it has found")
	}
	env.model.says = append(env.model.says, call("find_tools", `{"query":"xyzzy"}`), text("None."))
	env.continueRun(env.ask("Thanks."))
	last := env.model.asked[len(env.model.asked)-1].Messages
	if told := last[len(last)-1].Text(); !strings.Contains(told, "add_subtitles") {
		t.Errorf("a query that fits no tool is told %s, want the names of all", told)
	}
}

// A caller's own tool may have the name of the one that finds others: then all are described.
func TestFindToolsOfTheCaller(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t), text("Hello."))
	q := env.ask("Say hello.")
	q.Tools = []llm.Tool{{Type: "function", Function: llm.Function{Name: "find_tools", Parameters: []byte(`{"type":"object"}`)}}}
	if tools := env.continueRun(q)[0]; len(tools) < 40 {
		t.Errorf("%d tools are described, want all", len(tools))
	}
}
