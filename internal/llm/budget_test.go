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
