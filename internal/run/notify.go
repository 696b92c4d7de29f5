package run

import (
	"context"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/prose"
	"github.com/atelier-project/atelier/internal/store"
)

// hookEvents are the events of the log that webhooks report.
var hookEvents = map[atelier.EventType]atelier.WebhookEvent{
	atelier.EventRunCreated:        atelier.HookStarted,
	atelier.EventRunWaiting:        atelier.HookRunWaiting,
	atelier.EventRunCompleted:      atelier.HookRunCompleted,
	atelier.EventRunPartialFailure: atelier.HookRunCompleted,
	atelier.EventRunFailed:         atelier.HookRunFailed,
	atelier.EventRunCancelled:      atelier.HookRunCancelled,
}

// notify reports events of a run, which this transaction has changed, to the webhooks of its account.
func (e *Engine) notify(tx *store.Tx, r *record, events []atelier.Event) error {
	for _, ev := range events {
		hook, reported := hookEvents[ev.Type]
		if !reported || hook == atelier.HookStarted && e.shape(r) == nil {
			continue
		}
		err := tx.NotifyWebhooks(store.Notice{
			Wallet: r.row.Wallet, Type: hook, Subject: string(r.row.ID), At: ev.At, Request: r.request.Webhook,
			Data: func() any { return e.hookData(r) }, Body: e.shape(r),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// shape makes what the webhook of the request gets, if its protocol has its own shape; otherwise it is nil.
func (e *Engine) shape(r *record) func() any {
	if r.request.Webhook == nil || e.opts.Shapes[r.request.Webhook.Protocol] == nil {
		return nil
	}
	return func() any {
		return e.opts.Shapes[r.request.Webhook.Protocol](e.snapshotOf(context.Background(), r), r.request.Note) // signing asks no server
	}
}

// The bounds of what an event of a webhook says: artifacts, and characters of texts.
const (
	hookArtifacts = 20
	hookText      = 500
	hookAnswer    = 2000
)

// hookData is a run as webhooks report it.
func (e *Engine) hookData(r *record) apitype.WebhookRun {
	out := apitype.WebhookRun{RunID: r.row.ID, Status: r.row.Status, SessionID: r.row.Session, CreatedAt: r.row.CreatedAt.UTC()}
	if w := r.state.Waiting; w != nil {
		out.Waiting = &apitype.WebhookWaiting{Reason: w.Reason, Message: prose.Cut(w.Message, hookText)}
	}
	if f := r.state.Failure; f != nil {
		out.Error = &apitype.WebhookError{Code: f.Code, Message: prose.Cut(f.Message, hookText)}
	}
	if f := r.state.Final; f != nil {
		out.Text = prose.Cut(f.Content, hookAnswer)
	}
	made, sign := r.artifacts(), e.signer(context.Background()) // it computes a signature and asks no server
	out.ArtifactCount = len(made)
	for _, a := range made[:min(len(made), hookArtifacts)] {
		out.Artifacts = append(out.Artifacts, apitype.WebhookArtifact{ID: a.ID, Kind: a.Kind, MimeType: a.Type, StepID: a.StepID, URL: sign(a.marker())})
	}
	return out
}
