package chat

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/workflow"
)

// mostTemplates is how many templates are tools of a conversation at most.
const mostTemplates = 16

// toolboxes are the families of tools. Those with templates, which take long to describe, are kept for the next request
// with the same templates: most accounts have only those of the operator.
type toolboxes struct {
	byFamily map[string]*toolbox

	mu        sync.Mutex
	templates map[templatesKey]*toolbox
}

type templatesKey struct {
	family   string
	revision template.Revision
}

// mostToolboxes is how many toolboxes with templates are kept.
const mostToolboxes = 32

// with is the toolbox of a family with templates.
func (b *toolboxes) with(family string, list []atelier.Template, revision template.Revision) *toolbox {
	key := templatesKey{family, revision}
	b.mu.Lock()
	box := b.templates[key]
	b.mu.Unlock()
	if box != nil {
		return box
	}
	box = b.byFamily[family].with(list)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.templates) >= mostToolboxes {
		clear(b.templates)
	}
	b.templates[key] = box
	return box
}

// with is the toolbox with templates as tools besides the family. A tool of the service wins over a template of its
// name.
func (b *toolbox) with(list []atelier.Template) *toolbox {
	out := b.extensible()
	for _, t := range list {
		if out.byName[t.ID] != nil || !template.IsTool(t) {
			continue
		}
		schema, err := wire.Marshal(template.ToolSchema(t, mediaInput))
		if err != nil {
			continue // it was saved as JSON, so that it can be written again
		}
		f := llm.Tool{Type: "function", Function: llm.Function{Name: t.ID, Description: template.ToolDescription(t), Parameters: schema}}
		own := templateTool{t}
		out.add(entry{full: f, compact: f, core: t.Visibility == atelier.VisibilityPrivate, words: map[string]bool{}}, &hosted{run: own.run, estimate: own.estimate, groups: workflowGroups})
	}
	return out
}

// mediaInput is the schema of an input that is a file: models address media by index.
func mediaInput(kind string) map[string]any {
	return map[string]any{"type": "integer", "description": fmt.Sprintf("The %s: 0 up are results, -1 the first sent.", kind)}
}

// templateTool is a template as a tool: a call of it is a workflow of the template.
type templateTool struct{ atelier.Template }

func (x templateTool) run(t *completion, ctx context.Context, c *Call, args map[string]any) (Outcome, error) {
	return t.runRequest(ctx, c, func() (workflow.StartRequest, string, error) {
		q, err := x.request(t, ctx, args)
		return q, "", err
	})
}

func (x templateTool) estimate(t *completion, ctx context.Context, args map[string]any) (workflow.Estimate, error) {
	q, err := x.request(t, ctx, args)
	return t.estimateRequest(ctx, q, err)
}

// request is the workflow of a call: its inputs are the arguments, with addresses in place of indices.
func (x templateTool) request(t *completion, ctx context.Context, args map[string]any) (q workflow.StartRequest, err error) {
	inputs := maps.Clone(args)
	for _, in := range x.Inputs {
		given, ok := inputs[in.Name]
		if !ok || !in.Type.Media() {
			continue
		}
		list, isList := given.([]any)
		if !isList {
			list = []any{given}
		}
		urls := make([]any, len(list))
		for i, v := range list {
			if urls[i], err = t.addressOf(ctx, catalog.Kind(in.Type), v); err != nil {
				return q, err
			}
		}
		if inputs[in.Name] = any(urls); !isList {
			inputs[in.Name] = urls[0]
		}
	}
	return workflow.StartRequest{TemplateID: x.ID, Inputs: inputs, Terms: t.q.Terms}, nil
}

// addressOf is the address of media that a model has named by its index.
func (t *completion) addressOf(ctx context.Context, kind catalog.Kind, v any) (any, error) {
	index, ok := v.(float64)
	if !ok {
		return v, nil // the template says what is wrong with it
	}
	list := t.media.results(kind)
	if index < 0 {
		sent, err := t.references(ctx)
		if err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(sent, func(m atelier.MediaReference) bool { return m.Kind != string(kind) })
		index = -index - 1
	}
	if index != float64(int(index)) || int(index) >= len(list) {
		return nil, errMedia{fmt.Sprintf("There is no %s %v in this conversation.", kind, v)}
	}
	return list[int(index)].URL, nil
}
