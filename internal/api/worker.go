package api

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/fleet"
)

// workerSessionRequest is the body of POST /v1/worker/sessions.
type workerSessionRequest struct {
	Name       string          `wire:"name,required,minlen=1,maxlen=80" doc:"A display name."`
	Network    atelier.Network `wire:"network,required,enum=fast|relaxed" doc:"Which jobs it takes."`
	Models     []string        `wire:"models,required,minlen=1,maxlen=1000" doc:"The models it renders."`
	Capacity   int             `wire:"capacity,default=1,min=1,max=64" doc:"Jobs at once."`
	Fallback   bool            `wire:"fallback" doc:"Whether it is a fallback worker: it gets a job only while no other connected worker offers the job's model."`
	NFTTokenID string          `wire:"nftTokenId,maxlen=40" doc:"The id of the NFT that the worker's counters are recorded for, a positive integer. It belongs to the first account whose worker names it, until an operator moves it."`
	Version    string          `wire:"version,maxlen=80" doc:"Its version."`
	GPU        string          `wire:"gpu,maxlen=120" doc:"The GPU it renders with."`
}

type workerSessionReply struct {
	Worker workerSession `json:"worker"`
}

type workerSession struct {
	WorkerID         atelier.WorkerID `json:"workerId"`
	LeaseSeconds     float64          `json:"leaseSeconds"`
	HeartbeatSeconds float64          `json:"heartbeatSeconds"`
}

func (s *Server) connectWorker(c *endpoint.Call, q workerSessionRequest) (workerSessionReply, error) {
	if err := s.checkWorkerModels(q.Models); err != nil {
		return workerSessionReply{}, err
	}
	if _, err := optionalID("nftTokenId", q.NFTTokenID); err != nil {
		return workerSessionReply{}, err
	}
	w, err := s.fleet.Connect(c, c.Caller.Wallet, fleet.NewWorker{
		Name: q.Name, Network: q.Network, Models: q.Models, Capacity: q.Capacity, Fallback: q.Fallback, NFTTokenID: q.NFTTokenID, Version: q.Version, GPU: q.GPU,
	})
	return workerSessionReply{workerSession{w.ID, s.fleet.Lease().Seconds(), s.fleet.HeartbeatInterval().Seconds()}}, err
}

type claimRequest struct {
	WorkerID    atelier.WorkerID `path:"workerId"`
	WaitSeconds float64          `wire:"waitSeconds,min=0,max=30" doc:"How long to wait for a job."`
}

type claimReply struct {
	Job fleet.Assignment `json:"job"`
}

func (s *Server) claimJob(c *endpoint.Call, q claimRequest) (claimReply, error) {
	j, err := s.fleet.Claim(c, c.Caller.Wallet, q.WorkerID, time.Duration(q.WaitSeconds*float64(time.Second)))
	if err != nil {
		return claimReply{}, err
	}
	if j == nil {
		c.Status = http.StatusNoContent
		return claimReply{}, nil
	}
	return claimReply{*j}, nil
}

type heartbeatRequest struct {
	WorkerID atelier.WorkerID `path:"workerId"`
	Loaded   []string         `wire:"loadedModels,maxlen=1000" doc:"The models in its memory now."`
	Models   []string         `wire:"models,minlen=1,maxlen=1000" doc:"All models that it renders from now on, when they have changed."`

	Unavailable string `wire:"unavailable,truncate=300" doc:"Why it can render nothing for now. It gets no jobs until a heartbeat comes without this."`
}

func (s *Server) workerHeartbeat(c *endpoint.Call, q heartbeatRequest) (endpoint.Empty, error) {
	if err := s.checkWorkerModels(q.Models); err != nil {
		return endpoint.Empty{}, err
	}
	return endpoint.Empty{}, s.fleet.Heartbeat(c, c.Caller.Wallet, q.WorkerID, fleet.HeartbeatReport{Loaded: q.Loaded, Models: q.Models, Unavailable: q.Unavailable})
}

// checkWorkerModels refuses models that no worker can offer.
func (s *Server) checkWorkerModels(models []string) error {
	for i, id := range models {
		if _, known := s.catalog.Model(id); !known && !slices.Contains(s.catalog.WorkerTools(), id) {
			return atelier.Refuse(fmt.Sprintf("models[%d]", i), "is neither a model of the catalog nor a tool that needs none: %q.", id)
		}
	}
	return nil
}

type progressRequest struct {
	WorkerID atelier.WorkerID `path:"workerId"`
	JobID    atelier.JobID    `path:"jobId"`
	Progress float64          `wire:"progress,required,min=0,max=1" doc:"Progress of the render."`
	Message  string           `wire:"message,truncate=200" doc:"The current activity."`
	Receipt  string           `wire:"receipt,maxlen=4096" doc:"Reference to a render on another server, such as the id of a vendor's task. A worker that continues the job receives it."`
}

type progressReply struct {
	Cancel     bool      `json:"cancel"`
	LeaseUntil time.Time `json:"leaseUntil"`
}

func (s *Server) jobProgress(c *endpoint.Call, q progressRequest) (progressReply, error) {
	standing, err := s.fleet.Progress(c, c.Caller.Wallet, q.WorkerID, q.JobID, fleet.ProgressReport{Progress: q.Progress, Message: q.Message, ExternalRef: q.Receipt})
	return progressReply{standing.Cancel, standing.LeaseUntil}, err
}

