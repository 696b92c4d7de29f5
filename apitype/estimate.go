package apitype

import (
	"slices"

	"github.com/atelier-project/atelier"
)

// Estimate is what a plan would cost if it were started now, and how it would be paid.
type Estimate struct {
	Cost          EstimateCost    `json:"cost"`
	CoveredByPlan bool            `json:"coveredByPlan"` // the subscription covers all that costs something
	Payment       EstimatePayment `json:"payment"`
	BalanceAfter  EstimateBalance `json:"balanceAfter"`
	Sufficient    bool            `json:"sufficient"`
	Steps         []EstimateStep  `json:"steps"`
	Warnings      []string        `json:"warnings"`
}

// EstimateCost is a price, less the discounts of the plan.
type EstimateCost struct {
	Spark         atelier.Money `json:"spark"`
	USD           atelier.Money `json:"usd"`
	CapacityUnits int           `json:"capacityUnits"`
}

// EstimatePayment is what each token would pay.
type EstimatePayment struct {
	TokenType   atelier.TokenChoice `json:"tokenType"`
	BillingMode atelier.BillingMode `json:"billingMode"`
	Parts       []EstimatePart      `json:"parts"`
}

// EstimatePart is what one token would pay.
type EstimatePart struct {
	Token  atelier.Token `json:"token"`
	Amount atelier.Money `json:"amount"`
}

// Add adds what a charge takes from the balance.
func (p *EstimatePayment) Add(c atelier.Charge) {
	for _, part := range c.Parts {
		i := slices.IndexFunc(p.Parts, func(e EstimatePart) bool { return e.Token == part.Token })
		if i < 0 {
			i = len(p.Parts)
			p.Parts = append(p.Parts, EstimatePart{Token: part.Token})
		}
		p.Parts[i].Amount += part.Amount
	}
}

// EstimateBalance is what could be spent afterwards.
type EstimateBalance struct {
	Spark        atelier.Money `json:"spark"` // without Premium Spark
	PremiumSpark atelier.Money `json:"premiumSpark"`
	Svc          atelier.Money `json:"svc"`
}

// EstimateStep is the share of a step.
type EstimateStep struct {
	StepID        string       `json:"stepId"`
	ToolName      string       `json:"toolName"`
	ModelID       *string      `json:"modelId"`
	Cost          EstimateCost `json:"cost"`
	CoveredByPlan bool         `json:"coveredByPlan"`
	ServedBy      *string      `json:"servedBy"` // "workers", "vendor", "preview" or "nobody"; null for what the service does itself
}

// EstimateReply is the answer to a request for an estimate.
type EstimateReply struct {
	Estimate Estimate `json:"estimate"`
}
