package api

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
)

func (s *Server) accountMembers(c *endpoint.Call, q accountRequest) (apitype.Members, error) {
	return s.operator(c).Members(c, q.Wallet)
}

type inviteAccountMemberRequest struct {
	Wallet string `path:"wallet" example:"0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08"`
	apitype.InviteMember
}

func (s *Server) inviteAccountMember(c *endpoint.Call, q inviteAccountMemberRequest) (apitype.InvitationReply, error) {
	i, err := s.operator(c).InviteMember(c, q.Wallet, q.InviteMember)
	if err != nil {
		return apitype.InvitationReply{}, err
	}
	return apitype.InvitationReply{Invitation: s.withLink(i)}, nil
}

type changeAccountMemberRequest struct {
	Wallet string `path:"wallet" example:"0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08"`
	ID     string `path:"id" example:"8b0f5f0e-9c1d-4a51-8f0b-5d0d9a3cf6c1"`
	apitype.ChangeMember
}

func (s *Server) changeAccountMember(c *endpoint.Call, q changeAccountMemberRequest) (apitype.MemberReply, error) {
	m, err := s.operator(c).ChangeMember(c, q.Wallet, atelier.PersonID(q.ID), q.ChangeMember)
	return apitype.MemberReply{Member: m}, err
}

type removeAccountMemberRequest struct {
	Wallet string `path:"wallet" example:"0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08"`
	ID     string `path:"id" example:"8b0f5f0e-9c1d-4a51-8f0b-5d0d9a3cf6c1"`
	reasoned
}

func (s *Server) removeAccountMember(c *endpoint.Call, q removeAccountMemberRequest) (apitype.RemovedMember, error) {
	return s.operator(c).RemoveMember(c, q.Wallet, atelier.PersonID(q.ID), q.Reason)
}
