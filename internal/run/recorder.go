package run

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/workflow"
)

// toolFamily is the family of hosted tools of runs.
const toolFamily = catalog.CreativeAgent

// execution is the work of this node on a run. It records what the chat engine does.
type execution struct {
	engine  *Engine
	id      atelier.RunID
	request requestDocument
	stop    context.CancelCauseFunc
	large   bool // it gives its place back while it waits for workflows
	draft   *draft
	tries   int64     // of rounds, by this execution
	began   time.Time // the last of them

	mu         sync.Mutex // held while something is stored: tools run in parallel
	row        store.StoredRun
	state      state
	over       bool // the run has ended
	handedOver bool
}

// change stores a change of the run in one transaction: what fn does to a copy of the
// record, and its events. The function may run again. The error is errLost when the
// run is no longer this node's.
func (x *execution) change(ctx context.Context, fn func(*store.Tx, *record) error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	var r *record
	err := x.engine.db.Write(ctx, func(tx *store.Tx) (err error) {
		r, err = x.applyIn(tx, fn)
		return err
	})
	return x.keep(r, err)
}

// applyIn makes a change in a transaction.
func (x *execution) applyIn(tx *store.Tx, fn func(*store.Tx, *record) error) (*record, error) {
	r := &record{row: x.row, request: x.request, state: x.state.copy(), now: x.engine.now()}
	if err := fn(tx, r); err != nil {
		return nil, err
	}
	return r, x.engine.update(tx, r, x.row.Status)
}

// keep takes over a change that was stored.
func (x *execution) keep(r *record, err error) error {
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrExists) {
		return errLost
	}
	if err == nil {
		x.row, x.state = r.row, r.state
		x.over = x.over || x.row.Status.Terminal()
	}
	return err
}

// RoundStarted implements chat.Recorder.
func (x *execution) RoundStarted(ctx context.Context, round int) error {
	err := x.change(ctx, func(_ *store.Tx, r *record) error {
		if err := r.move(atelier.StatusRunning, ""); err != nil {
			return err
		}
		r.emit(apitype.RoundStarted{Round: round})
		return nil
	})
	if err == nil {
		x.beginDraft(round)
	}
	return err
}

// beginDraft begins the draft of an attempt at a round.
func (x *execution) beginDraft(round int) {
	x.tries++
	x.began = x.engine.now()
	x.draft.begin(x.row.DraftVersion(x.tries), round)
}

// RoundEnded implements chat.Recorder.
func (x *execution) RoundEnded(ctx context.Context, round *chat.Round, bills []*chat.Bill, last bool) error {
	defer x.draft.end()
	return x.unrecorded(ctx, bills, x.change(context.WithoutCancel(ctx), func(tx *store.Tx, r *record) error {
		d := roundDocument{Text: round.Text, Finish: round.FinishReason, Theirs: newCallDocuments(round.Theirs)}
		for _, c := range round.Calls {
			d.Calls = append(d.Calls, newCallDocuments([]llm.ToolCall{c.ToolCall})...)
		}
		r.state.Rounds = append(r.state.Rounds, d)
		if round.Text != "" {
			r.emit(apitype.MessageDelta{Content: round.Text})
		}
		r.emit(apitype.MessageCompleted{Round: len(r.state.Rounds), Content: round.Text, ToolCalls: callShapes(slices.Concat(d.Calls, d.Theirs))})
		if err := r.pay(tx, bills); err != nil {
			return err
		}
		if u := r.state.Usage; u != nil {
			u.Milliseconds += r.now.Sub(x.began).Milliseconds()
		}
		if last {
			return r.complete(finalDocument{Content: round.Text, Pending: d.Theirs, Finish: finishReason(round.FinishReason, len(d.Theirs) > 0)})
		}
		return nil
	}))
}

// finishReason is the reason of the answer's end in the words of the specification.
func finishReason(said string, pending bool) string {
	switch {
	case pending:
		return "tool_calls"
	case said == "length":
		return "length"
	case said == "content_filter":
		return "safety"
	}
	return "stop"
}

// Dispatch implements chat.Recorder.
func (x *execution) Dispatch(c *chat.Call, start func(workflow.OnStart) (apitype.Workflow, error)) (apitype.Workflow, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var r *record
	w, err := start(func(tx *store.Tx, id atelier.WorkflowID) (err error) {
		r, err = x.applyIn(tx, func(_ *store.Tx, r *record) error {
			d := r.state.call(c.ID)
			d.WorkflowID, d.Notes = id, c.Notes
			r.emit(apitype.CallDispatched{ToolCallID: c.ID, ToolName: c.Function.Name, Arguments: argumentsOf(d.Arguments), WorkflowID: id})
			return nil
		})
		return err
	})
	return w, x.keep(r, err)
}

// Parks implements chat.Recorder.
func (x *execution) Parks() bool { return x.large }

