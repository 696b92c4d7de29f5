package chat

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/workflow"
)

// runner runs a call of a hosted tool.
type runner func(t *completion, ctx context.Context, c *Call, args map[string]any) (Outcome, error)

// estimator estimates what a call costs.
type estimator func(t *completion, ctx context.Context, args map[string]any) (workflow.Estimate, error)

// hosted is a tool of this service.
type hosted struct {
	run      runner
	estimate estimator // nil for a tool that costs nothing, or answers at once
	atOnce   bool      // it answers within the request, so that any credential may run it
	queued   bool      // it must see what the calls before it in a round have done

	groups []atelier.KeyGroup // a key that is limited to groups needs one of them besides chat; nil for a tool that needs none
}

// What a key that is limited to groups needs for tools that do what endpoints of these groups do.
var (
	mediaGroups    = []atelier.KeyGroup{atelier.GroupMedia, atelier.GroupWorkflows}
	workflowGroups = []atelier.KeyGroup{atelier.GroupWorkflows}
)

// toolbox is a family of hosted tools as models see them.
type toolbox struct {
	entries                   []entry    // the family, then remote tools and templates
	full, compact             []llm.Tool // the family
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
			b.add(entry{full: f, compact: f, words: map[string]bool{}}, &hosted{run: k.run, estimate: k.estimate, groups: workflowGroups})
		}
	}
	b.byName[findTools.name] = &hosted{run: findTools.run, atOnce: true}
	b.describe()
	return b
}

// describe makes the descriptions of the family.
func (b *toolbox) describe() {
	for _, e := range b.entries {
		b.full, b.compact = append(b.full, e.full), append(b.compact, e.compact)
	}
	b.fullTokens, b.compactTokens = llm.ToolTokens(b.full), llm.ToolTokens(b.compact)
}

// only is a toolbox with the tools of this one that are named.
func (b *toolbox) only(names []string) *toolbox {
	some := &toolbox{byName: map[string]*hosted{}, frequency: map[string]int{}}
	for _, e := range b.entries {
		if name := e.full.Function.Name; slices.Contains(names, name) {
			e.words = maps.Clone(e.words)
			some.add(e, b.byName[name])
		}
	}
	some.describe()
	return some
}

// within is a toolbox with the tools of this one that a key of these limits may use, by its groups.
func (b *toolbox) within(l *atelier.KeyLimits) *toolbox {
	if b == nil || l == nil || l.Groups == nil {
		return b
	}
	var names []string
	for _, e := range b.entries {
		if name := e.full.Function.Name; l.CheckRoute(b.byName[name].groups, false, atelier.RoleViewer) == nil {
			names = append(names, name)
		}
	}
	some := b.only(names)
	if finder := b.byName[findTools.name]; finder != nil {
		some.byName[findTools.name] = finder
	}
	return some
}

func function(f catalog.Function) llm.Tool {
	return llm.Tool{Type: "function", Function: llm.Function{Name: f.Name, Description: f.Description, Parameters: f.Parameters}}
}

func (b *toolbox) add(e entry, h *hosted) {
	e.tokens = llm.ToolTokens([]llm.Tool{e.compact})
	maps.Copy(e.words, wordsIn(strings.ReplaceAll(e.full.Function.Name, "_", " ")+" "+e.full.Function.Description))
	for word := range e.words {
		b.frequency[word]++
	}
	b.entries = append(b.entries, e)
	b.byName[e.full.Function.Name] = h
}

// hostedBy says how a tool of the catalog is run.
func hostedBy(tool *catalog.Tool) *hosted {
	switch {
	case tool.Synchronous():
		return &hosted{run: composeRunner(tool), atOnce: true}
	case tool.Pure() && tool.Produces == nil:
		return &hosted{run: sayRunner(tool)}
	case tool.Pure():
		return &hosted{run: manifestRunner(tool), queued: true}
	}
	media := renderTool{tool}
	return &hosted{run: media.run, estimate: media.estimate, groups: mediaGroups}
}

// callableTools are the hosted tools that the model may call. A tool of the caller
// replaces a hosted one of the same name.
func (t *completion) callableTools() map[string]*hosted {
	box := t.box
	if box == nil {
		return nil
	}
	if len(t.q.Tools) == 0 {
		return box.byName
	}
	ours := maps.Clone(box.byName)
	for _, tool := range t.q.Tools {
		delete(ours, tool.Function.Name)
	}
	return ours
}

// findToolbox finds the family of the request, with the templates of the account that are open to
// models, as far as the key of the caller may use them. It is nil when no hosted tool is offered.
func (t *completion) findToolbox(ctx context.Context) (*toolbox, error) {
	box, err := t.familyToolbox(ctx)
	return box.within(t.q.Caller.Limits), err
}

func (t *completion) familyToolbox(ctx context.Context) (*toolbox, error) {
	if t.model.Tools == llm.ToolsNone {
		return nil, nil
	}
	boxes := (*t.tools.Load())()
	box := boxes.byFamily[t.q.Family]
	if box != nil && t.q.Allowed != nil {
		return box.only(t.q.Allowed), nil
	}
	if box == nil || t.opts.Templates == nil {
		return box, nil
	}
	list, revision, err := t.opts.Templates(ctx, t.q.Caller.Wallet, mostTemplates)
	if err != nil || len(list) == 0 {
		return box, err
	}
	return boxes.with(t.q.Family, list, revision), nil
}

// offeredTools are the tools that are described to the model in this round.
func (t *completion) offeredTools() []llm.Tool {
	box := t.box
	if box == nil {
		return t.q.Tools
	}
	ours := t.chooseTools(box, tokensForTools(t.model, t.q.Messages, t.q.Tools, t.q.MaxTokens))
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

// chooseTools chooses the hosted tools that are described to the model. A chat completion injects the whole family, as
// far as it fits. In a run the model finds what it needs, but for the built-in one, which only knows the list.
func (t *completion) chooseTools(box *toolbox, tokens int) []llm.Tool {
	detail := t.model.Tools
	hasFinder := t.hostedTool[findTools.name] != nil // a tool of the caller may have its name
	if t.isRecorded() && hasFinder && detail != llm.ToolsFull && detail != llm.ToolsCompact && t.model.ID != llm.BuiltinID {
		if few, fit := box.offerFew(tokens, t.relevance()); fit {
			return few
		}
	}
	return box.offer(detail, tokens, t.relevance)
}

// leastWeight is the weight of the oldest user message whose words count.
const leastWeight = 1.0 / 8

// relevance is what tools are chosen by where not all fit.
func (t *completion) relevance() relevance {
	r := relevance{named: t.q.ToolChoice.Function, said: map[string]float64{}, called: map[string]bool{}, found: t.found, kinds: map[string]bool{}}
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
		weight /= 2 // the answer to a question seldom repeats what it is about
	}
	for _, m := range t.media.sent {
		r.kinds[m.Kind] = true
	}
	for _, m := range t.media.made {
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
		return !t.isOwnTool(name)
	case t.q.Caller.Credential == atelier.CredentialAPIKey:
		return true
	}
	return h.atOnce
}

// isOwnTool reports whether a tool is the caller's.
func (t *completion) isOwnTool(name string) bool {
	return slices.ContainsFunc(t.q.Tools, func(tool llm.Tool) bool { return tool.Function.Name == name })
}
