package chat

import (
	"context"

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

// Executed is what a tool has returned. A failure of the tool is a result too.
type Executed struct {
	ToolCallID string         `json:"toolCallId"`
	Tool       string         `json:"tool"`
	Result     map[string]any `json:"result"`
	Message    *string        `json:"message"`
}

// Execute runs one synchronous tool with the default model, whose rounds are paid
// as in a conversation.
func (e *Engine) Execute(ctx context.Context, x Execution) (Executed, error) {
	tool, ok := e.catalog.Tool(x.Tool)
	switch {
	case !ok:
		return Executed{}, catalog.Unknown("tool", x.Tool, e.catalog.Names((*catalog.Tool).Synchronous))
	case tool.Pure():
		return Executed{}, atelier.Refuse("tool", "is %s, which belongs to a conversation: use it in a chat or in a workflow.", x.Tool)
	case !tool.Synchronous():
		return Executed{}, atelier.Refuse("tool", "is %s, which runs longer than a request: start it as a workflow with POST /v1/creative-agent/workflows.", x.Tool)
	}
	if err := atelier.At("tool", x.Caller.Limits.CheckTool(tool.Name)); err != nil {
		return Executed{}, err
	}
	model, err := e.findModelFor(x.Caller, "")
	if err != nil {
		return Executed{}, err
	}
	done := Executed{ToolCallID: newCallID(), Tool: tool.Name}
	o, err := e.compose(ctx, tool, x.Arguments, e.newMeter(model, x.Caller, done.ToolCallID, x.Terms), x.Caller, x.Filter)
	if err != nil {
		return Executed{}, err
	}
	done.Result = o.Result
	text := o.Text
	if message, ok := o.Result["message"].(string); ok && text == "" {
		text = message
	}
	if text != "" {
		done.Message = &text
	}
	return done, nil
}
