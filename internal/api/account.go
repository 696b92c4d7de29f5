package api

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chain"
	"github.com/atelier-project/atelier/internal/endpoint"
)

func (s *Server) me(c *endpoint.Call, _ endpoint.Empty) (apitype.Profile, error) {
	p := apitype.Profile{WalletAddress: c.Caller.Wallet, Username: c.Caller.Username, EmailVerified: c.Caller.EmailVerified}
	if c.Caller.Email != "" {
		p.CurrentEmail = &c.Caller.Email
	}
	member, err := s.profileMember(c)
	p.Member = member
	return p, err
}

func (s *Server) balance(c *endpoint.Call, _ endpoint.Empty) (atelier.Balance, error) {
	return s.billing.Balance(c, c.Caller.Wallet)
}

func (s *Server) subscription(c *endpoint.Call, _ endpoint.Empty) (apitype.SubscriptionReply, error) {
	plan, err := s.accounts.Subscription(c, c.Caller.Wallet)
	if err != nil {
		return apitype.SubscriptionReply{}, err
	}
	reply := apitype.SubscriptionReply{Subscription: s.snapshot(plan)}
	if plan.Active() {
		u, err := s.billing.PlanUsage(c, c.Caller.Wallet)
		if err != nil {
			return apitype.SubscriptionReply{}, err
		}
		if u.Limited {
			reply.Subscription.FairUse = s.fairUse(u)
		}
	}
	return reply, nil
}

func (s *Server) snapshot(plan atelier.Subscription) apitype.Subscription {
	if plan.Status == atelier.SubscriptionNone {
		return apitype.Subscription{Status: plan.Status}
	}
	active := plan.Active()
	ending := plan.Canceled || plan.Status == atelier.SubscriptionCancelEnd
	pending := plan.Status == atelier.SubscriptionGrace || plan.Status == atelier.SubscriptionPastDue
	out := apitype.Subscription{
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
