package run

import (
	"context"
	"iter"
	"strconv"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/journal"

	"github.com/atelier-project/atelier/internal/store"
)

// schemaVersion is the version of the run record.
const schemaVersion = "2026-05-14.1"

// routingVersion is the version of the rules by which tools and models are chosen.
const routingVersion = "1"

// maxLogBytes bounds a log that is read at once.
const maxLogBytes = 8 << 20

// read reads a run of an account with its log after a sequence.
func (e *Engine) read(ctx context.Context, w atelier.Wallet, id atelier.RunID, after int64) (*record, error) {
	var (
		row store.StoredRun
		log []atelier.Event
	)
	err := e.db.Snapshot(ctx, func(tx *store.Tx) (err error) {
		if row, err = tx.Run(w, id); err != nil {
			return err
		}
		log, err = tx.Events(string(id), after, keptEvents, maxLogBytes)
		return err
	})
	if err != nil {
		return nil, orNotFound(id, err)
	}
	r, err := decode(row)
	if err == nil {
		r.log.Stored = log
	}
	return r, err
}

// Run reads a run of an account.
func (e *Engine) Run(ctx context.Context, w atelier.Wallet, id atelier.RunID) (apitype.Run, error) {
	r, err := e.read(ctx, w, id, -1)
	return e.snapshotOf(ctx, r), err
}

// snapshotOf is a run as it is read; zero for a nil record.
func (e *Engine) snapshotOf(ctx context.Context, r *record) apitype.Run {
	if r == nil {
		return apitype.Run{}
	}
	sign := e.signer(ctx)
	q, s := &r.request, &r.state
	run := apitype.Run{
		RunID: r.row.ID, OwnerWalletAddress: r.row.Wallet, Status: r.row.Status, SchemaVersion: schemaVersion,
		Backbone: apitype.Backbone{SchemaVersion: schemaVersion, ModelKnowledgeVersion: e.catalog.UpdatedAt(), RoutingPolicyVersion: routingVersion},
		Scope:    apitype.RunScope{OwnerWalletAddress: r.row.Wallet, AppSource: q.App, TokenType: q.Token, BillingMode: q.Mode},
		Request:  r.request.withURLs(sign).snapshot(), MediaContext: r.mediaContext(sign), CancellationReason: s.Cancelled, Usage: s.Usage.shape(), Recovery: apitype.RunRecovery{ResumeCount: s.Resumes},
		ToolCalls: []apitype.RunToolCall{}, ToolResults: []apitype.RunToolResult{}, Artifacts: []apitype.RunArtifact{}, ChildWorkflowIDs: []string{}, Events: []apitype.RunEvent{},
		Timestamps: apitype.Timestamps{CreatedAt: r.row.CreatedAt.UTC(), UpdatedAt: r.row.UpdatedAt.UTC()},
		CreateTime: r.row.CreatedAt.UnixMilli(), UpdateTime: r.row.UpdatedAt.UnixMilli(),
	}
	if s.EndedAt != nil {
		at := s.EndedAt.UTC()
		run.Timestamps.CompletedAt = &at
	}
	run.Messages = append(run.Messages, run.Request.Messages...)
	r.addRounds(&run)
	for _, a := range r.artifacts() {
		shape := a.shape()
		shape.URL, shape.ModelDisplayName, shape.Metadata = sign(shape.URL), e.modelName(a.model), a.Metadata
		run.Artifacts = append(run.Artifacts, shape)
	}
	for _, p := range s.Previews {
		run.BillingPreviews = append(run.BillingPreviews, p.shape())
	}
	if n := len(run.BillingPreviews); n > 0 {
		run.BillingPreview = &run.BillingPreviews[n-1]
	}
	if w := s.Waiting; w != nil && r.row.Status == atelier.StatusWaitingForUser {
		run.Waiting = &apitype.RunWaiting{Reason: w.Reason, Message: w.Message, Details: w.details()}
	}
	if f := s.Final; f != nil {
		final := f.shape()
		run.FinalResponse = &final
	}
	if f := s.Failure; f != nil {
		run.FailureReason, run.Error = f.Message, &apitype.RunFailure{Code: f.Code, Message: f.Message}
	}
	for _, ev := range r.log.Stored {
		run.Events = append(run.Events, eventOf(r.row.ID, ev, sign))
	}
	return run
}

