package chat

import (
	"context"
	"errors"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/workflow"
	"github.com/atelier-project/atelier/internal/workflow/snapshot"
)

// renderRunner runs a media tool: a workflow of one step.
func renderRunner(tool *catalog.Tool) runner {
	return func(t *completion, ctx context.Context, c llm.ToolCall, args map[string]any) (outcome, error) {
		args, note, err := t.affordable(ctx, tool, args)
		if err != nil {
			return outcome{}, err
		}
		args, media, err := t.resolveMedia(ctx, tool, args)
		var missing errMedia
		if errors.As(err, &missing) {
			return t.emitEnd(c, failed(tool.Name, assetNotFound, missing.Error(), false, "address_existing_media"))
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
			return t.emitEnd(c, o)
		}
		o, err := t.await(ctx, c, started.Workflow)
		if err == nil && o.waits {
			err = t.cancelWaiting(ctx, &o)
		}
		return o.withNotes(note), err
	}
}

// cancelWaiting cancels the workflow of a call that waits for a worker: the call
// has failed, and the model may try another tool or model.
func (t *completion) cancelWaiting(ctx context.Context, o *outcome) error {
	done, err := t.workflows.Cancel(ctx, t.q.Caller.Wallet, atelier.WorkflowID(o.workflow.WorkflowID), atelier.WaitNoWorker)
	if err != nil {
		return err
	}
	if !done.Transitioned { // it ended in the meantime
		*o, err = collect(o.tool, done.Workflow)
		return err
	}
	o.workflow.Status = done.Workflow.Status
	if done.InFlight { // a worker has taken it in the meantime, and is stopping
		o.explain("It was cancelled.")
		return nil
	}
	o.explain("Nothing was rendered or charged.")
	return nil
}

// await follows a workflow to its end, and reads what it has made.
func (t *completion) await(ctx context.Context, c llm.ToolCall, w snapshot.Workflow) (outcome, error) {
	ref, id := refTo(w.WorkflowID, w.Status), atelier.WorkflowID(w.WorkflowID)
	if err := t.emitEvent(Event{Workflow: &ref}); err != nil {
		return outcome{}, err
	}
	if err := t.follow(ctx, c, id); err != nil {
		return outcome{}, err
	}
	w, err := t.workflows.Workflow(ctx, t.q.Caller.Wallet, id)
	if err != nil {
		return outcome{}, err
	}
	return collect(c.Function.Name, w)
}

// follow emits the progress of a workflow until it ends, waits for its user, or
// waits for a worker that is not connected.
func (t *completion) follow(ctx context.Context, c llm.ToolCall, id atelier.WorkflowID) error {
	news, err := t.workflows.Follow(ctx, t.q.Caller.Wallet, id, -1, t.opts.Heartbeat)
	if err != nil {
		return err
	}
	at := 0.0
	for n, err := range news {
		switch {
		case err != nil:
			return err
		case n.Event != nil && n.Event.Type == atelier.EventWorkflowProgress:
			at, _ = n.Event.Payload["progress"].(float64)
			err = t.emitProgress(c, "running", at, n.Event.Message)
			if err == nil && n.Event.Payload["waitingFor"] != nil { // the event may be old: read the state
				w, err := t.workflows.Workflow(ctx, t.q.Caller.Wallet, id)
				if err != nil || lacksWorker(w) != nil {
					return err
				}
			}
		case n.Standing != nil:
			s := n.Standing.Status
			if s.Terminal() || s == atelier.StatusWaitingForUser {
				return t.emitProgress(c, string(s), 1, "")
			}
			err = t.emitProgress(c, string(s), at, "")
		case n.Event == nil:
			err = t.emitEvent(Event{Beat: true})
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// collect is the outcome of a workflow that has ended or waits.
func collect(tool string, w snapshot.Workflow) (outcome, error) {
	ref := refTo(w.WorkflowID, w.Status)
	var o outcome
	lacking := lacksWorker(w)
	switch {
	case w.Error != nil && w.Error.Code == "subscription_limit":
		return o, atelier.Errorf(atelier.CodeSubscriptionLimit, "%s", w.Error.Message)
	case lacking != nil:
		o = failed(tool, modelUnavailable, lacking.String(), true, "use_another_model")
		o.waits = true
	case w.Status == atelier.StatusWaitingForUser:
		o = paused(tool, w)
	case w.Status == atelier.StatusCancelled:
		o = failed(tool, userCancelled, "The workflow was cancelled.", false, "ask_user")
	case w.Status == atelier.StatusFailed || len(w.Artifacts) == 0 && w.Error != nil:
		message, retryable := "The workflow failed.", false
		if w.Error != nil {
			message, retryable = w.Error.Message, w.Error.Retryable
		}
		o = failed(tool, workerFailed, message, retryable, "try_again")
	default:
		o = succeeded(tool, map[string]any{"status": string(w.Status), "artifacts": w.Artifacts, "output_assets": w.Artifacts})
		if w.Error != nil {
			o.result["warnings"] = []string{w.Error.Message}
		}
		o = o.withNotes(caveats(w.Artifacts)...)
	}
	o.made, o.workflow = w.Artifacts, &ref
	o.result["workflowId"] = w.WorkflowID
	return o, nil
}

// lacksWorker is what a workflow waits for because no connected worker serves it,
// or nil.
func lacksWorker(w snapshot.Workflow) *atelier.WaitingFor {
	for _, s := range w.Steps {
		if s.WaitingFor != nil {
			return s.WaitingFor
		}
	}
	return nil
}

// caveats lists the caveats of artifacts, each once.
func caveats(made []snapshot.ArtifactRef) (out []string) {
	for _, a := range made {
		if c := a.Caveat(); !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// paused is the outcome of a workflow that waits for its user.
func paused(tool string, w snapshot.Workflow) outcome {
	switch w.WaitingReason {
	case atelier.WaitCredit:
		return failed(tool, costExceeded, "The balance cannot cover it. The workflow waits and can be resumed after a top-up.", true, "add_credits")
	case atelier.WaitSafetyReview:
		o := failed(tool, safetyRejected, w.Waiting.Message, false, "change_prompt")
		o.result["details"] = w.Waiting.Details
		return o
	case atelier.WaitCostApproval:
		return failed(tool, "PERMISSION_REQUIRED", "The workflow is waiting for its cost to be confirmed.", false, "confirm_cost")
	}
	return failed(tool, inputIncomplete, "The workflow is waiting for the user.", false, "ask_user")
}
