package api

import (
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/workflow/snapshot"
)

type estimateReply struct {
	Estimate snapshot.Estimate `json:"estimate"`
}

func (s *Server) estimateWorkflow(c *endpoint.Call, q startRequest) (estimateReply, error) {
	start, err := q.start()
	if err != nil {
		return estimateReply{}, err
	}
	estimate, err := s.workflows.Quote(c, c.Caller.Account, start)
	return estimateReply{estimate}, err
}
