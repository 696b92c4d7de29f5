package llm

import (
	"context"

	"github.com/atelier-project/atelier/internal/wire"
)

// Completer answers conversations: a model server, or the built-in model.
type Completer interface {
	// Complete answers a conversation. It calls emit with each piece as it comes,
	// or once with the whole answer when the request is not for a stream. It
	// returns at the end of the answer, when emit fails, or when ctx ends. An error
	// that clients may see is an *atelier.Error.
	Complete(ctx context.Context, r Request, emit func(Delta) error) error
}

// Request is a conversation to be answered.
type Request struct {
	Model      Model
	Messages   []Message
	Tools      []Tool
	ToolChoice wire.Raw            // nil: the model chooses
	MaxTokens  int                 // 0: the model's own limit
	Stream     bool                // emit pieces as they come
	Thinking   bool                // whether the model may think before it answers
	Params     map[string]wire.Raw // sent to every server: temperature, response_format, …
	Extra      map[string]wire.Raw // other fields of the caller, sent to servers whose operator allows them
	Hosted     bool                // has instructions or tools of this service, which svc_tools chooses

	// Restart is called before the first piece of another answer, when one has broken after some pieces. A caller
	// that cannot begin again leaves it nil, and gets the error.
	Restart func()
}

// Delta is a piece of an answer.
type Delta struct {
	Content      string
	Pieces       int             // how many Content was when its server sent it; 0 is one
	Reasoning    string          // thinking, where the server separates it from the answer
	ToolCalls    []ToolCallDelta // pieces of calls
	FinishReason string          // stop, length, tool_calls or content_filter, once
	Usage        *Usage          // once, when the server reports it

	// More says that the next piece has arrived already: the receiver may pass
	// both on together.
	More bool
}

// ToolCallDelta is a piece of a call: the first of an index has the id and the
// name, the arguments come in pieces.
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
