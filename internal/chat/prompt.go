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

// addInstructions puts a system message in front of the conversation: how to
// assist, unless the caller has its own instructions, and which media and assets
// there are to work with. It is one message, because many models take a system
// message only as the first.
func (t *completion) addInstructions() {
	if t.box == nil {
		t.q.Messages = slices.Clone(t.q.Messages)
		t.describeImages(t.q.Messages)
		return
	}
	var parts []string
	if !hasInstructions(t.q.Messages) {
		parts = append(parts, strings.TrimSpace(assistant))
	}
	for _, note := range []string{t.media.describe(), describeManifest(t.manifest)} {
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
	if len(messages) > 0 && messages[0].Role == "system" { // the caller's instructions come first
		if text := strings.TrimSpace(messages[0].Text()); text != "" {
			parts = append([]string{messages[0].Text()}, parts...)
		}
		messages = messages[1:]
	}
	t.q.Messages = append([]llm.Message{llm.Text("system", strings.Join(parts, "\n\n"))}, messages...)
}

// hasInstructions reports whether the caller has sent its own system message.
func hasInstructions(messages []llm.Message) bool {
	for _, m := range messages {
		if m.Role == "system" && strings.TrimSpace(m.Text()) != "" {
			return true
		}
	}
	return false
}

// describeImages replaces images by their indices for a model that does not see
// them: its tools can read them. No model sees an image whose data is not here. The
// built-in model counts them itself.
func (t *completion) describeImages(messages []llm.Message) {
	if t.model.ID == llm.BuiltinID {
		return
	}
	at := t.media.countSentBeside("image")
	for i, m := range messages {
		if !slices.ContainsFunc(m.Content, isImage) {
			continue
		}
		messages[i].Content = slices.Clone(m.Content)
		for k, p := range m.Content {
			if !isImage(p) {
				continue
			}
			if at++; p.Image.Data == nil || !t.model.Vision && t.box != nil {
				messages[i].Content[k] = llm.Part{Type: "text", Text: fmt.Sprintf("[image %d]", -at)}
			}
		}
	}
}

func isImage(p llm.Part) bool { return p.Type == "image_url" }
