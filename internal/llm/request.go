package llm

import (
	"bytes"
	"maps"
	"slices"

	"github.com/atelier-project/atelier/internal/wire"
)

// sentMessage is a message as servers read it.
type sentMessage struct {
	Role       string     `json:"role"`
	Content    any        `json:"content"`
	Name       string     `json:"name,omitempty"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type sentPart struct {
	Type     string     `json:"type"`
	Text     *string    `json:"text,omitempty"`
	ImageURL *sentImage `json:"image_url,omitempty"`
}

type sentImage struct {
	URL    string `json:"url"`
	Detail string `json:"detail,omitempty"`
}

// sent is the message as servers read it: text alone as a string, which every
// server takes.
func (m Message) sent() sentMessage {
	out := sentMessage{Role: m.Role, Name: m.Name, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID}
	plain := true
	for _, p := range m.Content {
		plain = plain && p.Type == "text"
	}
	switch {
	case len(m.Content) == 0 && len(m.ToolCalls) > 0: // null
	case plain:
		out.Content = m.Text()
	default:
		parts := make([]sentPart, len(m.Content))
		for i, p := range m.Content {
			parts[i] = sentPart{Type: p.Type}
			if p.Type == "text" {
				parts[i].Text = &p.Text
			} else {
				parts[i].ImageURL = &sentImage{p.URL, knownDetail(p.Detail)}
			}
		}
		out.Content = parts
	}
	return out
}

// knownDetail is a detail that servers know: another one may be a price that
// nobody has looked at.
func knownDetail(s string) string {
	switch s {
	case "low", "high", "auto":
		return s
	}
	return ""
}

// writeRequest writes the body of a request to a server. Of what the caller sent
// beyond what we know, only the fields that the server's operator names are
// passed on: the others may choose another model, another price or a longer
// answer, at the operator's expense.
func writeRequest(b *bytes.Buffer, model string, r Request, extra []string) error {
	messages, size := make([]sentMessage, len(r.Messages)), 0
	for i, m := range r.Messages {
		messages[i] = m.sent()
		for _, p := range m.Content {
			size += len(p.URL)
		}
	}
	b.Grow(size + size/64) // images are written into one piece of memory, not into ever larger ones
	b.WriteByte('{')
	first := true
	begin := func(name string) {
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteByte('"')
		b.WriteString(name) // ours, or the operator's: none needs quoting
		b.WriteString(`":`)
	}
	put := func(name string, v any) error {
		begin(name)
		return wire.Write(b, v)
	}
	if err := put("model", model); err != nil {
		return err
	}
	if err := put("messages", messages); err != nil {
		return err
	}
	if len(r.Tools) > 0 {
		begin("tools")
		if err := writeTools(b, r.Tools); err != nil {
			return err
		}
	}
	if len(r.ToolChoice) > 0 {
		begin("tool_choice")
		b.Write(r.ToolChoice)
	}
	if r.MaxTokens > 0 {
		if err := put("max_tokens", r.MaxTokens); err != nil {
			return err
		}
	}
	if r.Stream {
		if err := put("stream", true); err != nil {
			return err
		}
		if err := put("stream_options", map[string]bool{"include_usage": true}); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Params)) {
		if len(r.Params[name]) > 0 {
			begin(name)
			b.Write(r.Params[name])
		}
	}
	for _, name := range extra {
		if _, ours := r.Params[name]; !ours && len(r.Extra[name]) > 0 {
			begin(name)
			b.Write(r.Extra[name])
		}
	}
	b.WriteByte('}')
	return nil
}

// writeTools writes the tools of a request. Their schemas were read as JSON, or
// are ours: they are passed on as they are, since there may be much of them.
func writeTools(b *bytes.Buffer, tools []Tool) error {
	for i, t := range tools {
		b.WriteByte("[,"[min(i, 1)])
		schema := t.Function.Parameters
		t.Function.Parameters = nil
		if err := wire.Write(b, t); err != nil {
			return err
		}
		if len(schema) > 0 {
			b.Truncate(b.Len() - len("}}"))
			b.WriteString(`,"parameters":`)
			b.Write(schema)
			b.WriteString("}}")
		}
	}
	b.WriteByte(']')
	return nil
}
