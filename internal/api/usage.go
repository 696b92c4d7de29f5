package api

import (
	"strconv"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/endpoint"
)

// usageReply is GET /v1/subscriptions/usage.
type usageReply struct {
	Usage             planUsage     `json:"usage"`
	FairUse           *fairUseReply `json:"fairUse"`           // null without a limit
	PromotionalCredit *struct{}     `json:"promotionalCredit"` // this service grants none
}

// planUsage is what the plan has covered.
type planUsage struct {
	PeriodRenderSpark float64    `json:"periodRenderSpark"`
	PeriodJobs        int64      `json:"periodJobs"`
	Value             usageValue `json:"value"`
	TrialEndsAt       *time.Time `json:"trialEndsAt,omitzero"`
	TrialCreditsLimit float64    `json:"trialCreditsLimit,omitzero"` // Spark of the fair use of the trial; absent without a limit
	TrialCreditsUsed  *float64   `json:"trialCreditsUsed,omitzero"`
}

type usageValue struct {
	Daily    usageWindow `json:"daily"`
	Cycle    usageWindow `json:"cycle"`
	Lifetime usageWindow `json:"lifetime"`
}

// usageWindow is what the plan has covered in a part of time. The lifetime has no bounds.
type usageWindow struct {
	RenderSpark float64    `json:"renderSpark"`
	RenderUSD   float64    `json:"renderUsd"`
	Jobs        int64      `json:"jobs"`
	WindowStart *time.Time `json:"windowStart,omitzero"`
	WindowEnd   *time.Time `json:"windowEnd,omitzero"`
	ResetAt     *time.Time `json:"resetAt,omitzero"`
}

// fairUseReply is how far the use of a plan is from its limits. The percentages include work
// that is queued or under way.
type fairUseReply struct {
	Limited             bool      `json:"limited"`
	UsageSpark          float64   `json:"usageSpark"`
	UsageUSD            float64   `json:"usageUsd"`
	PlanPriceUSD        float64   `json:"planPriceUsd"`
	DailyPct            float64   `json:"dailyPct"`
	CyclePct            float64   `json:"cyclePct"`
	DailyResetAt        time.Time `json:"dailyResetAt"`
	CycleResetAt        time.Time `json:"cycleResetAt"`
	ResetAt             time.Time `json:"resetAt"`
	FastRenderingPaused bool      `json:"fastRenderingPaused"`
	RelaxedUnrestricted bool      `json:"relaxedUnrestricted"`
	UpgradeAvailable    bool      `json:"upgradeAvailable"`
}

// number is an amount as a JSON number, for the reads whose amounts are numbers.
func number(m atelier.Money) float64 { return float64(m) / float64(atelier.MoneyUnit) }

func (s *Server) usage(c *endpoint.Call, _ endpoint.Empty) (usageReply, error) {
	u, err := s.billing.PlanUsage(c, c.Caller.Wallet)
	if err != nil {
		return usageReply{}, err
	}
	reply := usageReply{Usage: planUsage{
		PeriodRenderSpark: number(u.Cycle.Spark), PeriodJobs: u.Cycle.Jobs,
		Value: usageValue{
			Daily: newUsageWindow(u.Daily), Cycle: newUsageWindow(u.Cycle),
			Lifetime: newUsageWindow(billing.Window{PlanUse: u.Lifetime}),
		},
	}}
	if u.Plan.Status == atelier.SubscriptionTrialing {
		reply.Usage.TrialEndsAt = &u.Plan.PeriodEnd
		reply.Usage.TrialCreditsLimit, reply.Usage.TrialCreditsUsed = number(u.Limit.Cycle), &reply.Usage.PeriodRenderSpark
	}
	if u.Limit != (billing.FairUse{}) {
		reply.FairUse = s.fairUse(u)
	}
	return reply, nil
}

