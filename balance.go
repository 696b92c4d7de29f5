package atelier

// Token is what spend is paid in.
type Token string

// The tokens, and the part of spark that was paid for: only it pays for vendor
// models, and it is spent before the rest.
const (
	TokenSpark        Token = "spark"
	TokenPremiumSpark Token = "premium_spark"
	TokenSvc          Token = "svc"

	// TokenUSD is what workers are paid in for work that plans cover. No purse holds it.
	TokenUSD Token = "usd"

	// TokenPlan is what a plan covers, in Spark. Its purse holds what work that is queued or
	// under way counts for fair use.
	TokenPlan Token = "plan"
)

// Purse is the state of one token of one account. What can be spent is what
// was granted, less what was spent, less what is held for work under way.
type Purse struct {
	Granted Money
	Spent   Money
	Held    Money
}

// Available is what can be spent now.
func (p Purse) Available() Money { return p.Granted - p.Spent - p.Held }

// Balance is the generation balance of an account, as GET /v4/account/balance
// shows it.
type Balance struct {
	Svc   TokenBalance `json:"svc"`
	Spark SparkBalance `json:"spark"`
	USD   USDBalance   `json:"USD"`
}

// TokenBalance is the balance in one token. Net is settled and credit less
// debit; debit includes what is held for work under way, which Held says.
type TokenBalance struct {
	Settled          Money `json:"settled"`
	Credit           Money `json:"credit"`
	Debit            Money `json:"debit"`
	Held             Money `json:"held"`
	Net              Money `json:"net"`
	FastUnclaimed    Money `json:"fastUnclaimed"`
	RelaxedUnclaimed Money `json:"relaxedUnclaimed"`
}

// SparkBalance says also how much of the credit is premium and unspent.
type SparkBalance struct {
	TokenBalance
	PremiumCredit Money `json:"premiumCredit"`
}

// USDBalance is what workers have earned and not claimed.
type USDBalance struct {
	SubscriptionUnclaimed Money `json:"subscriptionUnclaimed"`
}

// NewBalance adds up the purses of one account.
func NewBalance(spark, premium, svc Purse) Balance {
	all := Purse{Granted: spark.Granted + premium.Granted, Spent: spark.Spent + premium.Spent, Held: spark.Held + premium.Held}
	return Balance{
		Svc:   tokenBalance(svc),
		Spark: SparkBalance{TokenBalance: tokenBalance(all), PremiumCredit: premium.Available()},
	}
}

func tokenBalance(p Purse) TokenBalance {
	return TokenBalance{Credit: p.Granted, Debit: p.Spent + p.Held, Held: p.Held, Net: p.Available()}
}
