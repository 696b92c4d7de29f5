package api

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/operator"
)

// operator is what the caller may do, as an operator.
func (s *Server) operator(c *endpoint.Call) operator.Operator {
	return s.operators.AsCaller(c.Caller)
}

// operatorPage selects a part of a list.
type operatorPage struct {
	Cursor string `wire:"cursor,maxlen=512" doc:"nextCursor of the page before."`
	Limit  int    `wire:"limit,min=1,max=200,default=50" doc:"How many to return at most. A search page can be short or empty; continue while nextCursor is set."`
}

func (p operatorPage) page() apitype.Page { return apitype.Page{Cursor: p.Cursor, Limit: p.Limit} }

// reasoned is the field with which an operator says why.
type reasoned struct {
	Reason string `wire:"reason,maxlen=500" doc:"Why, for the list of actions."`
}

type accountsRequest struct {
	Q string `wire:"q,maxlen=64" doc:"Only accounts whose wallet or username begins with this, in any letter case."`
	operatorPage
}

func (s *Server) operatorAccounts(c *endpoint.Call, q accountsRequest) (apitype.Accounts, error) {
	return s.operator(c).Accounts(c, apitype.AccountQuery{Q: q.Q, Page: q.page()})
}

type newAccountRequest struct {
	Wallet     string           `wire:"walletAddress,maxlen=64" doc:"The wallet address. Generated when omitted."`
	Username   string           `wire:"username,maxlen=40" doc:"The username. Generated when omitted."`
	Worker     bool             `wire:"worker" doc:"Its API keys may run workers."`
	Unfiltered bool             `wire:"unfiltered" doc:"It may turn the content filter off."`
	Operator   bool             `wire:"operator" doc:"Its API keys may use the operator endpoints."`
	Plan       apitype.PlanName `wire:"plan,enum=none|unlimited|unlimited_pro,default=none" doc:"Its active plan."`
	amountsRequest
	reasoned
}

// amountsRequest are amounts of each token, as decimal strings.
type amountsRequest struct {
	Spark        string `wire:"spark,maxlen=40" doc:"Spark to add, as a decimal string such as 12.5."`
	PremiumSpark string `wire:"premiumSpark,maxlen=40" doc:"Premium Spark to add."`
	Svc          string `wire:"svc,maxlen=40" doc:"svc tokens to add."`
}

func (q amountsRequest) credit(reason string) (c apitype.Credit, err error) {
	for _, a := range []struct {
		field, text string
		into        *atelier.Money
	}{{"spark", q.Spark, &c.Spark}, {"premiumSpark", q.PremiumSpark, &c.PremiumSpark}, {"svc", q.Svc, &c.Svc}} {
		if a.text == "" {
			continue
		}
		if *a.into, err = atelier.ParseMoney(a.text); err != nil {
			return c, atelier.Refuse(a.field, "is not an amount: %v.", err)
		}
	}
	c.Reason = reason
	return c, nil
}

func (s *Server) createAccount(c *endpoint.Call, q newAccountRequest) (apitype.OpenedAccount, error) {
	credit, err := q.credit(q.Reason)
	if err != nil {
		return apitype.OpenedAccount{}, err
	}
	return s.operator(c).CreateAccount(c, apitype.NewAccount{
		WalletAddress: q.Wallet, Username: q.Username, Worker: q.Worker, Unfiltered: q.Unfiltered, Operator: q.Operator, Plan: q.Plan,
		Spark: credit.Spark, PremiumSpark: credit.PremiumSpark, Svc: credit.Svc, Reason: q.Reason,
	})
}

type accountRequest struct {
	Wallet string `path:"wallet" example:"0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08"`
}

func (s *Server) operatorAccount(c *endpoint.Call, q accountRequest) (apitype.AccountDetail, error) {
	return s.operator(c).AccountDetail(c, q.Wallet)
}

type creditRequest struct {
	Wallet string `path:"wallet" example:"0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08"`
	amountsRequest
	reasoned
}

func (s *Server) creditAccount(c *endpoint.Call, q creditRequest) (apitype.AccountReply, error) {
	credit, err := q.credit(q.Reason)
	if err != nil {
		return apitype.AccountReply{}, err
	}
	a, err := s.operator(c).Credit(c, q.Wallet, credit, c.Key)
	return apitype.AccountReply{Account: a}, err
}

type setPlanRequest struct {
	Wallet    string                     `path:"wallet" example:"0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08"`
	Plan      apitype.PlanName           `wire:"plan,required,enum=none|unlimited|unlimited_pro" doc:"The plan."`
	Status    atelier.SubscriptionStatus `wire:"status,enum=none|trialing|active|cancel_at_period_end|grace_period|past_due|expired|canceled" doc:"The status. Default: active, or none for the plan none."`
	PeriodEnd string                     `wire:"periodEnd,maxlen=40" doc:"When the period ends, as RFC 3339. Without it an active plan renews every month."`
	reasoned
}

