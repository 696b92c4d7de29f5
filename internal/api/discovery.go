package api

import (
	"fmt"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/endpoint"
)

// How old the public reads may be.
const (
	catalogAge  = 30 * time.Second
	demandAge   = 15 * time.Second
	releasesAge = 5 * time.Minute
)

// catalogEntry is a generation model and the workers that serve it now.
type catalogEntry struct {
	catalog.Entry
	AvailableNetworks []atelier.Network       `json:"availableNetworks"`
	WorkerCounts      map[atelier.Network]int `json:"workerCounts"`
	ServedBy          atelier.Server          `json:"servedBy,omitzero"` // in any network; preview: only fallback workers, expected: as preview, and jobs wait for a worker that was there a moment ago. Absent while unknown
}

// catalogReply is GET /v1/model-catalog.
type catalogReply struct {
	CatalogVersion string         `json:"catalogVersion"`
	UpdatedAt      string         `json:"updatedAt"`
	Count          int            `json:"count"`
	Models         []catalogEntry `json:"models"`
}

type catalogRequest struct {
	MediaType string          `wire:"mediaType,enum=image|video|audio|text|model" doc:"Only models that make this."`
	Network   atelier.Network `wire:"network,enum=fast|relaxed" doc:"Only models with a connected worker in this network."`
	Include   string          `wire:"include,enum=parameters" doc:"Add the parameter metadata of each model, and what it needs on a GPU."`
}

func (s *Server) modelCatalog(c *endpoint.Call, q catalogRequest) (catalogReply, error) {
	demand, err := s.demand(c)
	if err != nil && q.Network != "" {
		return catalogReply{}, err
	}
	out := catalogReply{CatalogVersion: s.catalog.Version(), UpdatedAt: s.catalog.UpdatedAt()}
	for _, m := range s.catalog.Models() {
		entry := serving(m.Entry, demand)
		if q.MediaType != "" && m.MediaType != q.MediaType {
			continue
		}
		if q.Network != "" && !slices.Contains(entry.AvailableNetworks, q.Network) {
			continue
		}
		if q.Include == "" {
			entry.Parameters, entry.Weights = nil, nil
		}
		out.Models = append(out.Models, entry)
	}
	out.Count = len(out.Models)
	return out, nil
}

// serving adds the networks that have a worker for a model.
func serving(e catalog.Entry, d atelier.Demand) catalogEntry {
	out := catalogEntry{Entry: e, WorkerCounts: map[atelier.Network]int{}}
	for _, network := range d.Networks {
		if n := d.Models[e.ID][network].WorkersReady; n > 0 {
			out.AvailableNetworks = append(out.AvailableNetworks, network)
			out.WorkerCounts[network] = n
		}
	}
	if len(d.Networks) > 0 {
		out.ServedBy = d.ServedBy(e.ID, d.Networks...)
	}
	return out
}

// catalogModelReply is GET /v1/model-catalog/:modelId.
type catalogModelReply struct {
	Model catalogEntry `json:"model"`
}

type catalogModelRequest struct {
	ID string `path:"modelId" example:"z_image_turbo_bf16"`
}

func (s *Server) catalogModel(c *endpoint.Call, q catalogModelRequest) (catalogModelReply, error) {
	m, ok := s.catalog.Model(q.ID)
	if !ok {
		missing := atelier.Missing("modelId", q.ID, "model in the catalog")
		missing.Message += " GET /v1/model-catalog lists the models."
		return catalogModelReply{}, missing
	}
	demand, _ := s.demand(c) // without it the entry names no networks
	return catalogModelReply{serving(m.Entry, demand)}, nil
}

// toolsReply is GET /v1/tools.
type toolsReply struct {
	Count int                 `json:"count"`
	Tools []catalog.ToolEntry `json:"tools"`
}

type toolsRequest struct {
	Runs string `wire:"runs,enum=worker|service|session|sync" doc:"The tools that run in one way; sync lists those of POST /v1/creative-agent/tools/execute, the others are for the steps of workflows."`
}

