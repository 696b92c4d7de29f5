package api

import (
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
)

func (s *Server) operatorClaims(c *endpoint.Call, q operatorPage) (apitype.Claims, error) {
	return s.operator(c).Claims(c, q.page())
}

type decideClaimRequest struct {
	ClaimID  string `path:"claimId"`
	Decision string `wire:"decision,required,enum=pay|refuse" doc:"pay books it; what is refused is never paid."`
	reasoned
}

func (s *Server) decideClaim(c *endpoint.Call, q decideClaimRequest) (apitype.ClaimReply, error) {
	claim, err := s.operator(c).DecideClaim(c, q.ClaimID, q.Decision == "pay", q.Reason)
	return apitype.ClaimReply{Claim: &claim}, err
}

type claimForRequest struct {
	Wallet  string `path:"wallet" example:"0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08"`
	Approve bool   `wire:"approve" doc:"Pay it although it is large or odd."`
	reasoned
}

func (s *Server) claimForAccount(c *endpoint.Call, q claimForRequest) (apitype.ClaimReply, error) {
	claim, err := s.operator(c).Claim(c, q.Wallet, q.Approve, q.Reason)
	return apitype.ClaimReply{Claim: claim}, err
}
