package chat

import (
	"context"
	"errors"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/workflow"
)

// FilteredReason is why an answer is cancelled whose content would have to be reviewed, and whose client cannot do
// that.
const FilteredReason = "content_filter"

// Recorder stores an answer while it is made, so that another process can continue
// it from there. A method returns when the fact is stored; its error ends the
// answer.
type Recorder interface {
	// RoundStarted records that the model is asked for the given time.
	RoundStarted(ctx context.Context, round int) error

	// RoundEnded records an answer of the model, and pays for it. Last says that the
	// whole answer ends with it.
	RoundEnded(ctx context.Context, r *Round, bills []*Bill, last bool) error

	// Hold decides whether calls that cost something have to wait for the user.
	Hold(ctx context.Context, paid []PaidCall) (bool, error)

	// Pause records that the answer waits until the user has decided about the cost
	// of calls. The answer ends with ErrPaused.
	Pause(ctx context.Context, paid []PaidCall) error

	// Review records that the answer waits because the content of a call has to be
	// reviewed. The answer ends with ErrPaused.
	Review(ctx context.Context, c *Call, why *apitype.Waiting) error

	// Dispatch starts the workflow of a call, and records the call as dispatched in
	// the transaction that stores the workflow.
	Dispatch(c *Call, start startFunc) (apitype.Workflow, error)

	// Parks reports whether the answer ends with ErrParked where it would wait for
	// workflows that are not over, instead of keeping the conversation in memory.
	Parks() bool

	// CallEnded records the outcome of a call, and pays for it.
	CallEnded(ctx context.Context, c *Call, o Outcome, bills []*Bill) error

	// Abandon pays or drops the bills of work whose result is not recorded.
	Abandon(ctx context.Context, bills []*Bill)
}

// startFunc starts the workflow of a call.
type startFunc = func(workflow.OnStart) (apitype.Workflow, error)

// unrecorded is the Recorder of an answer that its client waits for: nothing is stored, and nothing waits for the user.
type unrecorded struct{}

func (unrecorded) RoundStarted(context.Context, int) error                     { return nil }
func (unrecorded) RoundEnded(context.Context, *Round, []*Bill, bool) error     { return nil }
func (unrecorded) Hold(context.Context, []PaidCall) (bool, error)              { return false, nil }
func (unrecorded) Pause(context.Context, []PaidCall) error                     { return ErrPaused }
func (unrecorded) Review(context.Context, *Call, *apitype.Waiting) error       { return ErrPaused }
func (unrecorded) Dispatch(_ *Call, start startFunc) (apitype.Workflow, error) { return start(nil) }
func (unrecorded) Parks() bool                                                 { return false }
func (unrecorded) CallEnded(context.Context, *Call, Outcome, []*Bill) error    { return nil }
func (unrecorded) Abandon(context.Context, []*Bill)                            {}

// ErrPaused ends an answer that waits for its user and is continued later.
var ErrPaused = errors.New("chat: the answer waits for its user")

// ErrParked ends an answer that waits for workflows and is continued when they are over.
var ErrParked = errors.New("chat: the answer waits for workflows")

// Watch follows the workflow of a call of an answer that is parked, until it is over or
// waits for its user. It calls emit as Continue does.
func (e *Engine) Watch(ctx context.Context, w atelier.Wallet, rec Recorder, c *Call, emit func(Event) error) error {
	t := &completion{Engine: e, rec: rec, emit: emit}
	t.q.Caller.Wallet = w
	return t.follow(ctx, c, c.WorkflowID)
}

// Round is an answer of the model, with the outcomes of the calls in it.
type Round struct {
	Text         string // without the thoughts of the model
	FinishReason string
	Calls        []*Call        // of hosted tools
	Theirs       []llm.ToolCall // for the caller to make
}

// Call is a call of a hosted tool.
type Call struct {
	llm.ToolCall
	WorkflowID atelier.WorkflowID // that runs it, once it is dispatched
	Seen       int64              // the last event of the workflow that was recorded
	Filter     *bool              // whether its content is filtered, where that is not as in the rest of the request
	Notes      []string           // for its outcome, once it is dispatched
	Approved   bool               // the user has approved its cost as it was estimated
	Covered    bool               // it runs because a plan covers it: nothing else may pay
	Outcome    *Outcome           // nil while it has none

	status atelier.Status // of the workflow when it was dispatched
	bills  []*Bill        // of the tool
}

// PaidCall is a call that costs something, with its estimate.
type PaidCall struct {
	*Call
	Estimate workflow.Estimate
}

// message is a round as a turn of the conversation.
func (r *Round) message() llm.Message {
	m := llm.Message{Role: "assistant"}
	if r.Text != "" {
		m.Content = []llm.Part{{Type: "text", Text: r.Text}}
	}
	for _, c := range r.Calls {
		m.ToolCalls = append(m.ToolCalls, c.ToolCall)
	}
	m.ToolCalls = append(m.ToolCalls, r.Theirs...)
	return m
}

// resolved reports whether every call has an outcome.
func (r *Round) resolved() bool {
	for _, c := range r.Calls {
		if c.Outcome == nil {
			return false
		}
	}
	return true
}

// Continue answers a conversation that is recorded, from where the record ends. It
// returns ErrPaused when the answer waits for its user.
func (e *Engine) Continue(ctx context.Context, q *Request, rounds []*Round, rec Recorder, emit func(Event) error) (Completion, error) {
	t, err := e.newCompletion(ctx, q, emit)
	if err != nil {
		return Completion{}, err
	}
	t.rec, t.meter.defers = rec, true
	if err = t.begin(ctx); err == nil {
		err = t.replay(rounds)
	}
	if err == nil {
		err = t.runRounds(ctx)
	}
	return t.result(err)
}

// replay brings an answer to where its record ends.
func (t *completion) replay(rounds []*Round) error {
	for _, r := range rounds {
		t.rounds++
		t.last = r
		t.done.FinishReason = r.FinishReason
		t.content.WriteString(r.Text)
		for _, c := range r.Calls {
			t.calls[c.ID] = true
		}
		t.q.Messages = append(t.q.Messages, r.message())
		if !r.resolved() {
			return nil // it is the last
		}
		if err := t.addOutcomes(r); err != nil {
			return err
		}
	}
	return nil
}

// paidCalls are the calls of a round that cost something and were not dispatched.
// A call whose arguments are wrong costs nothing: its outcome says what is wrong.
func (t *completion) paidCalls(ctx context.Context, r *Round) ([]PaidCall, error) {
	var paid []PaidCall
	for _, c := range r.Calls {
		h := t.hostedTool[c.Function.Name]
		if c.Outcome != nil || c.WorkflowID != "" || h == nil || h.estimate == nil {
			continue
		}
		args, err := argumentsOf(c.ToolCall)
		if err != nil {
			continue
		}
		estimate, err := h.estimate(t, ctx, args)
		var refused *atelier.Error
		if errors.As(err, &refused) && (refused.Code.Kind == atelier.KindInvalid || refused.Code.Kind == atelier.KindNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if estimate.Units > 0 || estimate.Spark() > 0 {
			paid = append(paid, PaidCall{Call: c, Estimate: estimate})
		}
	}
	return paid, nil
}
