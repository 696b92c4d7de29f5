package talk

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// response is what the model answers: words, or calls.
type response struct {
	text   string
	calls  []llm.ToolCall
	finish string
}

// setCalls sets the calls and reports whether there are any.
func (a *response) setCalls(calls []llm.ToolCall) bool {
	a.calls = calls
	return len(calls) > 0
}

// applyLimits ends the words at a stop sequence or after max_tokens. Calls are never cut.
func (a *response) applyLimits(r llm.Request) {
	a.finish = "stop"
	if len(a.calls) > 0 {
		a.finish = "tool_calls"
		return
	}
	for _, stop := range readStops(r.Params["stop"]) {
		if before, _, found := strings.Cut(a.text, stop); found && stop != "" {
			a.text = before
		}
	}
	if r.MaxTokens > 0 && llm.Tokens(a.text) > r.MaxTokens {
		a.finish = "length"
		for llm.Tokens(a.text) > r.MaxTokens {
			_, size := utf8.DecodeLastRuneInString(a.text)
			a.text = a.text[:len(a.text)-max(1, size)]
		}
	}
}

func readStops(raw wire.Raw) []string {
	var one string
	if len(raw) == 0 || wire.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var list []string
	if wire.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// estimateUsage estimates the tokens of the request and the response.
func (a *response) estimateUsage(r llm.Request) llm.Usage {
	u := llm.Usage{PromptTokens: llm.MessageTokens(r.Messages) + llm.ToolTokens(r.Tools), CompletionTokens: llm.Tokens(a.text)}
	for _, c := range a.calls {
		u.CompletionTokens += llm.Tokens(c.Function.Name + c.Function.Arguments)
	}
	return u
}

// emit sends a response: word by word in a stream, else at once.
func (a *response) emit(ctx context.Context, r llm.Request, emit func(llm.Delta) error) error {
	usage := a.estimateUsage(r)
	if !r.Stream {
		return emit(llm.Delta{Content: a.text, ToolCalls: a.toolCallDeltas(), FinishReason: a.finish, Usage: &usage})
	}
	for rest := a.text; rest != ""; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var piece string
		piece, rest = cutFirstWord(rest)
		if err := emit(llm.Delta{Content: piece}); err != nil {
			return err
		}
	}
	for _, d := range a.toolCallDeltas() {
		if err := emit(llm.Delta{ToolCalls: []llm.ToolCallDelta{d}}); err != nil {
			return err
		}
	}
	return emit(llm.Delta{FinishReason: a.finish, Usage: &usage})
}

// cutFirstWord splits a text after its first word and the space behind it.
func cutFirstWord(s string) (string, string) {
	start := len(s) - len(strings.TrimLeft(s, " \n\t"))
	end := strings.IndexAny(s[start:], " \n\t")
	if end < 0 {
		return s, ""
	}
	end += start
	for end < len(s) && (s[end] == ' ' || s[end] == '\n' || s[end] == '\t') {
		end++
	}
	return s[:end], s[end:]
}

func (a *response) toolCallDeltas() (out []llm.ToolCallDelta) {
	for i, c := range a.calls {
		out = append(out, llm.ToolCallDelta{Index: i, ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return out
}

// refuseFormat refuses a response_format that asks for JSON: rules would fill it with guesses.
func refuseFormat(raw wire.Raw) error {
	var want struct {
		Type string `json:"type"`
	}
	if len(raw) == 0 || wire.Unmarshal(raw, &want) != nil || want.Type != "json_object" && want.Type != "json_schema" {
		return nil
	}
	return atelier.Refuse("response_format", "asks for JSON, which the model built into this service does not write: choose another language model, or ask the operator to add one.")
}
