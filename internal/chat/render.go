package chat

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/workflow"
)

// renderTool is a media tool: a call of it is a workflow of one step.
type renderTool struct{ *catalog.Tool }

func (r renderTool) run(t *completion, ctx context.Context, c *Call, args map[string]any) (Outcome, error) {
	return t.runRequest(ctx, c, func() (workflow.StartRequest, string, error) { return t.renderRequest(ctx, r.Tool, args) })
}

func (r renderTool) estimate(t *completion, ctx context.Context, args map[string]any) (workflow.Estimate, error) {
	q, _, err := t.renderRequest(ctx, r.Tool, args)
	return t.estimateRequest(ctx, q, err)
}

// runRequest starts the workflow of a call, unless it was, and follows it to its end. The request may come with a note.
func (t *completion) runRequest(ctx context.Context, c *Call, request func() (workflow.StartRequest, string, error)) (Outcome, error) {
	name := c.Function.Name
	if c.WorkflowID == "" {
		q, note, err := request()
		var missing errMedia
		if errors.As(err, &missing) {
			return t.emitEnd(c, failed(name, assetNotFound, missing.Error(), false, "address_existing_media"))
		}
		if err != nil {
			return Outcome{}, err
		}
		c.Notes = []string{note}
		if err := t.dispatchRequest(ctx, c, q); err != nil {
			o, err := refused(name, parameterInvalid, err)
			if err != nil {
				return o, err
			}
			return t.emitEnd(c, o)
		}
	}
	o, err := t.awaitRender(ctx, c)
	return o.withNotes(c.Notes...), err
}

// estimateRequest estimates the workflow of a call, unless its request has failed.
func (t *completion) estimateRequest(ctx context.Context, q workflow.StartRequest, err error) (workflow.Estimate, error) {
	var missing errMedia
	if errors.As(err, &missing) {
		return workflow.Estimate{}, nil // the call fails and costs nothing
	}
	if err != nil {
		return workflow.Estimate{}, err
	}
	return t.workflows.Estimate(ctx, t.q.Caller.Wallet, q)
}

// renderRequest is the workflow of a call of a media tool.
func (t *completion) renderRequest(ctx context.Context, tool *catalog.Tool, args map[string]any) (q workflow.StartRequest, note string, err error) {
	args, note, err = t.affordable(ctx, tool, tool.WithTier(args, t.q.Tier))
	if err != nil {
		return q, "", err
	}
	args, media, err := t.resolveMedia(ctx, tool, args)
	return workflow.StartRequest{
		Steps: []atelier.StepInput{{ID: tool.Name, ToolName: tool.Name, Arguments: args}}, Media: media, Terms: t.q.Terms,
	}, note, err
}

// dispatchRequest starts the workflow that a request describes for a call.
func (t *completion) dispatchRequest(ctx context.Context, c *Call, q workflow.StartRequest) error {
	q.Filter = t.q.Filter
	if c.Filter != nil {
		q.Filter = *c.Filter
	}
	q.Approved, q.Terms = c.Approved, t.termsOf(c)
	return t.dispatch(c, func(record workflow.OnStart) (apitype.Workflow, error) {
		q.OnStart = record
		started, err := t.workflows.Start(ctx, t.q.Caller.Account, q.By(t.q.Caller))
		return started.Workflow, err
	})
}

// termsOf are the terms on which a call is paid.
func (t *completion) termsOf(c *Call) atelier.PaymentTerms {
	terms := t.q.Terms
	if c.Covered {
		terms.Mode = atelier.BillSubscription
	}
	return terms
}

// dispatch starts the workflow of a call with start, and records it.
func (t *completion) dispatch(c *Call, start startFunc) error {
	w, err := t.rec.Dispatch(c, start)
	if err == nil {
		c.WorkflowID, c.status = atelier.WorkflowID(w.WorkflowID), w.Status
	}
	return err
}

// awaitRender follows the workflow of a call of a media tool to its end.
func (t *completion) awaitRender(ctx context.Context, c *Call) (Outcome, error) {
	o, err := t.await(ctx, c)
	if err == nil && o.waits {
		err = t.cancelWaiting(ctx, &o)
	}
	return o, err
}

// cancelWaiting cancels the workflow of a call that waits for a worker: the call
// has failed, and the model may try another tool or model.
func (t *completion) cancelWaiting(ctx context.Context, o *Outcome) error {
	done, err := t.workflows.Cancel(ctx, t.q.Caller.Wallet, atelier.WorkflowID(o.Workflow.WorkflowID), atelier.WaitNoWorker)
	if err != nil {
		return err
	}
	if !done.Transitioned { // it ended in the meantime
		*o, err = collect(o.Tool, done.Workflow)
		return err
	}
	o.Workflow.Status = done.Workflow.Status
	if done.InFlight { // a worker has taken it in the meantime, and is stopping
		o.explain("It was cancelled.")
		return nil
	}
	o.explain("Nothing was rendered or charged.")
	return nil
}

