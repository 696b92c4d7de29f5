package responses

import (
	"errors"
	"fmt"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// conversation is the messages of a request, and what was counted while they were read.
type conversation struct {
	messages []llm.Message
	text     int // bytes
	images   int
	from     Sources
	read     map[string][]any     // the items of responses that items refer to, by the id of the response
	shown    map[string]llm.Image // the saved pictures, by their ids
}

// readBody reads the instructions, the responses before, and the input.
func (c *conversation) readBody(b *Body, to *chat.Request) error {
	if b.Instructions != nil {
		if err := c.count("instructions", len(*b.Instructions)); err != nil {
			return err
		}
		c.messages = append(c.messages, llm.Text("system", *b.Instructions))
	}
	if b.Previous != nil {
		before, err := c.from.Earlier(*b.Previous)
		if err != nil {
			return about("previous_response_id", err)
		}
		if !before.Run.Status.Terminal() {
			return atelier.Errorf(atelier.CodeWrongState, "The response %s is not over yet.", *b.Previous)
		}
		c.messages = append(c.messages, before.conversation()...)
		to.Made = before.made()
	}
	before := len(c.messages)
	if b.Input[0] == '"' {
		var text string
		if err := wire.Unmarshal(b.Input, &text); err != nil {
			return atelier.Refuse("input", "cannot be read.")
		}
		c.messages = append(c.messages, llm.Text("user", text))
		return c.count("input", len(text))
	}
	err := wire.Items(b.Input, maxItems, func(i int, raw wire.Raw) error {
		at := fmt.Sprintf("input[%d]", i)
		var it item
		if err := wire.UnmarshalLenient(raw, &it); err != nil {
			return atelier.Refuse(at, "is not an item: an object with a type.")
		}
		return c.readItem(at, it)
	})
	if err == nil && len(c.messages) == before {
		err = atelier.Refuse("input", "must not be empty.")
	}
	if errors.Is(err, wire.ErrNotArray) {
		return atelier.Refuse("input", "must be a text or an array of items.")
	}
	return wire.ListError(err, "input", maxItems)
}

// item is an item of the input.
type item struct {
	Type      string   `json:"type"`
	ID        string   `json:"id"`
	Role      string   `json:"role"`
	Content   wire.Raw `json:"content"`
	CallID    string   `json:"call_id"`
	Name      string   `json:"name"`
	Arguments string   `json:"arguments"`
	Output    wire.Raw `json:"output"`
}

// roles maps the roles of clients to those of models.
var roles = map[string]string{"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}

func (c *conversation) readItem(at string, it item) error {
	switch it.Type {
	case "", "message":
		role, known := roles[it.Role]
		if !known {
			return atelier.Refuse(at+".role", "must be user, assistant, system or developer.")
		}
		parts, err := c.readContent(at+".content", role, it.Content)
		c.messages = append(c.messages, llm.Message{Role: role, Content: parts})
		return err
	case "function_call":
		return c.readCall(at, it)
	case "function_call_output":
		return c.readOutput(at, it)
	case "reasoning", "mcp_list_tools": // what was thought and offered before is not sent again
		return nil
	case "item_reference", "image_generation_call", "mcp_call":
		return c.readReference(at, it)
	}
	return atelier.Refuse(at+".type", "must be message, function_call, function_call_output, reasoning, item_reference, image_generation_call or mcp_call.")
}

func (c *conversation) readCall(at string, it item) error {
	switch {
	case it.CallID == "":
		return atelier.Refuse(at+".call_id", "is required.")
	case it.Name == "":
		return atelier.Refuse(at+".name", "is required.")
	}
	if err := c.addCall(at, llm.ToolCall{ID: it.CallID, Type: "function", Function: llm.FunctionCall{Name: it.Name, Arguments: it.Arguments}}); err != nil {
		return err
	}
	return c.count(at, len(it.Arguments))
}

// addCall adds a call to the answer that it is a part of.
func (c *conversation) addCall(at string, call llm.ToolCall) error {
	if n := len(c.messages); n == 0 || c.messages[n-1].Role != "assistant" {
		c.messages = append(c.messages, llm.Message{Role: "assistant"})
	}
	m := &c.messages[len(c.messages)-1]
	if len(m.ToolCalls) == llm.MaxToolCalls {
		return atelier.Refuse(at, "exceeds the limit: an answer may have at most %d calls.", llm.MaxToolCalls)
	}
	m.ToolCalls = append(m.ToolCalls, call)
	return nil
}

// readOutput reads the result of a call: a text, or parts.
func (c *conversation) readOutput(at string, it item) error {
	if it.CallID == "" {
		return atelier.Refuse(at+".call_id", "is required.")
	}
	parts, err := c.readContent(at+".output", "tool", it.Output)
	c.messages = append(c.messages, llm.Message{Role: "tool", Content: parts, ToolCallID: it.CallID})
	return err
}

// readReference reads an item of an earlier response. What was made there is named in words.
func (c *conversation) readReference(at string, it item) error {
	id, n, ok := splitItemID(it.ID)
	if !ok {
		return atelier.Refuse(at+".id", "must be the id of an item of a response.")
	}
	items, err := c.itemsOf(id)
	if err != nil {
		return about(at+".id", err)
	}
	if n >= len(items) {
		return atelier.Missing(at+".id", it.ID, "item")
	}
	text := ""
	switch found := items[n].(type) {
	case messageItem:
		text = found.Content[0].Text
	case callItem:
		if err := c.addCall(at, llm.ToolCall{ID: found.CallID, Type: "function", Function: llm.FunctionCall{Name: found.Name, Arguments: found.Arguments}}); err != nil {
			return err
		}
		return c.count(at, len(found.Arguments))
	case imageItem:
		text = "(A picture was made: " + found.url + ")"
	case hostedItem:
		text = found.Name + " was called with " + found.Arguments
		if found.Output != nil {
			text += ", and returned " + *found.Output
		}
		text = "(" + text + ")"
	}
	c.messages = append(c.messages, llm.Text("assistant", text))
	return c.count(at, len(text))
}

// itemsOf are the items of an earlier response, which is read once. Nothing else of it is kept: its input may be long.
func (c *conversation) itemsOf(id string) ([]any, error) {
	if items := c.read[id]; items != nil {
		return items, nil
	}
	if len(c.read) == maxEarlier {
		return nil, atelier.Refuse("", "exceeds the limit: a request may refer to at most %d responses.", maxEarlier)
	}
	s, err := c.from.Earlier(id)
	if err != nil {
		return nil, err
	}
	c.read[id] = s.Items()
	return c.read[id], nil
}

// part is a part of a message.
type part struct {
	Type     string   `json:"type"`
	Text     string   `json:"text"`
	Refusal  string   `json:"refusal"`
	ImageURL wire.Raw `json:"image_url"`
	FileID   string   `json:"file_id"`
	Detail   string   `json:"detail"`
}

// readContent reads a text, or a list of parts.
func (c *conversation) readContent(at, role string, raw wire.Raw) (parts []llm.Part, err error) {
	if isAbsent(raw) {
		return nil, atelier.Refuse(at, "is required.")
	}
	if raw[0] == '"' {
		var text string
		if err := wire.Unmarshal(raw, &text); err != nil {
			return nil, atelier.Refuse(at, "cannot be read.")
		}
		return []llm.Part{{Type: "text", Text: text}}, c.count(at, len(text))
	}
	err = wire.Items(raw, maxParts, func(i int, item wire.Raw) error {
		here := fmt.Sprintf("%s[%d]", at, i)
		var p part
		if err := wire.UnmarshalLenient(item, &p); err != nil {
			return atelier.Refuse(here, "is not a part: an object with a type.")
		}
		switch p.Type {
		case "input_text", "output_text", "text":
			parts = append(parts, llm.Part{Type: "text", Text: p.Text})
			return c.count(here, len(p.Text))
		case "refusal":
			parts = append(parts, llm.Part{Type: "text", Text: p.Refusal})
			return c.count(here, len(p.Refusal))
		case "input_image":
			image, err := c.readImage(here, role, p)
			parts = append(parts, image)
			return err
		}
		return atelier.Refuse(here+".type", "must be input_text, output_text, refusal or input_image.")
	})
	return parts, wire.ListError(err, at, maxParts)
}

// readImage reads an inline picture, or the URL of one.
func (c *conversation) readImage(at, role string, p part) (llm.Part, error) {
	out := llm.Part{Type: "image_url", Detail: p.Detail}
	switch {
	case role != "user":
		return out, atelier.Refuse(at, "is not taken here: only user messages may show images.")
	case p.FileID != "" && !isAbsent(p.ImageURL):
		return out, atelier.Refuse(at, "must have image_url or file_id, not both.")
	case p.FileID != "":
	case len(p.ImageURL) <= len(`""`) || p.ImageURL[0] != '"':
		return out, atelier.Refuse(at+".image_url", "is required.")
	}
	if c.images++; c.images > llm.MaxImages {
		return out, atelier.Refuse(at, "exceeds the limit: a request may show at most %d images.", llm.MaxImages)
	}
	if p.FileID != "" {
		var err error
		out.Image, err = c.savedImage(at+".file_id", p.FileID)
		return out, err
	}
	uri := p.ImageURL[1 : len(p.ImageURL)-1] // a data URI needs no escapes
	if strings.HasPrefix(string(uri[:min(len(uri), 5)]), "data:") {
		var err error
		out.Image, err = llm.ReadImage(at+".image_url", uri)
		return out, err
	}
	err := wire.Unmarshal(p.ImageURL, &out.Image.URL)
	if scheme, rest, _ := strings.Cut(strings.ToLower(out.Image.URL), "://"); err != nil || scheme != "http" && scheme != "https" || rest == "" {
		return out, atelier.Refuse(at+".image_url", "must be a data URI, or an http or https URL.")
	}
	return out, nil
}

// savedImage reads a saved picture, once.
func (c *conversation) savedImage(at, id string) (llm.Image, error) {
	image, ok := c.shown[id]
	if ok {
		return image, nil
	}
	image, err := c.from.Image(id)
	c.shown[id] = image
	return image, about(at, err)
}

// count counts text of the conversation.
func (c *conversation) count(at string, bytes int) error {
	if c.text += bytes; c.text > maxText {
		return atelier.Refuse(at, "is too long: the text of a conversation may have %d bytes.", maxText)
	}
	return nil
}

// about has an error about an earlier response name the field that refers to it.
func about(field string, err error) error {
	var e *atelier.Error
	if !errors.As(err, &e) {
		return err
	}
	named := *e
	named.Field = field
	return &named
}

func isAbsent(raw wire.Raw) bool { return len(raw) == 0 || string(raw) == "null" }
