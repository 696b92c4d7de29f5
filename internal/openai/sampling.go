package openai

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// sampling are parameters that every model server is sent besides those of the
// specification: how the next token is chosen, and where an answer stops. Any
// other parameter is ignored unless the operator allows it for a server, because
// on some server it chooses another model or price (models, provider,
// service_tier, user), asks for more work than is paid for (n_predict, best_of,
// prompt_logprobs), or for what the answer has no field for (logprobs).
type sampling struct {
	TopK              *int          `wire:"top_k,min=-1" doc:"Passed on."`
	MinP              *float64      `wire:"min_p,min=0,max=1" doc:"Passed on."`
	Seed              *int64        `wire:"seed" doc:"Passed on."`
	PresencePenalty   *float64      `wire:"presence_penalty,min=-2,max=2" doc:"Passed on."`
	FrequencyPenalty  *float64      `wire:"frequency_penalty,min=-2,max=2" doc:"Passed on."`
	RepetitionPenalty *float64      `wire:"repetition_penalty,min=0,max=10" doc:"Passed on."`
	ParallelToolCalls *bool         `wire:"parallel_tool_calls" doc:"Passed on."`
	Stop              stopSequences `wire:"stop" doc:"Passed on: a string, or at most 16, of 256 characters each."`
	LogitBias         logitBias     `wire:"logit_bias" doc:"Passed on: from -100 to 100 for each of at most 300 token ids."`
}

// The bounds of parameters that are more than a number.
const (
	maxStops       = 16
	maxStopLength  = 256
	maxBiases      = 300
	maxBias        = 100
	maxTemplateArg = 8 << 10  // bytes of chat_template_kwargs
	maxFormat      = 64 << 10 // bytes of response_format
)

// stopSequences are texts that end an answer: one, or several.
type stopSequences []string

// ReadWire implements wire.Reader.
func (s *stopSequences) ReadWire(raw wire.Raw) error {
	var one string
	if wire.Unmarshal(raw, &one) == nil {
		*s = stopSequences{one}
	} else if err := wire.Unmarshal(raw, (*[]string)(s)); err != nil {
		return atelier.Refuse("", "must be a string or an array of strings.")
	}
	if len(*s) > maxStops {
		return atelier.Refuse("", "must hold at most %d texts.", maxStops)
	}
	for _, text := range *s {
		if utf8.RuneCountInString(text) > maxStopLength {
			return atelier.Refuse("", "holds a text of more than %d characters.", maxStopLength)
		}
	}
	return nil
}

// WireSchema implements wire.Described.
func (stopSequences) WireSchema() wire.Schema {
	return wire.Schema{"type": []string{"string", "array"}, "items": wire.Schema{"type": "string"}}
}

// logitBias makes tokens more or less likely, by their ids.
type logitBias map[string]float64

// ReadWire implements wire.Reader.
func (b *logitBias) ReadWire(raw wire.Raw) error {
	if err := wire.Unmarshal(raw, (*map[string]float64)(b)); err != nil {
		return atelier.Refuse("", "must be an object of numbers by token id.")
	}
	if len(*b) > maxBiases {
		return atelier.Refuse("", "must hold at most %d tokens.", maxBiases)
	}
	for id, bias := range *b {
		if _, err := strconv.ParseUint(id, 10, 32); err != nil || math.Abs(bias) > maxBias {
			return atelier.Refuse("", "must be numbers from -%d to %[1]d by token id.", maxBias)
		}
	}
	return nil
}

// WireSchema implements wire.Described.
func (logitBias) WireSchema() wire.Schema { return wire.Schema{"type": "object"} }

// putParams calls put with the parameters that were given.
func (s *sampling) putParams(put func(string, any)) {
	if s.TopK != nil {
		put("top_k", *s.TopK)
	}
	if s.MinP != nil {
		put("min_p", *s.MinP)
	}
	if s.Seed != nil {
		put("seed", *s.Seed)
	}
	if s.PresencePenalty != nil {
		put("presence_penalty", *s.PresencePenalty)
	}
	if s.FrequencyPenalty != nil {
		put("frequency_penalty", *s.FrequencyPenalty)
	}
	if s.RepetitionPenalty != nil {
		put("repetition_penalty", *s.RepetitionPenalty)
	}
	if s.ParallelToolCalls != nil {
		put("parallel_tool_calls", *s.ParallelToolCalls)
	}
	if len(s.Stop) > 0 {
		put("stop", s.Stop)
	}
	if len(s.LogitBias) > 0 {
		put("logit_bias", s.LogitBias)
	}
}

// rendererArgs are arguments of the function that renders a chat template. On a
// server that merges chat_template_kwargs into them, a caller could send its own
// template, or a conversation that is not the one that is paid for.
var rendererArgs = []string{
	"chat_template", "conversation", "messages", "tools", "documents", "tokenize", "tokenizer", "tokenizer_kwargs", "processor_kwargs",
	"add_generation_prompt", "continue_final_message", "padding", "truncation", "max_length", "return_tensors", "return_dict",
	"return_assistant_tokens_mask",
}

// checkObjects bounds the objects that are passed on as they are.
func (b *CompletionBody) checkObjects() error {
	size := 0
	for name, v := range b.TemplateArgs {
		if slices.Contains(rendererArgs, name) {
			return atelier.Refuse("chat_template_kwargs."+name, "is not accepted: the model server sets it.")
		}
		size += len(name) + len(v)
	}
	if size > maxTemplateArg {
		return atelier.Refuse("chat_template_kwargs", "must be at most %d KB of JSON.", maxTemplateArg>>10)
	}
	size = 0
	for name, v := range b.Format {
		size += len(name) + len(v)
	}
	if size > maxFormat {
		return atelier.Refuse("response_format", "must be at most %d KB of JSON.", maxFormat>>10)
	}
	return nil
}

type reasoningOptions struct {
	Effort string `wire:"effort,enum=minimal|low|medium|high"`
}

// thinking is whether the model may think: as enable_thinking says, else unless
// the effort is minimal.
func (b *CompletionBody) thinking() bool {
	switch string(b.TemplateArgs["enable_thinking"]) {
	case "true":
		return true
	case "false":
		return false
	}
	return b.effort() != "minimal"
}

func (b *CompletionBody) effort() string {
	if b.Effort == "" && b.Reasoning != nil {
		return b.Reasoning.Effort
	}
	return b.Effort
}

// params are the parameters that every model server is sent, as JSON by name.
func (b *CompletionBody) params() (map[string]wire.Raw, error) {
	if err := b.checkObjects(); err != nil {
		return nil, err
	}
	out := map[string]wire.Raw{}
	put := func(name string, v any) {
		if raw, err := wire.Marshal(v); err == nil {
			out[name] = raw
		}
	}
	b.sampling.putParams(put)
	if b.Temperature != nil {
		put("temperature", *b.Temperature)
	}
	if b.TopP != nil {
		put("top_p", *b.TopP)
	}
	if b.Format != nil {
		put("response_format", b.Format)
	}
	if e := b.effort(); e != "" {
		put("reasoning_effort", e)
	}
	return out, nil
}
