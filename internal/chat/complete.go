package chat

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/manifest"
	"github.com/atelier-project/atelier/internal/wire"
)

// completion is one request while it is answered.
type completion struct {
	*Engine
	q          Request
	model      llm.Model
	choice     wire.Raw // of tools, in the first round
	box        *toolbox // nil when no hosted tool is offered
	hostedTool map[string]*hosted
	media      *mediaIndex
	manifest   manifest.Manifest // the assets of the session
	meter      *meter
	done       Completion
	rec        Recorder
	rounds     int             // of the model, so far
	last       *Round          // the last of them, nil before the first
	over       bool            // a tool has ended the answer
	calls      map[string]bool // the ids of the calls so far
	found      map[string]bool // the tools that the model has looked for

	mu      sync.Mutex // held to emit: tools run in parallel
	emit    func(Event) error
	content strings.Builder // of the answer so far
	refs    []WorkflowRef   // every workflow that was emitted, in its last state
}

// Complete answers a conversation. It calls emit for what happens meanwhile, one
// call at a time. An error of emit means that the client has left, and ends
// Complete; workflows that were started go on.
func (e *Engine) Complete(ctx context.Context, q *Request, emit func(Event) error) (Completion, error) {
	t, err := e.newCompletion(ctx, q, emit)
	if err != nil {
		return Completion{}, err
	}
	if err = t.begin(ctx); err == nil {
		err = t.runRounds(ctx)
	}
	return t.result(err)
}

// begin names the model to the client, and completes the conversation by what the session and the service add to it.
func (t *completion) begin(ctx context.Context) error {
	if err := t.emit(Event{Model: t.model.ID}); err != nil {
		return err
	}
	if err := t.loadSession(ctx); err != nil {
		return err
	}
	t.media.addImages(&t.q)
	t.addInstructions()
	return nil
}

// result is what was answered, and the error that has ended it.
func (t *completion) result(err error) (Completion, error) {
	t.done.Content, t.done.Usage = t.content.String(), t.meter.used()
	return t.done, t.withWorkflowRefs(err)
}

// isRecorded reports that no client waits for the answer: it is stored, and may wait for its user.
func (t *completion) isRecorded() bool { return t.rec != unrecorded{} }

// newCompletion finds the model and the tools of a request.
func (e *Engine) newCompletion(ctx context.Context, q *Request, emit func(Event) error) (*completion, error) {
	model, err := e.findModelFor(q.Caller, q.Model)
	if err != nil {
		return nil, err
	}
	q.limit()
	t := &completion{Engine: e, q: *q, model: model, emit: emit, rec: unrecorded{}, calls: map[string]bool{}, found: map[string]bool{}, meter: e.newMeter(model, q.Caller, q.ID, q.Terms)}
	t.done.Model = model.ID
	t.q.Params = q.paramsFor(model)
	if t.box, err = t.findToolbox(ctx); err != nil {
		return nil, err
	}
	t.hostedTool = t.callableTools()
	if t.choice, err = t.toolChoice(); err != nil {
		return nil, err
	}
	t.media = newMediaIndex(q)
	return t, nil
}

// withWorkflowRefs adds to an error which workflows were started before it: they
// are paid for, and the caller can read their results.
func (t *completion) withWorkflowRefs(err error) error {
	var known *atelier.Error
	if len(t.refs) == 0 || !errors.As(err, &known) {
		return err
	}
	out := *known
	out.Details = maps.Clone(known.Details)
	return out.With("creative_workflows", t.refs)
}

// runRounds asks the model and runs the tools that it calls, until the answer ends.
func (t *completion) runRounds(ctx context.Context) error {
	for {
		if t.last == nil || t.last.resolved() {
			if t.finished() {
				return t.end(t.last.Theirs)
			}
			if err := t.nextRound(ctx); err != nil {
				return t.endAfterError(err)
			}
			if len(t.last.Calls) == 0 {
				return t.end(t.last.Theirs)
			}
		}
		if err := t.runCalls(ctx, t.last); err != nil {
			return err
		}
	}
}

// finished reports whether the answer ends after a round whose calls have outcomes.
func (t *completion) finished() bool {
	return t.last != nil && (len(t.last.Theirs) > 0 || t.over || t.rounds >= t.q.maxRounds())
}

