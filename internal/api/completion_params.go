package api

import (
	"maps"

	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

type reasoningOptions struct {
	Effort string `wire:"effort,enum=minimal|low|medium|high"`
}

// profile is the task profile: the one that was asked for, else coding for a
// conversation in which a developer speaks.
func (q completionRequest) profile() chat.Profile {
	switch {
	case q.TaskProfile != "":
		return q.TaskProfile
	case llm.Developed(q.Messages):
		return chat.Coding
	}
	return chat.General
}

// thinking is whether the model may think: as enable_thinking says, else unless
// the effort is minimal.
func (q completionRequest) thinking() bool {
	if enabled, said := q.enableThinking(); said {
		return enabled
	}
	return q.effort() != "minimal"
}

// enableThinking is the boolean of that name, if it is one.
func (q completionRequest) enableThinking() (enabled, said bool) {
	switch string(q.TemplateArgs["enable_thinking"]) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

func (q completionRequest) effort() string {
	if q.Effort == "" && q.Reasoning != nil {
		return q.Reasoning.Effort
	}
	return q.Effort
}

// params are what is passed on to the model besides.
func (q completionRequest) params(m llm.Model) map[string]wire.Raw {
	out := map[string]wire.Raw{}
	put := func(name string, v any) {
		if raw, err := wire.Marshal(v); err == nil {
			out[name] = raw
		}
	}
	maps.Copy(out, q.Params)
	if q.Temperature != nil {
		put("temperature", *q.Temperature)
	}
	if q.TopP != nil {
		put("top_p", *q.TopP)
	}
	if q.Format != nil {
		put("response_format", q.Format)
	}
	if e := q.effort(); e != "" {
		put("reasoning_effort", e)
	}
	if args := q.templateArgs(m); len(args) > 0 {
		put("chat_template_kwargs", args)
	}
	return out
}

// templateArgs are the arguments of the model's chat template. Servers that
// know no such thing refuse it, so that one which thinks anyway, or never
// does, is not told to.
func (q completionRequest) templateArgs(m llm.Model) map[string]wire.Raw {
	args := maps.Clone(q.TemplateArgs)
	if _, said := q.enableThinking(); said || (q.thinking() && !m.Reasoning) {
		return args
	}
	if args == nil {
		args = map[string]wire.Raw{}
	}
	args["enable_thinking"] = wire.Raw("false")
	if q.thinking() {
		args["enable_thinking"] = wire.Raw("true")
	}
	return args
}
