package api

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/workflow/snapshot"
)

type estimateReply struct {
	Estimate snapshot.Estimate `json:"estimate"`
}

func (s *Server) estimateWorkflow(c *endpoint.Call, q startRequest) (estimateReply, error) {
	var warnings []atelier.Issue
	start, err := s.start(c, q, &warnings)
	if err != nil {
		return estimateReply{}, err
	}
	estimate, err := s.workflows.Quote(c, c.Caller.Account, start)
	if q.Input == nil {
		err = template.Refused(err, warnings)
	}
	for _, w := range warnings {
		estimate.Warnings = append(estimate.Warnings, w.Message)
	}
	return estimateReply{estimate}, err
}
