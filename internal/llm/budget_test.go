package llm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
)

func TestBudget(t *testing.T) {
	t.Parallel()
	m := llm.Model{ID: "m", ContextLength: 4096}
	messages := []llm.Message{llm.Text("user", strings.Repeat("abcd", 1000)), {Role: "user", Content: []llm.Part{{Type: "image_url", Detail: "low"}}}}
	b, err := llm.NewBudget(m, &llm.Request{Messages: messages})
	if err != nil || b.Input != 1000+4+4+340 || b.Remaining != 3840-b.Input {
		t.Errorf("%+v, %v", b, err)
	}
	if b.Clamp(0) != b.Remaining || b.Clamp(10) != 10 || b.Clamp(1<<20) != b.Remaining {
		t.Errorf("clamped to %d, %d, %d", b.Clamp(0), b.Clamp(10), b.Clamp(1<<20))
	}
	messages = append(messages, llm.Message{Role: "user", Content: []llm.Part{{Type: "image_url"}, {Type: "image_url"}}})
	var e *atelier.Error
	if _, err := llm.NewBudget(m, &llm.Request{Messages: messages}); !errors.As(err, &e) || e.Code.Slug != "context_length_exceeded" || e.Details["remaining_tokens"] != 3840-1348-2604 ||
		e.Details["context_length"] != 4096 || e.Details["usable_context_length"] != 3840 || e.Details["safety_margin_tokens"] != 256 || e.Details["estimated_input_tokens"] != 3952 {
		t.Errorf("%v %v", err, e.Details)
	}
	if p := (llm.Model{PriceIn: 300_000, PriceOut: 900_000}).Price(llm.Usage{PromptTokens: 1_000_000, CompletionTokens: 1}); p != 300_001 {
		t.Errorf("it costs %d", p)
	}
}

// The oldest turns are left out until the answer has space; the instructions and the
// last turn stay, whatever they take.
func TestTrim(t *testing.T) {
	t.Parallel()
	m := llm.Model{ID: "m", ContextLength: 4096} // 3840 can be used
	long := strings.Repeat("abcd", 1000)         // 1000 tokens
	texts := func(r llm.Request) string {
		var out []string
		for _, m := range r.Messages {
			out = append(out, m.Role[:1]+":"+m.Text()[:min(1, len(m.Text()))])
		}
		return strings.Join(out, " ")
	}
	turn := func(first string, rest ...llm.Message) []llm.Message {
		return append([]llm.Message{llm.Text("user", first+long)}, rest...)
	}
	for _, tt := range []struct {
		name     string
		messages []llm.Message
		room     int
		want     string
	}{
		{"fits", turn("1"), 500, "u:1"},
		{"one too many", append(append(turn("1"), turn("2")...), append(turn("3"), turn("4")...)...), 500, "u:2 u:3 u:4"},
		{"more room", append(append(turn("1"), turn("2")...), append(turn("3"), turn("4")...)...), 2000, "u:4"},
		{"answers go with their question", append(turn("1", llm.Text("assistant", "a"+long), llm.Text("tool", "t")), append(turn("2"), turn("3")...)...), 500, "u:2 u:3"},
		{"instructions stay", append([]llm.Message{llm.Text("system", "s"+long)}, append(turn("1"), append(turn("2"), turn("3")...)...)...), 500, "s:s u:2 u:3"},
		{"the last answer stays", append(turn("1"), turn("2", llm.Text("assistant", "a"+long), llm.Text("tool", "t"+long), llm.Text("tool", "u"+long))...), 500, "u:2 a:a t:t t:u"},
		{"older answers of the turn", turn("1", llm.Text("assistant", "a"+long), llm.Text("tool", "t"), llm.Text("tool", "u"), llm.Text("assistant", "b"+long), llm.Text("tool", "v"), llm.Text("assistant", "c"+long), llm.Text("tool", "w")), 1500, "u:1 a:c t:w"},
		{"instructions between turns", append(turn("1"), append([]llm.Message{llm.Text("system", "s")}, append(turn("2"), append(turn("3"), turn("4")...)...)...)...), 500, "s:s u:2 u:3 u:4"},
		{"no user", []llm.Message{llm.Text("assistant", "a"+long+long+long+long)}, 500, "a:a"},
	} {
		r := llm.Request{Messages: tt.messages}
		llm.Trim(m, &r, tt.room)
		if got := texts(r); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
