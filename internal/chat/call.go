package chat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// Outcome is the outcome of a tool call.
type Outcome struct {
	Tool     string
	Result   map[string]any
	Made     []apitype.Artifact
	Workflow *WorkflowRef
	Model    string // that has rendered
	Text     string // what the tool has written
	Note     string // for the reader of the answer
	Over     bool   // it ends the answer

	waits  bool             // its workflow waits for a worker to connect
	review *apitype.Waiting // its workflow waits for a review of its content
}

// The kinds of failure of tools.
const (
	parameterInvalid = "PARAMETER_INVALID"
	inputIncomplete  = "USER_INPUT_INCOMPLETE"
	assetNotFound    = "ASSET_NOT_FOUND"
	planInvalid      = "WORKFLOW_VALIDATION_FAILED"
	modelUnavailable = "MODEL_UNAVAILABLE"
	workerFailed     = "GPU_WORKER_FAILED"
	costExceeded     = "COST_LIMIT_EXCEEDED"
	safetyRejected   = "SAFETY_REJECTED"
	userCancelled    = "USER_CANCELLED"
	providerTimeout  = "PROVIDER_TIMEOUT"
	unknownError     = "UNKNOWN_ERROR"
)

// failed is the outcome of a call that failed.
func failed(tool, kind, message string, retryable bool, next string) Outcome {
	return Outcome{Tool: tool, Result: map[string]any{
		"ok": false, "success": false, "tool": tool, "error_type": kind, "message": message, "retryable": retryable, "suggested_next_action": next,
	}}
}

// succeeded is the outcome of a call that succeeded, with its output.
func succeeded(tool string, output map[string]any) Outcome {
	result := map[string]any{"ok": true, "success": true, "tool": tool, "status": "completed"}
	for name, v := range output {
		result[name] = v
	}
	return Outcome{Tool: tool, Result: result}
}

// withNotes adds notes for both the reader of the answer and the model.
func (o Outcome) withNotes(notes ...string) Outcome {
	for _, note := range notes {
		if note == "" || o.Result == nil {
			continue
		}
		o.Note = strings.TrimSpace(o.Note + " " + note)
		warnings, _ := o.Result["warnings"].([]string)
		o.Result["warnings"] = append(warnings, note)
	}
	return o
}

// explain adds a sentence to the message of a call that failed.
func (o Outcome) explain(sentence string) {
	o.Result["message"] = fmt.Sprint(o.Result["message"], " ", sentence)
}

// OK reports whether the call succeeded.
func (o Outcome) OK() bool { return o.Result["ok"] == true }

// call runs one tool.
func (t *completion) call(ctx context.Context, c *Call) (Outcome, error) {
	name := c.Function.Name
	h := t.hostedTool[name]
	if h == nil {
		tools := slices.Sorted(maps.Keys(t.hostedTool))
		o := failed(name, parameterInvalid, "There is no tool of this name.", false, "use_another_tool")
		if nearest := atelier.Nearest(name, tools); nearest != "" {
			o = failed(name, parameterInvalid, "There is no tool of this name. Did you mean "+nearest+"?", false, "use:"+nearest)
		}
		o.Result["tools"] = tools
		return o, nil
	}
	args, err := argumentsOf(c.ToolCall)
	if err != nil {
		return failed(name, parameterInvalid, "The arguments are not a JSON object.", false, "correct_arguments"), nil
	}
	return h.run(t, ctx, c, args)
}

// argumentsOf reads the arguments of a call. Arguments that are not JSON are an
// error of the model server.
func argumentsOf(c llm.ToolCall) (map[string]any, error) {
	if strings.TrimSpace(c.Function.Arguments) == "" {
		return map[string]any{}, nil
	}
	var args map[string]any
	if err := wire.UnmarshalLenient([]byte(c.Function.Arguments), &args); err != nil || args == nil {
		return nil, atelier.Errorf(atelier.CodeUpstream, "The model called %s with arguments that are not a JSON object.", c.Function.Name)
	}
	return args, nil
}

// emitProgress emits the progress of a call that no event of a workflow has reported.
func (t *completion) emitProgress(c *Call, status string, at float64, message string) error {
	return t.emitEvent(Event{Progress: &ToolProgress{ToolCallID: c.ID, Tool: c.Function.Name, Status: status, Progress: at, Message: message, Sequence: -1}})
}

// emitEnd emits the end of a call that has no workflow.
func (t *completion) emitEnd(c *Call, o Outcome) (Outcome, error) {
	status := "completed"
	if !o.OK() {
		status = "failed"
	}
	return o, t.emitProgress(c, status, 1, "")
}

// sayRunner runs a tool that ends the answer with a text of the model.
func sayRunner(tool *catalog.Tool) runner {
	return func(t *completion, _ context.Context, _ *Call, args map[string]any) (Outcome, error) {
		step, err := t.catalog.Step(tool.Name, args, catalog.Facts{})
		if err != nil {
			return badArguments(tool, args, err)
		}
		text, _ := step.Arguments["question"].(string)
		if text == "" {
			text, _ = step.Arguments["summary"].(string)
		}
		o := succeeded(tool.Name, nil)
		o.Note, o.Over = text, true
		return o, nil
	}
}

// badArguments is the outcome of a call whose arguments the catalog refuses: one
// is missing, or one is invalid.
func badArguments(tool *catalog.Tool, args map[string]any, err error) (Outcome, error) {
	var e *atelier.Error
	if !errors.As(err, &e) {
		return Outcome{}, err
	}
	name := strings.TrimPrefix(e.Field, "arguments.")
	if a, ok := tool.Argument(name); ok && a.Required && (args[name] == nil || args[name] == "") {
		return failed(tool.Name, inputIncomplete, e.Message, false, "provide:"+name), nil
	}
	return failed(tool.Name, parameterInvalid, e.Message, false, "correct:"+name), nil
}

// refused is the outcome of work that was not accepted. An error that neither the
// model nor the user can do anything about stays one.
func refused(tool, invalid string, err error) (Outcome, error) {
	var e *atelier.Error
	if !errors.As(err, &e) || atelier.HasCode(err, atelier.CodeSubscriptionLimit) {
		return Outcome{}, err
	}
	switch e.Code.Kind {
	case atelier.KindInvalid, atelier.KindNotFound, atelier.KindUnprocessable:
		next := "correct_arguments"
		if e.Field != "" {
			next = "correct:" + e.Field[strings.LastIndexByte(e.Field, '.')+1:]
		}
		return failed(tool, invalid, e.Message, false, next), nil
	case atelier.KindPaymentRequired:
		return failed(tool, costExceeded, e.Message, false, "add_credits"), nil
	case atelier.KindConflict, atelier.KindTooMany:
		return failed(tool, modelUnavailable, e.Message, true, "try_again_later"), nil
	}
	return Outcome{}, err
}
