package openai

import "github.com/atelier-project/atelier/internal/llm"

// ModelList is the answer of GET /v1/models.
type ModelList struct {
	Object string        `json:"object"`
	Data   []ModelRecord `json:"data"`
}

// ModelRecord is one language model.
type ModelRecord struct {
	ID            string            `json:"id"`
	Object        string            `json:"object"`
	Created       int64             `json:"created"`
	OwnedBy       string            `json:"owned_by"`
	Capabilities  modelCapabilities `json:"capabilities"`
	ContextLength int               `json:"context_length"`
	MaxModelLen   int               `json:"max_model_len"`
	Svc           modelBudget       `json:"svc"`
}

type modelCapabilities struct {
	Reasoning bool `json:"reasoning"`
}

// modelBudget says how a context is shared between input and output.
type modelBudget struct {
	UsableContextLength int    `json:"usable_context_length"`
	SafetyMarginTokens  int    `json:"safety_margin_tokens"`
	MaxTokensBehavior   string `json:"max_tokens_behavior"`
	Default             bool   `json:"default"` // a request that names no model gets it
}

// NewModelRecord describes a language model.
func NewModelRecord(m llm.Model, isDefault bool) ModelRecord {
	return ModelRecord{
		ID: m.ID, Object: "model", Created: m.Created.Unix(), OwnedBy: m.OwnedBy,
		Capabilities:  modelCapabilities{m.Reasoning},
		ContextLength: m.ContextLength, MaxModelLen: m.ContextLength,
		Svc: modelBudget{m.UsableContext(), m.SafetyMargin(), "clamp_to_remaining_context", isDefault},
	}
}

// NewModelList lists language models, one of which is the default.
func NewModelList(models []llm.Model, byDefault string) ModelList {
	out := ModelList{Object: "list"}
	for _, m := range models {
		out.Data = append(out.Data, NewModelRecord(m, m.ID == byDefault))
	}
	return out
}
