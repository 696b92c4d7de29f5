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
