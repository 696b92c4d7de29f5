package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Page selects a part of a list.
type Page struct {
	Cursor string // where an earlier answer ended; empty for the beginning
	Limit  int    // 0 for the service's default
}

// Account is an account as operators see it.
type Account struct {
	WalletAddress atelier.Wallet             `json:"walletAddress"`
	Username      string                     `json:"username"`
	Worker        bool                       `json:"worker"`
	Unfiltered    bool                       `json:"unfiltered"`
	Operator      bool                       `json:"operator"`
	Suspended     bool                       `json:"suspended"`
	SuspendedAt   *time.Time                 `json:"suspendedAt"`
	Spark         atelier.Money              `json:"spark"`        // available, Premium Spark included
	PremiumSpark  atelier.Money              `json:"premiumSpark"` // available
	Svc           atelier.Money              `json:"svc"`          // available
	Plan          PlanName                   `json:"plan"`
	PlanStatus    atelier.SubscriptionStatus `json:"planStatus"`
	PlanActive    bool                       `json:"planActive"`
	PeriodEnd     *time.Time                 `json:"periodEnd"`
	CreatedAt     time.Time                  `json:"createdAt"`
	NFTTokenIDs   []string                   `json:"nftTokenIds"` // those that its workers may name, and no others
}

// AddedNFT is an account that an NFT was added to, and whose it was before.
type AddedNFT struct {
	Account   Account         `json:"account"`
	MovedFrom *atelier.Wallet `json:"movedFrom"` // null: it was the account's, or no account's
}

// PlanName is the name of a plan.
type PlanName string

// NoPlan is the name of having no plan.
const NoPlan PlanName = "none"

// Values lists the plans for the OpenAPI document.
func (PlanName) Values() []string {
	return []string{string(NoPlan), string(atelier.TierUnlimited), string(atelier.TierUnlimitedPro)}
}

// NewPlanName is the name of a tier.
func NewPlanName(t atelier.PlanTier) PlanName {
	if t == atelier.TierNone {
		return NoPlan
	}
	return PlanName(t)
}

// Tier is the tier that a name stands for.
func (p PlanName) Tier() atelier.PlanTier {
	if p == NoPlan {
		return atelier.TierNone
	}
	return atelier.PlanTier(p)
}

// AccountQuery selects accounts.
type AccountQuery struct {
	Q string // what the wallet or the username begins with; empty for all
	Page
}

// Accounts is a part of the list of accounts, newest first.
type Accounts struct {
	Accounts   []Account `json:"accounts"`
	NextCursor *string   `json:"nextCursor"`
}

// AccountMonth is what an account has used in a month.
type AccountMonth struct {
	Since     time.Time     `json:"since"`     // when the month began, in UTC
	Jobs      int64         `json:"jobs"`      // pieces of work: renders, rounds of a language model, tools
	Spark     atelier.Money `json:"spark"`     // spent, Premium Spark included
	Svc       atelier.Money `json:"svc"`       // spent
	PlanJobs  int64         `json:"planJobs"`  // of the jobs: those that its plan covered
	PlanSpark atelier.Money `json:"planSpark"` // what those would have cost
}

// AccountDetail is one account, and what it has used this month.
type AccountDetail struct {
	Account Account      `json:"account"`
	Month   AccountMonth `json:"month"`
}

// AccountReply is one account.
type AccountReply struct {
	Account Account `json:"account"`
}

// NewAccount is an account to create. Empty names are generated.
type NewAccount struct {
	WalletAddress string        `json:"walletAddress,omitempty"`
	Username      string        `json:"username,omitempty"`
	Worker        bool          `json:"worker,omitempty"`
	Unfiltered    bool          `json:"unfiltered,omitempty"`
	Operator      bool          `json:"operator,omitempty"`
	Plan          PlanName      `json:"plan,omitempty"`
	Spark         atelier.Money `json:"spark"`
	PremiumSpark  atelier.Money `json:"premiumSpark"`
	Svc           atelier.Money `json:"svc"`
	Reason        string        `json:"reason,omitempty"`
}

