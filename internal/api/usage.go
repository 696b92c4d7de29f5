package api

import (
	"strconv"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/endpoint"
)

// number is an amount as a JSON number, for the reads whose amounts are numbers.
func number(m atelier.Money) float64 { return float64(m) / float64(atelier.MoneyUnit) }

func (s *Server) usage(c *endpoint.Call, _ endpoint.Empty) (apitype.UsageReply, error) {
	u, err := s.billing.PlanUsage(c, c.Caller.Wallet)
	if err != nil {
		return apitype.UsageReply{}, err
	}
	reply := apitype.UsageReply{Usage: apitype.PlanUsage{
		PeriodRenderSpark: number(u.Cycle.Spark), PeriodJobs: u.Cycle.Jobs,
		Value: apitype.UsageValue{
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

func newUsageWindow(w billing.Window) apitype.UsageWindow {
	out := apitype.UsageWindow{RenderSpark: number(w.Spark), RenderUSD: number(w.USD), Jobs: w.Jobs}
	if !w.Start.IsZero() {
		out.WindowStart, out.WindowEnd, out.ResetAt = &w.Start, &w.End, &w.End
	}
	return out
}

func (s *Server) fairUse(u billing.PlanUsage) *apitype.FairUse {
	out := &apitype.FairUse{
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

func (s *Server) usageHistory(c *endpoint.Call, q historyRequest) (apitype.UsageHistory, error) {
	days, totals, err := s.billing.History(c, c.Caller.Wallet, q.Days)
	reply := apitype.UsageHistory{Days: []apitype.UsageDay{}, Totals: newHistorySums(billing.DayUsage{Usage: totals})}
	for _, d := range days {
		reply.Days = append(reply.Days, apitype.UsageDay{Date: d.Date, UsageSums: newHistorySums(d)})
	}
	return reply, err
}

func newHistorySums(u billing.DayUsage) apitype.UsageSums {
	return apitype.UsageSums{
		Jobs: u.Jobs, PlanJobs: u.PlanJobs, PlanSpark: number(u.PlanSpark), PlanUSD: number(u.PlanUSD),
		SparkSpent: number(u.SparkSpent), PaidSparkSpent: number(u.PaidSparkSpent),
	}
}

// partsRequest is the query of GET /v1/account/usage.
type partsRequest struct {
	Days int `wire:"days,default=30,min=1,max=366" doc:"How many UTC days, today included."`
}

func (s *Server) usageParts(c *endpoint.Call, q partsRequest) (apitype.UsageParts, error) {
	parts, err := s.billing.RecentParts(c, c.Caller.Wallet, q.Days)
	reply := apitype.UsageParts{Rows: []apitype.UsagePart{}}
	for _, p := range parts {
		reply.Rows = append(reply.Rows, apitype.UsagePart{
			Date: p.Day, ModelID: p.ModelID, Network: p.Network, AppSource: p.App, Jobs: p.Jobs, PlanJobs: p.PlanJobs,
			Spark: p.Spark, PlanSpark: p.PlanSpark, SparkSpent: p.SparkSpent, PaidSparkSpent: p.PaidSparkSpent, SvcSpent: p.SvcSpent,
		})
	}
	return reply, err
}

func (s *Server) usageKeys(c *endpoint.Call, q partsRequest) (apitype.UsageKeys, error) {
	used, err := s.billing.RecentKeys(c, c.Caller.Wallet, q.Days)
	reply := apitype.UsageKeys{Rows: []apitype.UsageKey{}}
	for _, u := range used {
		reply.Rows = append(reply.Rows, apitype.UsageKey{
			Date: u.Day, KeyID: u.KeyID, KeyName: u.Name, Jobs: u.Jobs, PlanJobs: u.PlanJobs,
			Spark: u.Spark, USD: u.USD, PlanSpark: u.PlanSpark, SparkSpent: u.SparkSpent, PaidSparkSpent: u.PaidSparkSpent, SvcSpent: u.SvcSpent,
		})
	}
	return reply, err
}

// earningsRequest is the query of GET /v1/subscriptions/worker/earnings.
type earningsRequest struct {
	Months  int    `wire:"months,default=12,min=1,max=24,clamp" doc:"How many months, this one included."`
	Network string `wire:"network,enum=fast|relaxed|all" doc:"Adds the parts of one network, or of all. It does not change the totals."`
}

func (s *Server) earnings(c *endpoint.Call, q earningsRequest) (apitype.Earnings, error) {
	e, err := s.billing.Earnings(c, c.Caller.Wallet, q.Months)
	if err != nil {
		return apitype.Earnings{}, err
	}
	reply := apitype.Earnings{Months: []apitype.EarningsMonth{}, Summary: apitype.EarningsSummary{
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

func newEarningsShare(n billing.NetworkEarning) apitype.EarningsShare {
	return apitype.EarningsShare{YourRenderSpark: number(n.RenderSpark), YourSharePct: n.SharePct(), EstimatedPayoutUSD: number(n.USD), EstimatedPayoutMicroUSDC: micro(n.USD)}
}

func newEarningsMonth(m billing.EarningMonth, network string) apitype.EarningsMonth {
	out := apitype.EarningsMonth{Month: m.Month, EarningsShare: newEarningsShare(m.NetworkEarning), Finalized: m.Closed, LedgerMissing: m.Ended && !m.Closed && m.USD > 0}
	if len(m.Claims) > 0 {
		out.Claim = newEarningsClaim(m.Claims)
	}
	if network == "" {
		return out
	}
	out.ByNetwork, out.ByWorker = map[atelier.Network]apitype.EarningsShare{}, []apitype.EarningsWorker{}
	for _, n := range []atelier.Network{atelier.NetworkFast, atelier.NetworkRelaxed} {
		if network == "all" || network == string(n) {
			out.ByNetwork[n] = newEarningsShare(m.ByNetwork[n])
		}
	}
	for _, w := range m.ByWorker {
		if network == "all" || network == string(w.Network) {
			out.ByWorker = append(out.ByWorker, apitype.EarningsWorker{NFTTokenID: w.NFT, Network: w.Network, YourRenderSpark: number(w.RenderSpark), EstimatedPayoutUSD: number(w.USD), EstimatedPayoutMicroUSDC: micro(w.USD)})
		}
	}
	return out
}

// newEarningsClaim sums the claims of a month, which are of its networks.
func newEarningsClaim(claims []billing.EarningClaim) *apitype.EarningsClaim {
	total, out := atelier.Money(0), &apitype.EarningsClaim{Status: claimStatus(atelier.ClaimPaid)}
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

func (s *Server) claimEarnings(c *endpoint.Call, _ endpoint.Empty) (apitype.NewClaimReply, error) {
	claim, err := s.billing.Claim(c, c.Caller.Wallet, false, nil)
	if err != nil || claim.ID == "" {
		return apitype.NewClaimReply{}, err
	}
	return apitype.NewClaimReply{Claim: &apitype.NewClaim{ClaimID: claim.ID, Status: claimStatus(claim.State), Months: claim.Months, AmountUSD: number(claim.USD), AmountMicroUSDC: micro(claim.USD), AmountSvc: claim.Svc}}, nil
}
