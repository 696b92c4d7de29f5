package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Member is a member of an account.
type Member struct {
	PersonID   atelier.PersonID     `json:"personId"`
	Name       string               `json:"name"`
	Email      *string              `json:"email"` // null where it is not known
	Role       atelier.Role         `json:"role"`
	Source     atelier.MemberSource `json:"source"`
	Since      time.Time            `json:"since"`
	SignedInAt *time.Time           `json:"signedInAt"` // with a provider; null for never
	AddedBy    *string              `json:"addedBy"`    // the name of a member; null for the account itself, an operator and a provider
	KeyID      string               `json:"keyId"`      // under which the ledger and the usage by key have what the member has spent
	Budget     *KeyBudget           `json:"budget"`     // of all work of the member; null without
	You        bool                 `json:"you"`        // the caller
}

// Invitation is an invitation to an account that was not accepted yet.
type Invitation struct {
	InvitationID string       `json:"invitationId"`
	Email        *string      `json:"email"` // null for the person who has the link
	Name         string       `json:"name"`
	Role         atelier.Role `json:"role"`
	Budget       *KeyBudget   `json:"budget"` // null without
	CreatedAt    time.Time    `json:"createdAt"`
	ExpiresAt    time.Time    `json:"expiresAt"`
	Code         string       `json:"code,omitzero"` // shown once, when it is made
	Link         string       `json:"link,omitzero"` // likewise: the console, with the code
}

// Members are the members of an account, and for owners its open invitations.
type Members struct {
	Members     []Member     `json:"members"`
	Invitations []Invitation `json:"invitations"`
}

// MemberReply is one member.
type MemberReply struct {
	Member Member `json:"member"`
}

// InvitationReply is one invitation.
type InvitationReply struct {
	Invitation Invitation `json:"invitation"`
}

// WithdrawnInvitation is an invitation that no person can accept any more.
type WithdrawnInvitation struct {
	InvitationID string `json:"invitationId"`
	Withdrawn    bool   `json:"withdrawn"`
}

// RemovedMember is a membership that has ended, and what has ended with it.
type RemovedMember struct {
	PersonID    atelier.PersonID `json:"personId"`
	KeysRevoked int              `json:"keysRevoked"`
	EndedCredentials
}

// AcceptedInvitation is a membership that has begun.
type AcceptedInvitation struct {
	WalletAddress atelier.Wallet `json:"walletAddress"`
	Username      string         `json:"username"`
	Member        Member         `json:"member"`
	APIKey        string         `json:"apiKey"` // shown once
}

// NewMember is a person to invite to an account.
type NewMember struct {
	Email  string        `json:"email,omitempty" wire:"email,maxlen=254" doc:"The person who signs in with this e-mail, verified by a provider, accepts the invitation; so does the person who has the link."`
	Name   string        `json:"name,omitempty" wire:"name,maxlen=80" doc:"What the person is called."`
	Role   atelier.Role  `json:"role,omitempty" wire:"role,enum=owner|editor|viewer,default=editor" doc:"What they may do."`
	Budget *NewKeyBudget `json:"budget,omitempty" wire:"budget" doc:"How much work they may ask for, with all their keys together."`
}

// MemberBudget reads a budget of a member; nil means none. The error names the field.
func (n *NewKeyBudget) MemberBudget() (atelier.KeyBudget, error) {
	if n == nil {
		return atelier.KeyBudget{}, nil
	}
	return n.budget("budget")
}

// Session is an open session of the console.
type Session struct {
	SessionID string           `json:"sessionId"`
	KeyID     string           `json:"keyId"` // that it acts with
	KeyName   string           `json:"keyName"`
	PersonID  atelier.PersonID `json:"personId,omitzero"` // the member whose session it is
	CreatedAt time.Time        `json:"createdAt"`
	UsedAt    time.Time        `json:"usedAt"` // up to a minute old
	Current   bool             `json:"current"`
}

// Sessions are the open sessions of the console, the one that was used last first.
type Sessions struct {
	Sessions []Session `json:"sessions"`
}

// EndedSession is a session that was ended.
type EndedSession struct {
	SessionID string `json:"sessionId"`
	Ended     bool   `json:"ended"`
}

// ProfileMember is with which membership a credential acts.
type ProfileMember struct {
	PersonID atelier.PersonID `json:"personId"`
	Name     string           `json:"name"`
	Email    *string          `json:"email"`
	Role     atelier.Role     `json:"role"`
}

// InviteMember asks for an invitation to an account.
type InviteMember struct {
	NewMember
	Reason string `json:"reason,omitempty" wire:"reason,maxlen=500" doc:"Why, for the list of actions."`
}

// ChangeMember changes a member of an account. What is left out stays as it is.
type ChangeMember struct {
	Role     *atelier.Role `json:"role,omitempty" wire:"role,enum=owner|editor|viewer" doc:"What the member may do from now on."`
	Budget   *NewKeyBudget `json:"budget,omitempty" wire:"budget" doc:"How much work the member may ask for from now on."`
	NoBudget bool          `json:"noBudget,omitzero" wire:"noBudget" doc:"Remove the budget."`
	Reason   string        `json:"reason,omitempty" wire:"reason,maxlen=500" doc:"Why, for the list of actions."`
}
