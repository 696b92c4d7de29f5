package api

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chain"
	"github.com/atelier-project/atelier/internal/endpoint"
)

// profile identifies an account. Existing clients read the fields about mail and Discord;
// this service sets neither.
type profile struct {
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

func (s *Server) me(c *endpoint.Call, _ endpoint.Empty) (profile, error) {
	p := profile{WalletAddress: c.Caller.Wallet, Username: c.Caller.Username, EmailVerified: c.Caller.EmailVerified}
	if c.Caller.Email != "" {
		p.CurrentEmail = &c.Caller.Email
	}
	return p, nil
}

func (s *Server) balance(c *endpoint.Call, _ endpoint.Empty) (atelier.Balance, error) {
	return s.billing.Balance(c, c.Caller.Wallet)
}

// subscriptionReply is GET /v1/subscriptions/status.
type subscriptionReply struct {
	Subscription subscriptionSnapshot `json:"subscription"`
}

// subscriptionSnapshot is the current plan. Without a plan it has only the first two
// fields.
type subscriptionSnapshot struct {
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
	FairUse             *fairUseReply              `json:"fairUse,omitzero"` // only while fair use is limited
}

func (s *Server) subscription(c *endpoint.Call, _ endpoint.Empty) (subscriptionReply, error) {
	plan, err := s.accounts.Subscription(c, c.Caller.Wallet)
	if err != nil {
		return subscriptionReply{}, err
	}
	reply := subscriptionReply{s.snapshot(plan)}
	if plan.Active() {
		u, err := s.billing.PlanUsage(c, c.Caller.Wallet)
		if err != nil {
			return subscriptionReply{}, err
		}
		if u.Limited {
			reply.Subscription.FairUse = s.fairUse(u)
		}
	}
	return reply, nil
}

func (s *Server) snapshot(plan atelier.Subscription) subscriptionSnapshot {
	if plan.Status == atelier.SubscriptionNone {
		return subscriptionSnapshot{Status: plan.Status}
	}
	active := plan.Active()
	ending := plan.Canceled || plan.Status == atelier.SubscriptionCancelEnd
	pending := plan.Status == atelier.SubscriptionGrace || plan.Status == atelier.SubscriptionPastDue
	out := subscriptionSnapshot{
		Active: active, Status: plan.Status, Tier: plan.Tier, Term: plan.Term, Provider: plan.Provider,
		CurrentPeriodStart: &plan.PeriodStart, CurrentPeriodEnd: &plan.PeriodEnd,
		CancelAtPeriodEnd: &ending, PaymentPending: &pending,
		Capabilities: map[string]bool{
			"unlimited":     active,
			"unlimitedPro":  active && plan.Tier == atelier.TierUnlimitedPro,
			"personalLoras": active,
			"savedAssets":   active,
		},
	}
	if active {
		out.FrontierDiscountBps = s.catalog.VendorDiscount(plan.Tier)
	}
	return out
}

// plansReply is GET /v1/subscriptions/plans.
type plansReply struct {
	Plans []*catalog.Plan `json:"plans"`
}

func (s *Server) plans(*endpoint.Call, endpoint.Empty) (plansReply, error) {
	return plansReply{s.catalog.Plans()}, nil
}

// walletRequest is the query of GET /v2/wallet/balance.
type walletRequest struct {
	Wallet   string `wire:"walletAddress" doc:"The wallet address. Your own when omitted."`
	Provider string `wire:"provider,enum=base|etherlink,default=base" doc:"The chain to read."`
}

func (s *Server) walletBalance(c *endpoint.Call, q walletRequest) (chain.Balances, error) {
	if q.Wallet == "" {
		q.Wallet = string(c.Caller.Wallet)
	}
	return s.chains.Balances(c, q.Provider, q.Wallet)
}
