package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Profile identifies an account. Existing clients read the fields about mail and Discord;
// this service sets neither.
type Profile struct {
	WalletAddress         atelier.Wallet `json:"walletAddress"`
	Username              string         `json:"username"`
	EmailVerified         bool           `json:"emailVerified"`
	CurrentEmail          *string        `json:"currentEmail"`
	RequestedUpdatedEmail *string        `json:"requestedUpdatedEmail"`
	DiscordLinked         bool           `json:"discordLinked"`
	Discord2FA            bool           `json:"discord2FA"`
	DiscordServerMember   bool           `json:"discordServerMember"`
	DiscordUsername       *string        `json:"discordUsername"`

	Member *ProfileMember `json:"member,omitzero"` // only for the keys and sessions of a member
}

// SubscriptionReply is GET /v1/subscriptions/status.
type SubscriptionReply struct {
	Subscription Subscription `json:"subscription"`
}

// Subscription is the current plan. Without a plan it has only the first two
// fields.
type Subscription struct {
	Active              bool                       `json:"active"`
	Status              atelier.SubscriptionStatus `json:"status"`
	Tier                atelier.PlanTier           `json:"tier,omitzero"`
	Term                string                     `json:"term,omitzero"`
	Provider            string                     `json:"provider,omitzero"`
	CurrentPeriodStart  *time.Time                 `json:"currentPeriodStart,omitzero"`
	CurrentPeriodEnd    *time.Time                 `json:"currentPeriodEnd,omitzero"`
	CancelAtPeriodEnd   *bool                      `json:"cancelAtPeriodEnd,omitzero"`
	Capabilities        map[string]bool            `json:"capabilities,omitzero"`
	PaymentPending      *bool                      `json:"paymentPending,omitzero"`
	FrontierDiscountBps int                        `json:"frontierDiscountBps,omitzero"`
	FairUse             *FairUse                   `json:"fairUse,omitzero"` // only while fair use is limited
}

// APIKey is an API key. The key itself is shown once, when it is created.
type APIKey struct {
	KeyID      string     `json:"keyId"`
	Name       string     `json:"name"`
	Hint       string     `json:"hint"` // its first characters
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"` // up to a minute old
	LastUsedBy *string    `json:"lastUsedBy"` // the application, of those that named themselves, or the worker
	Current    bool       `json:"current"`    // this request acts with it
	Limits     *KeyLimits `json:"limits"`     // null without
	APIKey     string     `json:"apiKey,omitzero"`
}

// APIKeys are the valid API keys of an account.
type APIKeys struct {
	Keys            []APIKey `json:"keys"`
	ConsoleSessions int      `json:"consoleSessions"` // that are open
}

// APIKeyReply is one API key.
type APIKeyReply struct {
	Key APIKey `json:"key"`
}

// EndedCredentials says which credentials have ended. Session tokens are not stored, so it is
// not known how many there were.
type EndedCredentials struct {
	SessionsEnded int  `json:"sessionsEnded"` // console sessions
	TokensEnded   bool `json:"tokensEnded"`   // session tokens: all of them, or all that the key made
}

// RevokedAPIKey is a key that was revoked, and what has ended with it.
type RevokedAPIKey struct {
	Key APIKey `json:"key"`
	EndedCredentials
}

// KeyLimits are what an API key is limited to. What is absent is not limited.
type KeyLimits struct {
	ExpiresAt         *time.Time         `json:"expiresAt,omitzero"`
	Groups            []atelier.KeyGroup `json:"groups,omitzero" doc:"The groups of endpoints that it may use."`
	ReadOnly          bool               `json:"readOnly,omitzero" doc:"It may only use endpoints that change nothing."`
	Addresses         []string           `json:"addresses,omitzero" doc:"The networks of its clients."`
	RequestsPerMinute int                `json:"requestsPerMinute,omitzero"`
	Models            []string           `json:"models,omitzero"`
	Tools             []string           `json:"tools,omitzero"`
	Budget            *KeyBudget         `json:"budget,omitzero"`
}

// KeyBudget is how much work an API key may ask for, by its value, and how much of it is used. Work that a plan covers
// counts too, and work under way as it is estimated.
type KeyBudget struct {
	Unit  atelier.BudgetUnit `json:"unit" doc:"spark or usd."`
	Day   *BudgetPart        `json:"day,omitzero" doc:"Of the UTC day."`
	Month *BudgetPart        `json:"month,omitzero" doc:"Of the UTC month."`
	Total *BudgetPart        `json:"total,omitzero" doc:"In all."`
}

// BudgetPart is one limit of a budget.
type BudgetPart struct {
	Limit    atelier.Money `json:"limit"`
	Used     atelier.Money `json:"used"`
	ResetsAt *time.Time    `json:"resetsAt,omitzero"`
}
