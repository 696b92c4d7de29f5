package chat

import (
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/wire"
)

// ToolChoice says which tools the model may or must call. The zero value says
// nothing.
type ToolChoice struct {
	Mode     string // auto, none or required
	Function string // or the one function that must be called
}

// namedChoice names a function as model servers read it.
type namedChoice struct {
	Type     string `json:"type"`
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

// autoChoice leaves the choice of tools to the model.
var autoChoice = wire.Raw(`"auto"`)

// toolChoice is the choice of a request as model servers read it. It is nil
// without any tools: there is nothing to choose.
func (t *completion) toolChoice() (wire.Raw, error) {
	choice := t.q.ToolChoice
	noTools := len(t.q.Tools) == 0 && t.q.Family == ""
	switch {
	case choice.Function != "":
		names := t.toolNames()
		if !slices.Contains(names, choice.Function) {
			return nil, catalog.Unknown("tool_choice.function.name", choice.Function, names)
		}
		named := namedChoice{Type: "function"}
		named.Function.Name = choice.Function
		return wire.Marshal(named)
	case choice.Mode == "required" && noTools:
		return nil, atelier.Refuse("tool_choice", "is required, but there are no tools.")
	case choice.Mode == "" || noTools:
		return nil, nil
	}
	return wire.Marshal(choice.Mode)
}

// toolNames lists the tools that the model may call.
func (t *completion) toolNames() (names []string) {
	for name := range t.hostedTool {
		names = append(names, name)
	}
	for _, tool := range t.q.Tools {
		names = append(names, tool.Function.Name)
	}
	slices.Sort(names)
	return names
}
