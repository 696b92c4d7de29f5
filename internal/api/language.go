package api

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
)

// modelList is GET /v1/models.
type modelList struct {
	Object string        `json:"object"`
	Data   []modelRecord `json:"data"`
}

// modelRecord is one language model.
type modelRecord struct {
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
}

func recordOf(m llm.Model) modelRecord {
	return modelRecord{
		ID: m.ID, Object: "model", Created: m.Created.Unix(), OwnedBy: m.OwnedBy,
		Capabilities:  modelCapabilities{m.Reasoning},
		ContextLength: m.ContextLength, MaxModelLen: m.ContextLength,
		Svc: modelBudget{m.UsableContext(), m.SafetyMargin(), "clamp_to_remaining_context"},
	}
}

func (s *Server) listModels(*call, empty) (modelList, error) {
	out := modelList{Object: "list"}
	for _, m := range s.models.All() {
		out.Data = append(out.Data, recordOf(m))
	}
	return out, nil
}

type modelRequest struct {
	ID string `path:"model_id" example:"atelier-builtin"`
}

func (s *Server) readModel(_ *call, q modelRequest) (modelRecord, error) {
	m, ok := s.models.Find(q.ID)
	if !ok {
		e := atelier.Errorf(atelier.CodeModelNotFound, "There is no such language model: model_id %q names none. GET /v1/models lists the language models.", q.ID)
		e.Field = "model"
		return modelRecord{}, e
	}
	return recordOf(m), nil
}
