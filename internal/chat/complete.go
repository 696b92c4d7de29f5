package chat

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
)

// turn is one request on its way.
type turn struct {
	*Engine
	q      Request
	hosted map[string]*catalog.Tool
	tools  []llm.Tool
	shelf  *shelf // the media of the conversation
	done   Completion

	mu   sync.Mutex // tools tell side by side
	emit func(Event) error
}

// Complete answers a conversation. emit is called for what happens on the way,
// one call at a time; when it fails the client has left, and so does Complete:
// what was started and paid for goes on.
func (e *Engine) Complete(ctx context.Context, q Request, emit func(Event) error) (Completion, error) {
	t := &turn{Engine: e, q: q, emit: emit}
	t.tools, t.hosted = e.offered(q)
	t.shelf = newShelf(q)
	if q.Family != "" && !instructed(q.Messages) {
		t.q.Messages = append([]llm.Message{system()}, q.Messages...)
	}
	if note := t.shelf.describe(); note != "" && q.Family != "" {
		t.q.Messages = append(t.q.Messages[:0:0], t.q.Messages...)
		t.q.Messages = append(t.q.Messages, llm.Text("system", note))
	}
	for round := 1; ; round++ {
		answer, err := t.round(ctx, round)
		if err != nil {
			return t.done, err
		}
		t.done.FinishReason = answer.FinishReason
		if len(answer.ToolCalls) == 0 || (len(t.hosted) > 0 && !runnable(t.q, t.hosted, answer.ToolCalls)) || len(t.hosted) == 0 {
			return t.end(answer), nil
		}
		t.q.Messages = append(t.q.Messages, answer.Message())
		over, err := t.run(ctx, answer.ToolCalls)
		if err != nil {
			return t.done, err
		}
		if over || round == MaxRounds {
			t.done.FinishReason = "stop"
			return t.done, nil
		}
	}
}

// instructed reports whether the caller has said itself how the model is to
// behave.
func instructed(messages []llm.Message) bool {
	for _, m := range messages {
		if m.Role == "system" && strings.TrimSpace(m.Text()) != "" {
			return true
		}
	}
	return false
}

// end is the answer when no tool is to be run here.
func (t *turn) end(answer llm.Answer) Completion {
	t.done.ToolCalls = answer.ToolCalls
	switch {
	case len(answer.ToolCalls) > 0:
		t.done.FinishReason = "tool_calls"
	case t.done.FinishReason == "":
		t.done.FinishReason = "stop"
	}
	return t.done
}

// tell passes an event on.
func (t *turn) tell(ev Event) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done.Content += ev.Content
	return t.emit(ev)
}

// round has the model speak once, and pays for it.
func (t *turn) round(ctx context.Context, n int) (llm.Answer, error) {
	r := llm.Request{
		Model: t.q.Model, Messages: t.q.Messages, Tools: t.tools, ToolChoice: t.q.ToolChoice, Stream: t.q.Stream, Thinking: t.q.Thinking, Params: t.q.Params,
	}
	if n > 1 {
		r.ToolChoice = nil // what was demanded has been done
	}
	budget, err := llm.NewBudget(r.Model, r.Messages, r.Tools)
	if err != nil {
		return llm.Answer{}, err
	}
	r.MaxTokens = budget.Clamp(t.q.MaxTokens)
	bill, err := t.meter(ctx, n, budget, r.MaxTokens)
	if err != nil {
		return llm.Answer{}, err
	}
	var (
		answer  llm.Answer
		thought llm.Thinking
		direct  = len(t.hosted) == 0 || !t.q.Execute // calls go to the caller as they come
	)
	err = t.q.Model.Speaker.Speak(ctx, r, func(d llm.Delta) error {
		answer.Add(d)
		ev := Event{Content: thought.Filter(d.Content)}
		if direct {
			ev.ToolCalls = d.ToolCalls
		}
		if ev.Content == "" && ev.ToolCalls == nil {
			return nil
		}
		return t.tell(ev)
	})
	if rest := thought.Rest(); err == nil && rest != "" {
		err = t.tell(Event{Content: rest})
	}
	if answer.Usage == (llm.Usage{}) {
		answer.Usage = llm.Usage{PromptTokens: budget.Input + budget.Tools, CompletionTokens: llm.Tokens(answer.Content + answer.Reasoning)}
		for _, c := range answer.ToolCalls {
			answer.Usage.CompletionTokens += llm.Tokens(c.Function.Name + c.Function.Arguments)
		}
	}
	var refused *atelier.Error
	if err != nil && answer.Content == "" && answer.Reasoning == "" && len(answer.ToolCalls) == 0 && errors.As(err, &refused) {
		return answer, errors.Join(err, bill.drop(ctx)) // it said nothing: nothing is owed
	}
	t.done.Usage.PromptTokens += answer.Usage.PromptTokens
	t.done.Usage.CompletionTokens += answer.Usage.CompletionTokens
	t.done.Usage.CachedTokens += answer.Usage.CachedTokens
	if paid := bill.settle(ctx, answer.Usage); err == nil {
		err = paid
	}
	if err != nil {
		return answer, err
	}
	for i := range answer.ToolCalls {
		c := &answer.ToolCalls[i]
		if c.Function.Name == "" {
			return answer, atelier.Errorf(atelier.CodeUpstream, "The model called a tool without a name.")
		}
		if c.ID == "" {
			c.ID = "call_" + atelier.NewUUID()
		}
	}
	if !direct && len(answer.ToolCalls) > 0 && !runnable(t.q, t.hosted, answer.ToolCalls) {
		return answer, t.handOver(answer.ToolCalls)
	}
	return answer, nil
}

// handOver gives the caller calls that cannot be run here.
func (t *turn) handOver(calls []llm.ToolCall) error {
	var deltas []llm.ToolCallDelta
	for i, c := range calls {
		deltas = append(deltas, llm.ToolCallDelta{Index: i, ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return t.tell(Event{ToolCalls: deltas})
}

// run runs the calls of a round side by side, and lets the model hear the
// results in their order. It reports whether one of them ends the turn.
func (t *turn) run(ctx context.Context, calls []llm.ToolCall) (over bool, err error) {
	outcomes := make([]outcome, len(calls))
	errs := make([]error, len(calls))
	// Indices mean what there was before this round, so media is put on the
	// shelf afterwards, in the order of the calls.
	var wg sync.WaitGroup
	for i, c := range calls {
		wg.Go(func() { outcomes[i], errs[i] = t.call(ctx, c) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		var known *atelier.Error
		if errors.As(err, &known) {
			return false, known
		}
		return false, err
	}
	for i, o := range outcomes {
		heard := t.shelf.put(o)
		if text := o.markdown(t.done.Content != ""); text != "" {
			if err := t.tell(Event{Content: text}); err != nil {
				return false, err
			}
		}
		if o.workflow != nil {
			t.done.Workflows = append(t.done.Workflows, *o.workflow)
			if err := t.tell(Event{Workflow: o.workflow}); err != nil {
				return false, err
			}
		}
		t.done.Results = append(t.done.Results, o.result)
		text, err := json.Marshal(heard)
		if err != nil {
			return false, err
		}
		m := llm.Text("tool", string(text))
		m.ToolCallID = calls[i].ID
		t.q.Messages = append(t.q.Messages, m)
		over = over || o.over
	}
	return over, nil
}