// modelName is the name of a model for people; empty when it is not known.
func (e *Engine) modelName(id string) string {
	if m, ok := e.catalog.Model(id); ok {
		return m.Name
	}
	return ""
}

// addRounds adds what the model and its tools have done.
func (r *record) addRounds(run *apitype.Run) {
	sequence := 0
	for _, round := range r.state.Rounds {
		m := apitype.RunMessage{Role: "assistant", Content: round.Text}
		for _, c := range append(round.Calls[:len(round.Calls):len(round.Calls)], round.Theirs...) {
			call := apitype.RunMessageCall{ID: c.ID, Type: "function"}
			call.Function = apitype.RunFunctionCall{Name: c.Name, Arguments: c.Arguments}
			m.ToolCalls = append(m.ToolCalls, call)
			run.ToolCalls = append(run.ToolCalls, apitype.RunToolCall{ToolCallID: c.ID, ToolName: c.Name, Arguments: argumentsOf(c.Arguments), Sequence: sequence})
			if result, ok := r.resultOf(c, sequence); ok {
				run.ToolResults = append(run.ToolResults, result)
			}
			if c.WorkflowID != "" {
				run.ChildWorkflowIDs = append(run.ChildWorkflowIDs, string(c.WorkflowID))
			}
			sequence++
		}
		run.Messages = append(run.Messages, m)
		for _, c := range round.Calls {
			result := apitype.RunMessage{Role: "tool", ToolCallID: c.ID, Name: c.Name}
			switch {
			case c.Outcome != nil:
				result.Content = c.Outcome.summary()
			case r.row.Status.Terminal(): // a conversation whose calls have no results is refused by some model servers
				result.Content = "The run ended before this call."
			default:
				continue
			}
			run.Messages = append(run.Messages, result)
		}
	}
}

// resultOf is the result of a call, if it has one or waits for the user.
func (r *record) resultOf(c callDocument, sequence int) (apitype.RunToolResult, bool) {
	out := apitype.RunToolResult{ToolCallID: c.ID, Sequence: sequence}
	switch w := r.state.Waiting; {
	case c.Outcome != nil:
		out.Status, out.Summary, out.ErrorCode = c.Outcome.status(), c.Outcome.summary(), c.Outcome.errorCode()
	case w != nil && w.holds(c.ID):
		out.Status = "waiting_for_user"
	case r.row.Status.Terminal() && !r.isTheirs(c.ID):
		out.Status = "cancelled"
	default:
		return out, false
	}
	return out, true
}

// isTheirs reports whether a call is for the caller to make.
func (r *record) isTheirs(id string) bool {
	for _, round := range r.state.Rounds {
		for _, c := range round.Theirs {
			if c.ID == id {
				return true
			}
		}
	}
	return false
}

func (q requestDocument) snapshot() apitype.RunRequest {
	out := apitype.RunRequest{
		SessionID: q.Session, ClientMessageID: q.ClientMessageID, Model: q.Model, Messages: []apitype.RunMessage{}, Sampling: q.Sampling, MaxUnits: q.MaxUnits,
		ConfirmCost: q.ConfirmCost, IdempotencyKey: q.Key, RuntimeConfig: q.RuntimeConfig,
	}
	if out.Sampling == nil {
		out.Sampling = map[string]any{}
	}
	if out.RuntimeConfig == nil {
		out.RuntimeConfig = map[string]any{}
	}
	switch {
	case q.ToolFunction != "":
		out.ToolChoice = map[string]any{"type": "function", "function": map[string]any{"name": q.ToolFunction}}
	case q.ToolMode != "":
		out.ToolChoice = q.ToolMode
	}
	for _, t := range q.Tools {
		out.Tools = append(out.Tools, t)
	}
	for _, m := range q.Messages {
		out.Messages = append(out.Messages, m.snapshot())
	}
	if list := q.references(); len(list) > 0 {
		out.MediaReferences = list
	}
	return out
}

