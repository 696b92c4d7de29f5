package chat

import (
	"context"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
)

// round has the model speak once, and pays for it.
func (t *completion) round(ctx context.Context, n int) (llm.Answer, error) {
	r := llm.Request{
		Model: t.q.Model, Messages: t.q.Messages, Tools: t.offered(), ToolChoice: t.q.ToolChoice, MaxTokens: t.q.MaxTokens,
		Stream: t.q.Stream, Thinking: t.q.Thinking, Params: t.q.Params, Extra: t.q.Extra,
		Hosted: t.toolbox(&t.q) != nil,
	}
	if r.ToolChoice == nil && t.hostedTool != nil || n > 1 { // what was demanded has been done
		r.ToolChoice = auto
	}
	l := listener{completion: t, direct: t.direct()}
	err := t.bill.Speak(ctx, r, l.hear)
	if rest := l.thought.Rest(); err == nil && rest != "" {
		err = t.tell(Event{Content: rest})
	}
	if err != nil {
		return l.answer, err
	}
	for i := range l.answer.ToolCalls {
		c := &l.answer.ToolCalls[i]
		if c.Function.Name == "" {
			return l.answer, atelier.Errorf(atelier.CodeUpstream, "The model called a tool without a name.")
		}
		if c.ID == "" {
			c.ID = newCallID()
		}
	}
	return l.answer, nil
}

// auto leaves the choice of tools to the model.
var auto = []byte(`"auto"`)

func newCallID() string { return "call_" + atelier.NewUUID() }

// direct reports whether the calls of the model go to the caller as they come,
// because none of them can be run here.
func (t *completion) direct() bool {
	return len(t.hostedTool) == 0 || !t.q.Execute || (t.q.Stream && t.q.Caller.Credential != atelier.CredentialAPIKey)
}

// listener hears one answer of the model and passes on what the caller may
// see of it.
type listener struct {
	*completion
	direct  bool
	answer  llm.Answer
	thought llm.Thinking
	begun   map[int]bool // the calls that were passed on so far, by index
	held    bool         // something was told that waits for more
}

// hear takes a piece of the answer.
func (l *listener) hear(d llm.Delta) error {
	if !l.q.Stream {
		d.Content = afterThought(d.Content)
	}
	for i := range d.ToolCalls {
		l.name(&d.ToolCalls[i])
	}
	l.answer.Add(d)
	ev := Event{Content: l.thought.Filter(d.Content)}
	if l.direct {
		ev.ToolCalls = d.ToolCalls
	}
	if ev.Content == "" && ev.ToolCalls == nil && (d.More || !l.held) {
		return nil // one without anything lets go what was held
	}
	ev.More, l.held = d.More, d.More
	return l.tell(ev)
}

// name gives a call an id when it begins and its server has none for it.
func (l *listener) name(c *llm.ToolCallDelta) {
	if l.begun[c.Index] {
		return
	}
	if l.begun == nil {
		l.begun = map[int]bool{}
	}
	l.begun[c.Index] = true
	if c.ID == "" {
		c.ID = newCallID()
	}
}

// afterThought leaves out a think block whose opening tag was not sent: some
// servers have it in the prompt. That it was one is known only at its end, so
// this is for answers that come whole.
func afterThought(s string) string {
	const closing = "</think>"
	i := strings.Index(s, closing)
	if i < 0 || strings.Contains(s[:i], "<think>") {
		return s
	}
	return s[i+len(closing):]
}
