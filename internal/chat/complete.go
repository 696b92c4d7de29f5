package chat

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
)

// completion is one request on its way.
type completion struct {
	*Engine
	q          Request
	hostedTool map[string]*hosted
	shelf      *shelf // the media of the conversation
	memory     memory // the assets of the session
	bill       *meter // what the model's words cost
	done       Completion

	mu   sync.Mutex // tools tell side by side
	emit func(Event) error
	said strings.Builder // the content of the answer so far
	refs []WorkflowRef   // every workflow that was told of, as it was last
}

// Complete answers a conversation. emit is called for what happens on the way,
// one call at a time; when it fails the client has left, and so does Complete:
// what was started and paid for goes on.
func (e *Engine) Complete(ctx context.Context, q *Request, emit func(Event) error) (Completion, error) {
	t := &completion{Engine: e, q: *q, emit: emit, bill: e.meter(q.Model, q.Caller.Wallet, q.ID, q.Terms)}
	t.hostedTool = e.hostedFor(q)
	t.shelf = newShelf(q)
	err := t.loadSession(ctx)
	if err == nil {
		t.shelf.show(q)
		t.brief()
		t.q.Params = q.Profile.fill(q.Params)
		err = t.converse(ctx)
	}
	t.done.Content, t.done.Usage = t.said.String(), t.bill.used()
	return t.done, t.withWorkflowRefs(err)
}

// withWorkflowRefs is an error that says which workflows were started before it: they
// are paid for, and their results are there to be read.
func (t *completion) withWorkflowRefs(err error) error {
	var known *atelier.Error
	if len(t.refs) == 0 || !errors.As(err, &known) {
		return err
	}
	told := *known
	told.Details = maps.Clone(known.Details)
	return told.With("creative_workflows", t.refs)
}

// converse goes through the rounds of an answer.
func (t *completion) converse(ctx context.Context) error {
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
		over, err := t.run(ctx, ours, len(theirs) > 0)
		switch {
		case err != nil:
			return err
		case len(theirs) > 0 || over || round == MaxRounds:
			return t.end(theirs)
		}
	}
}

// splitCalls tells the calls that are run here from those that are the caller's to
// make. A tool that nobody offered is nobody's, so the model is told here.
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

// end ends the answer: what is the caller's to call is handed over.
func (t *completion) end(theirs []llm.ToolCall) error {
	t.done.ToolCalls = theirs
	switch {
	case len(theirs) > 0:
		t.done.FinishReason = "tool_calls"
	case t.done.FinishReason == "" || t.done.FinishReason == "tool_calls":
		t.done.FinishReason = "stop"
	}
	return t.handOver(theirs)
}

// endAfterError ends the answer when the model fails. Who reads it whole would lose
// what was made before, and pay for it once more with the next try: they get
// it, with a word about the failure. A reader of a stream has it already.
func (t *completion) endAfterError(err error) error {
	var known *atelier.Error
	if t.q.Stream || len(t.done.Workflows) == 0 || !errors.As(err, &known) || atelier.HasCode(err, atelier.CodeSubscriptionLimit) {
		return err
	}
	t.done.FinishReason = "stop"
	return t.tell(Event{Content: "(" + known.Message + ")"})
}

// tell passes an event on.
func (t *completion) tell(ev Event) error {
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

// handOver gives the caller the calls that are its own to make, unless they
// went to it as they came.
func (t *completion) handOver(calls []llm.ToolCall) error {
	if len(calls) == 0 || t.direct() {
		return nil
	}
	var deltas []llm.ToolCallDelta
	for i, c := range calls {
		deltas = append(deltas, llm.ToolCallDelta{Index: i, ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return t.tell(Event{ToolCalls: deltas})
}

// run runs the calls of a round side by side, and lets the model hear the
// results in their order. It reports whether one of them ends the turn. When
// it is the last the model hears, the reader of the answer is told what tools
// have written.
func (t *completion) run(ctx context.Context, calls []llm.ToolCall, last bool) (over bool, err error) {
	if len(t.done.Results) == 0 { // nothing is lost yet by trying again
		for _, c := range calls {
			if _, err := argumentsOf(c); err != nil {
				return false, err
			}
		}
	}
	outcomes := make([]outcome, len(calls))
	errs := make([]error, len(calls))
	// Indices mean what there was before this round, so media is put on the
	// shelf afterwards, in the order of the calls.
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
		if err := t.heard(calls[i], o, last); err != nil {
			return false, err
		}
		over = over || o.over
	}
	return over, nil
}

// heard tells the caller and the model what became of a call.
func (t *completion) heard(c llm.ToolCall, o outcome, last bool) error {
	if last && o.note == "" {
		o.note = o.text
	}
	heard := t.shelf.put(o)
	if text := o.markdown(t.said.Len() > 0); text != "" {
		if err := t.tell(Event{Content: text}); err != nil {
			return err
		}
	}
	if o.workflow != nil {
		t.done.Workflows = append(t.done.Workflows, *o.workflow)
		if err := t.tell(Event{Workflow: o.workflow}); err != nil {
			return err
		}
	}
	t.done.Results = append(t.done.Results, o.result)
	text, err := json.Marshal(heard)
	if err != nil {
		return err
	}
	m := llm.Text("tool", string(text))
	m.ToolCallID = c.ID
	t.q.Messages = append(t.q.Messages, m)
	return nil
}
