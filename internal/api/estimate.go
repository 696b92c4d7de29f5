package api

import (
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
)

func (s *Server) estimateWorkflow(c *endpoint.Call, q startRequest) (apitype.EstimateReply, error) {
	start, err := q.start()
	if err != nil {
		return apitype.EstimateReply{}, err
	}
	estimate, err := s.workflows.Quote(c, c.Caller.Account, start.By(c.Caller))
	return apitype.EstimateReply{Estimate: estimate}, err
}
