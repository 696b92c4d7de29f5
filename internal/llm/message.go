package llm

import "strings"

// Message is one turn of a conversation, in the shape that OpenAI gave it.
type Message struct {
	Role       string     `json:"role"` // system, user, assistant or tool
	Content    []Part     `json:"-"`
	Name       string     `json:"name,omitempty"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`   // of an assistant
	ToolCallID string     `json:"tool_call_id,omitempty"` // of a tool
}

// Text is a message of plain text.
func Text(role, text string) Message {
	return Message{Role: role, Content: []Part{{Type: "text", Text: text}}}
}

// Text is all the text of a message.
func (m Message) Text() string {
	var b strings.Builder
	for _, p := range m.Content {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Part is a piece of a message: text, or an image that a user shows.
type Part struct {
	Type   string // text or image_url
	Text   string
	Image  Image
	Detail string // of an image: low, high or auto
}
