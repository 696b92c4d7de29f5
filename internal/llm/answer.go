package llm

// Answer is a whole answer, put together from its deltas.
type Answer struct {
	Content      string
	Reasoning    string
	ToolCalls    []ToolCall
	FinishReason string
	Usage        Usage
}

// Add takes one more delta.
func (a *Answer) Add(d Delta) {
	a.Content += d.Content
	a.Reasoning += d.Reasoning
	for _, t := range d.ToolCalls {
		for len(a.ToolCalls) <= t.Index && t.Index < maxToolCalls {
			a.ToolCalls = append(a.ToolCalls, ToolCall{Type: "function"})
		}
		if t.Index < 0 || t.Index >= len(a.ToolCalls) {
			continue
		}
		call := &a.ToolCalls[t.Index]
		if t.ID != "" {
			call.ID = t.ID
		}
		call.Function.Name += t.Name
		call.Function.Arguments += t.Arguments
	}
	if d.FinishReason != "" {
		a.FinishReason = d.FinishReason
	}
	if d.Usage != nil {
		a.Usage = *d.Usage
	}
}

// maxToolCalls bounds the calls of one answer.
const maxToolCalls = 128

// Message is the answer as a turn of the conversation.
func (a *Answer) Message() Message {
	m := Message{Role: "assistant", ToolCalls: a.ToolCalls}
	if a.Content != "" {
		m.Content = []Part{{Type: "text", Text: a.Content}}
	}
	return m
}
