package workflow

import (
	"context"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/prose"
	"github.com/atelier-project/atelier/internal/store"
)

// hookEvents are the events of the log that webhooks report.
var hookEvents = map[atelier.EventType]atelier.WebhookEvent{
	atelier.EventWorkflowStarted:   atelier.HookStarted,
	atelier.EventWorkflowWaiting:   atelier.HookWorkflowWaiting,
	atelier.EventWorkflowCompleted: atelier.HookWorkflowCompleted,
	atelier.EventWorkflowFailed:    atelier.HookWorkflowFailed,
	atelier.EventWorkflowCancelled: atelier.HookWorkflowCancelled,
}

// notify reports events of a workflow, which this transaction has locked, to the webhooks of its account.
func (e *Engine) notify(tx *store.Tx, r *record, events []atelier.Event) error {
	for _, ev := range events {
		hook, reported := hookEvents[ev.Type]
		if !reported || hook == atelier.HookStarted && r.shape(e) == nil {
			continue
		}
		err := tx.NotifyWebhooks(store.Notice{
			Wallet: r.row.Wallet, Type: hook, Subject: string(r.row.ID), At: ev.At, Request: r.state.Webhook,
			Data: func() any { return e.hookData(r) }, Body: r.shape(e),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// shape makes what the webhook of the request gets, if its protocol has its own shape; otherwise it is nil.
func (r *record) shape(e *Engine) func() any {
	if r.state.Webhook == nil || e.opts.Shapes[r.state.Webhook.Protocol] == nil {
		return nil
	}
	return func() any {
		v := e.viewIn(context.Background(), r, r.log.Stored) // signing asks no server
		return e.opts.Shapes[r.state.Webhook.Protocol](r.row.Wallet, v.snapshot())
	}
}

// hookArtifacts is how many artifacts an event of a webhook lists.
const hookArtifacts = 20

// hookData is a workflow as webhooks report it.
func (e *Engine) hookData(r *record) apitype.WebhookWorkflow {
	out := apitype.WebhookWorkflow{WorkflowID: r.row.ID, Status: r.row.Status, Title: prose.Cut(r.plan.Title, 200), CreatedAt: r.row.CreatedAt.UTC()}
	if r.row.Status == atelier.StatusWaitingForUser {
		out.Waiting = &apitype.WebhookWaiting{Reason: r.row.Waiting}
		if w := r.waiting(); w != nil {
			out.Waiting.Message = prose.Cut(w.Message, 500)
			if w.Details != nil {
				out.Waiting.StepID = w.Details.StepID
			}
		}
	}
	if f := r.state.Error; f != nil {
		out.Error = &apitype.WebhookError{Code: f.Code, Message: prose.Cut(f.Message, 500)}
	}
	sign := e.signer(context.Background()) // it computes a signature and asks no server
	for i, s := range r.state.Steps {
		out.ArtifactCount += len(s.Made)
		for _, m := range s.Made[:min(len(s.Made), hookArtifacts-len(out.Artifacts))] {
			url, _ := sign(m.Key) // without one it is in the workflow
			out.Artifacts = append(out.Artifacts, apitype.WebhookArtifact{ID: m.ID, Kind: m.Kind, MimeType: m.Type, StepID: r.plan.Steps[i].ID, URL: url})
		}
	}
	return out
}
