package openai

import (
	"maps"
	"slices"
	"time"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
)

// ModelList is the answer of GET /v1/models.
type ModelList struct {
	Object string        `json:"object"`
	Data   []ModelRecord `json:"data"`
}

// ModelRecord is one model: a language model, or one that makes media.
type ModelRecord struct {
	ID            string            `json:"id"`
	Object        string            `json:"object"`
	Created       int64             `json:"created"`
	OwnedBy       string            `json:"owned_by"`
	Type          string            `json:"type"` // llm, or what it makes: image, video, audio or model (3D)
	Capabilities  modelCapabilities `json:"capabilities"`
	ContextLength int               `json:"context_length,omitzero"` // of a language model, as the next two
	MaxModelLen   int               `json:"max_model_len,omitzero"`
	Svc           *modelBudget      `json:"svc,omitzero"`
}

type modelCapabilities struct {
	Reasoning bool     `json:"reasoning"`
	Tools     []string `json:"tools,omitzero"` // that use a model which makes media
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
		ID: m.ID, Object: "model", Created: m.Created.Unix(), OwnedBy: m.OwnedBy, Type: "llm",
		Capabilities:  modelCapabilities{Reasoning: m.Reasoning},
		ContextLength: m.ContextLength, MaxModelLen: m.ContextLength,
		Svc: &modelBudget{m.UsableContext(), m.SafetyMargin(), "clamp_to_remaining_context", isDefault},
	}
}

// NewModelList lists language models, one of which is the default.
func NewModelList(models []llm.Model, byDefault string) ModelList {
	out := ModelList{Object: "list", Data: []ModelRecord{}}
	for _, m := range models {
		out.Data = append(out.Data, NewModelRecord(m, m.ID == byDefault))
	}
	return out
}

// NewMediaRecord describes a model that makes media.
func NewMediaRecord(m *catalog.Model, created time.Time) ModelRecord {
	r := ModelRecord{ID: m.ID, Object: "model", Created: created.Unix(), OwnedBy: "atelier", Type: m.MediaType}
	if m.Vendor != "" {
		r.OwnedBy = m.Vendor
	}
	r.Capabilities.Tools = slices.Sorted(maps.Keys(m.Selectors))
	return r
}