// OpenedAccount is a new account and its first API key, which is shown only here.
type OpenedAccount struct {
	Account Account `json:"account"`
	APIKey  string  `json:"apiKey"`
}

// Credit is an amount of each token to add.
type Credit struct {
	Spark        atelier.Money `json:"spark"`
	PremiumSpark atelier.Money `json:"premiumSpark"`
	Svc          atelier.Money `json:"svc"`
	Reason       string        `json:"reason,omitempty"`
}

// PlanChange is a subscription to set. An empty status is active, or none for no plan.
type PlanChange struct {
	Plan      PlanName                   `json:"plan"`
	Status    atelier.SubscriptionStatus `json:"status,omitempty"`
	PeriodEnd *time.Time                 `json:"periodEnd,omitempty"` // nil: an active plan renews every month
	Reason    string                     `json:"reason,omitempty"`
}

// Suspension is the outcome of suspending an account.
type Suspension struct {
	Account          Account `json:"account"`
	AlreadySuspended bool    `json:"alreadySuspended"`
	Cancelled        int     `json:"cancelled"` // workflows and chat runs that this call has ended
}

// Reinstatement is the outcome of reinstating an account.
type Reinstatement struct {
	Account    Account `json:"account"`
	Reinstated bool    `json:"reinstated"` // false: it was not suspended
}

// OperatorKey is an API key, without the key itself.
type OperatorKey struct {
	KeyID      string     `json:"keyId"`
	Hint       string     `json:"hint"` // its first characters
	Name       string     `json:"name"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
	RevokedAt  *time.Time `json:"revokedAt"`
	Limits     *KeyLimits `json:"limits"` // null without
}

// OperatorKeys is a part of the keys of an account, oldest first.
type OperatorKeys struct {
	Keys       []OperatorKey `json:"keys"`
	NextCursor *string       `json:"nextCursor"`
}

// NewKey is a new API key, which is shown only here.
type NewKey struct {
	OperatorKey
	APIKey string `json:"apiKey"`
}

// NewKeyReply is a new API key.
type NewKeyReply struct {
	Key NewKey `json:"key"`
}

// RevokedKey is a key that was revoked, and whose it was.
type RevokedKey struct {
	WalletAddress atelier.Wallet `json:"walletAddress"`
	Key           OperatorKey    `json:"key"`
	SessionsEnded int            `json:"sessionsEnded"` // console sessions that acted with it
	TokensEnded   bool           `json:"tokensEnded"`   // session tokens that it made; they are not stored, so they are not counted
}

// RevokedKeys is how many keys of an account were revoked.
type RevokedKeys struct {
	WalletAddress atelier.Wallet `json:"walletAddress"`
	Revoked       int            `json:"revoked"`
	SessionsEnded int            `json:"sessionsEnded"` // console sessions
	TokensEnded   bool           `json:"tokensEnded"`   // all session tokens of the account
}

// SessionToken is a session token, which is shown only here.
type SessionToken struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// SessionTokenReply is a new session token.
type SessionTokenReply struct {
	Token SessionToken `json:"token"`
}

// SearchResult is something that a search has found.
type SearchResult struct {
	Kind          ResultKind     `json:"kind"`
	ID            string         `json:"id"`
	Label         string         `json:"label"`
	WalletAddress atelier.Wallet `json:"walletAddress"` // whose it is
}

// ResultKind is what a search has found.
type ResultKind string

// The kinds of results.
const (
	ResultAccount  ResultKind = "account"
	ResultKey      ResultKind = "key"
	ResultJob      ResultKind = "job"
	ResultWorkflow ResultKind = "workflow"
	ResultRun      ResultKind = "run" // a chat run
)

// Values lists the kinds for the OpenAPI document.
func (ResultKind) Values() []string {
	return []string{string(ResultAccount), string(ResultKey), string(ResultJob), string(ResultWorkflow), string(ResultRun)}
}

// SearchResults is what a search has found.
type SearchResults struct {
	Results []SearchResult `json:"results"`
}
