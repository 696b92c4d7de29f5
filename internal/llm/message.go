package llm

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// What bounds a conversation. Images are bounded by CheckVision.
const (
	maxMessages = 4096
	maxParts    = 1024    // of one message
	MaxText     = 4 << 20 // bytes of everything but images
)

// ReadMessages reads the messages of a request, in OpenAI's shape. Errors name
// the field by its path. It counts as it reads, and copies only what it keeps.
func ReadMessages(raw wire.Raw) ([]Message, error) {
	var out []Message
	text := 0
	err := wire.Items(raw, maxMessages, func(i int, item wire.Raw) error {
		at := fmt.Sprintf("messages[%d]", i)
		m, err := readMessage(at, item)
		if err != nil {
			return err
		}
		if text += m.textBytes(); text > MaxText {
			return atelier.Refuse(at, "is too long: the text of a conversation may have %d bytes.", MaxText)
		}
		out = append(out, m)
		return nil
	})
	switch {
	case errors.Is(err, wire.ErrTooMany):
		return nil, atelier.Refuse("messages", "must hold at most %d messages.", maxMessages)
	case errors.Is(err, wire.ErrNotArray):
		return nil, atelier.Refuse("messages", "must be an array.")
	case err != nil:
		return nil, err
	case len(out) == 0:
		return nil, atelier.Refuse("messages", "must not be empty.")
	}
	return out, nil
}

// textBytes is how long a message is without its images.
func (m Message) textBytes() int {
	n := len(m.Name) + len(m.ToolCallID)
	for _, p := range m.Content {
		n += len(p.Text) + len(p.Detail)
	}
	for _, c := range m.ToolCalls {
		n += len(c.ID) + len(c.Function.Name) + len(c.Function.Arguments)
	}
	return n
}

// Developed reports whether a developer speaks in the messages of a request.
func Developed(raw wire.Raw) bool {
	if !bytes.Contains(raw, []byte("developer")) { // most are not read twice
		return false
	}
	found := false
	_ = wire.Items(raw, maxMessages, func(_ int, item wire.Raw) error {
		return wire.Members(item, func(name string, value wire.Raw) error {
			found = found || (name == "role" && string(value) == `"developer"`)
			return nil
		})
	})
	return found
}

// roles are those that clients may use. A developer is a system.
var roles = map[string]string{"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool", "function": "tool"}

func readMessage(at string, raw wire.Raw) (Message, error) {
	var (
		said    string // the role
		m       Message
		content wire.Raw
		calls   wire.Raw
	)
	err := wire.Members(raw, func(name string, value wire.Raw) error {
		switch name {
		case "role":
			return wire.Unmarshal(value, &said)
		case "name":
			return wire.Unmarshal(value, &m.Name)
		case "tool_call_id":
			return wire.Unmarshal(value, &m.ToolCallID)
		case "content":
			content = value
		case "tool_calls":
			calls = value
		}
		return nil
	})
	if err != nil {
		return m, atelier.Refuse(at, "is not a message: it needs a role and content.")
	}
	role, ok := roles[said]
	if !ok {
		return m, atelier.Refuse(at+".role", "must be system, developer, user, assistant or tool.")
	}
	m.Role = role
	if m.ToolCalls, err = readCalls(at+".tool_calls", calls); err != nil {
		return m, err
	}
	if role == "tool" && m.ToolCallID == "" && said == "tool" {
		return m, atelier.Refuse(at+".tool_call_id", "is required.")
	}
	if m.Content, err = readContent(at+".content", content); err != nil {
		return m, err
	}
	if m.Content == nil && len(m.ToolCalls) == 0 && role != "assistant" {
		return m, atelier.Refuse(at+".content", "is required.")
	}
	return m, nil
}

func isAbsent(raw wire.Raw) bool { return len(raw) == 0 || string(raw) == "null" }

// readCalls reads the calls that an earlier answer has made.
func readCalls(at string, raw wire.Raw) (out []ToolCall, err error) {
	if isAbsent(raw) {
		return nil, nil
	}
	err = wire.Items(raw, maxToolCalls, func(i int, item wire.Raw) error {
		var c ToolCall
		here := fmt.Sprintf("%s[%d]", at, i)
		if err := wire.Unmarshal(item, &c); err != nil {
			return atelier.Refuse(here, "is not a call: it needs an id and a function.")
		}
		if c.Function.Name == "" {
			return atelier.Refuse(here+".function.name", "is required.")
		}
		c.Type = "function"
		out = append(out, c)
		return nil
	})
	switch {
	case errors.Is(err, wire.ErrTooMany):
		return nil, atelier.Refuse(at, "must hold at most %d calls.", maxToolCalls)
	case errors.Is(err, wire.ErrNotArray):
		return nil, atelier.Refuse(at, "must be an array of calls.")
	}
	return out, err
}

// readContent reads a string, or a list of parts.
func readContent(at string, raw wire.Raw) ([]Part, error) {
	if isAbsent(raw) {
		return nil, nil
	}
	if raw[0] == '"' {
		var s string
		if err := wire.Unmarshal(raw, &s); err != nil {
			return nil, atelier.Refuse(at, "cannot be read.")
		}
		return []Part{{Type: "text", Text: s}}, nil
	}
	out := []Part{}
	err := wire.Items(raw, maxParts, func(i int, item wire.Raw) error {
		p, err := readPart(fmt.Sprintf("%s[%d]", at, i), item)
		out = append(out, p)
		return err
	})
	switch {
	case errors.Is(err, wire.ErrTooMany):
		return nil, atelier.Refuse(at, "must hold at most %d parts.", maxParts)
	case errors.Is(err, wire.ErrNotArray):
		return nil, atelier.Refuse(at, "must be a string or an array of parts.")
	}
	return out, err
}

func readPart(at string, raw wire.Raw) (Part, error) {
	var (
		p     Part
		image wire.Raw
	)
	err := wire.Members(raw, func(name string, value wire.Raw) error {
		switch name {
		case "type":
			return wire.Unmarshal(value, &p.Type)
		case "text":
			return wire.Unmarshal(value, &p.Text)
		case "image_url":
			image = value
		}
		return nil
	})
	switch {
	case err != nil:
		return p, atelier.Refuse(at, "must be a part: an object with a type, and text or image_url.")
	case p.Type == "text":
		return p, nil
	case p.Type == "image_url":
		return readImage(at+".image_url", image)
	}
	return p, atelier.Refuse(at+".type", "must be text or image_url.")
}

// readImage reads the URL of an image, alone or in an object.
func readImage(at string, raw wire.Raw) (Part, error) {
	p := Part{Type: "image_url"}
	if len(raw) > 0 && raw[0] == '"' {
		if err := wire.Unmarshal(raw, &p.URL); err != nil {
			return p, atelier.Refuse(at, "cannot be read.")
		}
		return p, nil
	}
	err := wire.Members(raw, func(name string, value wire.Raw) error {
		switch name {
		case "url":
			return wire.Unmarshal(value, &p.URL)
		case "detail":
			return wire.Unmarshal(value, &p.Detail)
		}
		return nil
	})
	if err != nil || p.URL == "" {
		return p, atelier.Refuse(at+".url", "is required.")
	}
	return p, nil
}
