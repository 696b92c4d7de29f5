package chat

import (
	"encoding/json"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// toolbox is a family of hosted tools as models see them.
type toolbox struct {
	list   []llm.Tool
	byName map[string]*catalog.Tool
}

func newToolbox(c *catalog.Catalog, family string) *toolbox {
	t := &toolbox{byName: map[string]*catalog.Tool{}}
	for _, tool := range c.ToolFamily(family) {
		f := tool.Function()
		t.list = append(t.list, llm.Tool{Type: "function", Function: llm.Function{Name: f.Name, Description: f.Description, Parameters: wire.Raw(f.Parameters)}})
		t.byName[tool.Name] = tool
	}
	return t
}

// offered are the tools of a request: the hosted family, and the caller's own,
// which win over hosted ones of the same name.
func (e *Engine) offered(q Request) ([]llm.Tool, map[string]*catalog.Tool) {
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
	hosted := map[string]*catalog.Tool{}
	for _, t := range box.list {
		if !own[t.Function.Name] {
			all = append(all, t)
			hosted[t.Function.Name] = box.byName[t.Function.Name]
		}
	}
	return all, hosted
}

// runnable reports whether every call of a round can be run here, for this
// caller: media tools need an API key, composition tools a whole answer or an
// API key.
func runnable(q Request, hosted map[string]*catalog.Tool, calls []llm.ToolCall) bool {
	if !q.Execute {
		return false
	}
	for _, c := range calls {
		tool, ok := hosted[c.Function.Name]
		switch {
		case !ok:
			return false
		case q.Caller.Credential == atelier.ByAPIKey:
		case !tool.Synchronous() || q.Stream:
			return false
		}
	}
	return true
}

// argumentsOf reads the arguments of a call. A model that calls with nonsense
// has failed.
func argumentsOf(c llm.ToolCall) (map[string]any, error) {
	if c.Function.Arguments == "" {
		return map[string]any{}, nil
	}
	var args map[string]any
	if err := json.Unmarshal([]byte(c.Function.Arguments), &args); err != nil || args == nil {
		return nil, atelier.Errorf(atelier.CodeUpstream, "The model called %s with arguments that are not a JSON object.", c.Function.Name)
	}
	return args, nil
}
