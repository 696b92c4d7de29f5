package chat

import (
	"maps"

	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// Profile is the kind of task a conversation is. It sets how freely the model
// chooses its words, where the caller does not.
type Profile string

// The profiles of the specification.
const (
	General   Profile = "general"
	Coding    Profile = "coding"
	Reasoning Profile = "reasoning"
)

// samplings are the values of each profile for the two parameters that every
// server takes. Any other parameter has the default of its server.
var samplings = map[Profile]map[string]wire.Raw{
	General:   {"temperature": wire.Raw("0.7"), "top_p": wire.Raw("0.8")},
	Coding:    {"temperature": wire.Raw("0.6"), "top_p": wire.Raw("0.95")},
	Reasoning: {"temperature": wire.Raw("1"), "top_p": wire.Raw("0.95")},
}

// paramsFor are the parameters of a request for a model: those of the caller, of
// the profile, and of the model's chat template.
func (q *Request) paramsFor(m llm.Model) map[string]wire.Raw {
	out := maps.Clone(q.Params)
	if out == nil {
		out = map[string]wire.Raw{}
	}
	_, temperature := out["temperature"]
	_, topP := out["top_p"]
	if !temperature && !topP { // a caller that sets one of them has decided on both
		maps.Copy(out, samplings[q.Profile])
	}
	if args := q.templateArgsFor(m); len(args) > 0 {
		if raw, err := wire.Marshal(args); err == nil {
			out["chat_template_kwargs"] = raw
		}
	}
	return out
}

// templateArgsFor are the arguments of the model's chat template. Servers whose
// templates have no enable_thinking may refuse it, so it is not added for a model
// that does not reason and may think.
func (q *Request) templateArgsFor(m llm.Model) map[string]wire.Raw {
	if q.Thinking && !m.Reasoning {
		return q.TemplateArgs
	}
	args := maps.Clone(q.TemplateArgs)
	if args == nil {
		args = map[string]wire.Raw{}
	}
	args["enable_thinking"] = wire.Raw("false")
	if q.Thinking {
		args["enable_thinking"] = wire.Raw("true")
	}
	return args
}
