package api

import (
	"io/fs"
	"net/http"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/wire"
)

// galleryReply is GET /v1/model-gallery.
type galleryReply struct {
	Samples          []catalog.Sample            `json:"samples"`
	SamplesByModelID map[string][]catalog.Sample `json:"samplesByModelId"`
}

type galleryRequest struct {
	ModelIDs wire.List `wire:"modelIds,maxlen=200" doc:"Only these models. When omitted, all models that have samples."`
}

func (s *Server) gallery(_ *endpoint.Call, q galleryRequest) (galleryReply, error) {
	wanted := map[string]bool{}
	for _, id := range q.ModelIDs {
		wanted[id] = true
	}
	out := galleryReply{SamplesByModelID: map[string][]catalog.Sample{}}
	for _, sample := range s.catalog.Samples() {
		if len(wanted) > 0 && !wanted[sample.ModelID] {
			continue
		}
		shown := s.located(sample)
		out.Samples = append(out.Samples, shown)
		out.SamplesByModelID[shown.ModelID] = append(out.SamplesByModelID[shown.ModelID], shown)
	}
	return out, nil
}

// modelGalleryReply is GET /v1/model-gallery/:modelId.
type modelGalleryReply struct {
	Samples []gallerySample `json:"samples"`
}

// gallerySample also has the origin of a sample.
type gallerySample struct {
	catalog.Sample
	Source    string  `json:"source"` // ugc or curated
	SharedBy  *string `json:"sharedBy"`
	MediaSlug *string `json:"mediaSlug"`
}

func (s *Server) modelGallery(_ *endpoint.Call, q catalogModelRequest) (modelGalleryReply, error) {
	out := modelGalleryReply{}
	for _, sample := range s.catalog.SamplesOf(q.ID) {
		out.Samples = append(out.Samples, gallerySample{Sample: s.located(sample), Source: "curated"})
	}
	return out, nil
}

// located adds the addresses of a sample's files.
func (s *Server) located(sample *catalog.Sample) catalog.Sample {
	out := *sample
	out.ImageURL = s.publicURL + "/gallery/" + sample.File
	if sample.VideoFile != "" {
		out.VideoURL = s.publicURL + "/gallery/" + sample.VideoFile
	}
	return out
}

// galleryFile serves a file of the gallery. It never changes under its name.
func (s *Server) galleryFile(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("file")
	if info, err := fs.Stat(s.catalog.Gallery(), name); err != nil || !info.Mode().IsRegular() {
		return atelier.Missing("file", name, "file of the gallery")
	}
	w.Header().Set("Cache-Control", "public, max-age=86400")
	w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'")
	http.ServeFileFS(w, r, s.catalog.Gallery(), name)
	return nil
}
