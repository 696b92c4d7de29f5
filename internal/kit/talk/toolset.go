package talk

import (
	"bytes"
	"cmp"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// toolset is the tools that a request offers and its tool_choice.
type toolset struct {
	hosted    map[string]*catalog.Tool // tools of this service
	functions []llm.Function           // functions of the caller
	disabled  bool                     // no tool may be called
	required  bool                     // some tool must be called
	named     string                   // the tool that must be called
}

// newToolset sorts the tools of a request. A function with the name of a hosted tool but another schema is the caller's
// own.
func newToolset(c *catalog.Catalog, r llm.Request) *toolset {
	s := &toolset{hosted: map[string]*catalog.Tool{}}
	s.readToolChoice(r.ToolChoice)
	for _, t := range r.Tools {
		f := t.Function
		if tool, ok := c.Tool(f.Name); ok && isHosted(tool, f.Parameters) {
			s.hosted[f.Name] = tool
			continue
		}
		s.functions = append(s.functions, f)
	}
	return s
}

// isHosted reports whether a schema is the service's own for a tool.
func isHosted(tool *catalog.Tool, schema []byte) bool {
	return len(schema) == 0 || bytes.Equal(schema, tool.Function().Parameters) || bytes.Equal(schema, tool.CompactFunction().Parameters)
}

// readToolChoice reads tool_choice: none, auto, required, or a function by name. Anything else is auto.
func (s *toolset) readToolChoice(raw wire.Raw) {
	if len(raw) == 0 {
		return
	}
	var word string
	if wire.Unmarshal(raw, &word) == nil {
		s.disabled = word == "none"
		s.required = word == "required" || word == "any"
		return
	}
	var object struct {
		Type     string `json:"type"`
		Name     string `json:"name"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if wire.Unmarshal(raw, &object) != nil {
		return
	}
	s.named = cmp.Or(object.Function.Name, object.Name)
}

// canCall reports whether a hosted tool may be called.
func (s *toolset) canCall(name string) bool {
	return !s.disabled && s.hosted[name] != nil
}
