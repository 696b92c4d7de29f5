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
				parts[i].ImageURL = &sentImage{p.URL, p.Detail}
			}
		}
		out.Content = parts
	}
	return out
}

// writeRequest writes the body of a request to a server. What the caller sent
// beyond what we know is passed on as it is.
func writeRequest(b *bytes.Buffer, model string, r Request) error {
	messages := make([]sentMessage, len(r.Messages))
	for i, m := range r.Messages {
		messages[i] = m.sent()
	}
	b.WriteByte('{')
	first := true
	begin := func(name string) {
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteByte('"')
		b.WriteString(name) // ours, or a name that was read as JSON and is quoted below
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
		if ours[name] || len(r.Params[name]) == 0 {
			continue
		}
		quoted, err := wire.Marshal(name)
		if err != nil {
			return err
		}
		begin(string(quoted[1 : len(quoted)-1]))
		b.Write(r.Params[name])
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

// ours are the parameters that this service sets itself.
var ours = map[string]bool{
	"model": true, "messages": true, "tools": true, "tool_choice": true, "max_tokens": true, "max_completion_tokens": true,
	"stream": true, "stream_options": true,
}
