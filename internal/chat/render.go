package chat

import (
	"context"
	"errors"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/workflow"
)

// render runs a media tool: a workflow of one step.
func render(tool *catalog.Tool) runner {
	return func(t *turn, ctx context.Context, c llm.ToolCall, args map[string]any) (outcome, error) {
		args, note, err := t.affordable(ctx, tool, args)
		if err != nil {
			return outcome{}, err
		}
		args, media, err := t.reach(ctx, tool, args)
		var missing errMedia
		if errors.As(err, &missing) {
			return t.ended(c, failed(tool.Name, assetNotFound, missing.Error(), false, "address_existing_media"))
		}
		if err != nil {
			return outcome{}, err
		}
		started, err := t.workflows.Start(ctx, t.q.Caller.Account, workflow.StartRequest{
			Title: tool.Name, Steps: []atelier.StepInput{{ID: tool.Name, ToolName: tool.Name, Arguments: args}}, Media: media,
			Terms: t.q.Terms, Filter: t.q.Filter,
		})
		if err != nil {
			o, err := refused(tool.Name, parameterInvalid, err)
			if err != nil {
				return o, err
			}
			return t.ended(c, o)
		}
		o, err := t.await(ctx, c, started.Workflow)
		return o.noted(note), err
	}
}

// await follows a workflow to its end and reads what it has made.
func (t *turn) await(ctx context.Context, c llm.ToolCall, w atelier.Workflow) (outcome, error) {
	ref := refTo(w.WorkflowID, w.Status)
	if err := t.tell(Event{Workflow: &ref}); err != nil {
		return outcome{}, err
	}
	if err := t.follow(ctx, c, w.WorkflowID); err != nil {
		return outcome{}, err
	}
	w, err := t.workflows.Get(ctx, t.q.Caller.Wallet, w.WorkflowID)
	if err != nil {
		return outcome{}, err
	}
	return collect(c.Function.Name, w)
}

// follow tells how far a workflow is until it is over or waits for its user.
func (t *turn) follow(ctx context.Context, c llm.ToolCall, id string) error {
	news, err := t.workflows.Follow(ctx, t.q.Caller.Wallet, id, -1, t.o.Heartbeat)
	if err != nil {
		return err
	}
	at := 0.0
	for n, err := range news {
		switch {
		case err != nil:
			return err
		case n.Event != nil && n.Event.Type == atelier.WorkflowProgress:
			at, _ = n.Event.Payload["progress"].(float64)
			err = t.progress(c, "running", at, n.Event.Message)
		case n.Standing != nil:
			s := n.Standing.Status
			if s.Terminal() || s == atelier.WaitingForUser {
				return t.progress(c, string(s), 1, "")
			}
			err = t.progress(c, string(s), at, "")
		case n.Event == nil:
			err = t.tell(Event{Beat: true})
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// collect is what a workflow that goes no further has come to.
func collect(tool string, w atelier.Workflow) (outcome, error) {
	ref := refTo(w.WorkflowID, w.Status)
	var o outcome
	switch {
	case w.Error != nil && w.Error.Code == "subscription_limit":
		return o, atelier.Errorf(atelier.CodeSubscriptionLimit, "%s", w.Error.Message)
	case w.Status == atelier.WaitingForUser:
		o = paused(tool, w)
	case w.Status == atelier.Cancelled:
		o = failed(tool, userCancelled, "The workflow was cancelled.", false, "ask_user")
	case w.Status == atelier.Failed || len(w.Artifacts) == 0 && w.Error != nil:
		message, retryable := "It came to nothing.", false
		if w.Error != nil {
			message, retryable = w.Error.Message, w.Error.Retryable
		}
		o = failed(tool, workerFailed, message, retryable, "try_again")
	default:
		o = succeeded(tool, map[string]any{"status": string(w.Status), "artifacts": w.Artifacts, "output_assets": w.Artifacts})
		if w.Error != nil {
			o.result["warnings"] = []string{w.Error.Message}
		}
	}
	o.made, o.workflow = w.Artifacts, &ref
	o.result["workflowId"] = w.WorkflowID
	return o, nil
}

// paused is the outcome of a workflow that waits for its user.
func paused(tool string, w atelier.Workflow) outcome {
	switch w.WaitingReason {
	case atelier.WaitCredit:
		return failed(tool, costExceeded, "The balance cannot cover it. The workflow waits and can be resumed after a top-up.", true, "add_credits")
	case atelier.WaitSafetyReview:
		o := failed(tool, safetyRejected, w.Waiting.Message, false, "change_prompt")
		o.result["details"] = w.Waiting.Details
		return o
	case atelier.WaitCostApproval:
		return failed(tool, "PERMISSION_REQUIRED", "The workflow waits for its cost to be approved.", false, "confirm_cost")
	}
	return failed(tool, inputIncomplete, "The workflow waits for its user.", false, "ask_user")
}