type completeRequest struct {
	WorkerID  atelier.WorkerID `path:"workerId"`
	JobID     atelier.JobID    `path:"jobId"`
	Artifacts []madeArtifact   `wire:"artifacts,required,minlen=1,maxlen=64" doc:"The results: uploaded before, or included as data."`
	Metrics   renderMetrics    `wire:"metrics,mood=open"`
	ClaimNext bool             `wire:"claimNext" doc:"Whether to answer with the next job, if one is queued."`
}

type madeArtifact struct {
	ID              string         `wire:"id,required"`
	ContentType     string         `wire:"contentType,maxlen=100"`
	Width           int            `wire:"width,min=0,max=1000000" doc:"Used only where the file cannot be measured."`
	Height          int            `wire:"height,min=0,max=1000000" doc:"Used only where the file cannot be measured."`
	DurationSeconds float64        `wire:"durationSeconds,min=0,max=1000000" doc:"Used only where the file cannot be measured."`
	Seed            int64          `wire:"seed"`
	Metadata        map[string]any `wire:"metadata,maxbytes=4096" doc:"Further facts about the artifact, at most 4 KiB of JSON."`
	Data            *string        `wire:"data,maxlen=2097152" doc:"The file in base64, instead of an upload. For small files: the whole body is limited to 2 MiB."`
}

type renderMetrics struct {
	RenderSeconds      float64 `wire:"renderSeconds,min=0"`
	ModelSwitchSeconds float64 `wire:"modelSwitchSeconds,min=0"`
	PrimingSeconds     float64 `wire:"primingSeconds,min=0"`
}

// completeReply is the answer to a completion. Job is the next one, if it was requested
// and one is queued.
type completeReply struct {
	Job *fleet.Assignment `json:"job,omitzero"`
}

func (s *Server) completeJob(c *endpoint.Call, q completeRequest) (completeReply, error) {
	var made []fleet.ReportedArtifact
	for i, a := range q.Artifacts {
		data, err := a.content(i)
		if err != nil {
			return completeReply{}, err
		}
		made = append(made, fleet.ReportedArtifact{
			ID: a.ID, ContentType: a.ContentType, Width: a.Width, Height: a.Height,
			DurationSeconds: a.DurationSeconds, Seed: a.Seed, Metadata: a.Metadata, Data: data,
		})
	}
	err := s.fleet.Complete(c, c.Caller.Wallet, q.WorkerID, q.JobID, made,
		fleet.Metrics{Render: q.Metrics.RenderSeconds, ModelSwitch: q.Metrics.ModelSwitchSeconds, Priming: q.Metrics.PrimingSeconds})
	if err != nil || !q.ClaimNext {
		return completeReply{}, err
	}
	return s.nextJob(c, q.WorkerID), nil
}

// content is the file of an artifact that was sent as data; nil when there is none.
func (a madeArtifact) content(i int) ([]byte, error) {
	if a.Data == nil {
		return nil, nil
	}
	data, err := base64.StdEncoding.DecodeString(*a.Data)
	switch {
	case err != nil:
		return nil, atelier.Refuse(fmt.Sprintf("artifacts[%d].data", i), "is not base64.")
	case len(data) == 0:
		return nil, atelier.Refuse(fmt.Sprintf("artifacts[%d].data", i), "is empty.")
	}
	return data, nil
}

// nextJob is the next job of the worker. Its failure does not affect the completed one: a
// worker that gets none claims as usual.
func (s *Server) nextJob(c *endpoint.Call, workerID atelier.WorkerID) completeReply {
	j, err := s.fleet.Next(c, c.Caller.Wallet, workerID)
	if err != nil {
		s.log.Warn("claim next job failed", "worker", workerID, "error", err)
	}
	return completeReply{j}
}

type failRequest struct {
	WorkerID  atelier.WorkerID `path:"workerId"`
	JobID     atelier.JobID    `path:"jobId"`
	Code      string           `wire:"code,required,enum=error|lora_mismatch|content_filtered|out_of_memory|dropped|worker_unavailable|unknown" doc:"The reason. dropped: the job is retried once. worker_unavailable: the renderer is away; the job goes to another worker, and this one gets none until a heartbeat says that it is available. unknown: the outcome on another server is not known; the job is offered again with its receipt."`
	Message   string           `wire:"message,truncate=2000"`
	Retryable bool             `wire:"retryable"`
}

func (s *Server) failJob(c *endpoint.Call, q failRequest) (endpoint.Empty, error) {
	return endpoint.Empty{}, s.fleet.Fail(c, c.Caller.Wallet, q.WorkerID, q.JobID, atelier.JobError{Code: q.Code, Message: q.Message, Retryable: q.Retryable})
}

type workerRequest struct {
	WorkerID atelier.WorkerID `path:"workerId"`
}

func (s *Server) disconnectWorker(c *endpoint.Call, q workerRequest) (endpoint.Empty, error) {
	return endpoint.Empty{}, s.fleet.Disconnect(c, c.Caller.Wallet, q.WorkerID)
}

func (s *Server) showNetwork(c *endpoint.Call, _ endpoint.Empty) (fleet.Network, error) {
	return s.fleet.Network(c, c.Caller.Wallet)
}

// projectReply is GET /v2/projects/:id.
type projectReply struct {
	Project fleet.Project `json:"project"`
}

type projectRequest struct {
	ID atelier.ProjectID `path:"id"`
}

func (s *Server) readProject(c *endpoint.Call, q projectRequest) (projectReply, error) {
	p, err := s.fleet.Project(c, c.Caller.Wallet, q.ID)
	return projectReply{p}, err
}
