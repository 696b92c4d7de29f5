package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// UsageReply is GET /v1/subscriptions/usage.
type UsageReply struct {
	Usage             PlanUsage `json:"usage"`
	FairUse           *FairUse  `json:"fairUse"`           // null without a limit
	PromotionalCredit *struct{} `json:"promotionalCredit"` // this service grants none
}

// PlanUsage is what the plan has covered.
type PlanUsage struct {
	PeriodRenderSpark float64    `json:"periodRenderSpark"`
	PeriodJobs        int64      `json:"periodJobs"`
	Value             UsageValue `json:"value"`
	TrialEndsAt       *time.Time `json:"trialEndsAt,omitzero"`
	TrialCreditsLimit float64    `json:"trialCreditsLimit,omitzero"` // Spark of the fair use of the trial; absent without a limit
	TrialCreditsUsed  *float64   `json:"trialCreditsUsed,omitzero"`
}

// UsageValue is what the plan has covered in three parts of time.
type UsageValue struct {
	Daily    UsageWindow `json:"daily"`
	Cycle    UsageWindow `json:"cycle"`
	Lifetime UsageWindow `json:"lifetime"`
}

// UsageWindow is what the plan has covered in a part of time. The lifetime has no bounds.
type UsageWindow struct {
	RenderSpark float64    `json:"renderSpark"`
	RenderUSD   float64    `json:"renderUsd"`
	Jobs        int64      `json:"jobs"`
	WindowStart *time.Time `json:"windowStart,omitzero"`
	WindowEnd   *time.Time `json:"windowEnd,omitzero"`
	ResetAt     *time.Time `json:"resetAt,omitzero"`
}

// FairUse is how far the use of a plan is from its limits. The percentages include work
// that is queued or under way.
type FairUse struct {
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

// UsageHistory is what was used by day.
type UsageHistory struct {
	Days   []UsageDay `json:"days"` // the earliest first; a day without work is zero
	Totals UsageSums  `json:"totals"`
}

// UsageDay is what was used on a day.
type UsageDay struct {
	Date string `json:"date"`
	UsageSums
}

// UsageSums are sums of use. Jobs and planJobs count renders, rounds of language models and tools.
type UsageSums struct {
	Jobs           int64   `json:"jobs"`
	PlanJobs       int64   `json:"planJobs"`
	PlanSpark      float64 `json:"planSpark"`
	PlanUSD        float64 `json:"planUsd"`
	SparkSpent     float64 `json:"sparkSpent"`
	PaidSparkSpent float64 `json:"paidSparkSpent"` // the Premium part of sparkSpent
}

// UsageParts is what was used by day, model, network and application.
type UsageParts struct {
	Rows []UsagePart `json:"rows"` // the earliest day first; days without work have none
}

// UsageKeys is what was used by day and API key.
type UsageKeys struct {
	Rows []UsageKey `json:"rows"` // the earliest day first; days without work have none
}

// UsageKey is what was used on a day with an API key, and with the session tokens and console sessions that it made.
type UsageKey struct {
	Date           string        `json:"date"`
	KeyID          string        `json:"keyId"`
	KeyName        string        `json:"keyName"`
	Jobs           int64         `json:"jobs"`
	PlanJobs       int64         `json:"planJobs"`
	Spark          atelier.Money `json:"spark"` // what the work was worth, by balance or by plan
	USD            atelier.Money `json:"usd"`
	PlanSpark      atelier.Money `json:"planSpark"`
	SparkSpent     atelier.Money `json:"sparkSpent"`
	PaidSparkSpent atelier.Money `json:"paidSparkSpent"` // the Premium part of sparkSpent
	SvcSpent       atelier.Money `json:"svcSpent"`
}

// UsagePart is what was used on a day with a model, on a network, by an application.
type UsagePart struct {
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
