package api

import (
	"cmp"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/endpoint"
)

func (s *Server) listMembers(c *endpoint.Call, _ endpoint.Empty) (apitype.Members, error) {
	team, err := s.accounts.Members(c, c.Caller.Wallet)
	if err != nil {
		return apitype.Members{}, err
	}
	budgets, err := s.billing.KeyBudgets(c, c.Caller.Wallet)
	reply := billing.NewMembers(team.Members, team.Invitations, budgets, c.Now)
	for i, m := range reply.Members {
		reply.Members[i].You = m.PersonID == c.Caller.Member().Person
	}
	if !c.Caller.Member().Role.Includes(atelier.RoleOwner) {
		reply.Invitations = []apitype.Invitation{}
	}
	return reply, err
}

func (q inviteRequest) member() (account.NewMember, error) {
	budget, err := q.Budget.MemberBudget()
	return account.NewMember{Email: q.Email, Name: q.Name, Role: q.Role, Budget: budget}, err
}

type inviteRequest struct{ apitype.NewMember }

func (s *Server) inviteMember(c *endpoint.Call, q inviteRequest) (apitype.InvitationReply, error) {
	if err := c.Caller.Limits.CheckLimitless("invite members"); err != nil {
		return apitype.InvitationReply{}, err
	}
	n, err := q.member()
	if err != nil {
		return apitype.InvitationReply{}, err
	}
	code, i, err := s.accounts.Invite(c, c.Caller.Wallet, c.Caller.Member().Person, n,
		s.accounts.Act(c.Caller, account.ActionInvite, "", account.DescribeMember(n.Role, cmp.Or(n.Email, n.Name))))
	if err != nil {
		return apitype.InvitationReply{}, err
	}
	return apitype.InvitationReply{Invitation: s.withLink(billing.NewInvitation(i, code, c.Now))}, nil
}

// withLink adds the link to a new invitation: the console accepts the code in the fragment of its address, which
// browsers send to no server.
func (s *Server) withLink(i apitype.Invitation) apitype.Invitation {
	i.Link = s.publicURL + "/#invitation=" + i.Code
	return i
}

type changeMemberRequest struct {
	ID string `path:"id" example:"8b0f5f0e-9c1d-4a51-8f0b-5d0d9a3cf6c1"`
	memberChange
}

type memberChange struct {
	Role     *atelier.Role         `wire:"role,enum=owner|editor|viewer" doc:"What the member may do from now on."`
	Budget   *apitype.NewKeyBudget `wire:"budget" doc:"How much work the member may ask for from now on."`
	NoBudget bool                  `wire:"noBudget" doc:"Remove the budget."`
}

func (q memberChange) change() (out account.MemberChange, err error) {
	switch {
	case q.Budget != nil && q.NoBudget:
		return out, atelier.Refuse("noBudget", "must not be sent together with budget.")
	case q.Role == nil && q.Budget == nil && !q.NoBudget:
		return out, atelier.Refuse("", "Send a role, or a budget.")
	}
	if out.Role = q.Role; q.Budget != nil || q.NoBudget {
		budget, err := q.Budget.MemberBudget()
		if err != nil {
			return out, err
		}
		out.Budget = &budget
	}
	return out, nil
}

func (s *Server) changeMember(c *endpoint.Call, q changeMemberRequest) (apitype.MemberReply, error) {
	change, err := q.change()
	if err == nil {
		err = c.Caller.Limits.CheckLimitless("change members")
	}
	if err == nil && atelier.PersonID(q.ID) == c.Caller.Member().Person {
		err = atelier.Errorf(atelier.CodeForbidden, "Another owner of the account changes your role and your budget.")
	}
	if err != nil {
		return apitype.MemberReply{}, err
	}
	m, err := s.accounts.ChangeMember(c, c.Caller.Wallet, atelier.PersonID(q.ID), change,
		s.accounts.Act(c.Caller, account.ActionChangeMember, q.ID, change.Describe()))
	if err != nil {
		return apitype.MemberReply{}, err
	}
	budgets, err := s.billing.KeyBudgets(c, c.Caller.Wallet)
	return apitype.MemberReply{Member: billing.NewMember(m, budgets, c.Now)}, err
}

type memberID struct {
	ID string `path:"id" example:"8b0f5f0e-9c1d-4a51-8f0b-5d0d9a3cf6c1"`
}