// nextRound asks the model once more.
func (t *completion) nextRound(ctx context.Context) error {
	if err := t.rec.RoundStarted(ctx, t.rounds+1); err != nil {
		return err
	}
	answer, err := t.round(ctx, t.rounds+1)
	bills := t.meter.takeBills()
	if err != nil {
		t.rec.Abandon(ctx, bills)
		return err
	}
	r := &Round{Text: strings.TrimSpace(withoutThinking(afterThought(answer.Content))), FinishReason: answer.FinishReason}
	var ours []llm.ToolCall
	ours, r.Theirs = t.splitCalls(answer.ToolCalls)
	for _, c := range ours {
		r.Calls = append(r.Calls, &Call{ToolCall: c, Seen: -1})
	}
	if err := t.rec.RoundEnded(ctx, r, bills, len(ours) == 0); err != nil {
		return err
	}
	t.rounds++
	t.last = r
	t.done.FinishReason = answer.FinishReason
	if len(ours) > 0 {
		t.q.Messages = append(t.q.Messages, t.messageOf(answer, r))
	}
	return nil
}

// messageOf is an answer as a turn of the conversation. A recorded one is as the record has it, so that another
// process continues the same conversation.
func (t *completion) messageOf(answer llm.Answer, r *Round) llm.Message {
	if t.isRecorded() {
		return r.message()
	}
	return answer.Message()
}

// splitCalls separates the calls that are run here from those that the caller
// makes. A call of a tool that does not exist counts as ours: its result is that error.
func (t *completion) splitCalls(calls []llm.ToolCall) (ours, theirs []llm.ToolCall) {
	for _, c := range calls {
		if t.runs(c.Function.Name) {
			ours = append(ours, c)
		} else {
			theirs = append(theirs, c)
		}
	}
	return ours, theirs
}

// end ends the answer, and hands the caller the calls that it makes.
func (t *completion) end(theirs []llm.ToolCall) error {
	t.done.ToolCalls = theirs
	switch {
	case len(theirs) > 0:
		t.done.FinishReason = "tool_calls"
	case t.done.FinishReason == "" || t.done.FinishReason == "tool_calls":
		t.done.FinishReason = "stop"
	}
	return t.emitCalls(theirs)
}

// endAfterError ends the answer when the model fails. A client that reads it whole
// would lose the media that was made before, and pay for it again with the next
// try: it gets the answer so far, with a sentence about the failure. A client that
// reads a stream, or a record, has it already.
func (t *completion) endAfterError(err error) error {
	var known *atelier.Error
	if t.isRecorded() || t.q.Stream || len(t.done.Workflows) == 0 || !errors.As(err, &known) || atelier.HasCode(err, atelier.CodeSubscriptionLimit) {
		return err
	}
	t.done.FinishReason = "stop"
	return t.emitEvent(Event{Content: "(" + known.Message + ")"})
}

// emitEvent passes an event on.
func (t *completion) emitEvent(ev Event) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.content.WriteString(ev.Content)
	if ref := ev.Workflow; ref != nil {
		at := slices.IndexFunc(t.refs, func(r WorkflowRef) bool { return r.WorkflowID == ref.WorkflowID })
		if at < 0 {
			t.refs = append(t.refs, *ref)
		} else {
			t.refs[at] = *ref
		}
	}
	return t.emit(ev)
}

