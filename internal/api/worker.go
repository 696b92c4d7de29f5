package api

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
)

type workerSessionRequest struct{ apitype.WorkerSpec }

func (s *Server) connectWorker(c *endpoint.Call, q workerSessionRequest) (apitype.WorkerSessionReply, error) {
	if err := s.checkWorkerModels(q.Models); err != nil {
		return apitype.WorkerSessionReply{}, err
	}
	if _, err := optionalID("nftTokenId", q.NFTTokenID); err != nil {
		return apitype.WorkerSessionReply{}, err
	}
	w, err := s.fleet.Connect(c, c.Caller.Wallet, q.WorkerSpec)
	return apitype.WorkerSessionReply{Worker: apitype.WorkerSession{
		WorkerID: w.ID, LeaseSeconds: s.fleet.Lease().Seconds(), HeartbeatSeconds: s.fleet.HeartbeatInterval().Seconds(),
	}}, err
}

type claimRequest struct {
	WorkerID atelier.WorkerID `path:"workerId"`
	apitype.JobClaim
}

func (s *Server) claimJob(c *endpoint.Call, q claimRequest) (apitype.ClaimedJob, error) {
	j, err := s.fleet.Claim(c, c.Caller.Wallet, q.WorkerID, time.Duration(q.WaitSeconds*float64(time.Second)))
	if err == nil && j == nil {
		c.Status = http.StatusNoContent
	}
	return apitype.ClaimedJob{Job: j}, err
}

type heartbeatRequest struct {
	WorkerID atelier.WorkerID `path:"workerId"`
	apitype.Heartbeat
}

func (s *Server) workerHeartbeat(c *endpoint.Call, q heartbeatRequest) (apitype.HeartbeatReply, error) {
	if err := s.checkWorkerModels(q.Models); err != nil {
		return apitype.HeartbeatReply{}, err
	}
	if err := s.fleet.Heartbeat(c, c.Caller.Wallet, q.WorkerID, q.Heartbeat); err != nil {
		return apitype.HeartbeatReply{}, err
	}
	return s.fleet.HeartbeatReply(c, c.Caller.Wallet, q.WorkerID)
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
	apitype.JobProgress
}

func (s *Server) jobProgress(c *endpoint.Call, q progressRequest) (apitype.ProgressReply, error) {
	at, err := s.fleet.Progress(c, c.Caller.Wallet, q.WorkerID, q.JobID, q.JobProgress)
	return apitype.ProgressReply{Cancel: at.Cancel, LeaseUntil: at.LeaseUntil, Alternatives: at.Alternatives}, err
}

type completeRequest struct {
	WorkerID atelier.WorkerID `path:"workerId"`
	JobID    atelier.JobID    `path:"jobId"`
	apitype.Completion
}

func (s *Server) completeJob(c *endpoint.Call, q completeRequest) (apitype.ClaimedJob, error) {
	next, err := s.fleet.Complete(c, c.Caller.Wallet, q.WorkerID, q.JobID, q.Completion)
	return apitype.ClaimedJob{Job: next}, err
}

type failRequest struct {
	WorkerID atelier.WorkerID `path:"workerId"`
	JobID    atelier.JobID    `path:"jobId"`
	apitype.JobFailure
}

func (s *Server) failJob(c *endpoint.Call, q failRequest) (endpoint.Empty, error) {
	return endpoint.Empty{}, s.fleet.Fail(c, c.Caller.Wallet, q.WorkerID, q.JobID, atelier.JobError(q.JobFailure))
}

type workerRequest struct {
	WorkerID atelier.WorkerID `path:"workerId"`
}

func (s *Server) disconnectWorker(c *endpoint.Call, q workerRequest) (endpoint.Empty, error) {
	return endpoint.Empty{}, s.fleet.Disconnect(c, c.Caller.Wallet, q.WorkerID)
}

func (s *Server) showNetwork(c *endpoint.Call, _ endpoint.Empty) (apitype.Network, error) {
	return s.fleet.Network(c, c.Caller.Wallet, c.Caller.Operator)
}

type projectRequest struct {
	ID atelier.ProjectID `path:"id"`
}

func (s *Server) readProject(c *endpoint.Call, q projectRequest) (apitype.ProjectReply, error) {
	p, err := s.fleet.Project(c, c.Caller.Wallet, q.ID)
	return apitype.ProjectReply{Project: p}, err
}
