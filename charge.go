package atelier

// TokenChoice is the token that a caller pays with.
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

// PaymentTerms are how a caller wants to pay, and which application asked with which key:
// the ledger records both with each amount.
type PaymentTerms struct {
	Token TokenChoice
	Mode  BillingMode
	App   string // the application that asks; empty if the caller names none
	Key   string // the id of the API key that asks, on whose budget the work counts; empty for none
}

// Cost is what a piece of work costs: the same value in tokens and in dollars.
type Cost struct {
	Spark   Money
	USD     Money
	Premium bool // a vendor's model: only Premium Spark pays, and no plan covers it
	Render  bool // workers do it: beyond the fair use of a plan it goes to the relaxed network
	NoPlan  bool // no plan covers it

	Free FreeReason // why it costs nothing, whatever it would cost otherwise; empty where that is not so
}

// FreeReason says why a piece of work costs nothing that costs something otherwise.
type FreeReason string

// FreeRemake is a render that is made again, because a fallback worker made it before.
const FreeRemake FreeReason = "remake"

// Charge is how a piece of work is paid: by the plan, or in parts from purses.
type Charge struct {
	ByPlan bool
	Slow   bool // the plan has reached its fair use: the job goes to the relaxed network
	Trial  bool // the plan is a trial, for which nothing was paid
	Cost   Cost
	Parts  []ChargePart
	App    string // the application that asked
	Key    string // the id of the API key that asked

	Budgeted bool // the key has a hold on its budget
}

// KeyCost is the value of work on the budget of an API key.
type KeyCost struct {
	Spark Money
	USD   Money
}

// ChargePart is what one purse pays.
type ChargePart struct {
	Token  Token
	Amount Money
}
