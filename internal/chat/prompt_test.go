package chat_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// What the model hears beyond the conversation is one message, and the first.
func TestBrief(t *testing.T) {
	t.Parallel()
	const assistant = "You are the creative assistant"
	image := llm.Part{Type: "image_url", Image: llm.Image{Type: "image/png", Data: []byte{0}}}
	shown := llm.Message{Role: "user", Content: []llm.Part{{Type: "text", Text: "this: "}, image}}
	cat := chat.Media{MediaReference: atelier.MediaReference{Kind: "image", URL: "https://media.example/cat.png", Original: map[string]any{"filename": "cat.png"}}}
	made := llm.Text("assistant", "![a](https://media.example/a.png) and [Video 1](https://media.example/b.mp4?x=1) and [c](https://media.example/c)")
	for _, c := range []struct {
		name     string
		family   string
		messages []llm.Message
		media    []chat.Media
		vision   bool
		want     []string // what each message contains, with its role in front
	}{
		{"nothing is said", catalog.CreativeTools, []llm.Message{llm.Text("user", "hi")}, nil, false, []string{"system:" + assistant, "user:hi"}},
		{"no tools", "", []llm.Message{llm.Text("user", "hi")}, []chat.Media{cat}, false, []string{"user:hi"}},
		{"the caller instructs", catalog.CreativeTools, []llm.Message{llm.Text("system", "Be brief."), llm.Text("user", "hi")}, nil, false, []string{"system:Be brief.", "user:hi"}},
		{"an empty instruction", catalog.CreativeTools, []llm.Message{llm.Text("system", " \n"), llm.Text("user", "hi")}, nil, false, []string{"system:" + assistant, "user:hi"}},
		{"an instruction later on", catalog.CreativeTools, []llm.Message{llm.Text("user", "hi"), llm.Text("system", "Be brief.")}, nil, false, []string{"user:hi", "system:Be brief."}},
		{"media beside an instruction", catalog.CreativeTools, []llm.Message{llm.Text("system", "Be brief."), llm.Text("user", "hi")}, []chat.Media{cat}, false,
			[]string{"system:Be brief.\n\nMedia that tools can address by index:\nimage -1: sent by the user cat.png", "user:hi"}},
		{"media that was made", catalog.CreativeTools, []llm.Message{llm.Text("user", "hi"), made, llm.Text("user", "again")}, nil, false,
			[]string{"system:image 0: made earlier\nvideo 0: made earlier", "user:hi", "assistant:", "user:again"}},
		{"a model that sees", catalog.CreativeTools, []llm.Message{shown}, []chat.Media{cat}, true, []string{"system:image -2: shown by the user", "user:this: "}},
		{"a model that does not", catalog.CreativeTools, []llm.Message{shown, shown}, []chat.Media{cat}, false,
			[]string{"system:image -3: shown by the user", "user:this: [image -2]", "user:this: [image -3]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := newFixture(t, storetest.SQLite(t), text("Yes."))
			q := env.ask("")
			env.e = env.engineWith(func(m *llm.Model) { m.Vision = c.vision })
			q.Messages, q.Family, q.Media = c.messages, c.family, c.media
			env.complete(q)
			got := env.model.request(0).Messages
			if len(got) != len(c.want) {
				t.Fatalf("the model heard %d messages, want %d: %+v", len(got), len(c.want), got)
			}
			for i, m := range got {
				role, want, _ := strings.Cut(c.want[i], ":")
				if m.Role != role || !strings.Contains(m.Text(), want) {
					t.Errorf("message %d is %s %q, want %s with %q", i, m.Role, m.Text(), role, want)
				}
			}
			if sees := strings.Contains(shownTo(got), "image_url"); sees != c.vision {
				t.Errorf("the model was shown images: %v, want %v", sees, c.vision)
			}
		})
	}
}

func shownTo(messages []llm.Message) (kinds string) {
	for _, m := range messages {
		for _, p := range m.Content {
			kinds += p.Type + " "
		}
	}
	return kinds
}
