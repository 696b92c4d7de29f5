package talk

import (
	"encoding/json"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/token"
	"github.com/atelier-project/atelier/internal/llm"
)

// turn is a message of the user and all that followed from it.
type turn struct {
	text   string
	images int // images in the message
	calls  []*callResult
	reply  string // the answer in words
}

// callResult is a tool call and its result.
type callResult struct {
	call    llm.ToolCall
	args    map[string]any
	arrived bool           // whether the result has arrived
	result  map[string]any // nil when it is no JSON object
	raw     string         // the result as text
}

// succeeded reports whether the result says that the call succeeded.
func (o *callResult) succeeded() bool {
	if !o.arrived {
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

func (o *callResult) assets() (out []asset) {
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
	system []string // system messages, in order
}

// maxTurns is how many of the last turns are interpreted again.
const maxTurns = 8

// newConversation groups the messages of a request into turns. It ignores messages before the first user message and
// results without calls.
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
			now.addUserMessage(m)
		case "assistant":
			if now == nil {
				continue // before the first user message
			}
			answered = true
			now.reply += m.Text()
			for _, call := range m.ToolCalls {
				o := &callResult{call: call}
				_ = json.Unmarshal([]byte(call.Function.Arguments), &o.args) // unreadable arguments are none
				now.calls = append(now.calls, o)
			}
		case "tool", "function":
			if now != nil {
				answered = true
				now.addToolResult(m)
			}
		}
	}
	return c
}

func (t *turn) addUserMessage(m llm.Message) {
	for _, p := range m.Content {
		if p.Type == "image_url" {
			t.images++
		}
	}
	text := m.Text()
	if len(text) > token.MaxText {
		text = text[:token.MaxText]
	}
	if t.text != "" && text != "" {
		t.text += "\n"
	}
	t.text += strings.ToValidUTF8(text, "�")
}

func (t *turn) addToolResult(m llm.Message) {
	for _, o := range t.calls {
		if o.call.ID != m.ToolCallID || o.arrived {
			continue
		}
		o.arrived, o.raw = true, m.Text()
		if json.Unmarshal([]byte(o.raw), &o.result) != nil {
			o.result = nil
		}
		return
	}
}

func (c *conversation) currentTurn() *turn {
	if len(c.turns) == 0 {
		return &turn{}
	}
	return c.turns[len(c.turns)-1]
}
