package openai

import (
	"errors"
	"fmt"

	"github.com/atelier-project/atelier"
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

// readToolChoice reads which tools the model may or must call: a word, or a
// function by name. Whether there is such a tool is for the chat engine to say.
func readToolChoice(raw wire.Raw) (chat.ToolChoice, error) {
	if len(raw) == 0 {
		return chat.ToolChoice{}, nil
	}
	var word string
	if wire.Unmarshal(raw, &word) == nil {
		switch word {
		case "auto", "none", "required":
			return chat.ToolChoice{Mode: word}, nil
		}
		return chat.ToolChoice{}, atelier.Refuse("tool_choice", "must be auto, none, required or a function.")
	}
	var named struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if wire.Unmarshal(raw, &named) != nil || (named.Type != "" && named.Type != "function") || named.Function.Name == "" {
		return chat.ToolChoice{}, atelier.Refuse("tool_choice", `must be auto, none, required, or {"type": "function", "function": {"name": …}}.`)
	}
	return chat.ToolChoice{Function: named.Function.Name}, nil
}
