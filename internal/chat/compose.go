package chat

import (
	"context"
	"errors"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/filter"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// composeRunner runs a tool that answers at once, with the model of the
// conversation.
func composeRunner(tool *catalog.Tool) runner {
	return func(t *completion, ctx context.Context, c *Call, args map[string]any) (Outcome, error) {
		if err := t.emitProgress(c, "running", 0, ""); err != nil {
			return Outcome{}, err
		}
		own := t.meter.forCall()
		o, err := t.compose(ctx, tool, args, own, t.q.Caller, t.q.Filter)
		c.bills = own.takeBills()
		if err != nil {
			if o, err = refused(tool.Name, parameterInvalid, err); err != nil {
				return o, err
			}
		}
		return t.emitEnd(c, o)
	}
}

// compose runs a synchronous tool, at its price in the catalog. The meter pays for
// the rounds of the model. The error says why the tool was not run at all.
func (e *Engine) compose(ctx context.Context, tool *catalog.Tool, args map[string]any, by *meter, c atelier.Caller, filter bool) (Outcome, error) {
	step, err := e.catalog.Step(tool.Name, args, catalog.Facts{})
	if err != nil {
		return badArguments(tool, args, err)
	}
	flagged, err := e.checkContent(ctx, c, filter, step)
	if err != nil {
		return Outcome{}, err
	}
	if len(flagged) > 0 {
		message := "The content filter refuses this (" + strings.Join(flagged, ", ") + "). Change the words and try again."
		o := failed(tool.Name, safetyRejected, message, false, "change_prompt")
		o.Result["details"] = map[string]any{"source": "content_filter", "categories": flagged}
		return o, nil
	}
	cost := atelier.Cost{Spark: step.Cost.Spark, USD: step.Cost.USD}
	cause := by.cause("tool")
	hold, err := e.billing.Open(ctx, by.wallet, cause, by.terms, cost)
	if err != nil {
		return Outcome{}, err
	}
	hold.SetModel(tool.Name)
	r, err := e.opts.Composer.Run(ctx, by.metered(), step)
	o := Outcome{Tool: tool.Name, Result: r.Map(), Text: r.Message()}
	if err != nil || !r.OK {
		return o, errors.Join(err, hold.Drop(ctx)) // a tool that failed costs nothing
	}
	if by.defers {
		by.addBill(&Bill{Cause: cause, Cost: cost, hold: hold, engine: e})
		return o, nil
	}
	_, err = hold.Settle(ctx, cost) // exactly what is held
	return o, err
}

// checkContent asks the content filter about what a tool is to write about, and
// returns the categories that it found. A refusal is kept for operators to judge.
func (e *Engine) checkContent(ctx context.Context, c atelier.Caller, filtered bool, step *catalog.Step) ([]string, error) {
	if !filtered && c.Unfiltered {
		return nil, nil
	}
	verdict, err := e.opts.Filter.CheckArguments(ctx, step.Tool, step.Arguments)
	if err != nil {
		return nil, e.filterFailed(err)
	}
	if len(verdict.Categories) > 0 {
		err = e.db.Write(ctx, func(tx *store.Tx) error {
			return tx.InsertRefusal(store.FilterRefusal{
				At: e.opts.Now(), Wallet: c.Wallet, Place: "tool", Source: mint.UUID(), Tool: step.Tool.Name, Categories: verdict.Categories, Excerpt: filter.Prose(step.Tool, step.Arguments),
			})
		})
	}
	return verdict.Categories, err
}

// filterFailed is the error of a request that the content filter did not answer.
func (e *Engine) filterFailed(err error) error {
	e.opts.Log.Warn("content filter did not answer", "error", err)
	return atelier.Errorf(atelier.CodeUnavailable, "The content filter is not available. Try again later.")
}

// Moderate says what the content filter finds in a text.
func (e *Engine) Moderate(ctx context.Context, text string) (filter.Verdict, error) {
	verdict, err := e.opts.Filter.Check(ctx, text)
	if err != nil {
		err = e.filterFailed(err)
	}
	return verdict, err
}
