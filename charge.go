package atelier

// TokenChoice is what a caller wants to pay with.
type TokenChoice string

// The choices.
const (
	PayAuto  TokenChoice = "auto" // spark first, then svc
	PaySpark TokenChoice = "spark"
	PaySvc   TokenChoice = "svc"
)

// BillingMode says whether a plan may or must pay.
type BillingMode string

// The modes.
const (
	BillAuto         BillingMode = "auto"         // the plan covers what it can
	BillSubscription BillingMode = "subscription" // what the plan cannot cover fails
	BillTokens       BillingMode = "tokens"       // the balance always pays
)

// PaymentTerms are what a caller says about paying, and for whom: the ledger
// keeps the application beside what was spent.
type PaymentTerms struct {
	Token TokenChoice `json:"token"`
	Mode  BillingMode `json:"mode"`
	App   string      `json:"app,omitempty"` // the application that asks; empty where the caller does not say
}

// Cost is what a piece of work costs: the same value in both tokens and in
// dollars.
type Cost struct {
	Spark   Money `json:"spark"`
	USD     Money `json:"usd"`
	Premium bool  `json:"premium"` // a vendor's model: only Premium Spark pays, and no plan covers it
}

// Charge is how a piece of work is paid: by the plan, or in parts from purses.
type Charge struct {
	ByPlan bool         `json:"byPlan"`
	Slow   bool         `json:"slow,omitzero"` // the plan has paid enough for now: it is rendered on the relaxed network
	Cost   Cost         `json:"cost"`
	Parts  []ChargePart `json:"parts"`
	App    string       `json:"app,omitempty"` // the application that asked
}

// ChargePart is what one purse pays.
type ChargePart struct {
	Token  Token `json:"token"`
	Amount Money `json:"amount"`
}
