package llm

import (
	"context"
	"strings"

	"github.com/atelier-project/atelier/internal/wire"
)

// Completer is something that answers conversations: a server elsewhere, or the
// model that is built in.
type Completer interface {
	// Speak answers a conversation. It calls emit with what comes, as it comes:
	// once with everything when the request does not want a stream. It ends when
	// the answer does, when emit fails, or when ctx ends. An error that callers
	// may see is an *atelier.Error.
	Speak(ctx context.Context, r Request, emit func(Delta) error) error
}

// Request is a conversation to be answered.
type Request struct {
	Model      Model
	Messages   []Message
	Tools      []Tool
	ToolChoice wire.Raw            // nil: the model's own choice
	MaxTokens  int                 // 0: the model's own limit
	Stream     bool                // deltas as they come
	Thinking   bool                // whether the model may think before it answers
	Params     map[string]wire.Raw // what else is said to every server: temperature, response_format, …
	Extra      map[string]wire.Raw // what the caller sent besides, for the servers that are set to take it
	Hosted     bool                // it has instructions or tools of this service, which svc_tools chooses
}

// Message is one turn of a conversation, in the shape that OpenAI gave it.
type Message struct {
	Role       string     `json:"role"` // system, user, assistant or tool
	Content    []Part     `json:"-"`
	Name       string     `json:"name,omitempty"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`   // of an assistant
	ToolCallID string     `json:"tool_call_id,omitempty"` // of a tool
}

// Text is a message of plain text.
func Text(role, text string) Message {
	return Message{Role: role, Content: []Part{{Type: "text", Text: text}}}
}

// Text is all the text of a message.
func (m Message) Text() string {
	var b strings.Builder
	for _, p := range m.Content {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Part is a piece of a message: text, or an image of a user.
type Part struct {
	Type   string // text or image_url
	Text   string
	URL    string // of an image: a data URI
	Detail string // low, high or auto
}

// Tool is a function that the model may call.
type Tool struct {
	Type     string   `json:"type"` // function
	Function Function `json:"function"`
}

// Function describes a function to a model.
type Function struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Parameters  wire.Raw `json:"parameters,omitempty"` // JSON Schema
	Strict      *bool    `json:"strict,omitempty"`
}

// ToolCall is a call that the model wants made.
type ToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"` // function
	Function FunctionCall `json:"function"`
}

// FunctionCall names a function and its arguments, as JSON text.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Delta is a piece of an answer.
type Delta struct {
	Content      string
	Reasoning    string          // thinking that the server tells apart from the answer
	ToolCalls    []ToolCallDelta // pieces of calls
	FinishReason string          // stop, length, tool_calls or content_filter, once
	Usage        *Usage          // once, when the server tells it

	// More says that the next piece has come already: whoever passes this one
	// on may do so together with it.
	More bool
}

// ToolCallDelta is a piece of a call: the first of an index has the id and the
// name, the arguments come bit by bit.
type ToolCallDelta struct {
	Index     int
	ID        string
	Name      string
	Arguments string
}

// Usage counts tokens.
type Usage struct {
	PromptTokens     int
	CompletionTokens int
	CachedTokens     int // of the prompt
}
