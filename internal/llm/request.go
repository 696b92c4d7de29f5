package llm

import (
	"bytes"
	"encoding/base64"
	"maps"
	"slices"

	"github.com/atelier-project/atelier/internal/wire"
)

// sentMessage is a message as servers read it, without its content.
type sentMessage struct {
	Role       string     `json:"role"`
	Name       string     `json:"name,omitempty"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

// writeMessages writes the messages of a request. Images are encoded straight
// into the body: it may hold hundreds of megabytes of them.
func writeMessages(b *bytes.Buffer, messages []Message) error {
	b.WriteByte('[')
	for i := range messages {
		if i > 0 {
			b.WriteByte(',')
		}
		m := &messages[i]
		if err := wire.Write(b, sentMessage{Role: m.Role, Name: m.Name, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID}); err != nil {
			return err
		}
		b.Truncate(b.Len() - len("}"))
		b.WriteString(`,"content":`)
		m.writeContent(b)
		b.WriteByte('}')
	}
	b.WriteByte(']')
	return nil
}

// writeContent writes the content of a message: text alone as a string, which
// every server takes.
func (m *Message) writeContent(b *bytes.Buffer) {
	switch {
	case len(m.Content) == 0 && len(m.ToolCalls) > 0:
		b.WriteString("null")
		return
	case !slices.ContainsFunc(m.Content, func(p Part) bool { return p.Type != "text" }):
		writeString(b, m.Text())
		return
	}
	for i := range m.Content {
		b.WriteByte("[,"[min(i, 1)])
		p := &m.Content[i]
		if p.Type == "text" {
			b.WriteString(`{"type":"text","text":`)
			writeString(b, p.Text)
			b.WriteByte('}')
			continue
		}
		b.WriteString(`{"type":"image_url","image_url":{"url":"data:`)
		b.WriteString(p.Image.Type) // one of those that ReadImage takes: none needs quoting
		b.WriteString(";base64,")
		b.Grow(base64.StdEncoding.EncodedLen(len(p.Image.Data)))
		b.Write(base64.StdEncoding.AppendEncode(b.AvailableBuffer(), p.Image.Data))
		b.WriteByte('"')
		if d := knownDetail(p.Detail); d != "" {
			b.WriteString(`,"detail":"` + d + `"`)
		}
		b.WriteString("}}")
	}
	b.WriteByte(']')
}

func writeString(b *bytes.Buffer, s string) {
	b.Write(wire.AppendString(b.AvailableBuffer(), s))
}

// knownDetail is a detail that servers know, or empty: an unknown one may have a
// price that the budget does not cover.
func knownDetail(s string) string {
	switch s {
	case "low", "high", "auto":
		return s
	}
	return ""
}

// writeRequest writes the body of a request to a server. Of the fields that this
// service does not know, it passes on only those that the server's operator
// allows: others may choose another model, another price or a longer answer, at
// the operator's expense.
func writeRequest(b *bytes.Buffer, model string, r Request, extra []string) error {
	size := 0
	for i := range r.Messages {
		for k := range r.Messages[i].Content {
			size += base64.StdEncoding.EncodedLen(len(r.Messages[i].Content[k].Image.Data))
		}
	}
	b.Grow(size + size/64) // so that the buffer does not grow, and is not copied, image by image
	b.WriteByte('{')
	first := true
	begin := func(name string) {
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteByte('"')
		b.WriteString(name) // a name of the service or the operator: none needs quoting
		b.WriteString(`":`)
	}
	put := func(name string, v any) error {
		begin(name)
		return wire.Write(b, v)
	}
	if err := put("model", model); err != nil {
		return err
	}
	begin("messages")
	if err := writeMessages(b, r.Messages); err != nil {
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

// writeTools writes the tools of a request. Their schemas are valid JSON, and may
// be long: they are copied as they are.
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
