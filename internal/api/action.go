package api

import (
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
)

// actionFilter selects what was done.
type actionFilter struct {
	Action string `wire:"action,maxlen=64" doc:"Only actions of this name, such as \"create key\"."`
	KeyID  string `wire:"keyId,maxlen=64" doc:"Only what was done with this API key, by its id."`
	Target string `wire:"targetId,maxlen=200" doc:"Only what was done to this key or other thing, by its id."`
	From   string `wire:"from" doc:"Only from this time on: RFC 3339, or a UTC day as YYYY-MM-DD."`
	To     string `wire:"to" doc:"Only before this time: RFC 3339, or a UTC day as YYYY-MM-DD, which is included."`
	operatorPage
}

func (q actionFilter) query() (out apitype.ActionQuery, err error) {
	out = apitype.ActionQuery{Action: q.Action, KeyID: q.KeyID, TargetID: q.Target, Page: q.page()}
	if out.From, err = parseMoment("from", q.From, 0); err == nil {
		out.To, err = parseMoment("to", q.To, 24*time.Hour)
	}
	return out, err
}

type actionsRequest struct {
	Operator string `wire:"operator,maxlen=64" doc:"Only actions of this operator or account: a wallet, or \"command line\"."`
	Wallet   string `wire:"wallet,maxlen=64" doc:"Only actions on this account, by its wallet or username."`
	actionFilter
}

func (s *Server) operatorActions(c *endpoint.Call, q actionsRequest) (apitype.Actions, error) {
	query, err := q.query()
	if err != nil {
		return apitype.Actions{}, err
	}
	query.Operator, query.Wallet = q.Operator, q.Wallet
	return s.operator(c).Actions(c, query)
}

func (s *Server) accountActions(c *endpoint.Call, q actionFilter) (apitype.AccountActions, error) {
	query, err := q.query()
	if err != nil {
		return apitype.AccountActions{}, err
	}
	return s.operators.AccountActions(c, c.Caller.Wallet, query)
}
