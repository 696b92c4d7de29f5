package llm

import "github.com/atelier-project/atelier/internal/wire"

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

// ToolCall is a call that the model requests.
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

// MaxToolCalls bounds the calls of one answer.
const MaxToolCalls = 128
