package chat

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// runner runs a call of a hosted tool.
type runner func(t *completion, ctx context.Context, c llm.ToolCall, args map[string]any) (outcome, error)

// hosted is a tool of this service.
type hosted struct {
	run    runner
	atOnce bool // it answers in the request: any credential runs it
	queued bool // it sees what the calls before it in a round have done
}

// toolbox is a family of hosted tools as models see them.
type toolbox struct {
	entries                   []entry
	full, compact             []llm.Tool
	fullTokens, compactTokens int
	byName                    map[string]*hosted
	frequency                 map[string]int // in how many tools a word occurs
}

func newToolbox(c *catalog.Catalog, family string) *toolbox {
	b := &toolbox{byName: map[string]*hosted{}, frequency: map[string]int{}}
	for _, tool := range c.ToolFamily(family) {
		e := entry{full: function(tool.Function()), compact: function(tool.CompactFunction()), core: tool.Core, words: wordsIn(strings.Join(tool.Words, " "))}
		for _, n := range tool.Needs {
			e.needs = append(e.needs, string(n.Kind))
		}
		b.add(e, hostedBy(tool))
	}
	if family == catalog.CreativeAgent {
		for _, k := range controls {
			f := llm.Tool{Type: "function", Function: k.function()}
			b.add(entry{full: f, compact: f, words: map[string]bool{}}, &hosted{run: k.run})
		}
	}
	b.fullTokens, b.compactTokens = llm.ToolTokens(b.full), llm.ToolTokens(b.compact)
	return b
}

func function(f catalog.Function) llm.Tool {
	return llm.Tool{Type: "function", Function: llm.Function{Name: f.Name, Description: f.Description, Parameters: wire.Raw(f.Parameters)}}
}

func (b *toolbox) add(e entry, h *hosted) {
	e.tokens = llm.ToolTokens([]llm.Tool{e.compact})
	maps.Copy(e.words, wordsIn(strings.ReplaceAll(e.full.Function.Name, "_", " ")+" "+e.full.Function.Description))
	for word := range e.words {
		b.frequency[word]++
	}
	b.entries = append(b.entries, e)
	b.full, b.compact = append(b.full, e.full), append(b.compact, e.compact)
	b.byName[e.full.Function.Name] = h
}

// hostedBy says how a tool of the catalog is run.
func hostedBy(tool *catalog.Tool) *hosted {
	switch {
	case tool.Synchronous():
		return &hosted{run: compose(tool), atOnce: true}
	case tool.Pure() && tool.Produces == nil:
		return &hosted{run: say(tool)}
	case tool.Pure():
		return &hosted{run: manifestRunner(tool), queued: true}
	}
	return &hosted{run: render(tool)}
}

// hostedFor are the tools of this service that a request may call. The caller's
// own win over hosted ones of the same name.
func (e *Engine) hostedFor(q *Request) map[string]*hosted {
	box := e.toolbox(q)
	if box == nil {
		return nil
	}
	if len(q.Tools) == 0 {
		return box.byName
	}
	ours := maps.Clone(box.byName)
	for _, t := range q.Tools {
		delete(ours, t.Function.Name)
	}
	return ours
}

// toolbox is the family of a request, nil when none is offered.
func (e *Engine) toolbox(q *Request) *toolbox {
	if q.Model.Tools == llm.ToolsNone {
		return nil
	}
	return e.tools[q.Family]
}

// Offered lists the tools of a request by name.
func (e *Engine) Offered(q *Request) []string {
	names := slices.Collect(maps.Keys(e.hostedFor(q)))
	for _, t := range q.Tools {
		names = append(names, t.Function.Name)
	}
	slices.Sort(names)
	return names
}

// offered are the tools that the model is told in this round.
func (t *completion) offered() []llm.Tool {
	box := t.toolbox(&t.q)
	if box == nil {
		return t.q.Tools
	}
	ours := box.offer(t.q.Model.Tools, room(t.q.Model, t.q.Messages, t.q.Tools, t.q.MaxTokens), t.relevance)
	if len(t.q.Tools) == 0 {
		return ours
	}
	all := slices.Clone(t.q.Tools)
	for _, tool := range ours {
		if t.hostedTool[tool.Function.Name] != nil {
			all = append(all, tool)
		}
	}
	return all
}

// leastWeight is that of the oldest message of the user whose words count.
const leastWeight = 1.0 / 8

// relevance is what tools are chosen by where not all have room.
func (t *completion) relevance() relevance {
	r := relevance{said: map[string]float64{}, called: map[string]bool{}, kinds: map[string]bool{}}
	var choice struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if wire.Unmarshal(t.q.ToolChoice, &choice) == nil {
		r.named = choice.Function.Name
	}
	weight := 1.0
	for _, m := range slices.Backward(t.q.Messages) {
		for _, c := range m.ToolCalls {
			r.called[c.Function.Name] = true
		}
		if m.Role != "user" || weight < leastWeight {
			continue
		}
		for word := range wordsIn(m.Text()) {
			r.said[word] = max(r.said[word], weight)
		}
		weight /= 2 // an answer to a question seldom says again what it is about
	}
	for _, p := range t.shelf.sent {
		r.kinds[p.Kind] = true
	}
	for _, m := range t.shelf.made {
		r.kinds[m.Kind] = true
	}
	return r
}

// runs reports whether a call of a tool is run here, for this caller: media
// tools need an API key, composition tools a whole answer or an API key.
func (t *completion) runs(name string) bool {
	if t.direct() {
		return false
	}
	h := t.hostedTool[name]
	switch {
	case h == nil:
		return !t.own(name)
	case t.q.Caller.Credential == atelier.CredentialAPIKey:
		return true
	}
	return h.atOnce
}

// own reports whether a tool is the caller's.
func (t *completion) own(name string) bool {
	return slices.ContainsFunc(t.q.Tools, func(tool llm.Tool) bool { return tool.Function.Name == name })
}
