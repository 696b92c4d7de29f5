package api

import (
	"fmt"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/replicate"
	"github.com/atelier-project/atelier/internal/wire"
)

func (s *Server) predictionAccount(c *endpoint.Call, _ endpoint.Empty) (replicate.PredictionAccount, error) {
	return replicate.PredictionAccount{Type: "user", Username: c.Caller.Username, Name: c.Caller.Username}, nil
}

func (s *Server) listHardware(*endpoint.Call, endpoint.Empty) ([]replicate.Hardware, error) {
	return []replicate.Hardware{{Name: "Connected workers", SKU: "worker"}}, nil
}

func (s *Server) listDeployments(*endpoint.Call, endpoint.Empty) (replicate.Page[endpoint.Empty], error) {
	return replicate.Page[endpoint.Empty]{Results: []endpoint.Empty{}}, nil
}

func (s *Server) listCollections(*endpoint.Call, endpoint.Empty) (replicate.Page[replicate.Collection], error) {
	list := s.predictions.Collections()
	for i := range list {
		list[i].Models = nil
	}
	return replicate.Page[replicate.Collection]{Results: list}, nil
}

// collectionRequest names a collection.
type collectionRequest struct {
	Slug string `path:"slug" example:"generate-image"`
}

func (s *Server) readCollection(_ *endpoint.Call, q collectionRequest) (replicate.Collection, error) {
	for _, found := range s.predictions.Collections() {
		if found.Slug == q.Slug {
			return found, nil
		}
	}
	return replicate.Collection{}, atelier.Missing("slug", q.Slug, "collection")
}

// predictionModelsRequest is the query of GET /replicate/v1/models.
type predictionModelsRequest struct {
	Cursor int `wire:"cursor,min=0,max=1000000,default=0" doc:"From next or previous of another page."`
}

// modelPage is how many models a page has.
const modelPage = 25

func (s *Server) listPredictionModels(_ *endpoint.Call, q predictionModelsRequest) (replicate.Page[*replicate.Model], error) {
	all := s.predictions.Models()
	first := min(q.Cursor, len(all))
	last := min(first+modelPage, len(all))
	page := replicate.Page[*replicate.Model]{Results: slices.Concat([]*replicate.Model{}, all[first:last])}
	link := func(cursor int) *string {
		url := s.predictions.URL(fmt.Sprintf("/models?cursor=%d", cursor))
		return &url
	}
	if last < len(all) {
		page.Next = link(last)
	}
	if first > 0 {
		page.Previous = link(max(0, first-modelPage))
	}
	return page, nil
}

// predictionModelRequest names a model.
type predictionModelRequest struct {
	Owner string `path:"owner" example:"atelier"`
	Name  string `path:"name" example:"z_image_turbo_bf16"`
}

func (s *Server) readPredictionModel(_ *endpoint.Call, q predictionModelRequest) (*replicate.Model, error) {
	return s.predictions.Find(q.Owner, q.Name)
}

func (s *Server) listVersions(_ *endpoint.Call, q predictionModelRequest) (replicate.Page[replicate.Version], error) {
	m, err := s.predictions.Find(q.Owner, q.Name)
	if err != nil {
		return replicate.Page[replicate.Version]{}, err
	}
	return replicate.Page[replicate.Version]{Results: []replicate.Version{m.LatestVersion}}, nil
}

// versionRequest names a version.
type versionRequest struct {
	Owner   string `path:"owner" example:"atelier"`
	Name    string `path:"name" example:"z_image_turbo_bf16"`
	Version string `path:"version" example:"105aef51812f0fb39a96971869e7fe5ca079ffece4a75d4ee88fab0a17aa2b7f"`
}

func (s *Server) readVersion(_ *endpoint.Call, q versionRequest) (replicate.Version, error) {
	m, err := s.predictions.Find(q.Owner, q.Name)
	if err != nil {
		return replicate.Version{}, err
	}
	if m.LatestVersion.ID != q.Version {
		return replicate.Version{}, atelier.Missing("version", q.Version, "version")
	}
	return m.LatestVersion, nil
}

// fileRequest is the form of POST /replicate/v1/files.
type fileRequest struct {
	Filename string `wire:"filename,maxlen=1000" doc:"Its name; that of the part when omitted."`
	Type     string `wire:"type,maxlen=200" doc:"Not needed: the type is detected."`
	Metadata string `wire:"metadata,maxlen=10000" doc:"A JSON object, which the answer repeats. It is not stored."`
}

func (s *Server) createPredictionFile(c *endpoint.Call, q fileRequest, files []endpoint.FormFile) (replicate.File, error) {
	var content *endpoint.FormFile
	metadata := wire.Raw(q.Metadata)
	for i, f := range files {
		switch {
		case f.Field == "metadata":
			metadata = f.Data
		case f.Field != "content" || content != nil:
			return replicate.File{}, atelier.Refuse(f.Field, "is not a file that this endpoint takes: it takes one, content.")
		default:
			content = &files[i]
		}
	}
	if len(metadata) == 0 {
		metadata = wire.Raw("{}")
	}
	var object map[string]wire.Raw
	switch {
	case content == nil:
		return replicate.File{}, atelier.Refuse("content", "is required: send it as a file.")
	case len(metadata) > 10_000 || wire.Unmarshal(metadata, &object) != nil || object == nil:
		return replicate.File{}, atelier.Refuse("metadata", "must be a JSON object of at most 10000 bytes.")
	}
	saved, err := s.saveFile(c, q.Filename, *content)
	return s.predictions.NewFile(saved, metadata), err
}

func (s *Server) listPredictionFiles(c *endpoint.Call, _ endpoint.Empty) (replicate.Page[replicate.File], error) {
	list, err := savedFiles(s, c, func(a media.AssetRecord) replicate.File { return s.predictions.NewFile(a, wire.Raw("{}")) })
	return replicate.Page[replicate.File]{Results: list}, err
}

func (s *Server) readPredictionFile(c *endpoint.Call, q assetRequest) (replicate.File, error) {
	a, err := s.media.Asset(c, c.Caller.Wallet, q.ID)
	return s.predictions.NewFile(a, wire.Raw("{}")), err
}

func (s *Server) deletePredictionFile(c *endpoint.Call, q assetRequest) (endpoint.Empty, error) {
	return endpoint.Empty{}, s.media.DeleteAsset(c, c.Caller.Wallet, q.ID)
}

func (s *Server) webhookSecret(c *endpoint.Call, _ endpoint.Empty) (replicate.Secret, error) {
	key, err := s.webhooks.Secret(c, c.Caller.Wallet)
	return replicate.Secret{Key: key}, err
}
