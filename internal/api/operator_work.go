package api

import (
	"errors"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/telemetry"
)

type searchRequest struct {
	Q string `wire:"q,required,minlen=1,maxlen=128" doc:"A wallet or username or its beginning, the id of a job, workflow or chat run or its beginning, of 8 characters at least, or the hint of a key." example:"local"`
}

func (s *Server) operatorSearch(c *endpoint.Call, q searchRequest) (apitype.SearchResults, error) {
	return s.operator(c).Search(c, q.Q)
}

type workersRequest struct {
	Cursor string `wire:"cursor,maxlen=512" doc:"nextCursor of the page before."`
	Limit  int    `wire:"limit,min=1,max=200,default=200" doc:"How many to return at most."`
}

func (s *Server) operatorWorkers(c *endpoint.Call, q workersRequest) (apitype.OperatorWorkers, error) {
	return s.operator(c).Workers(c, apitype.Page{Cursor: q.Cursor, Limit: q.Limit})
}

type operatorWorkerRequest struct {
	ID atelier.WorkerID `path:"id"`
}

func (s *Server) operatorWorker(c *endpoint.Call, q operatorWorkerRequest) (apitype.OperatorWorkerDetailReply, error) {
	w, err := s.operator(c).Worker(c, q.ID)
	return apitype.OperatorWorkerDetailReply{Worker: w}, err
}

type workerHistoryRequest struct {
	ID atelier.WorkerID `path:"id"`
	operatorHistoryRequest
}

func (s *Server) workerHistory(c *endpoint.Call, q workerHistoryRequest) (apitype.WorkerHistoryReply, error) {
	h, err := s.operator(c).WorkerHistory(c, q.ID, q.Window)
	return apitype.WorkerHistoryReply{History: h}, err
}

type drainRequest struct {
	ID       atelier.WorkerID `path:"id"`
	Draining bool             `wire:"draining,required" doc:"True: it gets no more jobs and finishes those that it has. False: it gets jobs again."`
	reasoned
}

func (s *Server) drainWorker(c *endpoint.Call, q drainRequest) (apitype.OperatorWorkerReply, error) {
	w, err := s.operator(c).DrainWorker(c, q.ID, q.Draining, q.Reason)
	return apitype.OperatorWorkerReply{Worker: w}, err
}

type jobsRequest struct {
	State      atelier.JobState   `wire:"state,enum=queued|leased|completed|failed|cancelled" doc:"Only jobs in this state."`
	Code       string             `wire:"code,maxlen=64" doc:"Only jobs that ended with this error code."`
	ModelID    string             `wire:"modelId,maxlen=200" doc:"Only jobs of this model."`
	Wallet     string             `wire:"wallet,maxlen=64" doc:"Only jobs of this account, by its wallet or username."`
	WorkerID   atelier.WorkerID   `wire:"workerId,maxlen=64" doc:"Only jobs that this worker holds, or held last."`
	WorkflowID atelier.WorkflowID `wire:"workflowId,maxlen=64" doc:"Only jobs of this workflow."`
	FailedLike atelier.JobID      `wire:"failedLike,maxlen=64" doc:"Only jobs that failed with the same error and model as this job, as a group of failures has them."`
	Hours      int                `wire:"hours,min=1,max=720" doc:"Only jobs that ended in this many hours."`
	operatorPage
}

func (s *Server) operatorJobs(c *endpoint.Call, q jobsRequest) (apitype.OperatorJobs, error) {
	return s.operator(c).Jobs(c, apitype.JobQuery{
		State: q.State, Code: q.Code, ModelID: q.ModelID, Wallet: q.Wallet, WorkerID: q.WorkerID, WorkflowID: q.WorkflowID,
		FailedLike: q.FailedLike, Hours: q.Hours, Page: q.page(),
	})
}

type jobRequest struct {
	ID atelier.JobID `path:"id"`
}

func (s *Server) operatorJob(c *endpoint.Call, q jobRequest) (apitype.OperatorJobReply, error) {
	j, err := s.operator(c).Job(c, q.ID)
	return apitype.OperatorJobReply{Job: j}, err
}

type failuresRequest struct {
	Hours int `wire:"hours,min=1,max=720,default=24" doc:"Jobs that failed in this many hours."`
}

func (s *Server) operatorFailures(c *endpoint.Call, q failuresRequest) (apitype.Failures, error) {
	return s.operator(c).Failures(c, q.Hours)
}

func (s *Server) spotChecks(c *endpoint.Call, q operatorPage) (apitype.SpotChecks, error) {
	return s.operator(c).SpotChecks(c, q.page())
}

func (s *Server) unresolvedJobs(c *endpoint.Call, q operatorPage) (apitype.UnresolvedJobs, error) {
	return s.operator(c).Unresolved(c, q.page())
}

type resolveRequest struct {
	JobID atelier.JobID `path:"jobId"`
	reasoned
}

func (s *Server) resolveJob(c *endpoint.Call, q resolveRequest) (apitype.UnresolvedReply, error) {
	j, err := s.operator(c).Resolve(c, q.JobID, q.Reason)
	return apitype.UnresolvedReply{Job: j}, err
}

type operatorHistoryRequest struct {
	Window apitype.HistoryWindow `wire:"window,enum=hour|day|week,default=hour" doc:"How far back it goes: an hour by minutes, a day by quarters of an hour, or a week by hours."`
}

func (s *Server) operatorHistory(c *endpoint.Call, q operatorHistoryRequest) (apitype.HistoryReply, error) {
	h, err := s.operator(c).History(c, q.Window)
	return apitype.HistoryReply{History: h}, err
}

// operatorHealth adds what only this node knows to the state of the installation.
func (s *Server) operatorHealth(c *endpoint.Call, _ endpoint.Empty) (apitype.HealthReply, error) {
	h, err := s.operator(c).Health(c)
	h.Status, h.Version, h.StartedAt, h.UptimeSeconds = "ok", s.version, s.started.UTC(), int64(s.now().Sub(s.started).Seconds())
	h.MemoryBytes = telemetry.MemoryHeld()
	ready, unready := s.ready(c, endpoint.Empty{})
	h.Parts = ready.Parts
	var failing *atelier.Error
	if errors.As(unready, &failing) {
		h.Status = "failing"
		h.Parts, _ = failing.Details["parts"].(map[string]string)
	}
	return apitype.HealthReply{Health: h}, err
}
