package chat

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/llm"
)

//go:embed data/assistant.md
var assistant string

// brief puts in front what the model is told beyond the conversation: how to
// assist, unless the caller has said that, and what media and assets there are
// to work with. It is one message, and the first: many models take what the
// system says nowhere else.
func (t *completion) brief() {
	if t.toolbox(&t.q) == nil {
		return
	}
	var parts []string
	if !instructed(t.q.Messages) {
		parts = append(parts, strings.TrimSpace(assistant))
	}
	for _, note := range []string{t.shelf.describe(), t.memory.describe()} {
		if note != "" {
			parts = append(parts, note)
		}
	}
	messages := slices.Clone(t.q.Messages)
	t.describeImages(messages)
	t.q.Messages = messages
	if len(parts) == 0 {
		return
	}
	if len(messages) > 0 && messages[0].Role == "system" { // the caller's words come first
		if text := strings.TrimSpace(messages[0].Text()); text != "" {
			parts = append([]string{messages[0].Text()}, parts...)
		}
		messages = messages[1:]
	}
	t.q.Messages = append([]llm.Message{llm.Text("system", strings.Join(parts, "\n\n"))}, messages...)
}

// instructed reports whether the caller has said itself how the model is to
// behave.
func instructed(messages []llm.Message) bool {
	for _, m := range messages {
		if m.Role == "system" && strings.TrimSpace(m.Text()) != "" {
			return true
		}
	}
	return false
}

// describeImages puts the index of an image in its place for a model that does
// not see: its tools do. The built-in model counts them itself.
func (t *completion) describeImages(messages []llm.Message) {
	if t.q.Model.Vision || t.q.Model.ID == llm.BuiltinID {
		return
	}
	at := t.shelf.beside("image")
	for i, m := range messages {
		if !slices.ContainsFunc(m.Content, isImage) {
			continue
		}
		messages[i].Content = slices.Clone(m.Content)
		for k, p := range m.Content {
			if isImage(p) {
				at++
				messages[i].Content[k] = llm.Part{Type: "text", Text: fmt.Sprintf("[image %d]", -at)}
			}
		}
	}
}

func isImage(p llm.Part) bool { return p.Type == "image_url" }
