package compose

import (
	"maps"

	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// Result is what a tool has returned: its output, or why it has no output.
type Result struct {
	OK   bool
	Tool string

	// Of a success.
	Output   map[string]any // prompt, script, lyrics, structure, plan, …
	Warnings []string
	Metadata map[string]any

	// Of a failure.
	ErrorType  string
	Reason     string
	Retryable  bool
	NextAction string // a token, with the field's name behind a colon

	// Usage is that of the language model, if one was asked.
	Usage llm.Usage

	message string // the main text
}

// failure is the result of a tool that failed.
func failure(kind, reason, next string) Result {
	return Result{ErrorType: kind, Reason: reason, NextAction: next}
}

// refusal is the result of a tool for which the rules wrote nothing.
func refusal(r *draft.Refusal) Result { return failure(r.Kind, r.Reason, r.Next) }

// success is the result of a tool, with its main text.
func success(message string, output map[string]any) Result {
	return Result{OK: true, Output: output, message: message}
}

func (r Result) named(tool string) Result {
	r.Tool = tool
	return r
}

// Message is the main text of the result, or the reason of a failure.
func (r Result) Message() string {
	if r.OK {
		return r.message
	}
	return r.Reason
}

// Map is the result as clients read it.
func (r Result) Map() map[string]any {
	if !r.OK {
		return map[string]any{
			"ok": false, "success": false, "tool": r.Tool, "error_type": r.ErrorType, "message": r.Reason,
			"retryable": r.Retryable, "suggested_next_action": r.NextAction,
		}
	}
	m := map[string]any{}
	maps.Copy(m, r.Output)
	maps.Copy(m, map[string]any{"ok": true, "success": true, "tool": r.Tool, "status": "completed"})
	if len(r.Warnings) > 0 {
		m["warnings"] = r.Warnings
	}
	if len(r.Metadata) > 0 {
		m["metadata"] = r.Metadata
	}
	return m
}

// MarshalJSON writes the result as clients read it.
func (r Result) MarshalJSON() ([]byte, error) { return wire.Marshal(r.Map()) }
