package operator

import (
	"context"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// Actions lists what operators did, and accounts with their keys and sessions, newest first.
func (o Operator) Actions(ctx context.Context, q apitype.ActionQuery) (apitype.Actions, error) {
	wallet, err := o.walletOf(ctx, q.Wallet)
	if err != nil {
		return apitype.Actions{}, err
	}
	rows, next, err := o.actions(ctx, "actions", q, wallet)
	if err != nil {
		return apitype.Actions{}, err
	}
	names, err := o.usernames(ctx, slices.Concat(
		convert(rows, func(a store.Action) atelier.Wallet { return atelier.Wallet(a.By) }),
		convert(rows, func(a store.Action) atelier.Wallet { return a.Wallet })))
	return apitype.Actions{NextCursor: next, Actions: convert(rows, func(a store.Action) apitype.Action {
		return apitype.Action{
			ID: a.ID, At: a.At, Operator: a.By, OperatorName: names[atelier.Wallet(a.By)], KeyID: optional(a.KeyID), Action: a.Action, WalletAddress: optional(a.Wallet),
			Username: names[a.Wallet], TargetID: optional(a.Target), Detail: a.Detail, Reason: a.Reason,
		}
	})}, err
}

// AccountActions lists what an account did with its keys and sessions, and what operators did to it, newest first: not
// which operator, and not what operators noted for themselves.
func (e *Engine) AccountActions(ctx context.Context, w atelier.Wallet, q apitype.ActionQuery) (apitype.AccountActions, error) {
	rows, next, err := e.actions(ctx, "account-actions", q, w)
	if err != nil {
		return apitype.AccountActions{}, err
	}
	var members map[string]atelier.Person
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		members, err = tx.KeyPersons(w, convert(rows, func(a store.Action) string { return a.KeyID }))
		return err
	})
	return apitype.AccountActions{NextCursor: next, Actions: convert(rows, func(a store.Action) apitype.AccountAction {
		out := apitype.AccountAction{ID: a.ID, At: a.At, By: apitype.ByOperator, Action: a.Action, TargetID: optional(a.Target), Detail: a.Detail}
		if a.By == string(w) {
			out.By, out.KeyID = apitype.ByAccount, optional(a.KeyID)
			if person, ok := members[a.KeyID]; ok {
				out.Member = optional(person.Called())
			}
		}
		return out
	})}, err
}

func (e *Engine) actions(ctx context.Context, list string, q apitype.ActionQuery, w atelier.Wallet) (rows []store.Action, next *string, err error) {
	p, err := newPart(list, q.Page, 1)
	if err != nil {
		return nil, nil, err
	}
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		rows, err = tx.Actions(store.ActionQuery{
			By: q.Operator, KeyID: q.KeyID, Action: q.Action, Wallet: w, Target: q.TargetID, Since: q.From, Till: q.To, Before: p.Text(0), Limit: p.limit + 1,
		})
		return err
	})
	rows, next = cut(p, rows, func(a store.Action) []string { return []string{a.ID} })
	return rows, next, err
}
