package api

import (
	"io"
	"net/http"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/lora"
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

func (s *Server) publicLoras(_ *endpoint.Call, q publicLorasRequest) (publicLorasReply, error) {
	loras := s.catalog.Loras()
	if q.ModelID != "" {
		loras = s.catalog.LorasFor(q.ModelID)
	}
	return publicLorasReply{
		LastUpdated: s.catalog.UpdatedAt(), Loras: loras, Models: s.catalog.LoraModels(),
		Constraints: loraConstraints{catalog.MaxLoras, catalog.MinLoraStrength, catalog.MaxLoraStrength},
	}, nil
}

func (s *Server) listLoras(c *endpoint.Call, _ endpoint.Empty) (apitype.LoraLibrary, error) {
	return s.loras.Library(c, c.Caller.Wallet)
}

type loraID struct {
	ID string `path:"id" example:"personal-3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
}

func (s *Server) readLora(c *endpoint.Call, q loraID) (apitype.PersonalLora, error) {
	return s.loras.Read(c, c.Caller.Wallet, atelier.LoraID(q.ID))
}

// personalCatalogReply is GET /v1/loras/personal/catalog.
type personalCatalogReply struct {
	Loras []lora.Row `json:"loras"`
}

func (s *Server) personalCatalog(c *endpoint.Call, _ endpoint.Empty) (personalCatalogReply, error) {
	rows, err := s.loras.Catalog(c, c.Caller.Wallet)
	return personalCatalogReply{rows}, err
}

type importRequest struct {
	URL             string `wire:"url,required" doc:"A public HTTPS link to a LoRA on a hosting site: to one .safetensors file, to a model page, or to a version of a model."`
	Name            string `wire:"name,required" doc:"A display name of 1 to 80 characters."`
	ModelID         string `wire:"modelId,required" doc:"The model to import for, one of data.models."`
	RightsConfirmed bool   `wire:"rightsConfirmed,required" doc:"Must be true: you may use the file."`
}

func (s *Server) importLora(c *endpoint.Call, q importRequest) (apitype.PersonalLora, error) {
	return s.loras.Import(c, c.Caller.Wallet, lora.NewLora{URL: q.URL, Name: q.Name, ModelID: q.ModelID, RightsConfirmed: q.RightsConfirmed})
}

type uploadRequest struct {
	Name            string `wire:"name,required" example:"Red fox" doc:"A display name of 1 to 80 characters."`
	ModelID         string `wire:"modelId" example:"krea2_turbo_fp8_scaled" doc:"The model to add it for, one of data.models; found by the header of the file when omitted."`
	RightsConfirmed bool   `wire:"rightsConfirmed,required" example:"true" doc:"Must be true: you may use the file."`
	FileName        string `wire:"fileName" example:"fox.safetensors" doc:"The name of the file, which source of the entry shows; made of the name when omitted."`
}

func (s *Server) uploadLora(c *endpoint.Call, q uploadRequest, file io.Reader) (apitype.PersonalLora, error) {
	l, isNew, err := s.loras.Upload(c, c.Caller.Wallet, lora.NewUpload{
		Name: q.Name, ModelID: q.ModelID, RightsConfirmed: q.RightsConfirmed, FileName: q.FileName, Bytes: c.Request.ContentLength,
	}, file)
	if err == nil && !isNew {
		c.Status = http.StatusOK
	}
	return l, err
}

func (s *Server) deleteLora(c *endpoint.Call, q loraID) (endpoint.Empty, error) {
	return endpoint.Empty{}, s.loras.Delete(c, c.Caller.Wallet, atelier.LoraID(q.ID))
}
