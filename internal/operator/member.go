package operator

import (
	"context"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
)

// Members lists the members of an account and its open invitations.
func (o Operator) Members(ctx context.Context, name string) (apitype.Members, error) {
	a, err := o.accounts.Find(ctx, name)
	if err != nil {
		return apitype.Members{}, err
	}
	team, err := o.accounts.Members(ctx, a.Wallet)
	if err != nil {
		return apitype.Members{}, err
	}
	budgets, err := o.billing.KeyBudgets(ctx, a.Wallet)
	return billing.NewMembers(team.Members, team.Invitations, budgets, o.opts.Now()), err
}

// InviteMember invites a person to an account. The answer has the code, and is the only one that has it.
func (o Operator) InviteMember(ctx context.Context, name string, n apitype.InviteMember) (apitype.Invitation, error) {
	if err := checkReason("reason", n.Reason); err != nil {
		return apitype.Invitation{}, err
	}
	if err := o.limits.CheckLimitless("invite members"); err != nil {
		return apitype.Invitation{}, err
	}
	budget, err := n.Budget.MemberBudget()
	if err != nil {
		return apitype.Invitation{}, err
	}
	a, err := o.accounts.Find(ctx, name)
	if err != nil {
		return apitype.Invitation{}, err
	}
	who := n.Email
	if who == "" {
		who = n.Name
	}
	code, i, err := o.accounts.Invite(ctx, a.Wallet, "", account.NewMember{Email: n.Email, Name: n.Name, Role: n.Role, Budget: budget},
		o.record(store.Action{Action: account.ActionInvite, Wallet: a.Wallet, Target: who, Detail: string(n.Role), Reason: n.Reason}))
	return billing.NewInvitation(i, code, o.opts.Now()), err
}

// ChangeMember changes the role or the budget of a member of an account.
func (o Operator) ChangeMember(ctx context.Context, name string, person atelier.PersonID, q apitype.ChangeMember) (apitype.Member, error) {
	if err := checkReason("reason", q.Reason); err != nil {
		return apitype.Member{}, err
	}
	if err := o.limits.CheckLimitless("change members"); err != nil {
		return apitype.Member{}, err
	}
	change := account.MemberChange{Role: q.Role}
	if q.Budget != nil || q.NoBudget {
		budget, err := q.Budget.MemberBudget()
		if err != nil {
			return apitype.Member{}, err
		}
		change.Budget = &budget
	}
	switch {
	case q.Budget != nil && q.NoBudget:
		return apitype.Member{}, atelier.Refuse("noBudget", "must not be sent together with budget.")
	case change == (account.MemberChange{}):
		return apitype.Member{}, atelier.Refuse("role", "or a budget is required.")
	}
	a, err := o.accounts.Find(ctx, name)
	if err != nil {
		return apitype.Member{}, err
	}
	m, err := o.accounts.ChangeMember(ctx, a.Wallet, person, change,
		o.record(store.Action{Action: account.ActionChangeMember, Wallet: a.Wallet, Target: string(person), Detail: change.Describe(), Reason: q.Reason}))
	if err != nil {
		return apitype.Member{}, err
	}
	budgets, err := o.billing.KeyBudgets(ctx, a.Wallet)
	return billing.NewMember(m, budgets, o.opts.Now()), err
}

// RemoveMember ends a membership, or withdraws an invitation: what has the id.
func (o Operator) RemoveMember(ctx context.Context, name string, person atelier.PersonID, reason string) (apitype.RemovedMember, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.RemovedMember{}, err
	}
	a, err := o.accounts.Find(ctx, name)
	if err != nil {
		return apitype.RemovedMember{}, err
	}
	also := o.record(store.Action{Action: account.ActionRemoveMember, Wallet: a.Wallet, Target: string(person), Reason: reason})
	_, keys, sessions, err := o.accounts.RemoveMember(ctx, a.Wallet, person, also)
	out := apitype.RemovedMember{PersonID: person, KeysRevoked: keys, EndedCredentials: apitype.EndedCredentials{SessionsEnded: sessions, TokensEnded: true}}
	if !atelier.HasCode(err, atelier.CodeNotFound) {
		return out, err
	}
	if withdrawn := o.accounts.Withdraw(ctx, a.Wallet, string(person), also); withdrawn == nil || !atelier.HasCode(withdrawn, atelier.CodeNotFound) {
		err = withdrawn
	}
	return out, err
}
