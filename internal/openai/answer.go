package openai

import (
	"time"

	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
)

// CompletionReply is a whole answer.
type CompletionReply struct {
	ID        string             `json:"id"`
	Object    string             `json:"object"`
	Created   int64              `json:"created"`
	Model     string             `json:"model"`
	Choices   []CompletionChoice `json:"choices"`
	Usage     CompletionUsage    `json:"usage"`
	Workflows []chat.WorkflowRef `json:"creative_workflows,omitzero"`
	Results   []map[string]any   `json:"svc_tool_results,omitzero"`
}

// CompletionChoice is the one choice of an answer.
type CompletionChoice struct {
	Index        int               `json:"index"`
	FinishReason string            `json:"finish_reason"`
	Message      CompletionMessage `json:"message"`
}

// CompletionMessage is what the model has said.
type CompletionMessage struct {
	Role      string         `json:"role"`
	Content   *string        `json:"content"`
	ToolCalls []llm.ToolCall `json:"tool_calls,omitzero"`
}

// CompletionUsage counts the tokens of an answer.
type CompletionUsage struct {
	PromptTokens     int          `json:"prompt_tokens"`
	CompletionTokens int          `json:"completion_tokens"`
	TotalTokens      int          `json:"total_tokens"`
	Details          UsageDetails `json:"prompt_tokens_details"`
}

// UsageDetails says what the prompt tokens are made of.
type UsageDetails struct {
	CachedTokens int `json:"cached_tokens"`
}

func newUsage(u llm.Usage) CompletionUsage {
	return CompletionUsage{
		PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, TotalTokens: u.PromptTokens + u.CompletionTokens,
		Details: UsageDetails{CachedTokens: u.CachedTokens},
	}
}

// NewReply is the whole answer to a request that came at a time.
func NewReply(r *chat.Request, at time.Time, done chat.Completion) *CompletionReply {
	message := CompletionMessage{Role: "assistant", ToolCalls: done.ToolCalls}
	if done.Content != "" || len(done.ToolCalls) == 0 {
		message.Content = &done.Content
	}
	return &CompletionReply{
		ID: r.ID, Object: "chat.completion", Created: at.Unix(), Model: done.Model,
		Choices: []CompletionChoice{{FinishReason: done.FinishReason, Message: message}}, Usage: newUsage(done.Usage),
		Workflows: done.Workflows, Results: done.Results,
	}
}
