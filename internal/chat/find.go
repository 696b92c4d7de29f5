package chat

import (
	"context"

	"github.com/atelier-project/atelier/internal/llm"
)

// findTools is the control with which a model looks for the tools that are not described to it.
var findTools = newControl("find_tools", "Find more tools, when those you see cannot do what the user asks: such as to cut out a background, add subtitles, "+
	"make a 3D model, plan several steps, read earlier workflows. You can call what it returns.", (*completion).findTools)

// finder is it as models see it.
var finder = llm.Tool{Type: "function", Function: findTools.function()}

type findArguments struct {
	Query string `wire:"query,required,minlen=1,maxlen=200" doc:"What the tool should do, in a few English words."`
}

// findTools returns the tools that fit a query, or the names of all when none does.
func (t *completion) findTools(_ context.Context, c *Call, q findArguments) (Outcome, error) {
	box := t.box
	list := []any{}
	for _, e := range box.find(q.Query) {
		list = append(list, map[string]any{"name": e.full.Function.Name, "description": e.full.Function.Description})
	}
	result := map[string]any{"tools": list}
	if len(list) == 0 {
		var names []string
		for _, e := range box.entries {
			names = append(names, e.full.Function.Name)
		}
		result["names"] = names
	}
	return succeeded(c.Function.Name, result), nil
}

// find returns the tools that fit a query.
func (b *toolbox) find(query string) []*entry {
	said := map[string]float64{}
	for word := range wordsIn(query) {
		said[word] = 1
	}
	return b.matching(relevance{said: said})
}

// noteFound takes note of what a call has found, so that it is described in the next rounds.
func (t *completion) noteFound(c llm.ToolCall) {
	box := t.box
	if c.Function.Name != findTools.name || box == nil {
		return
	}
	args, err := argumentsOf(c)
	if query, ok := args["query"].(string); ok && err == nil {
		for _, e := range box.find(query) {
			t.found[e.full.Function.Name] = true
		}
	}
}