func newUsageWindow(w billing.Window) usageWindow {
	out := usageWindow{RenderSpark: number(w.Spark), RenderUSD: number(w.USD), Jobs: w.Jobs}
	if !w.Start.IsZero() {
		out.WindowStart, out.WindowEnd, out.ResetAt = &w.Start, &w.End, &w.End
	}
	return out
}

func (s *Server) fairUse(u billing.PlanUsage) *fairUseReply {
	out := &fairUseReply{
		Limited: u.Limited, UsageSpark: number(u.Cycle.Spark), UsageUSD: number(u.Cycle.USD),
		DailyPct: billing.Percent(u.Daily.Spark+u.Held, u.Limit.Daily), CyclePct: billing.Percent(u.Cycle.Spark+u.Held, u.Limit.Cycle),
		DailyResetAt: u.Daily.End, CycleResetAt: u.Cycle.End, ResetAt: u.ResetAt,
		FastRenderingPaused: u.Limited, RelaxedUnrestricted: true, UpgradeAvailable: u.Plan.Tier == atelier.TierUnlimited,
	}
	for _, p := range s.catalog.PlansOf(string(u.Plan.Tier)) {
		if p.Term == u.Plan.Term {
			out.PlanPriceUSD = p.PriceUSD
		}
	}
	return out
}

// historyRequest is the query of GET /v1/subscriptions/usage/history.
type historyRequest struct {
	Days int `wire:"days,default=30,min=7,max=90,clamp" doc:"How many UTC days, today included."`
}

// historyReply is what was used by day.
type historyReply struct {
	Days   []historyDay `json:"days"` // the earliest first; a day without work is zero
	Totals historySums  `json:"totals"`
}

type historyDay struct {
	Date string `json:"date"`
	historySums
}

// historySums are sums of use. Jobs and planJobs count renders, rounds of language models and tools.
type historySums struct {
	Jobs           int64   `json:"jobs"`
	PlanJobs       int64   `json:"planJobs"`
	PlanSpark      float64 `json:"planSpark"`
	PlanUSD        float64 `json:"planUsd"`
	SparkSpent     float64 `json:"sparkSpent"`
	PaidSparkSpent float64 `json:"paidSparkSpent"` // the Premium part of sparkSpent
}

func (s *Server) usageHistory(c *endpoint.Call, q historyRequest) (historyReply, error) {
	days, totals, err := s.billing.History(c, c.Caller.Wallet, q.Days)
	reply := historyReply{Days: []historyDay{}, Totals: newHistorySums(billing.DayUsage{Usage: totals})}
	for _, d := range days {
		reply.Days = append(reply.Days, historyDay{d.Date, newHistorySums(d)})
	}
	return reply, err
}

func newHistorySums(u billing.DayUsage) historySums {
	return historySums{
		Jobs: u.Jobs, PlanJobs: u.PlanJobs, PlanSpark: number(u.PlanSpark), PlanUSD: number(u.PlanUSD),
		SparkSpent: number(u.SparkSpent), PaidSparkSpent: number(u.PaidSparkSpent),
	}
}

// partsRequest is the query of GET /v1/account/usage.
type partsRequest struct {
	Days int `wire:"days,default=30,min=1,max=366" doc:"How many UTC days, today included."`
}

// partsReply is what was used by day, model, network and application.
type partsReply struct {
	Rows []usagePart `json:"rows"` // the earliest day first; days without work have none
}

type usagePart struct {
	Date           string          `json:"date"`
	ModelID        string          `json:"modelId"`
	Network        atelier.Network `json:"network"`
	AppSource      string          `json:"appSource"`
	Jobs           int64           `json:"jobs"`
	PlanJobs       int64           `json:"planJobs"`
	Spark          atelier.Money   `json:"spark"` // what the work cost, by balance or by plan
	PlanSpark      atelier.Money   `json:"planSpark"`
	SparkSpent     atelier.Money   `json:"sparkSpent"`
	PaidSparkSpent atelier.Money   `json:"paidSparkSpent"` // the Premium part of sparkSpent
	SvcSpent       atelier.Money   `json:"svcSpent"`
}

