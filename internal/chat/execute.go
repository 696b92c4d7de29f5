package chat

import (
	"context"
	"errors"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// Execution asks for one synchronous tool with exact arguments.
type Execution struct {
	Caller    atelier.Caller
	Tool      string
	Arguments map[string]any
	Terms     atelier.PaymentTerms
	Filter    bool
}

// Executed is what a tool returned. A failure of the tool itself is a result
// too.
type Executed struct {
	ToolCallID string         `json:"toolCallId"`
	Tool       string         `json:"tool"`
	Result     map[string]any `json:"result"`
	Message    *string        `json:"message"`
}

// Execute runs one synchronous tool. Its price is set aside before and paid when
// it has done its work.
func (e *Engine) Execute(ctx context.Context, x Execution) (Executed, error) {
	tool, ok := e.catalog.Tool(x.Tool)
	if !ok {
		return Executed{}, atelier.Refuse("tool", "is %q, which is not a tool of this service.", x.Tool)
	}
	if !tool.Synchronous() {
		return Executed{}, atelier.Refuse("tool", "is %s, which takes its time: start it as a workflow with POST /v1/creative-agent/workflows.", x.Tool)
	}
	done := Executed{ToolCallID: "call_" + atelier.NewUUID(), Tool: tool.Name}
	answer, err := e.catalog.Step(tool.Name, x.Arguments, catalog.Facts{})
	var refused *atelier.Error
	if errors.As(err, &refused) {
		return done.with(badArguments(tool, x.Arguments, refused).result), nil
	}
	if err != nil {
		return Executed{}, err
	}
	blocked, err := e.blocked(ctx, x, tool, answer.Arguments)
	if err != nil {
		return Executed{}, err
	}
	if blocked {
		return done.with(failed(tool.Name, "SAFETY_REJECTED", "The content filter refuses this. Change the words and try again.", false, "change_prompt").result), nil
	}
	model, err := e.Model("")
	if err != nil {
		return Executed{}, err
	}
	tab, err := e.billing.Open(ctx, x.Caller.Wallet, "tool/"+done.ToolCallID, x.Terms, atelier.Cost{Spark: answer.Cost.Spark, USD: answer.Cost.USD})
	if err != nil {
		return Executed{}, err
	}
	result, message, _, err := e.o.Compose(ctx, model, tool.Name, answer.Arguments)
	if err != nil || result["ok"] != true {
		err = errors.Join(err, tab.Drop(ctx)) // nothing is owed for what failed
	} else {
		err = tab.Settle(ctx, atelier.Cost{Spark: answer.Cost.Spark, USD: answer.Cost.USD})
	}
	if err != nil {
		return Executed{}, err
	}
	if message != "" {
		done.Message = &message
	}
	return done.with(result), nil
}

func (x Executed) with(result map[string]any) Executed {
	x.Result = result
	if text, ok := result["message"].(string); ok && x.Message == nil {
		x.Message = &text
	}
	return x
}

// badArguments says what is wrong with arguments: something is missing, or
// something is not as it must be.
func badArguments(tool *catalog.Tool, args map[string]any, e *atelier.Error) outcome {
	name := strings.TrimPrefix(e.Field, "arguments.")
	if a, ok := tool.Argument(name); ok && a.Required && (args[name] == nil || args[name] == "") {
		return failed(tool.Name, "USER_INPUT_INCOMPLETE", e.Message, false, "provide:"+name)
	}
	return failed(tool.Name, "PARAMETER_INVALID", e.Message, false, "correct:"+name)
}

// blocked asks the content filter about what the caller wrote.
func (e *Engine) blocked(ctx context.Context, x Execution, tool *catalog.Tool, args map[string]any) (bool, error) {
	if !x.Filter && x.Caller.Unfiltered {
		return false, nil
	}
	found, err := e.workflows.Review(ctx, tool, args)
	if err != nil {
		return false, atelier.Errorf(atelier.CodeUnavailable, "The content filter does not answer now. Try again later.")
	}
	return len(found) > 0, nil
}
