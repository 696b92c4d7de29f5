package anthropic

import (
	"bytes"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// Message is an answer.
type Message struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	Role         string  `json:"role"`
	Model        string  `json:"model"`
	Content      []any   `json:"content"`
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
	Usage        Usage   `json:"usage"`
}

// Usage counts tokens. Those that the server had in its cache are counted by themselves.
type Usage struct {
	Input         int `json:"input_tokens"`
	CacheCreation int `json:"cache_creation_input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
	Output        int `json:"output_tokens"`
}

// TokenCount is the answer of POST /v1/messages/count_tokens.
type TokenCount struct {
	Input int `json:"input_tokens"`
}

// textBlock is text of an answer.
type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// callBlock is a call that the caller is to make.
type callBlock struct {
	Type  string   `json:"type"`
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Input wire.Raw `json:"input"`
}

func newUsage(u llm.Usage) Usage {
	return Usage{Input: u.PromptTokens - u.CachedTokens, CacheRead: u.CachedTokens, Output: u.CompletionTokens}
}

// stopReasons are the reasons for the end of an answer.
var stopReasons = map[string]string{"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}

func stopReason(done chat.Completion) *string {
	reason, known := stopReasons[done.FinishReason]
	if !known {
		reason = "end_turn"
	}
	return &reason
}

// inputOf are the arguments of a call: an object, whatever the model has written.
func inputOf(c llm.ToolCall) wire.Raw {
	if args := []byte(c.Function.Arguments); wire.Valid(args) && bytes.HasPrefix(bytes.TrimSpace(args), []byte("{")) {
		return args
	}
	return wire.Raw("{}")
}

// NewMessage is the whole answer to a request.
func NewMessage(r *chat.Request, done chat.Completion) *Message {
	m := newMessage(r, done.Model)
	if done.Content != "" || len(done.ToolCalls) == 0 {
		m.Content = append(m.Content, textBlock{"text", done.Content})
	}
	for _, c := range done.ToolCalls {
		m.Content = append(m.Content, callBlock{"tool_use", c.ID, c.Function.Name, inputOf(c)})
	}
	m.StopReason, m.Usage = stopReason(done), newUsage(done.Usage)
	return m
}

func newMessage(r *chat.Request, model string) *Message {
	return &Message{ID: r.ID, Type: "message", Role: "assistant", Model: model, Content: []any{}}
}

// errorTypes are the types of errors by kind. All other kinds are errors of the request.
var errorTypes = map[atelier.Kind]string{
	atelier.KindUnauthenticated: "authentication_error",
	atelier.KindPaymentRequired: "billing_error",
	atelier.KindForbidden:       "permission_error",
	atelier.KindNotFound:        "not_found_error",
	atelier.KindTooLarge:        "request_too_large",
	atelier.KindTooMany:         "rate_limit_error",
	atelier.KindInternal:        "api_error",
	atelier.KindUnavailable:     "overloaded_error",
	atelier.KindUpstream:        "api_error",
	atelier.KindUpstreamTimeout: "timeout_error",
}

type failure struct {
	Type  string      `json:"type"`
	Error failureBody `json:"error"`
}

type failureBody struct {
	Type    string         `json:"type"`
	Message string         `json:"message"`
	Param   string         `json:"param,omitzero"` // the field that the error is about
	Code    string         `json:"code"`
	Details map[string]any `json:"details,omitempty"`
}

// Failure puts an error into the envelope of Anthropic's API.
func Failure(e *atelier.Error) any {
	kind, known := errorTypes[e.Code.Kind]
	if !known {
		kind = "invalid_request_error"
	}
	return failure{"error", failureBody{Type: kind, Message: e.Error(), Param: e.Field, Code: e.Code.Slug, Details: e.Details}}
}