// emitCalls gives the caller the calls that it makes, unless they were emitted as
// they came.
func (t *completion) emitCalls(calls []llm.ToolCall) error {
	if len(calls) == 0 || t.direct() {
		return nil
	}
	var deltas []llm.ToolCallDelta
	for i, c := range calls {
		deltas = append(deltas, llm.ToolCallDelta{Index: i, ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return t.emitEvent(Event{ToolCalls: deltas})
}

// runCalls runs the calls of a round that have no outcome yet, in parallel, and adds
// the outcomes to the conversation. Calls that cost something may have to wait for
// the user: then the others run, and the answer pauses.
func (t *completion) runCalls(ctx context.Context, r *Round) error {
	if !t.isRecorded() && len(t.done.Results) == 0 { // nothing was made yet, so the client can simply try again
		for _, c := range r.Calls {
			if _, err := argumentsOf(c.ToolCall); err != nil {
				return err
			}
		}
	}
	held, err := t.holdCalls(ctx, r)
	if err != nil {
		return err
	}
	if err := t.runAtOnce(ctx, r, held); err != nil {
		return err
	}
	if len(held) > 0 {
		return t.rec.Pause(ctx, held)
	}
	return t.addOutcomes(r)
}

// holdCalls returns the calls of a round that have to wait for the user.
func (t *completion) holdCalls(ctx context.Context, r *Round) ([]PaidCall, error) {
	if !t.isRecorded() {
		return nil, nil
	}
	paid, err := t.paidCalls(ctx, r)
	if err != nil || len(paid) == 0 {
		return nil, err
	}
	hold, err := t.rec.Hold(ctx, paid)
	if !hold {
		return nil, err
	}
	return paid, err
}

// runAtOnce runs the calls of a round in parallel, but for those that are held.
// Indices in the arguments mean the media from before the round.
func (t *completion) runAtOnce(ctx context.Context, r *Round, held []PaidCall) error {
	errs := make([]error, len(r.Calls))
	var wg sync.WaitGroup
	var queue []int // calls that must see what the one before has done
	for i, c := range r.Calls {
		if c.Outcome != nil || slices.ContainsFunc(held, func(p PaidCall) bool { return p.Call == c }) {
			continue
		}
		if h := t.hostedTool[c.Function.Name]; h != nil && h.queued {
			queue = append(queue, i)
			continue
		}
		wg.Go(func() { errs[i] = t.runCall(ctx, c) })
	}
	wg.Go(func() {
		for _, i := range queue {
			errs[i] = t.runCall(ctx, r.Calls[i])
		}
	})
	wg.Wait()
	if err := errors.Join(errs...); errors.Is(err, ErrParked) {
		return ErrParked // a call that has failed is made again
	} else if err != nil {
		var known *atelier.Error
		if errors.As(err, &known) {
			return known
		}
		return err
	}
	for _, c := range r.Calls {
		if o := c.Outcome; o != nil && o.review != nil {
			return t.rec.Review(ctx, c, o.review)
		}
	}
	return nil
}

// runCall runs one call and records its outcome.
func (t *completion) runCall(ctx context.Context, c *Call) error {
	o, err := t.call(ctx, c)
	bills := c.bills
	c.bills = nil
	if err != nil {
		t.rec.Abandon(ctx, bills)
	} else if o.review == nil { // one that is reviewed has not ended
		err = t.rec.CallEnded(ctx, c, o, bills)
	}
	c.Outcome = &o
	return err
}

// addOutcomes adds the outcomes of a round to the answer and to the conversation,
// in the order of the calls. After the last round the model does not write about
// the results, so the texts that tools have written are added to the answer.
func (t *completion) addOutcomes(r *Round) error {
	for _, c := range r.Calls {
		if err := t.addOutcome(c.ToolCall, *c.Outcome, len(r.Theirs) > 0); err != nil {
			return err
		}
		t.noteFound(c.ToolCall)
		t.over = t.over || c.Outcome.Over
	}
	return nil
}

// addOutcome adds the outcome of a call to the answer and to the conversation.
func (t *completion) addOutcome(c llm.ToolCall, o Outcome, last bool) error {
	if last && o.Note == "" {
		o.Note = o.Text
	}
	result := t.media.addOutcome(o)
	if text := o.markdown(t.content.Len() > 0); text != "" {
		if err := t.emitEvent(Event{Content: text}); err != nil {
			return err
		}
	}
	if o.Workflow != nil {
		t.done.Workflows = append(t.done.Workflows, *o.Workflow)
		if err := t.emitEvent(Event{Workflow: o.Workflow}); err != nil {
			return err
		}
	}
	t.done.Results = append(t.done.Results, o.Result)
	text, err := wire.Marshal(result)
	if err != nil {
		return err
	}
	m := llm.Text("tool", string(text))
	m.ToolCallID = c.ID
	t.q.Messages = append(t.q.Messages, m)
	return nil
}
