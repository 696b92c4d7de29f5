package openai

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// The bounds of a conversation. Images have bounds of their own.
const (
	maxMessages = 4096
	maxParts    = 1024    // of one message
	maxText     = 4 << 20 // bytes of everything but images
)

// conversation is the messages of a body, and what was counted while they were
// read.
type conversation struct {
	messages     []llm.Message
	text         int // bytes
	images       int
	hasDeveloper bool // a message has the role developer
	remote       bool // images are http or https URLs, not inline
}

// readMessages reads messages in OpenAI's shape. Errors name the field by its
// path. It counts as it reads, and copies only what it keeps.
func readMessages(raw wire.Raw) (*conversation, error) { return (&conversation{}).read(raw) }

// readRunMessages reads messages whose images are URLs.
func readRunMessages(raw wire.Raw) (*conversation, error) {
	return (&conversation{remote: true}).read(raw)
}

func (c *conversation) read(raw wire.Raw) (*conversation, error) {
	err := wire.Items(raw, maxMessages, func(i int, item wire.Raw) error {
		at := fmt.Sprintf("messages[%d]", i)
		m, err := c.readMessage(at, item)
		if err != nil {
			return err
		}
		if c.text += textBytes(&m); c.text > maxText {
			return atelier.Refuse(at, "is too long: the text of a conversation may have %d bytes.", maxText)
		}
		c.messages = append(c.messages, m)
		return nil
	})
	switch {
	case errors.Is(err, wire.ErrTooMany):
		return nil, atelier.Refuse("messages", "must hold at most %d messages.", maxMessages)
	case errors.Is(err, wire.ErrNotArray):
		return nil, atelier.Refuse("messages", "must be an array.")
	case err != nil:
		return nil, err
	case len(c.messages) == 0:
		return nil, atelier.Refuse("messages", "must not be empty.")
	}
	return c, nil
}

// profile is the task profile of a conversation whose request names none.
func (c *conversation) profile() chat.Profile {
	if c.hasDeveloper {
		return chat.Coding
	}
	return chat.General
}

// textBytes is the length of a message without its images.
func textBytes(m *llm.Message) int {
	n := len(m.Name) + len(m.ToolCallID)
	for i := range m.Content {
		n += len(m.Content[i].Text) + len(m.Content[i].Detail)
	}
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		n += len(call.ID) + len(call.Function.Name) + len(call.Function.Arguments)
	}
	return n
}

// roles maps the roles of clients to those of models.
var roles = map[string]string{"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool", "function": "tool"}

func (c *conversation) readMessage(at string, raw wire.Raw) (llm.Message, error) {
	var (
		role           string
		m              llm.Message
		content, calls wire.Raw
	)
	err := wire.Members(raw, func(name string, value wire.Raw) error {
		switch name {
		case "role":
			return wire.Unmarshal(value, &role)
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
	var known bool
	if m.Role, known = roles[role]; !known {
		return m, atelier.Refuse(at+".role", "must be system, developer, user, assistant or tool.")
	}
	c.hasDeveloper = c.hasDeveloper || role == "developer"
	if m.ToolCalls, err = readCalls(at+".tool_calls", calls); err != nil {
		return m, err
	}
	if role == "tool" && m.ToolCallID == "" {
		return m, atelier.Refuse(at+".tool_call_id", "is required.")
	}
	if m.Content, err = c.readContent(at+".content", m.Role, content); err != nil {
		return m, err
	}
	if m.Content == nil && len(m.ToolCalls) == 0 && m.Role != "assistant" {
		return m, atelier.Refuse(at+".content", "is required.")
	}
	return m, nil
}

func isAbsent(raw wire.Raw) bool { return len(raw) == 0 || string(raw) == "null" }

// readCalls reads the tool calls of an earlier answer.
func readCalls(at string, raw wire.Raw) (out []llm.ToolCall, err error) {
	if isAbsent(raw) {
		return nil, nil
	}
	err = wire.Items(raw, llm.MaxToolCalls, func(i int, item wire.Raw) error {
		var c llm.ToolCall
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
		return nil, atelier.Refuse(at, "must hold at most %d calls.", llm.MaxToolCalls)
	case errors.Is(err, wire.ErrNotArray):
		return nil, atelier.Refuse(at, "must be an array of calls.")
	}
	return out, err
}

// readContent reads a string, or a list of parts.
func (c *conversation) readContent(at, role string, raw wire.Raw) ([]llm.Part, error) {
	if isAbsent(raw) {
		return nil, nil
	}
	if raw[0] == '"' {
		var s string
		if err := wire.Unmarshal(raw, &s); err != nil {
			return nil, atelier.Refuse(at, "cannot be read.")
		}
		return []llm.Part{{Type: "text", Text: s}}, nil
	}
	out := []llm.Part{}
	err := wire.Items(raw, maxParts, func(i int, item wire.Raw) error {
		p, err := c.readPart(fmt.Sprintf("%s[%d]", at, i), role, item)
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

func (c *conversation) readPart(at, role string, raw wire.Raw) (llm.Part, error) {
	var (
		p     llm.Part
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
		return c.readImage(at+".image_url", role, image)
	}
	return p, atelier.Refuse(at+".type", "must be text or image_url.")
}

// readImage reads an inline image, whose data URI is alone or in an object.
func (c *conversation) readImage(at, role string, raw wire.Raw) (llm.Part, error) {
	p := llm.Part{Type: "image_url"}
	url := raw
	if len(raw) == 0 || raw[0] != '"' {
		url = nil
		err := wire.Members(raw, func(name string, value wire.Raw) error {
			switch name {
			case "url":
				url = value
			case "detail":
				return wire.Unmarshal(value, &p.Detail)
			}
			return nil
		})
		if err != nil || len(url) <= len(`""`) || url[0] != '"' {
			return p, atelier.Refuse(at+".url", "is required.")
		}
	}
	at += ".url"
	if role != "user" {
		return p, atelier.Refuse(at, "is not taken here: only user messages may show images.")
	}
	if c.images++; c.images > llm.MaxImages {
		return p, atelier.Refuse(at, "exceeds the limit: a request may show at most %d images.", llm.MaxImages)
	}
	text, err := stringBytes(url)
	if err != nil {
		return p, atelier.Refuse(at, "cannot be read.")
	}
	if c.remote {
		if p.Image.URL = string(text); !isWebURL(p.Image.URL) {
			return p, atelier.Refuse(at, "must be an http or https URL: inline media is not taken here.")
		}
		return p, nil
	}
	p.Image, err = llm.ReadImage(at, text)
	return p, err
}

// stringBytes is the text of a JSON string. It is a part of raw where nothing in
// the string is escaped, as is the rule with base64.
func stringBytes(raw wire.Raw) ([]byte, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], nil
	}
	var s string
	err := wire.Unmarshal(raw, &s)
	return []byte(s), err
}