func (s *Server) usageParts(c *endpoint.Call, q partsRequest) (partsReply, error) {
	parts, err := s.billing.RecentParts(c, c.Caller.Wallet, q.Days)
	reply := partsReply{Rows: []usagePart{}}
	for _, p := range parts {
		reply.Rows = append(reply.Rows, usagePart{
			Date: p.Day, ModelID: p.ModelID, Network: p.Network, AppSource: p.App, Jobs: p.Jobs, PlanJobs: p.PlanJobs,
			Spark: p.Spark, PlanSpark: p.PlanSpark, SparkSpent: p.SparkSpent, PaidSparkSpent: p.PaidSparkSpent, SvcSpent: p.SvcSpent,
		})
	}
	return reply, err
}

// earningsRequest is the query of GET /v1/subscriptions/worker/earnings.
type earningsRequest struct {
	Months  int    `wire:"months,default=12,min=1,max=24,clamp" doc:"How many months, this one included."`
	Network string `wire:"network,enum=fast|relaxed|all" doc:"Adds the parts of one network, or of all. It does not change the totals."`
}

// earningsReply is what the account's workers have earned from work that plans covered.
type earningsReply struct {
	Summary earningsSummary `json:"summary"`
	Months  []earningsMonth `json:"months"` // the latest first
}

type earningsSummary struct {
	TotalEstimatedUSD       float64 `json:"totalEstimatedUsd"`
	TotalFinalizedUSD       float64 `json:"totalFinalizedUsd"`
	TotalUnclaimedUSD       float64 `json:"totalUnclaimedUsd"`
	TotalClaimedUSD         float64 `json:"totalClaimedUsd"`
	TotalUnclaimedMicroUSDC string  `json:"totalUnclaimedMicroUsdc"`
}

// earningsShare is what was earned by a part of the work of a month.
type earningsShare struct {
	YourRenderSpark          float64 `json:"yourRenderSpark"`
	YourSharePct             float64 `json:"yourSharePct"`
	EstimatedPayoutUSD       float64 `json:"estimatedPayoutUsd"`
	EstimatedPayoutMicroUSDC string  `json:"estimatedPayoutMicroUsdc"`
}

type earningsMonth struct {
	Month string `json:"month"` // such as 2026-11
	earningsShare
	Finalized     bool                              `json:"finalized"`
	Claim         *earningsClaim                    `json:"claim"`         // null until the month is final, and when nothing was earned
	LedgerMissing bool                              `json:"ledgerMissing"` // it has ended and is not final yet
	ByNetwork     map[atelier.Network]earningsShare `json:"byNetwork,omitzero"`
	ByWorker      []earningsWorker                  `json:"byWorker,omitzero"`
}

type earningsClaim struct {
	Status          string     `json:"status"` // unclaimed, waiting for an operator, claimed or refused
	AmountUSD       float64    `json:"amountUsd"`
	AmountMicroUSDC string     `json:"amountMicroUsdc"`
	ClaimID         string     `json:"claimId,omitzero"`
	ClaimedAt       *time.Time `json:"claimedAt,omitzero"`
}

type earningsWorker struct {
	NFTTokenID               string          `json:"nftTokenId,omitzero"`
	Network                  atelier.Network `json:"network"`
	YourRenderSpark          float64         `json:"yourRenderSpark"`
	EstimatedPayoutUSD       float64         `json:"estimatedPayoutUsd"`
	EstimatedPayoutMicroUSDC string          `json:"estimatedPayoutMicroUsdc"`
}

