package offline

import (
	"encoding/json"
	"strings"

	"github.com/atelier-project/atelier/internal/llm"
)

// turn is what a user said and all that followed from it.
type turn struct {
	said  string
	shown int // images in the message
	calls []*outcome
	reply string // what was answered, in words
}

// outcome is a tool call and what came of it.
type outcome struct {
	call   llm.ToolCall
	args   map[string]any
	heard  bool           // whether a result has come
	result map[string]any // nil when it was no object
	raw    string         // the result as it came
}

// ok reports whether a result says that the call went well.
func (o *outcome) ok() bool {
	if !o.heard {
		return false
	}
	for _, name := range []string{"ok", "success"} {
		if v, given := o.result[name].(bool); given {
			return v
		}
	}
	_, failed := o.result["error"]
	return !failed
}

// asset is a piece of media in a result. The index is -1 when it has none.
type asset struct {
	kind  string
	index int
}

// assets lists the media in a result.
func (o *outcome) assets() (out []asset) {
	for _, name := range []string{"output_assets", "artifacts", "outputs", "assets"} {
		list, _ := o.result[name].([]any)
		for _, item := range list {
			fields, _ := item.(map[string]any)
			a := asset{index: -1}
			for _, key := range []string{"kind", "mediaType", "media_type", "type"} {
				if kind, ok := fields[key].(string); ok && a.kind == "" {
					a.kind = kind
				}
			}
			if i, ok := fields["index"].(float64); ok && i >= 0 && i < 1e6 {
				a.index = int(i)
			}
			switch a.kind {
			case "image", "video", "audio", "model":
				out = append(out, a)
			}
		}
		if out != nil {
			return out
		}
	}
	return nil
}

// conversation is everything that was said before an answer.
type conversation struct {
	turns  []*turn
	system []string // what the system said, in order
}

// maxTurns is how many of the last turns are read again for what they asked.
const maxTurns = 8

// newConversation puts the messages of a request in order. What is unusual (no
// user, results without calls) is left as it is.
func newConversation(messages []llm.Message) *conversation {
	c := &conversation{}
	var now *turn
	answered := true
	for _, m := range messages {
		switch m.Role {
		case "system", "developer":
			c.system = append(c.system, m.Text())
		case "user":
			if answered {
				now = &turn{}
				c.turns = append(c.turns, now)
				answered = false
			}
			now.take(m)
		case "assistant":
			if now == nil {
				continue // a greeting before anybody spoke
			}
			answered = true
			now.reply += m.Text()
			for _, call := range m.ToolCalls {
				o := &outcome{call: call}
				_ = json.Unmarshal([]byte(call.Function.Arguments), &o.args) // a call without readable arguments has none
				now.calls = append(now.calls, o)
			}
		case "tool", "function":
			if now != nil {
				answered = true
				now.hear(m)
			}
		}
	}
	return c
}

// take adds a message of the user.
func (t *turn) take(m llm.Message) {
	for _, p := range m.Content {
		if p.Type == "image_url" {
			t.shown++
		}
	}
	text := m.Text()
	if len(text) > maxText {
		text = text[:maxText]
	}
	if t.said != "" && text != "" {
		t.said += "\n"
	}
	t.said += strings.ToValidUTF8(text, "�")
}

// hear adds the result of a call.
func (t *turn) hear(m llm.Message) {
	for _, o := range t.calls {
		if o.call.ID != m.ToolCallID || o.heard {
			continue
		}
		o.heard, o.raw = true, m.Text()
		if json.Unmarshal([]byte(o.raw), &o.result) != nil {
			o.result = nil
		}
		return
	}
}

// current is the turn to be answered.
func (c *conversation) current() *turn {
	if len(c.turns) == 0 {
		return &turn{}
	}
	return c.turns[len(c.turns)-1]
}
