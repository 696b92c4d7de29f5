package chat

import (
	"context"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// runner runs a call of a hosted tool.
type runner func(t *turn, ctx context.Context, c llm.ToolCall, args map[string]any) (outcome, error)

// hosted is a tool of this service.
type hosted struct {
	run    runner
	atOnce bool // it answers in the request: any credential runs it
	queued bool // it sees what the calls before it in a round have done
}

// toolbox is a family of hosted tools as models see them.
type toolbox struct {
	list   []llm.Tool
	byName map[string]*hosted
}

func newToolbox(c *catalog.Catalog, family string) *toolbox {
	b := &toolbox{byName: map[string]*hosted{}}
	for _, tool := range c.ToolFamily(family) {
		f := tool.Function()
		b.add(llm.Function{Name: f.Name, Description: f.Description, Parameters: wire.Raw(f.Parameters)}, hostedBy(tool))
	}
	if family == catalog.CreativeAgent {
		for _, k := range controls {
			b.add(k.function(), &hosted{run: k.run})
		}
	}
	return b
}

func (b *toolbox) add(f llm.Function, h *hosted) {
	b.list = append(b.list, llm.Tool{Type: "function", Function: f})
	b.byName[f.Name] = h
}

// hostedBy says how a tool of the catalog is run.
func hostedBy(tool *catalog.Tool) *hosted {
	switch {
	case tool.Synchronous():
		return &hosted{run: compose(tool), atOnce: true}
	case tool.Pure() && tool.Produces == nil:
		return &hosted{run: say(tool)}
	case tool.Pure():
		return &hosted{run: keep(tool), queued: true}
	}
	return &hosted{run: render(tool)}
}

// offered are the tools of a request: the hosted family, and the caller's own,
// which win over hosted ones of the same name.
func (e *Engine) offered(q *Request) ([]llm.Tool, map[string]*hosted) {
	box := e.tools[q.Family]
	if box == nil {
		return q.Tools, nil
	}
	if len(q.Tools) == 0 {
		return box.list, box.byName
	}
	own := map[string]bool{}
	for _, t := range q.Tools {
		own[t.Function.Name] = true
	}
	all := append([]llm.Tool(nil), q.Tools...)
	ours := map[string]*hosted{}
	for _, t := range box.list {
		if !own[t.Function.Name] {
			all = append(all, t)
			ours[t.Function.Name] = box.byName[t.Function.Name]
		}
	}
	return all, ours
}

// Offers reports whether a tool is among those of a request.
func (e *Engine) Offers(q *Request, name string) bool {
	tools, _ := e.offered(q)
	return slices.ContainsFunc(tools, func(t llm.Tool) bool { return t.Function.Name == name })
}

// runs reports whether a call of a tool is run here, for this caller: media
// tools need an API key, composition tools a whole answer or an API key.
func (t *turn) runs(name string) bool {
	if t.direct() {
		return false
	}
	h := t.hosted[name]
	switch {
	case h == nil:
		return !t.own(name)
	case t.q.Caller.Credential == atelier.ByAPIKey:
		return true
	}
	return h.atOnce
}

// own reports whether a tool is the caller's.
func (t *turn) own(name string) bool {
	return slices.ContainsFunc(t.q.Tools, func(tool llm.Tool) bool { return tool.Function.Name == name })
}
