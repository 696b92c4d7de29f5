package catalog

import (
	"math"

	"github.com/atelier-project/atelier"
)

// Plan is one way to subscribe, spelled as on the wire.
type Plan struct {
	Key               string      `json:"-" yaml:"key"` // unique name of the row, such as unlimited-monthly
	PlanID            string      `json:"planId" yaml:"planId"`
	Tier              string      `json:"tier" yaml:"tier"`
	Term              string      `json:"term" yaml:"term"`         // monthly or annual
	Interval          string      `json:"interval" yaml:"interval"` // month or year
	PriceUSD          float64     `json:"priceUsd" yaml:"priceUsd"`
	DisplayName       string      `json:"displayName" yaml:"displayName"`
	VendorDiscountBps int         `json:"vendorDiscountBps" yaml:"vendorDiscountBps"`
	Google            *GooglePlan `json:"google,omitempty" yaml:"google"`

	// Concurrency is how many renders of a model's concurrency class run at
	// once; more wait as limited by the plan.
	Concurrency map[string]int `json:"-" yaml:"concurrency"`
	// QueuedVideos is how many videos may wait at all.
	QueuedVideos int `json:"-" yaml:"queuedVideos"`
	// FairUse is how much the plan covers on the fast network.
	FairUse FairUse `json:"-" yaml:"fairUse"`

	Base    string `json:"-" yaml:"base"`
	Removed bool   `json:"-" yaml:"removed"`
}

// FairUse limits what a plan covers on the fast network; zero is no limit.
type FairUse struct {
	DailySpark atelier.Money `yaml:"dailySpark"`
	CycleSpark atelier.Money `yaml:"cycleSpark"`
}

// FairUse is what a tier's plan covers on the fast network.
func (c *Catalog) FairUse(tier atelier.PlanTier) FairUse {
	for _, p := range c.PlansOf(string(tier)) {
		return p.FairUse
	}
	return FairUse{}
}

// GooglePlan is the plan's name in the app store.
type GooglePlan struct {
	ProductID string `json:"productId" yaml:"productId"`
}

// FreeSpark is the monthly gift of Spark: Grant arrives while the free balance
// is under Below.
type FreeSpark struct {
	Grant atelier.Money `yaml:"grant"`
	Below atelier.Money `yaml:"below"`
}

// WorkerPay is the part of the price of a render that its worker earns at most, in hundredths
// of a percent: of work that a plan covers, in dollars, from the pool of the plan, and of other
// work, in svc.
type WorkerPay struct {
	PlanBps  int `yaml:"planBps"`
	TokenBps int `yaml:"tokenBps"`
}

// WorkerPay is what workers of a network earn; nothing in a network without an entry.
func (c *Catalog) WorkerPay(n atelier.Network) WorkerPay { return c.read().workerPay[string(n)] }

// PlanPool is how much of what plans pay goes to the workers that render for them.
type PlanPool struct {
	ShareBps      int  `yaml:"shareBps"` // in hundredths of a percent
	BeyondFairUse bool `yaml:"beyondFairUse"`
	Trials        bool `yaml:"trials"`
}

// PlanPool is what plans pay to workers.
func (c *Catalog) PlanPool() PlanPool { return c.read().planPool }

// PlanPrice is the price of a term of a tier in dollars; zero if it is not offered.
func (c *Catalog) PlanPrice(tier atelier.PlanTier, term string) atelier.Money {
	for _, p := range c.PlansOf(string(tier)) {
		if p.Term == term {
			return atelier.Money(math.Round(p.PriceUSD * float64(atelier.MoneyUnit)))
		}
	}
	return 0
}

// Plans lists every plan and term.
func (c *Catalog) Plans() []*Plan { return c.read().plans }

// VendorDiscount is the discount of a plan on vendor prices, in hundredths of a percent.
func (c *Catalog) VendorDiscount(tier atelier.PlanTier) int {
	for _, p := range c.read().plans {
		if p.Tier == string(tier) {
			return p.VendorDiscountBps
		}
	}
	return 0
}

// PlansOf lists the terms of one tier, such as unlimited_pro.
func (c *Catalog) PlansOf(tier string) []*Plan {
	var list []*Plan
	for _, p := range c.read().plans {
		if p.Tier == tier {
			list = append(list, p)
		}
	}
	return list
}

// FreeSpark returns the monthly gift of Spark.
func (c *Catalog) FreeSpark() FreeSpark { return c.read().freeSpark }