// removeMember ends a membership. Every member may leave; owners remove others.
func (s *Server) removeMember(c *endpoint.Call, q memberID) (apitype.RemovedMember, error) {
	self := c.Caller.Member()
	leaves := self.Person != "" && self.Person == atelier.PersonID(q.ID)
	if !leaves && !self.Role.Includes(atelier.RoleOwner) {
		return apitype.RemovedMember{}, atelier.Errorf(atelier.CodeForbidden, "Only owners of the account remove other members.")
	}
	if err := c.Caller.Limits.CheckWhole("remove members"); err != nil {
		return apitype.RemovedMember{}, err
	}
	_, keys, sessions, err := s.accounts.RemoveMember(c, c.Caller.Wallet, atelier.PersonID(q.ID), s.accounts.Act(c.Caller, account.ActionRemoveMember, q.ID, ""))
	if err != nil {
		return apitype.RemovedMember{}, err
	}
	if leaves && c.Caller.SessionHash != "" {
		c.RemoveCookie()
	}
	return newRemovedMember(atelier.PersonID(q.ID), keys, sessions), nil
}

func newRemovedMember(id atelier.PersonID, keys, sessions int) apitype.RemovedMember {
	return apitype.RemovedMember{PersonID: id, KeysRevoked: keys, EndedCredentials: apitype.EndedCredentials{SessionsEnded: sessions, TokensEnded: true}}
}

type invitationID struct {
	ID string `path:"id" example:"3c2e7a06-3f0d-4c1b-9d5e-7b8a6f1c2d34"`
}

func (s *Server) withdrawInvitation(c *endpoint.Call, q invitationID) (apitype.WithdrawnInvitation, error) {
	if err := c.Caller.Limits.CheckWhole("withdraw invitations"); err != nil {
		return apitype.WithdrawnInvitation{}, err
	}
	err := s.accounts.Withdraw(c, c.Caller.Wallet, q.ID, s.accounts.Act(c.Caller, account.ActionWithdraw, q.ID, ""))
	return apitype.WithdrawnInvitation{InvitationID: q.ID, Withdrawn: true}, err
}

type acceptRequest struct {
	Code string `wire:"code,required,minlen=1,maxlen=200" doc:"The code of the invitation: what follows #invitation= in its link."`
	Name string `wire:"name,maxlen=80" doc:"What you are called. Default: the name in the invitation."`
}

func (s *Server) acceptInvitation(c *endpoint.Call, q acceptRequest) (apitype.AcceptedInvitation, error) {
	var done account.Accepted
	err := c.Identify(func() (err error) {
		done, err = s.accounts.Accept(c, q.Code, q.Name)
		return err
	})
	if err != nil {
		return apitype.AcceptedInvitation{}, err
	}
	m := billing.NewMember(done.Member, nil, c.Now)
	m.You = true
	return apitype.AcceptedInvitation{WalletAddress: done.Account.Wallet, Username: done.Account.Username, Member: m, APIKey: done.Key}, nil
}

func (s *Server) listSessions(c *endpoint.Call, _ endpoint.Empty) (apitype.Sessions, error) {
	list, err := s.accounts.Sessions(c, c.Caller)
	reply := apitype.Sessions{Sessions: []apitype.Session{}}
	for _, open := range list {
		reply.Sessions = append(reply.Sessions, apitype.Session{
			SessionID: account.SessionID(open.TokenHash), KeyID: atelier.KeyID(open.KeyHash), KeyName: open.KeyName, PersonID: open.Limits.Member.Person,
			CreatedAt: open.CreatedAt, UsedAt: open.UsedAt, Current: open.TokenHash == c.Caller.SessionHash,
		})
	}
	return reply, err
}

type sessionID struct {
	ID string `path:"id" example:"5c8e21d7f6043f1c2a9e7b644d0e9a53"`
}

func (s *Server) endSession(c *endpoint.Call, q sessionID) (apitype.EndedSession, error) {
	if err := c.Caller.Limits.CheckWhole("end sessions of the account"); err != nil {
		return apitype.EndedSession{}, err
	}
	ended, err := s.accounts.EndSession(c, c.Caller, q.ID)
	if err == nil && ended.TokenHash == c.Caller.SessionHash {
		c.RemoveCookie()
	}
	return apitype.EndedSession{SessionID: q.ID, Ended: true}, err
}

// profileMember is with which membership a caller acts; nil for the account itself.
func (s *Server) profileMember(c *endpoint.Call) (*apitype.ProfileMember, error) {
	m := c.Caller.Member()
	if m.Person == "" {
		return nil, nil
	}
	p, err := s.accounts.Person(c, m.Person)
	if err != nil {
		return nil, err
	}
	out := &apitype.ProfileMember{PersonID: p.ID, Name: p.Called(), Role: m.Role}
	if p.Email != "" {
		out.Email = &p.Email
	}
	return out, nil
}
