package billing

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// NewMembers shows the members of an account with what is used of their budgets, and its invitations.
func NewMembers(members []store.Member, invitations []store.Invitation, budgets map[string]KeyBudget, now time.Time) apitype.Members {
	out := apitype.Members{Members: []apitype.Member{}, Invitations: []apitype.Invitation{}}
	names := map[atelier.PersonID]string{}
	for _, m := range members {
		names[m.Person.ID] = m.Person.Called()
	}
	for _, m := range members {
		shown := NewMember(m, budgets, now)
		if name, known := names[m.By]; known {
			shown.AddedBy = &name
		}
		out.Members = append(out.Members, shown)
	}
	for _, i := range invitations {
		out.Invitations = append(out.Invitations, NewInvitation(i, "", now))
	}
	return out
}

// NewMember shows a member, with what is used of the budget.
func NewMember(m store.Member, budgets map[string]KeyBudget, now time.Time) apitype.Member {
	key := atelier.KeyID(m.KeyHash)
	out := apitype.Member{
		PersonID: m.Person.ID, Name: m.Person.Called(), Email: optionalText(m.Person.Email), Role: m.Role, Source: m.Source, Since: m.Since,
		KeyID: key, Budget: NewKeyBudget(m.Budget, budgets[key], now),
	}
	if !m.Person.SignedInAt.IsZero() {
		out.SignedInAt = &m.Person.SignedInAt
	}
	return out
}

// NewInvitation shows an invitation, with its code when it was just made.
func NewInvitation(i store.Invitation, code string, now time.Time) apitype.Invitation {
	return apitype.Invitation{
		InvitationID: i.ID, Email: optionalText(i.Email), Name: i.Name, Role: i.Role, Budget: NewKeyBudget(i.Budget, KeyBudget{}, now),
		CreatedAt: i.CreatedAt, ExpiresAt: i.ExpiresAt, Code: code,
	}
}

func optionalText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
