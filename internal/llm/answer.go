package llm

import "strings"

// Answer is a whole answer, put together from its deltas.
type Answer struct {
	Content      string
	Reasoning    string
	ToolCalls    []ToolCall
	FinishReason string
	Usage        Usage

	content, reasoning Gathering
	calls              []struct{ name, arguments Gathering }
}

// Gathering puts a text together from its pieces. It copies no piece more than
// a few times, however many there are; the zero value is an empty text.
type Gathering struct{ builder *strings.Builder }

// Add appends a piece to the text so far and returns the text.
func (g *Gathering) Add(text, piece string) string {
	switch {
	case piece == "":
		return text
	case text == "":
		g.builder = nil // a text that comes whole needs none
		return piece
	}
	if g.builder == nil || g.builder.Len() != len(text) { // a copy of g may have appended to it
		g.builder = &strings.Builder{}
		g.builder.Grow(2 * (len(text) + len(piece)))
		g.builder.WriteString(text)
	}
	g.builder.WriteString(piece)
	return g.builder.String()
}

// Add takes one more delta.
func (a *Answer) Add(d Delta) {
	a.Content = a.content.Add(a.Content, d.Content)
	a.Reasoning = a.reasoning.Add(a.Reasoning, d.Reasoning)
	for _, t := range d.ToolCalls {
		for len(a.ToolCalls) <= t.Index && t.Index < MaxToolCalls {
			a.ToolCalls = append(a.ToolCalls, ToolCall{Type: "function"})
			a.calls = append(a.calls, struct{ name, arguments Gathering }{})
		}
		if t.Index < 0 || t.Index >= len(a.calls) {
			continue
		}
		call, text := &a.ToolCalls[t.Index], &a.calls[t.Index]
		if t.ID != "" {
			call.ID = t.ID
		}
		call.Function.Name = text.name.Add(call.Function.Name, t.Name)
		call.Function.Arguments = text.arguments.Add(call.Function.Arguments, t.Arguments)
	}
	if d.FinishReason != "" {
		a.FinishReason = d.FinishReason
	}
	if d.Usage != nil {
		a.Usage = *d.Usage
	}
}

// Message is the answer as a turn of the conversation.
func (a *Answer) Message() Message {
	m := Message{Role: "assistant", ToolCalls: a.ToolCalls}
	if a.Content != "" {
		m.Content = []Part{{Type: "text", Text: a.Content}}
	}
	return m
}
