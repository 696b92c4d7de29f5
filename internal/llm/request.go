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
	put := func(name string, v any) error {
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteByte('"')
		b.WriteString(name) // ours, or a name that was read as JSON and is quoted below
		b.WriteString(`":`)
		return wire.Write(b, v)
	}
	if err := put("model", model); err != nil {
		return err
	}
	if err := put("messages", messages); err != nil {
		return err
	}
	if len(r.Tools) > 0 {
		if err := put("tools", r.Tools); err != nil {
			return err
		}
	}
	if r.ToolChoice != nil {
		if err := put("tool_choice", r.ToolChoice); err != nil {
			return err
		}
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
		if ours[name] {
			continue
		}
		quoted, err := wire.Marshal(name)
		if err != nil {
			return err
		}
		if err := put(string(quoted[1:len(quoted)-1]), r.Params[name]); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// ours are the parameters that this service sets itself.
var ours = map[string]bool{
	"model": true, "messages": true, "tools": true, "tool_choice": true, "max_tokens": true, "max_completion_tokens": true,
	"stream": true, "stream_options": true,
}
