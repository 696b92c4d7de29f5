package offline

import (
	"encoding/json"

	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/llm/offline/schema"
	"github.com/atelier-project/atelier/internal/llm/offline/token"
	"github.com/atelier-project/atelier/internal/wire"
)

// applyResponseFormat puts an answer into the JSON that response_format asks for: {"answer": …}, or a schema filled
// from the user's text and the answer.
func (a *response) applyResponseFormat(l *token.Lexicon, r llm.Request) {
	if len(a.calls) > 0 || len(r.Params["response_format"]) == 0 {
		return
	}
	var want struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Schema wire.Raw `json:"schema"`
		} `json:"json_schema"`
		Schema wire.Raw `json:"schema"`
	}
	if json.Unmarshal(r.Params["response_format"], &want) != nil {
		return
	}
	var value any
	switch want.Type {
	case "json_object":
		value = map[string]any{"answer": a.text}
	case "json_schema":
		raw := want.JSONSchema.Schema
		if len(raw) == 0 {
			raw = want.Schema
		}
		fill := schema.NewFiller(l, a.userText, true)
		fill.Reply = a.text
		s := schema.Parse(raw)
		if s.Kind == "" {
			s.Kind = "object"
		}
		var ok bool
		if value, ok = fill.FillValue("answer", s, true); !ok {
			value = map[string]any{"answer": a.text}
		}
	default:
		return
	}
	if text, err := wire.Marshal(value); err == nil {
		a.text = string(text)
	}
}