func (s *Server) tools(_ *endpoint.Call, q toolsRequest) (toolsReply, error) {
	tools := s.catalog.ToolEntries(q.Runs)
	return toolsReply{Count: len(tools), Tools: tools}, nil
}

// toolReply is GET /v1/tools/:name.
type toolReply struct {
	Tool catalog.ToolEntry `json:"tool"`
}

type toolRequest struct {
	Name string `path:"name" example:"generate_image"`
}

func (s *Server) tool(_ *endpoint.Call, q toolRequest) (toolReply, error) {
	t, ok := s.catalog.Tool(q.Name)
	if !ok {
		every := s.catalog.Names(func(*catalog.Tool) bool { return true })
		missing := atelier.Missing("name", q.Name, "tool")
		missing.Message = fmt.Sprintf("There is no tool of the name %q%s. GET /v1/tools lists the tools.", atelier.Excerpt(q.Name), atelier.DidYouMean(q.Name, every))
		return toolReply{}, missing
	}
	return toolReply{s.catalog.ToolEntry(t)}, nil
}

// demandReply is GET /v1/model-demand.
type demandReply struct {
	UpdatedAt time.Time         `json:"updatedAt"`
	Networks  []atelier.Network `json:"networks"`
	Count     int               `json:"count"`
	Models    []demandEntry     `json:"models"`
}

// demandEntry are the counters of one model in each reachable network.
type demandEntry struct {
	ID        string                                  `json:"id"`
	SID       int                                     `json:"sid"`
	Name      string                                  `json:"name"`
	MediaType string                                  `json:"mediaType"`
	ServedBy  atelier.Server                          `json:"servedBy"` // in any of the networks asked for
	Networks  map[atelier.Network]atelier.ModelDemand `json:"networks"`
}

type demandRequest struct {
	Network atelier.Network `wire:"network,enum=fast|relaxed" doc:"One network; both when omitted."`
}

func (s *Server) modelDemand(c *endpoint.Call, q demandRequest) (demandReply, error) {
	demand, err := s.demand(c)
	if err != nil {
		return demandReply{}, err
	}
	out := demandReply{UpdatedAt: demand.At}
	for _, network := range demand.Networks {
		if q.Network == "" || q.Network == network {
			out.Networks = append(out.Networks, network)
		}
	}
	if len(out.Networks) == 0 {
		return demandReply{}, atelier.Errorf(atelier.CodeUnavailable, "The demand of this network is not available now.")
	}
	for _, m := range s.catalog.Models() {
		entry := demandEntry{ID: m.ID, SID: m.SID, Name: m.Name, MediaType: m.MediaType, ServedBy: demand.ServedBy(m.ID, out.Networks...), Networks: map[atelier.Network]atelier.ModelDemand{}}
		for _, network := range out.Networks {
			if counters, ok := demand.Models[m.ID][network]; ok {
				entry.Networks[network] = counters
			}
		}
		if len(entry.Networks) > 0 {
			out.Models = append(out.Models, entry)
		}
	}
	out.Count = len(out.Models)
	return out, nil
}

// releasesReply is GET /v1/worker/releases.
type releasesReply struct {
	Releases map[string]*catalog.Release `json:"releases"`
}

func (s *Server) workerReleases(*endpoint.Call, endpoint.Empty) (releasesReply, error) {
	out := releasesReply{map[string]*catalog.Release{}}
	for _, r := range s.catalog.Releases() {
		out.Releases[r.Channel] = r
	}
	if len(out.Releases) == 0 {
		return out, atelier.Errorf(atelier.CodeUnavailable, "No worker release is known now.")
	}
	return out, nil
}

type workerImageRequest struct {
	CUDA string `wire:"cuda,enum=13" doc:"The CUDA 13 image. When omitted, the legacy CUDA 12 image."`
}

// workerImage answers with one image, as plain text.
func (s *Server) workerImage(name string) endpoint.Handler {
	return endpoint.Text(func(_ *endpoint.Call, q workerImageRequest) (string, error) {
		image, ok := s.catalog.WorkerImage(name, q.CUDA)
		if !ok {
			return "", atelier.Errorf(atelier.CodeUnavailable, "No %s image is known now.", name)
		}
		return image.String(), nil
	})
}
