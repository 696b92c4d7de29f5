package atelier

import (
	"slices"
	"time"
)

// Role is what a member of an account may do.
type Role string

// The roles. Each may do what those after it may.
const (
	RoleOwner  Role = "owner"  // everything
	RoleEditor Role = "editor" // everything but members, keys of others, settings of the account and what operators do
	RoleViewer Role = "viewer" // what changes nothing, and keys of their own that change nothing
)

// Roles lists the roles, the one that may do most first.
var Roles = []Role{RoleOwner, RoleEditor, RoleViewer}

// Values lists the roles.
func (Role) Values() (list []string) {
	for _, r := range Roles {
		list = append(list, string(r))
	}
	return list
}

// Includes reports whether the role may do what another one may. No role is that of the account itself.
func (r Role) Includes(least Role) bool {
	if r == "" || least == "" {
		return r == "" || r == RoleOwner
	}
	have := slices.Index(Roles, r)
	return have >= 0 && have <= slices.Index(Roles, least)
}

// PersonID identifies a person.
type PersonID string

// Person is a person who is a member of accounts.
type Person struct {
	ID         PersonID
	Email      string // verified by a provider, or as the invitation had it; empty where it is not known
	Name       string
	CreatedAt  time.Time
	SignedInAt time.Time // with a provider; zero for never
}

// Called is what the person is called in lists.
func (p Person) Called() string {
	if p.Name != "" {
		return p.Name
	}
	if p.Email != "" {
		return p.Email
	}
	return string(p.ID)
}

// Membership is what a key has from the member whose key it is. It is read with the key.
type Membership struct {
	Person PersonID
	Role   Role
	KeyID  string // of the key of the membership itself, on whose budget all work of the member counts

	Budgeted bool // it has a budget, which only that key has in its limits
}

// MemberSource is what has made a person a member.
type MemberSource string

// The sources.
const (
	MemberByInvitation MemberSource = "invitation"
	MemberByGroup      MemberSource = "group" // of an OpenID provider, which also takes the role
)

// Values lists the sources.
func (MemberSource) Values() []string {
	return []string{string(MemberByInvitation), string(MemberByGroup)}
}

// IsMembership reports whether a key is that of a membership itself, which is never shown.
func (k APIKey) IsMembership() bool { return k.ID != "" && k.Limits.Member.KeyID == k.ID }

// PaysAs is the id of the key on whose budget the work of a caller counts, and that records of it name: the key of the
// membership for a member, whichever key they use.
func (c Caller) PaysAs() string {
	if c.Limits != nil && c.Limits.Member.KeyID != "" {
		return c.Limits.Member.KeyID
	}
	return c.KeyID
}

// Member is the membership with which a caller acts; zero for the account itself.
func (c Caller) Member() Membership {
	if c.Limits == nil {
		return Membership{}
	}
	return c.Limits.Member
}
