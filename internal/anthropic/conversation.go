package anthropic

import (
	"fmt"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// conversation is the messages of a body, and what was counted while they were read.
type conversation struct {
	messages []llm.Message
	text     int // bytes
	images   int
}

// block is a piece of a message.
type block struct {
	Type      string   `json:"type"`
	Text      string   `json:"text"`
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Input     wire.Raw `json:"input"`
	ToolUseID string   `json:"tool_use_id"`
	Content   wire.Raw `json:"content"`
	IsError   bool     `json:"is_error"`
	Source    struct {
		Type      string   `json:"type"`
		MediaType string   `json:"media_type"`
		Data      wire.Raw `json:"data"`
	} `json:"source"`
}

// readSystem reads the instructions: a text, or text blocks.
func (c *conversation) readSystem(raw wire.Raw) error {
	if isAbsent(raw) {
		return nil
	}
	text, err := c.textOf("system", raw)
	if err == nil && text != "" {
		c.messages = append(c.messages, llm.Text("system", text))
	}
	return err
}

func (c *conversation) readMessages(raw wire.Raw) error {
	before := len(c.messages)
	err := wire.Items(raw, maxMessages, func(i int, item wire.Raw) error {
		at := fmt.Sprintf("messages[%d]", i)
		var m struct {
			Role    string   `json:"role"`
			Content wire.Raw `json:"content"`
		}
		if err := wire.Unmarshal(item, &m); err != nil {
			return atelier.Refuse(at, "is not a message: it needs a role and content.")
		}
		switch m.Role {
		case "user":
			return c.readUser(at+".content", m.Content)
		case "assistant":
			return c.readAssistant(at+".content", m.Content)
		}
		return atelier.Refuse(at+".role", "must be user or assistant.")
	})
	if err == nil && len(c.messages) == before {
		err = atelier.Refuse("messages", "must not be empty.")
	}
	return wire.ListError(err, "messages", maxMessages)
}

// readUser reads the message of a user. Results of tools become messages of their own before what follows them.
func (c *conversation) readUser(at string, raw wire.Raw) error {
	var parts []llm.Part
	end := func() {
		if len(parts) > 0 {
			c.messages = append(c.messages, llm.Message{Role: "user", Content: parts})
			parts = nil
		}
	}
	err := c.blocks(at, raw, func(at string, b block) error {
		switch b.Type {
		case "text":
			parts = append(parts, llm.Part{Type: "text", Text: b.Text})
			return nil
		case "image":
			image, err := c.readImage(at, b)
			parts = append(parts, image)
			return err
		case "tool_result":
			end()
			images, err := c.readResult(at, b)
			parts = images
			return err
		}
		return atelier.Refuse(at+".type", "must be text, image or tool_result.")
	})
	end()
	return err
}

// readResult reads the result of a tool. Its images are shown in the message of the user that follows.
func (c *conversation) readResult(at string, b block) (images []llm.Part, err error) {
	if b.ToolUseID == "" {
		return nil, atelier.Refuse(at+".tool_use_id", "is required.")
	}
	var text strings.Builder
	if b.IsError {
		text.WriteString("Error: ")
	}
	if !isAbsent(b.Content) {
		err = c.blocks(at+".content", b.Content, func(at string, inner block) error {
			switch inner.Type {
			case "text":
				text.WriteString(inner.Text)
				return nil
			case "image":
				image, err := c.readImage(at, inner)
				images = append(images, image)
				return err
			}
			return atelier.Refuse(at+".type", "must be text or image.")
		})
	}
	m := llm.Text("tool", text.String())
	m.ToolCallID = b.ToolUseID
	c.messages = append(c.messages, m)
	return images, err
}

// readAssistant reads an earlier answer. What the model has thought is left out.
func (c *conversation) readAssistant(at string, raw wire.Raw) error {
	m := llm.Message{Role: "assistant"}
	err := c.blocks(at, raw, func(at string, b block) error {
		switch b.Type {
		case "text":
			m.Content = append(m.Content, llm.Part{Type: "text", Text: b.Text})
			return nil
		case "thinking", "redacted_thinking":
			return nil
		case "tool_use":
			switch {
			case b.ID == "":
				return atelier.Refuse(at+".id", "is required.")
			case b.Name == "":
				return atelier.Refuse(at+".name", "is required.")
			case len(b.Input) == 0 || b.Input[0] != '{':
				return atelier.Refuse(at+".input", "must be an object.")
			case len(m.ToolCalls) == llm.MaxToolCalls:
				return atelier.Refuse(at, "exceeds the limit: a message may have at most %d calls.", llm.MaxToolCalls)
			}
			m.ToolCalls = append(m.ToolCalls, llm.ToolCall{ID: b.ID, Type: "function", Function: llm.FunctionCall{Name: b.Name, Arguments: string(b.Input)}})
			return c.count(at, len(b.Input))
		}
		return atelier.Refuse(at+".type", "must be text, thinking or tool_use.")
	})
	c.messages = append(c.messages, m)
	return err
}

// textOf is a text, or the text of text blocks.
func (c *conversation) textOf(at string, raw wire.Raw) (string, error) {
	var text strings.Builder
	err := c.blocks(at, raw, func(at string, b block) error {
		if b.Type != "text" {
			return atelier.Refuse(at+".type", "must be text.")
		}
		if text.Len() > 0 {
			text.WriteString("\n\n")
		}
		text.WriteString(b.Text)
		return nil
	})
	return text.String(), err
}

// blocks calls a function with each block of a content, which may be a text alone.
func (c *conversation) blocks(at string, raw wire.Raw, use func(at string, b block) error) error {
	if isAbsent(raw) {
		return atelier.Refuse(at, "is required.")
	}
	if raw[0] == '"' {
		b := block{Type: "text"}
		if err := wire.Unmarshal(raw, &b.Text); err != nil {
			return atelier.Refuse(at, "cannot be read.")
		}
		if err := c.count(at, len(b.Text)); err != nil {
			return err
		}
		return use(at, b)
	}
	err := wire.Items(raw, maxBlocks, func(i int, item wire.Raw) error {
		here := fmt.Sprintf("%s[%d]", at, i)
		var b block
		if err := wire.UnmarshalLenient(item, &b); err != nil {
			return atelier.Refuse(here, "is not a block: an object with a type.")
		}
		if err := c.count(here, len(b.Text)); err != nil {
			return err
		}
		return use(here, b)
	})
	return wire.ListError(err, at, maxBlocks)
}

// count counts text of the conversation.
func (c *conversation) count(at string, bytes int) error {
	if c.text += bytes; c.text > maxText {
		return atelier.Refuse(at, "is too long: the text of a conversation may have %d bytes.", maxText)
	}
	return nil
}

// readImage reads an inline image.
func (c *conversation) readImage(at string, b block) (llm.Part, error) {
	p := llm.Part{Type: "image_url"}
	if c.images++; c.images > llm.MaxImages {
		return p, atelier.Refuse(at, "exceeds the limit: a request may show at most %d images.", llm.MaxImages)
	}
	at += ".source"
	switch {
	case b.Source.Type != "base64":
		return p, atelier.Refuse(at+".type", "must be base64: remote images are not fetched.")
	case len(b.Source.Data) < 2 || b.Source.Data[0] != '"':
		return p, atelier.Refuse(at+".data", "is required.")
	}
	text := b.Source.Data[1 : len(b.Source.Data)-1] // base64 needs no escapes; one that has some is not valid
	var err error
	p.Image, err = llm.DecodeImage(at+".data", b.Source.MediaType, text)
	return p, err
}
