package chat

import (
	"context"
	"errors"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
)

// compose runs a tool that answers at once, with the model of the conversation.
func compose(tool *catalog.Tool) runner {
	return func(t *completion, ctx context.Context, c llm.ToolCall, args map[string]any) (outcome, error) {
		if err := t.progress(c, "running", 0, ""); err != nil {
			return outcome{}, err
		}
		o, err := t.compose(ctx, tool, args, t.bill, t.q.Caller, t.q.Filter)
		if err != nil {
			if o, err = refused(tool.Name, parameterInvalid, err); err != nil {
				return o, err
			}
		}
		return t.ended(c, o)
	}
}

// compose runs a synchronous tool, at its price in the catalog. The words of a
// model for it are paid by the meter of whoever asked for them. The error is what
// keeps it from being run at all.
func (e *Engine) compose(ctx context.Context, tool *catalog.Tool, args map[string]any, by *meter, c atelier.Caller, filter bool) (outcome, error) {
	step, err := e.catalog.Step(tool.Name, args, catalog.Facts{})
	if err != nil {
		return badArguments(tool, args, err)
	}
	found, err := e.flagged(ctx, c, filter, tool, step.Arguments)
	if err != nil {
		return outcome{}, err
	}
	if len(found) > 0 {
		message := "The content filter refuses this (" + strings.Join(found, ", ") + "). Change the words and try again."
		o := failed(tool.Name, safetyRejected, message, false, "change_prompt")
		o.result["details"] = map[string]any{"source": "content_filter", "categories": found}
		return o, nil
	}
	tab, err := e.billing.Open(ctx, by.wallet, "tool/"+newCallID(), by.terms, atelier.Cost{Spark: step.Cost.Spark, USD: step.Cost.USD})
	if err != nil {
		return outcome{}, err
	}
	result, message, _, err := e.opts.Compose(ctx, by.metered(), tool.Name, step.Arguments)
	if err != nil || result["ok"] != true {
		return outcome{tool: tool.Name, result: result, text: message}, errors.Join(err, tab.Drop(ctx)) // nothing is owed for what failed
	}
	_, err = tab.Settle(ctx, atelier.Cost{Spark: step.Cost.Spark, USD: step.Cost.USD}) // exactly what is held
	return outcome{tool: tool.Name, result: result, text: message}, err
}

// flagged asks the content filter about what a tool is to write of, and returns the
// categories that it found.
func (e *Engine) flagged(ctx context.Context, c atelier.Caller, filter bool, tool *catalog.Tool, args map[string]any) ([]string, error) {
	if !filter && c.Unfiltered {
		return nil, nil
	}
	found, err := e.workflows.Review(ctx, tool, args)
	if err != nil {
		e.opts.Log.Warn("the content filter did not answer", "error", err)
		return nil, atelier.Errorf(atelier.CodeUnavailable, "The content filter does not answer now. Try again later.")
	}
	return found, nil
}