// snapshot is a message as it was sent: text alone, or a list of parts.
func (d messageDocument) snapshot() apitype.RunMessage {
	m := apitype.RunMessage{Role: d.Role, Name: d.Name, ToolCallID: d.ToolCallID}
	if len(d.Parts) == 1 && d.Parts[0].Image == "" {
		m.Content = d.Parts[0].Text
	} else if len(d.Parts) > 0 {
		parts := []any{}
		for _, p := range d.Parts {
			if p.Image != "" {
				parts = append(parts, map[string]any{"type": "image_url", "image_url": map[string]any{"url": p.Image}})
			} else {
				parts = append(parts, map[string]any{"type": "text", "text": p.Text})
			}
		}
		m.Content = parts
	}
	for _, c := range d.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, apitype.RunMessageCall{ID: c.ID, Type: "function", Function: apitype.RunFunctionCall{Name: c.Name, Arguments: c.Arguments}})
	}
	return m
}

// eventOf is an event as it is read.
func eventOf(id atelier.RunID, ev atelier.Event, sign func(string) string) apitype.RunEvent {
	payload := apitype.MapURLs(ev.Payload, sign)
	return apitype.RunEvent{
		Sequence: ev.Sequence, Type: ev.Type, At: ev.At.UTC(), Payload: payload, RunID: id, ID: string(id) + ":" + strconv.FormatInt(ev.Sequence, 10),
	}
}

// Log is a part of the log of a run.
type Log struct {
	Events  []apitype.RunEvent
	Trimmed bool // events that were asked for are no longer kept
}

// Events reads the log of a run of an account after a sequence.
func (e *Engine) Events(ctx context.Context, w atelier.Wallet, id atelier.RunID, after int64) (Log, error) {
	r, err := e.read(ctx, w, id, after)
	if err != nil {
		return Log{}, err
	}
	sign := e.signer(ctx)
	out := Log{Events: []apitype.RunEvent{}, Trimmed: r.row.Events > keptEvents && after+1 < r.row.Events-keptEvents}
	for _, ev := range r.log.Stored {
		out.Events = append(out.Events, eventOf(id, ev, sign))
	}
	return out, nil
}

// Update is one item of a stream: an event, the status of the run, what its model writes, or, with none of them, a
// heartbeat.
type Update struct {
	Event    *apitype.RunEvent
	Standing *journal.Standing
	Text     *Text
	Missed   bool // events before this one are no longer kept
}

// Follow streams the log of a run of an account after a sequence, then its status, and
// then what happens until the run is over, with the text that a model writes. Without news
// it yields a heartbeat at every beat.
func (e *Engine) Follow(ctx context.Context, w atelier.Wallet, id atelier.RunID, after int64, beat time.Duration) (iter.Seq2[Update, error], error) {
	var row store.StoredRun
	err := e.db.ReadDetached(ctx, func(tx *store.Tx) (err error) {
		row, err = tx.Run(w, id)
		return err
	})
	if err != nil {
		return nil, orNotFound(id, err)
	}
	parent := journal.Parent{Log: string(id), Next: row.Events, Standing: journal.Standing{Status: row.Status, Waiting: row.Waiting}}
	return func(yield func(Update, error) bool) {
		d, leave := e.drafts.enter(id)
		defer leave()
		text := draftReader{engine: e, id: id, draft: d}
		defer text.follow(atelier.StatusCompleted)
		parent.Wake = func() <-chan struct{} { return text.changed }
		isLive := false // everything that was in the log is read
		for n, err := range e.journal.FollowParent(ctx, parent, after, beat) {
			u := Update{Standing: n.Standing, Missed: n.Missed}
			if n.Event != nil {
				ev := eventOf(id, *n.Event, e.signer(ctx))
				u.Event = &ev
				text.see(n.Event.Payload)
			}
			if n.Standing != nil {
				isLive = true
				text.follow(n.Standing.Status)
			}
			if !n.IsWoken && !yield(u, err) || err != nil {
				return
			}
			if !isLive {
				continue
			}
			if t := text.next(); t != nil && !yield(Update{Text: t}, nil) {
				return
			}
		}
	}, nil
}
