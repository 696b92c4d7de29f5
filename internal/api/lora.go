package api

import (
	"github.com/atelier-project/atelier/internal/catalog"
)

// publicLorasReply is GET /v1/loras/comfy.
type publicLorasReply struct {
	LastUpdated string          `json:"lastUpdated"`
	Loras       []*catalog.Lora `json:"loras"`
	Models      []string        `json:"models"`
	Constraints loraConstraints `json:"constraints"`
}

type loraConstraints struct {
	MaxPerRequest int `json:"maxPerRequest"`
	MinStrength   int `json:"minStrength"`
	MaxStrength   int `json:"maxStrength"`
}

type publicLorasRequest struct {
	ModelID string `wire:"modelId" doc:"Only LoRAs that this model can load; an unknown model has none."`
}

func (s *Server) publicLoras(_ *call, q publicLorasRequest) (publicLorasReply, error) {
	loras := s.catalog.Loras()
	if q.ModelID != "" {
		loras = s.catalog.LorasFor(q.ModelID)
	}
	return publicLorasReply{
		LastUpdated: s.catalog.UpdatedAt(), Loras: loras, Models: s.catalog.LoraModels(),
		Constraints: loraConstraints{catalog.MaxLoras, catalog.MinLoraStrength, catalog.MaxLoraStrength},
	}, nil
}
