package api

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/openai"
)

func (s *Server) listModels(*endpoint.Call, endpoint.Empty) (openai.ModelList, error) {
	byDefault, _ := s.models.Default()
	return openai.NewModelList(s.models.All(), byDefault.ID), nil
}

type modelRequest struct {
	ID string `path:"model_id" example:"atelier-builtin"`
}

func (s *Server) readModel(_ *endpoint.Call, q modelRequest) (openai.ModelRecord, error) {
	m, ok := s.models.Find(q.ID)
	if !ok {
		e := atelier.Errorf(atelier.CodeModelNotFound, "Language model not found: model_id %q is not offered. GET /v1/models lists the language models.", q.ID)
		e.Field = "model"
		return openai.ModelRecord{}, e
	}
	byDefault, _ := s.models.Default()
	return openai.NewModelRecord(m, m.ID == byDefault.ID), nil
}