// CallEnded implements chat.Recorder.
func (x *execution) CallEnded(ctx context.Context, c *chat.Call, o chat.Outcome, bills []*chat.Bill) error {
	return x.unrecorded(ctx, bills, x.change(context.WithoutCancel(ctx), func(tx *store.Tx, r *record) error {
		d := r.state.call(c.ID)
		if d.WorkflowID == "" { // a tool that answers at once
			r.emit(apitype.CallDispatched{ToolCallID: c.ID, ToolName: c.Function.Name, Arguments: argumentsOf(d.Arguments)})
		}
		d.Outcome = newOutcomeDocument(o, x.engine.blobs.KeyOf)
		if err := r.pay(tx, bills); err != nil {
			return err
		}
		r.emitResolved(d)
		return nil
	}))
}

// unrecorded pays or drops the bills of work that could not be recorded, because of an
// error, which it returns: work of a run that was cancelled meanwhile is paid, and work
// that is done again is not.
func (x *execution) unrecorded(ctx context.Context, bills []*chat.Bill, err error) error {
	if err == nil || len(bills) == 0 {
		return err
	}
	last := context.WithoutCancel(ctx)
	if errors.Is(err, errLost) && x.payAfterEnd(last, bills) == nil {
		return err
	}
	x.drop(last, bills)
	return err
}

// drop releases what is held for work that is not paid.
func (x *execution) drop(ctx context.Context, bills []*chat.Bill) {
	for _, b := range bills {
		if err := b.Drop(ctx); err != nil {
			x.engine.opts.Log.Warn("release the hold of an interrupted round failed", "run", x.row.ID, "error", err)
		}
	}
}

// emitResolved reports the outcome of a call, and the media that it has added.
func (r *record) emitResolved(d *callDocument) {
	artifacts := r.artifactsOf(*d)
	p := apitype.CallResolved{
		ToolCallID: d.ID, ToolName: d.Name, Status: d.Outcome.status(), Summary: d.Outcome.summary(), ErrorCode: d.Outcome.errorCode(), WorkflowID: d.WorkflowID,
	}
	for _, a := range artifacts {
		p.Artifacts = append(p.Artifacts, a.shape())
		if a.isMedia() {
			p.MediaURLs = append(p.MediaURLs, apitype.MediaURL{URL: a.marker(), MediaType: a.Kind, ToolName: a.Tool, ModelKey: a.model})
		}
	}
	r.emit(p)
	if len(p.MediaURLs) > 0 {
		r.emit(apitype.MediaContextUpdated{MediaContext: r.mediaContext(func(url string) string { return url })})
	}
}

// Abandon implements chat.Recorder: the work of a run that was cancelled, or whose model
// has failed, is paid, and what another node does again is not.
func (x *execution) Abandon(ctx context.Context, bills []*chat.Bill) {
	x.draft.end()
	if len(bills) == 0 {
		return
	}
	last := context.WithoutCancel(ctx)
	if why := context.Cause(ctx); (why == nil || errors.Is(why, errCancelled)) && x.payAfterEnd(last, bills) == nil {
		return
	}
	x.drop(last, bills)
}

// payAfterEnd pays bills of a run that was cancelled meanwhile, and reports them in its
// log.
func (x *execution) payAfterEnd(ctx context.Context, bills []*chat.Bill) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	var r *record
	err := x.engine.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(x.row.Wallet); err != nil {
			return err
		}
		row, err := tx.LockRun(x.row.Wallet, x.row.ID)
		if errors.Is(err, store.ErrNotFound) { // it was deleted meanwhile
			r = &record{row: x.row, now: x.engine.now()}
			return r.pay(tx, bills)
		}
		if err != nil {
			return err
		}
		if row.Takeovers != x.row.Takeovers {
			return errLost
		}
		if r, err = decode(row); err != nil {
			return err
		}
		r.now = x.engine.now()
		if err := r.pay(tx, bills); err != nil {
			return err
		}
		return x.engine.update(tx, r, row.Status)
	})
	if err == nil && r.row.Status == x.row.Status {
		x.row.Events = r.row.Events
	}
	return err
}

