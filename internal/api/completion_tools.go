package api

import (
	"errors"
	"fmt"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// maxTools bounds the tools of a caller.
const maxTools = 256

// readTools reads the tools of a caller.
func readTools(raw wire.Raw) ([]llm.Tool, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var tools []llm.Tool
	err := wire.Items(raw, maxTools, func(i int, item wire.Raw) error {
		var t llm.Tool
		at := fmt.Sprintf("tools[%d]", i)
		if err := wire.Unmarshal(item, &t); err != nil {
			return atelier.Refuse(at, "is not a function tool: an object with a type and a function.")
		}
		switch f := t.Function; {
		case t.Type != "" && t.Type != "function":
			return atelier.Refuse(at+".type", "must be function.")
		case f.Name == "":
			return atelier.Refuse(at+".function.name", "is required.")
		case len(f.Parameters) > 0 && f.Parameters[0] != '{' && string(f.Parameters) != "null":
			return atelier.Refuse(at+".function.parameters", "must be a JSON Schema: an object.")
		}
		t.Type = "function"
		tools = append(tools, t)
		return nil
	})
	if errors.Is(err, wire.ErrTooMany) || errors.Is(err, wire.ErrNotArray) {
		err = atelier.Refuse("tools", "must be an array of at most %d function tools.", maxTools)
	}
	return tools, err
}

// readChoice reads which tool the model is to call. Without any tools there is
// no choice, and nothing is passed on.
func (s *Server) readChoice(raw wire.Raw, r *chat.Request) (wire.Raw, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	none := len(r.Tools) == 0 && r.Family == ""
	var word string
	if wire.Unmarshal(raw, &word) == nil {
		switch {
		case word != "auto" && word != "none" && word != "required":
			return nil, atelier.Refuse("tool_choice", "must be auto, none, required or a function.")
		case word == "required" && none:
			return nil, atelier.Refuse("tool_choice", "is required, but there are no tools.")
		case none:
			return nil, nil
		}
		return raw, nil
	}
	var named namedChoice
	if wire.Unmarshal(raw, &named) != nil || (named.Type != "" && named.Type != "function") || named.Function.Name == "" {
		return nil, atelier.Refuse("tool_choice", `must be auto, none, required, or {"type": "function", "function": {"name": …}}.`)
	}
	if names := s.chat.Offered(r); !slices.Contains(names, named.Function.Name) {
		return nil, catalog.Unknown("tool_choice.function.name", named.Function.Name, names)
	}
	named.Type = "function"
	return wire.Marshal(named) // and nothing else that may have come with it
}

// namedChoice is a tool_choice that names a function.
type namedChoice struct {
	Type     string `json:"type"`
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}