func (s *Server) earnings(c *endpoint.Call, q earningsRequest) (earningsReply, error) {
	e, err := s.billing.Earnings(c, c.Caller.Wallet, q.Months)
	if err != nil {
		return earningsReply{}, err
	}
	reply := earningsReply{Months: []earningsMonth{}, Summary: earningsSummary{
		TotalEstimatedUSD: number(e.Estimated), TotalFinalizedUSD: number(e.Finalized), TotalUnclaimedUSD: number(e.Unclaimed),
		TotalClaimedUSD: number(e.Claimed), TotalUnclaimedMicroUSDC: micro(e.Unclaimed),
	}}
	for _, m := range e.Months {
		reply.Months = append(reply.Months, newEarningsMonth(m, q.Network))
	}
	return reply, nil
}

// micro is an amount of dollars in millionths.
func micro(m atelier.Money) string { return strconv.FormatInt(int64(m), 10) }

func newEarningsShare(n billing.NetworkEarning) earningsShare {
	return earningsShare{number(n.RenderSpark), n.SharePct(), number(n.USD), micro(n.USD)}
}

func newEarningsMonth(m billing.EarningMonth, network string) earningsMonth {
	out := earningsMonth{Month: m.Month, earningsShare: newEarningsShare(m.NetworkEarning), Finalized: m.Closed, LedgerMissing: m.Ended && !m.Closed && m.USD > 0}
	if len(m.Claims) > 0 {
		out.Claim = newEarningsClaim(m.Claims)
	}
	if network == "" {
		return out
	}
	out.ByNetwork, out.ByWorker = map[atelier.Network]earningsShare{}, []earningsWorker{}
	for _, n := range []atelier.Network{atelier.NetworkFast, atelier.NetworkRelaxed} {
		if network == "all" || network == string(n) {
			out.ByNetwork[n] = newEarningsShare(m.ByNetwork[n])
		}
	}
	for _, w := range m.ByWorker {
		if network == "all" || network == string(w.Network) {
			out.ByWorker = append(out.ByWorker, earningsWorker{w.NFT, w.Network, number(w.RenderSpark), number(w.USD), micro(w.USD)})
		}
	}
	return out
}

// newEarningsClaim sums the claims of a month, which are of its networks.
func newEarningsClaim(claims []billing.EarningClaim) *earningsClaim {
	total, out := atelier.Money(0), &earningsClaim{Status: claimStatus(atelier.ClaimPaid)}
	for _, c := range claims {
		total += c.USD
		if c.State != atelier.ClaimPaid {
			out.Status = claimStatus(c.State)
		}
		if c.ID != "" {
			out.ClaimID, out.ClaimedAt = c.ID, &c.At
		}
	}
	out.AmountUSD, out.AmountMicroUSDC = number(total), micro(total)
	return out
}

// claimStatus is how the owner of workers sees the state of a claim.
func claimStatus(s atelier.ClaimState) string {
	switch s {
	case atelier.ClaimPaid:
		return "claimed"
	case "":
		return "unclaimed"
	}
	return string(s)
}

// earningsClaimReply is POST /v1/subscriptions/worker/earnings/claim.
type earningsClaimReply struct {
	Claim *newClaim `json:"claim"` // null when there is nothing to claim
}

type newClaim struct {
	ClaimID         string        `json:"claimId"`
	Status          string        `json:"status"` // claimed, or waiting for an operator
	Months          []string      `json:"months"`
	AmountUSD       float64       `json:"amountUsd"` // paid outside the service
	AmountMicroUSDC string        `json:"amountMicroUsdc"`
	AmountSvc       atelier.Money `json:"amountSvc"` // booked into the balance
}

func (s *Server) claimEarnings(c *endpoint.Call, _ endpoint.Empty) (earningsClaimReply, error) {
	claim, err := s.billing.Claim(c, c.Caller.Wallet, false, nil)
	if err != nil || claim.ID == "" {
		return earningsClaimReply{}, err
	}
	return earningsClaimReply{&newClaim{claim.ID, claimStatus(claim.State), claim.Months, number(claim.USD), micro(claim.USD), claim.Svc}}, nil
}
