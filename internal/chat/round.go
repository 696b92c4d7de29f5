package chat

import (
	"context"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/mint"
)

// round asks the model once. The meter pays for it.
func (t *completion) round(ctx context.Context, n int) (llm.Answer, error) {
	r := llm.Request{
		Model: t.model, Messages: t.q.Messages, Tools: t.offeredTools(), ToolChoice: t.choice, MaxTokens: t.q.MaxTokens,
		Stream: t.streams(), Thinking: t.q.Thinking, Params: t.q.Params, Extra: t.q.Extra,
		Hosted: t.box != nil && !t.isRecorded(), // a run cannot do without them
	}
	if r.ToolChoice == nil && t.hostedTool != nil || n > 1 { // the tool that had to be called was called in the first round
		r.ToolChoice = autoChoice
	}
	if t.q.Trim {
		llm.Trim(t.model, &r, min(t.q.MaxTokens, t.model.UsableContext()/4))
	}
	l := listener{completion: t, direct: t.direct()}
	if t.isRecorded() { // its readers can begin again
		r.Restart = func() {
			l = listener{completion: t, direct: l.direct}
			l.failed = t.emitEvent(Event{Again: n})
		}
	}
	err := t.meter.Complete(ctx, r, l.receive)
	if rest := l.thinking.Rest(); err == nil && rest != "" {
		err = t.emitEvent(Event{Content: rest})
	}
	if err != nil {
		return l.answer, err
	}
	if l.held && !l.direct && len(l.answer.ToolCalls) > 0 { // tools, and the next round, may take long
		if err := t.emitEvent(Event{}); err != nil {
			return l.answer, err
		}
	}
	for i := range l.answer.ToolCalls {
		c := &l.answer.ToolCalls[i]
		if c.Function.Name == "" {
			return l.answer, atelier.Errorf(atelier.CodeUpstream, "The model called a tool without a name.")
		}
		if c.ID == "" || t.calls[c.ID] { // some servers count their calls from 0 in every round
			c.ID = newCallID()
		}
		t.calls[c.ID] = true
	}
	return l.answer, nil
}

// streams reports whether the model is asked for its answer in pieces: a client reads them, or those who follow the
// record.
func (t *completion) streams() bool { return t.q.Stream || t.isRecorded() }

// maxCallID is the longest id of a call that requests can name.
const maxCallID = 200

func newCallID() string { return "call_" + mint.UUID() }

// direct reports whether the calls of the model go to the caller as they come,
// because none of them can be run here.
func (t *completion) direct() bool {
	return len(t.hostedTool) == 0 || !t.q.Execute || (t.q.Stream && t.q.Caller.Credential != atelier.CredentialAPIKey)
}

// listener collects one answer of the model, and passes on the part of it that
// the caller may see.
type listener struct {
	*completion
	direct   bool
	answer   llm.Answer
	thinking llm.Thinking
	named    map[int]bool // the calls that have an id, by index
	held     bool         // an event was emitted that waits for the next
	failed   error        // of the event of a restart
}

// receive takes a piece of the answer.
func (l *listener) receive(d llm.Delta) error {
	if l.failed != nil {
		return l.failed
	}
	if !l.streams() {
		d.Content = afterThought(d.Content)
	}
	for i := range d.ToolCalls {
		l.nameCall(&d.ToolCalls[i])
	}
	l.answer.Add(d)
	ev := Event{Content: l.thinking.Filter(d.Content)}
	if l.direct {
		ev.ToolCalls = d.ToolCalls
	}
	if ev.Content == "" && ev.ToolCalls == nil && (d.More || !l.held) {
		return nil // but an empty event must follow one that was held, to flush it
	}
	ev.More, l.held = d.More, d.More
	return l.emitEvent(ev)
}

// nameCall gives a call an id with its first piece, when its server has sent none, or
// one that is too long.
func (l *listener) nameCall(c *llm.ToolCallDelta) {
	if l.named[c.Index] {
		return
	}
	if l.named == nil {
		l.named = map[int]bool{}
	}
	l.named[c.Index] = true
	if c.ID == "" || len(c.ID) > maxCallID {
		c.ID = newCallID()
	}
}

// withoutThinking removes the think blocks of a whole answer.
func withoutThinking(s string) string {
	var t llm.Thinking
	return t.Filter(s) + t.Rest()
}

// afterThought removes a think block whose opening tag was not sent: some servers
// have it in the prompt. Only the closing tag shows that it was one, so this is
// for answers that come whole.
func afterThought(s string) string {
	const closing = "</think>"
	i := strings.Index(s, closing)
	if i < 0 || strings.Contains(s[:i], "<think>") {
		return s
	}
	return s[i+len(closing):]
}