func (s *Server) setPlan(c *endpoint.Call, q setPlanRequest) (apitype.AccountReply, error) {
	plan := apitype.PlanChange{Plan: q.Plan, Status: q.Status, Reason: q.Reason}
	if q.PeriodEnd != "" {
		end, err := time.Parse(time.RFC3339, q.PeriodEnd)
		if err != nil || end.Year() < 1970 || end.Year() > 9999 {
			return apitype.AccountReply{}, atelier.Refuse("periodEnd", "must be a time such as 2026-12-31T00:00:00Z.")
		}
		plan.PeriodEnd = &end
	}
	a, err := s.operator(c).SetPlan(c, q.Wallet, plan)
	return apitype.AccountReply{Account: a}, err
}

type setOperatorRequest struct {
	Wallet   string `path:"wallet" example:"0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08"`
	Operator bool   `wire:"operator,required" doc:"Whether the account has the operator role."`
	reasoned
}

func (s *Server) setOperator(c *endpoint.Call, q setOperatorRequest) (apitype.AccountReply, error) {
	a, err := s.operator(c).SetOperator(c, q.Wallet, q.Operator, q.Reason)
	return apitype.AccountReply{Account: a}, err
}

type suspendRequest struct {
	Wallet string `path:"wallet" example:"0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08"`
	reasoned
}

func (s *Server) suspendAccount(c *endpoint.Call, q suspendRequest) (apitype.Suspension, error) {
	return s.operator(c).Suspend(c, q.Wallet, q.Reason)
}

func (s *Server) reinstateAccount(c *endpoint.Call, q suspendRequest) (apitype.Reinstatement, error) {
	return s.operator(c).Reinstate(c, q.Wallet, q.Reason)
}

type accountKeysRequest struct {
	Wallet string `path:"wallet" example:"0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08"`
	operatorPage
}

func (s *Server) accountKeys(c *endpoint.Call, q accountKeysRequest) (apitype.OperatorKeys, error) {
	return s.operator(c).Keys(c, q.Wallet, q.page())
}

type newAccountKeyRequest struct {
	Wallet string `path:"wallet" example:"0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08"`
	apitype.CreateKey
}

func (s *Server) createAccountKey(c *endpoint.Call, q newAccountKeyRequest) (apitype.NewKeyReply, error) {
	if err := s.checkKeyTools(q.Limits); err != nil {
		return apitype.NewKeyReply{}, err
	}
	k, err := s.operator(c).CreateKey(c, q.Wallet, q.CreateKey)
	return apitype.NewKeyReply{Key: k}, err
}

type limitKeyRequest struct {
	Wallet string `path:"wallet" example:"0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08"`
	ID     string `path:"id" example:"5c8e21d7"`
	apitype.LimitKey
}

func (s *Server) limitAccountKey(c *endpoint.Call, q limitKeyRequest) (apitype.OperatorKeyReply, error) {
	if err := s.checkKeyTools(q.Limits); err != nil {
		return apitype.OperatorKeyReply{}, err
	}
	k, err := s.operator(c).LimitKey(c, q.Wallet, q.ID, q.LimitKey)
	return apitype.OperatorKeyReply{Key: k}, err
}

type revokeAccountKeyRequest struct {
	Wallet string `path:"wallet" example:"0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08"`
	ID     string `path:"id" example:"5c8e21d7"`
	reasoned
}

func (s *Server) revokeAccountKey(c *endpoint.Call, q revokeAccountKeyRequest) (apitype.RevokedKey, error) {
	return s.operator(c).RevokeKey(c, q.Wallet, q.ID, q.Reason)
}

func (s *Server) revokeAccountKeys(c *endpoint.Call, q suspendRequest) (apitype.RevokedKeys, error) {
	return s.operator(c).RevokeKeys(c, q.Wallet, q.Reason)
}

type revokeAnyKeyRequest struct {
	APIKey string `wire:"apiKey,required,minlen=1,maxlen=64" doc:"The key, of any account."`
	reasoned
}

func (s *Server) revokeAnyKey(c *endpoint.Call, q revokeAnyKeyRequest) (apitype.RevokedKey, error) {
	return s.operator(c).RevokeAnyKey(c, q.APIKey, q.Reason)
}

type newAccountTokenRequest struct {
	Wallet     string `path:"wallet" example:"0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08"`
	TTLSeconds int64  `wire:"ttlSeconds,min=1,max=2592000,default=3600" doc:"How long it is valid."`
	reasoned
}

func (s *Server) createAccountToken(c *endpoint.Call, q newAccountTokenRequest) (apitype.SessionTokenReply, error) {
	token, err := s.operator(c).CreateToken(c, q.Wallet, time.Duration(q.TTLSeconds)*time.Second, q.Reason)
	return apitype.SessionTokenReply{Token: token}, err
}

type nftRequest struct {
	Wallet     string `path:"wallet" example:"0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08"`
	NFTTokenID string `path:"nftTokenId" example:"7"`
	reasoned
}

func (s *Server) addNFT(c *endpoint.Call, q nftRequest) (apitype.AddedNFT, error) {
	return s.operator(c).AddNFT(c, q.Wallet, q.NFTTokenID, q.Reason)
}

func (s *Server) removeNFT(c *endpoint.Call, q nftRequest) (apitype.AccountReply, error) {
	a, err := s.operator(c).RemoveNFT(c, q.Wallet, q.NFTTokenID, q.Reason)
	return apitype.AccountReply{Account: a}, err
}
