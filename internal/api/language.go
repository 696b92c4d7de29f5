package api

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/openai"
)

// modelsRequest is the query of GET /v1/models.
type modelsRequest struct {
	Type string `wire:"type,enum=llm|image|video|audio|model|all,default=llm" doc:"Language models, those that make media of a kind (model: 3D), or all."`
}

// listModels lists language models, unless others are asked for: clients offer what it lists for conversations.
func (s *Server) listModels(_ *endpoint.Call, q modelsRequest) (openai.ModelList, error) {
	list := openai.ModelList{Object: "list", Data: []openai.ModelRecord{}}
	if q.Type == "llm" || q.Type == "all" {
		byDefault, _ := s.models.Default()
		list = openai.NewModelList(s.models.All(), byDefault.ID)
	}
	updated, _ := time.Parse(time.RFC3339, s.catalog.UpdatedAt())
	for _, m := range s.catalog.Models() {
		if q.Type == m.MediaType || q.Type == "all" {
			list.Data = append(list.Data, openai.NewMediaRecord(m, updated))
		}
	}
	return list, nil
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
