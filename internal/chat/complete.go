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
	hostedTool map[string]*hosted
	media      *mediaIndex
	manifest   manifest.Manifest // the assets of the session
	meter      *meter
	done       Completion

	mu   sync.Mutex // held to emit: tools run in parallel
	emit func(Event) error
	said strings.Builder // the content of the answer so far
	refs []WorkflowRef   // every workflow that was emitted, in its last state
}

// Complete answers a conversation. It calls emit for what happens meanwhile, one
// call at a time. An error of emit means that the client has left, and ends
// Complete; workflows that were started go on.
func (e *Engine) Complete(ctx context.Context, q *Request, emit func(Event) error) (Completion, error) {
	t, err := e.newCompletion(q, emit)
	if err != nil {
		return Completion{}, err
	}
	if err := emit(Event{Model: t.model.ID}); err != nil {
		return t.done, err
	}
	err = t.loadSession(ctx)
	if err == nil {
		t.media.addImages(q)
		t.addInstructions()
		err = t.runRounds(ctx)
	}
	t.done.Content, t.done.Usage = t.said.String(), t.meter.used()
	return t.done, t.withWorkflowRefs(err)
}

// newCompletion finds the model and the tools of a request.
func (e *Engine) newCompletion(q *Request, emit func(Event) error) (*completion, error) {
	model, err := e.findModel(q.Model)
	if err != nil {
		return nil, err
	}
	t := &completion{Engine: e, q: *q, model: model, emit: emit, meter: e.newMeter(model, q.Caller.Wallet, q.ID, q.Terms)}
	t.done.Model = model.ID
	t.q.Params = q.paramsFor(model)
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

// runRounds runs the rounds of an answer.
func (t *completion) runRounds(ctx context.Context) error {
	for round := 1; ; round++ {
		answer, err := t.round(ctx, round)
		if err != nil {
			return t.endAfterError(err)
		}
		t.done.FinishReason = answer.FinishReason
		ours, theirs := t.splitCalls(answer.ToolCalls)
		if len(ours) == 0 {
			return t.end(theirs)
		}
		t.q.Messages = append(t.q.Messages, answer.Message())
		over, err := t.runCalls(ctx, ours, len(theirs) > 0)
		switch {
		case err != nil:
			return err
		case len(theirs) > 0 || over || round == MaxRounds:
			return t.end(theirs)
		}
	}
}

// splitCalls separates the calls that are run here from those that the caller
// makes. A call of a tool that does not exist counts as ours: its result says so.
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
// reads a stream has it already.
func (t *completion) endAfterError(err error) error {
	var known *atelier.Error
	if t.q.Stream || len(t.done.Workflows) == 0 || !errors.As(err, &known) || atelier.HasCode(err, atelier.CodeSubscriptionLimit) {
		return err
	}
	t.done.FinishReason = "stop"
	return t.emitEvent(Event{Content: "(" + known.Message + ")"})
}

// emitEvent passes an event on.
func (t *completion) emitEvent(ev Event) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said.WriteString(ev.Content)
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

// runCalls runs the calls of a round in parallel, and adds the results to the
// conversation in the order of the calls. It reports whether one of them ends the
// answer. After the last round the model does not write about the results, so the
// texts that tools have written are added to the answer.
func (t *completion) runCalls(ctx context.Context, calls []llm.ToolCall, last bool) (over bool, err error) {
	if len(t.done.Results) == 0 { // nothing was made yet, so the client can simply try again
		for _, c := range calls {
			if _, err := argumentsOf(c); err != nil {
				return false, err
			}
		}
	}
	outcomes := make([]outcome, len(calls))
	errs := make([]error, len(calls))
	// Indices mean the media from before this round, so that results are indexed
	// after it, in the order of the calls.
	var wg sync.WaitGroup
	var queue []int // calls that must see what the one before has done
	for i, c := range calls {
		if h := t.hostedTool[c.Function.Name]; h != nil && h.queued {
			queue = append(queue, i)
			continue
		}
		wg.Go(func() { outcomes[i], errs[i] = t.call(ctx, c) })
	}
	wg.Go(func() {
		for _, i := range queue {
			outcomes[i], errs[i] = t.call(ctx, calls[i])
		}
	})
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		var known *atelier.Error
		if errors.As(err, &known) {
			return false, known
		}
		return false, err
	}
	for i, o := range outcomes {
		if err := t.addOutcome(calls[i], o, last); err != nil {
			return false, err
		}
		over = over || o.over
	}
	return over, nil
}

// addOutcome adds the outcome of a call to the answer and to the conversation.
func (t *completion) addOutcome(c llm.ToolCall, o outcome, last bool) error {
	if last && o.note == "" {
		o.note = o.text
	}
	result := t.media.addOutcome(o)
	if text := o.markdown(t.said.Len() > 0); text != "" {
		if err := t.emitEvent(Event{Content: text}); err != nil {
			return err
		}
	}
	if o.workflow != nil {
		t.done.Workflows = append(t.done.Workflows, *o.workflow)
		if err := t.emitEvent(Event{Workflow: o.workflow}); err != nil {
			return err
		}
	}
	t.done.Results = append(t.done.Results, o.result)
	text, err := wire.Marshal(result)
	if err != nil {
		return err
	}
	m := llm.Text("tool", string(text))
	m.ToolCallID = c.ID
	t.q.Messages = append(t.q.Messages, m)
	return nil
}