// await follows the workflow of a call to its end, and reads what it has made.
func (t *completion) await(ctx context.Context, c *Call) (Outcome, error) {
	ref := RefTo(string(c.WorkflowID), cmp.Or(c.status, atelier.StatusQueued))
	if err := t.emitEvent(Event{Workflow: &ref}); err != nil {
		return Outcome{}, err
	}
	if t.rec.Parks() {
		w, err := t.workflows.Workflow(ctx, t.q.Caller.Wallet, c.WorkflowID)
		if err == nil && !w.Status.Terminal() && w.Status != atelier.StatusWaitingForUser {
			err = ErrParked
		}
		if err != nil {
			return Outcome{}, err
		}
	}
	if err := t.follow(ctx, c, c.WorkflowID); err != nil {
		return Outcome{}, err
	}
	w, err := t.workflows.Workflow(ctx, t.q.Caller.Wallet, c.WorkflowID)
	if err != nil {
		return Outcome{}, err
	}
	o, err := collect(c.Function.Name, w)
	if t.isRecorded() && w.Status == atelier.StatusWaitingForUser && w.WaitingReason == atelier.WaitSafetyReview {
		o.review = w.Waiting
	}
	return o, err
}

// follow emits the progress of a workflow until it ends or waits for its user. An
// answer that is not recorded does not wait for a worker that is not connected: its
// client would.
func (t *completion) follow(ctx context.Context, c *Call, id atelier.WorkflowID) error {
	news, err := t.workflows.Follow(ctx, t.q.Caller.Wallet, id, c.Seen, t.opts.Heartbeat)
	if err != nil {
		return err
	}
	at := 0.0
	for n, err := range news {
		switch {
		case err != nil:
			return err
		case n.Event != nil:
			p, ok := n.Event.Payload.(apitype.WorkflowProgress)
			if !ok {
				continue
			}
			at, c.Seen = p.Progress, n.Event.Sequence
			err = t.emitEvent(Event{Progress: &ToolProgress{
				ToolCallID: c.ID, Tool: c.Function.Name, Status: "running", Progress: at, Message: n.Event.Message, Sequence: c.Seen, Preview: p.PreviewURL,
			}})
			if err == nil && !t.isRecorded() && p.WaitingFor.Value != nil { // the event may be old: read the state
				w, err := t.workflows.Workflow(ctx, t.q.Caller.Wallet, id)
				if err != nil || w.WaitingForWorker() != nil {
					return err
				}
			}
		case n.Standing != nil:
			s := n.Standing.Status
			if s.Terminal() || s == atelier.StatusWaitingForUser {
				return t.emitProgress(c, string(s), 1, "")
			}
			err = t.emitProgress(c, string(s), at, "")
		default:
			err = t.emitEvent(Event{Beat: true})
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// collect is the outcome of a workflow that has ended or waits.
func collect(tool string, w apitype.Workflow) (Outcome, error) {
	ref := RefTo(w.WorkflowID, w.Status)
	var o Outcome
	lacking := w.WaitingForWorker()
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
			o.Result["warnings"] = []string{w.Error.Message}
		}
		o = o.withNotes(caveats(w.Artifacts)...)
	}
	o.Made, o.Workflow, o.Model = w.Artifacts, &ref, modelOf(w)
	o.Result["workflowId"] = w.WorkflowID
	return o, nil
}

// modelOf is the model of the first step that has one.
func modelOf(w apitype.Workflow) string {
	for _, s := range w.Steps {
		if s.Generation != nil {
			return s.Generation.SelectedModel
		}
	}
	return ""
}

// caveats lists the caveats of artifacts, each once.
func caveats(made []apitype.Artifact) (out []string) {
	for _, a := range made {
		if c := a.Caveat(); !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// paused is the outcome of a workflow that waits for its user.
func paused(tool string, w apitype.Workflow) Outcome {
	switch w.WaitingReason {
	case atelier.WaitCredit:
		return failed(tool, costExceeded, "The balance cannot cover it. The workflow waits and can be resumed after a top-up.", true, "add_credits")
	case atelier.WaitSafetyReview:
		o := failed(tool, safetyRejected, w.Waiting.Message, false, "change_prompt")
		o.Result["details"] = w.Waiting.Details
		return o
	case atelier.WaitCostApproval:
		return failed(tool, "PERMISSION_REQUIRED", "The workflow is waiting for its cost to be confirmed.", false, "confirm_cost")
	}
	return failed(tool, inputIncomplete, "The workflow is waiting for the user.", false, "ask_user")
}
