package llm

import (
	"bytes"
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// maxMessages bounds a conversation.
const maxMessages = 4096

// ReadMessages reads the messages of a request, in OpenAI's shape. Errors name
// the field by its path.
func ReadMessages(raw wire.Raw) ([]Message, error) {
	var list []wire.Raw
	if err := wire.Unmarshal(raw, &list); err != nil {
		return nil, atelier.Refuse("messages", "must be an array.")
	}
	if len(list) == 0 {
		return nil, atelier.Refuse("messages", "must not be empty.")
	}
	if len(list) > maxMessages {
		return nil, atelier.Refuse("messages", "must hold at most %d messages.", maxMessages)
	}
	out := make([]Message, len(list))
	for i, item := range list {
		m, err := readMessage(fmt.Sprintf("messages[%d]", i), item)
		if err != nil {
			return nil, err
		}
		out[i] = m
	}
	return out, nil
}

// Developed reports whether a developer speaks in the messages of a request.
func Developed(raw wire.Raw) bool {
	if !bytes.Contains(raw, []byte("developer")) { // most are not read twice
		return false
	}
	var list []struct {
		Role string `json:"role"`
	}
	if err := wire.Unmarshal(raw, &list); err != nil {
		return false
	}
	for _, m := range list {
		if m.Role == "developer" {
			return true
		}
	}
	return false
}

// roles are those that clients may use. A developer is a system.
var roles = map[string]string{"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool", "function": "tool"}

func readMessage(at string, raw wire.Raw) (Message, error) {
	var said struct {
		Role       string     `json:"role"`
		Content    wire.Raw   `json:"content"`
		Name       string     `json:"name"`
		ToolCalls  []ToolCall `json:"tool_calls"`
		ToolCallID string     `json:"tool_call_id"`
	}
	if err := wire.Unmarshal(raw, &said); err != nil {
		return Message{}, atelier.Refuse(at, "is not a message: it needs a role and content.")
	}
	role, ok := roles[said.Role]
	if !ok {
		return Message{}, atelier.Refuse(at+".role", "must be system, developer, user, assistant or tool.")
	}
	m := Message{Role: role, Name: said.Name, ToolCalls: said.ToolCalls, ToolCallID: said.ToolCallID}
	for k := range m.ToolCalls {
		if m.ToolCalls[k].Function.Name == "" {
			return m, atelier.Refuse(fmt.Sprintf("%s.tool_calls[%d].function.name", at, k), "is required.")
		}
		m.ToolCalls[k].Type = "function"
	}
	if role == "tool" && m.ToolCallID == "" && said.Role == "tool" {
		return m, atelier.Refuse(at+".tool_call_id", "is required.")
	}
	var err error
	if m.Content, err = readContent(at+".content", said.Content); err != nil {
		return m, err
	}
	if m.Content == nil && len(m.ToolCalls) == 0 && role != "assistant" {
		return m, atelier.Refuse(at+".content", "is required.")
	}
	return m, nil
}

// readContent reads a string, or a list of parts.
func readContent(at string, raw wire.Raw) ([]Part, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var s string
	if raw[0] == '"' {
		if err := wire.Unmarshal(raw, &s); err != nil {
			return nil, atelier.Refuse(at, "cannot be read.")
		}
		return []Part{{Type: "text", Text: s}}, nil
	}
	var parts []struct {
		Type     string   `json:"type"`
		Text     string   `json:"text"`
		ImageURL wire.Raw `json:"image_url"`
	}
	if err := wire.Unmarshal(raw, &parts); err != nil {
		return nil, atelier.Refuse(at, "must be a string or an array of parts.")
	}
	out := make([]Part, len(parts))
	for i, p := range parts {
		here := fmt.Sprintf("%s[%d]", at, i)
		switch p.Type {
		case "text":
			out[i] = Part{Type: "text", Text: p.Text}
		case "image_url":
			image, err := readImage(here+".image_url", p.ImageURL)
			if err != nil {
				return nil, err
			}
			out[i] = image
		default:
			return nil, atelier.Refuse(here+".type", "must be text or image_url.")
		}
	}
	return out, nil
}

// readImage reads the URL of an image, alone or in an object.
func readImage(at string, raw wire.Raw) (Part, error) {
	var said struct {
		URL    string `json:"url"`
		Detail string `json:"detail"`
	}
	if len(raw) > 0 && raw[0] == '"' {
		if err := wire.Unmarshal(raw, &said.URL); err != nil {
			return Part{}, atelier.Refuse(at, "cannot be read.")
		}
	} else if err := wire.Unmarshal(raw, &said); err != nil || said.URL == "" {
		return Part{}, atelier.Refuse(at+".url", "is required.")
	}
	return Part{Type: "image_url", URL: said.URL, Detail: said.Detail}, nil
}