// receive takes the events of the chat engine that are not recorded otherwise: the
// progress of tools, and the text that the model writes.
func (x *execution) receive(ev chat.Event) error {
	if ev.Again > 0 {
		x.beginDraft(ev.Again)
	}
	x.draft.add(ev.Content)
	p := ev.Progress
	if p == nil || p.Status != "running" || p.Sequence < 0 {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	ctx := context.Background()
	var r *record
	err := x.engine.db.Write(ctx, func(tx *store.Tx) error {
		r = &record{row: x.row, state: x.state, now: x.engine.now()}
		r.emit(apitype.CallProgress{
			ToolCallID: p.ToolCallID, ToolName: p.Tool, Progress: p.Progress, Status: p.Status, WorkflowSequence: p.Sequence, StepLabel: p.Message,
			PreviewURL: p.Preview, // signed already
		})
		if err := x.engine.log(tx, r); err != nil {
			return err
		}
		return tx.TouchRun(r.row)
	})
	return x.keep(r, err)
}

// end ends the run: with the answer of the model, or with an error.
func (x *execution) end(ctx context.Context, done chat.Completion, err error) error {
	var known *atelier.Error
	switch {
	case err == nil:
		return x.change(context.WithoutCancel(ctx), func(_ *store.Tx, r *record) error {
			var pending []callDocument
			if len(r.state.Rounds) > 0 {
				pending = r.state.Rounds[len(r.state.Rounds)-1].Theirs
			}
			return r.complete(finalDocument{Content: r.content(), Pending: pending, Finish: finishReason(done.FinishReason, len(pending) > 0)})
		})
	case errors.As(err, &known) && !atelier.IsOutage(err):
		return x.fail(ctx, known)
	}
	return err
}

// fail ends the run with an error. What was made before stays its result.
func (x *execution) fail(ctx context.Context, why *atelier.Error) error {
	return x.change(context.WithoutCancel(ctx), func(_ *store.Tx, r *record) error {
		r.state.Failure = &failureDocument{Code: why.Code.Slug, Message: why.Message}
		failure := apitype.RunFailure{Code: why.Code.Slug, Message: why.Message}
		if len(r.artifacts()) > 0 {
			r.state.Final = &finalDocument{Content: r.content(), Finish: "partial_failure"}
			if err := r.move(atelier.StatusPartialFailure, ""); err != nil {
				return err
			}
			r.emit(apitype.RunPartialFailure{Status: r.row.Status, FinalResponse: r.state.Final.shape(), Error: &failure, FailureReason: why.Message})
			return nil
		}
		if err := r.move(atelier.StatusFailed, ""); err != nil {
			return err
		}
		r.emit(apitype.RunFailed{Error: failure, FailureReason: why.Message})
		return nil
	})
}

// complete ends the run with an answer. It is a partial failure when a media tool has
// failed and was not called again with success.
func (r *record) complete(f finalDocument) error {
	to := atelier.StatusCompleted
	if r.hasFailedCall() {
		to, f.Finish = atelier.StatusPartialFailure, "partial_failure"
	}
	r.state.Final = &f
	if err := r.move(to, ""); err != nil {
		return err
	}
	if to == atelier.StatusCompleted {
		r.emit(apitype.RunCompleted{Status: to, FinalResponse: f.shape()})
	} else {
		r.emit(apitype.RunPartialFailure{Status: to, FinalResponse: f.shape()})
	}
	return nil
}

// hasFailedCall reports whether the last call of a media tool has failed.
func (r *record) hasFailedCall() bool {
	failed := map[string]bool{}
	for _, round := range r.state.Rounds {
		for _, c := range round.Calls {
			if c.Outcome != nil && c.Outcome.WorkflowID != "" {
				failed[c.Name] = c.Outcome.status() == "err"
			}
		}
	}
	for _, f := range failed {
		if f {
			return true
		}
	}
	return false
}

// content is the text of the answer: what the model said last, or what a tool says in
// its place.
func (r *record) content() string {
	for _, round := range slices.Backward(r.state.Rounds) {
		var notes []string
		for _, c := range round.Calls {
			if c.Outcome != nil && c.Outcome.Over && c.Outcome.Note != "" {
				notes = append(notes, c.Outcome.Note)
			}
		}
		if text := strings.TrimSpace(strings.Join(append([]string{round.Text}, notes...), "\n\n")); text != "" {
			return text
		}
	}
	return ""
}

// Review implements chat.Recorder. The clients of a protocol that keeps a note cannot review anything: their run ends.
func (x *execution) Review(ctx context.Context, c *chat.Call, why *apitype.Waiting) error {
	if x.request.Note != nil {
		_, err := x.engine.Cancel(ctx, x.row.Wallet, x.id, chat.FilteredReason)
		if atelier.HasCode(err, atelier.CodeWrongState) { // it has ended meanwhile
			err = errLost
		}
		return x.paused(err)
	}
	review := reviewDocument{StepID: why.Details.StepID, Source: why.Details.Source, Categories: why.Details.Categories}
	message := "The content filter has refused a call of " + c.Function.Name + ". Cancel the run, change the words and start again."
	return x.paused(x.change(ctx, func(_ *store.Tx, r *record) error {
		d := r.state.call(c.ID)
		return r.wait(waitingDocument{
			Reason: atelier.WaitSafetyReview, Message: message, Calls: []heldDocument{{ID: c.ID, Name: c.Function.Name}},
			WorkflowID: string(d.WorkflowID), Review: &review,
		})
	}))
}

// paused is the error that ends an answer which was paused.
func (x *execution) paused(err error) error {
	if err == nil {
		return chat.ErrPaused
	}
	return err
}
