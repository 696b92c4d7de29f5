package operator

import (
	"context"
	"time"

	"github.com/atelier-project/atelier"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/cursor"
	"github.com/atelier-project/atelier/internal/store"
)

// newKey describes a key, with what is used of its budget.
func (o Operator) newKey(k atelier.APIKey, budgets map[string]billing.KeyBudget) apitype.OperatorKey {
	return apitype.OperatorKey{
		KeyID: k.ID, Hint: k.Hint, Name: k.Name, CreatedAt: k.CreatedAt, LastUsedAt: optional(k.LastUsedAt), RevokedAt: optional(k.RevokedAt),
		Limits: billing.NewKeyLimits(k.Limits, budgets[k.ID], o.opts.Now()),
	}
}

// Keys lists the keys of an account, oldest first.
func (o Operator) Keys(ctx context.Context, name string, page apitype.Page) (apitype.OperatorKeys, error) {
	a, err := o.accounts.Find(ctx, name)
	if err != nil {
		return apitype.OperatorKeys{}, err
	}
	p, err := newPart("keys", page, 2)
	if err != nil {
		return apitype.OperatorKeys{}, err
	}
	at, err := p.Time(0)
	if err != nil {
		return apitype.OperatorKeys{}, err
	}
	var rows []store.StoredKey
	err = o.db.Read(ctx, func(tx *store.Tx) error {
		rows, err = tx.KeysAfter(a.Wallet, at, p.Text(1), p.limit+1)
		return err
	})
	if err != nil {
		return apitype.OperatorKeys{}, err
	}
	budgets, err := o.billing.KeyBudgets(ctx, a.Wallet)
	rows, next := cut(p, rows, func(k store.StoredKey) []string { return []string{cursor.Time(k.CreatedAt), k.Hash} })
	return apitype.OperatorKeys{Keys: convert(rows, func(k store.StoredKey) apitype.OperatorKey { return o.newKey(k.APIKey, budgets) }), NextCursor: next}, err
}

// CreateKey makes another key of an account, with an optional name and limits. A limited key of an operator makes none:
// the other could do more.
func (o Operator) CreateKey(ctx context.Context, name string, n apitype.CreateKey) (apitype.NewKey, error) {
	if err := checkReason("reason", n.Reason); err != nil {
		return apitype.NewKey{}, err
	}
	if err := o.limits.CheckLimitless("create keys of accounts"); err != nil {
		return apitype.NewKey{}, err
	}
	limits, err := n.Limits.Limits()
	if err != nil {
		return apitype.NewKey{}, err
	}
	a, err := o.accounts.Find(ctx, name)
	if err != nil {
		return apitype.NewKey{}, err
	}
	key, made, err := o.accounts.AddKey(ctx, a, n.Name, limits, func(tx *store.Tx, k atelier.APIKey) error {
		return o.record(store.Action{Action: "create key", Wallet: a.Wallet, Target: k.ID, Detail: k.Name, Reason: n.Reason})(tx)
	})
	return apitype.NewKey{OperatorKey: o.newKey(made, nil), APIKey: key}, err
}

// LimitKey replaces the limits of a key of an account, which it finds by its id, or by its first characters when no
// other valid key of the account has them.
func (o Operator) LimitKey(ctx context.Context, name, id string, l apitype.LimitKey) (apitype.OperatorKey, error) {
	if err := checkReason("reason", l.Reason); err != nil {
		return apitype.OperatorKey{}, err
	}
	if err := o.limits.CheckLimitless("change the limits of a key"); err != nil {
		return apitype.OperatorKey{}, err
	}
	limits, err := l.Limits.Replacement()
	if err != nil {
		return apitype.OperatorKey{}, err
	}
	a, err := o.accounts.Find(ctx, name)
	if err != nil {
		return apitype.OperatorKey{}, err
	}
	k, err := o.accounts.ChangeKey(ctx, a, id, account.KeyChange{Limits: &limits}, func(tx *store.Tx, k atelier.APIKey) error {
		return o.record(store.Action{Action: "limit key", Wallet: a.Wallet, Target: k.ID, Detail: account.DescribeLimited(k), Reason: l.Reason})(tx)
	})
	if err != nil {
		return apitype.OperatorKey{}, err
	}
	budgets, err := o.billing.KeyBudgets(ctx, a.Wallet)
	return o.newKey(k, budgets), err
}

// RevokeKey revokes a key of an account, by its id, or by its first characters when no
// other valid key of the account has them.
func (o Operator) RevokeKey(ctx context.Context, name, id, reason string) (apitype.RevokedKey, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.RevokedKey{}, err
	}
	a, err := o.accounts.Find(ctx, name)
	if err != nil {
		return apitype.RevokedKey{}, err
	}
	return o.revoke(ctx, a, id, reason)
}

// RevokeAnyKey revokes a key of any account.
func (o Operator) RevokeAnyKey(ctx context.Context, key, reason string) (apitype.RevokedKey, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.RevokedKey{}, err
	}
	a, err := o.accounts.KeyAccount(ctx, key)
	if err != nil {
		return apitype.RevokedKey{}, err
	}
	return o.revoke(ctx, a, key, reason)
}

func (o Operator) revoke(ctx context.Context, a atelier.Account, id, reason string) (apitype.RevokedKey, error) {
	revoked, sessions, err := o.accounts.RevokeHint(ctx, a, id, func(tx *store.Tx, k atelier.APIKey) error {
		return o.record(store.Action{Action: "revoke key", Wallet: a.Wallet, Target: k.ID, Detail: k.Hint, Reason: reason})(tx)
	})
	return apitype.RevokedKey{WalletAddress: a.Wallet, Key: o.newKey(revoked, nil), SessionsEnded: sessions, TokensEnded: true}, err
}

// RevokeKeys revokes every key of an account and ends its session tokens.
func (o Operator) RevokeKeys(ctx context.Context, name, reason string) (apitype.RevokedKeys, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.RevokedKeys{}, err
	}
	a, err := o.accounts.Find(ctx, name)
	if err != nil {
		return apitype.RevokedKeys{}, err
	}
	n, sessions, err := o.accounts.RevokeAll(ctx, a, o.record(store.Action{Action: "revoke all keys", Wallet: a.Wallet, Reason: reason}))
	return apitype.RevokedKeys{WalletAddress: a.Wallet, Revoked: n, SessionsEnded: sessions, TokensEnded: true}, err
}

// CreateToken makes a session token of an account. One that is made through the API ends
// with the operator's key.
func (o Operator) CreateToken(ctx context.Context, name string, ttl time.Duration, reason string) (apitype.SessionToken, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.SessionToken{}, err
	}
	a, err := o.accounts.Find(ctx, name)
	if err != nil {
		return apitype.SessionToken{}, err
	}
	token, err := o.accounts.CreateToken(ctx, a, o.keyHash, ttl)
	if err != nil {
		return apitype.SessionToken{}, err
	}
	expires := o.opts.Now().Add(ttl)
	action := store.Action{Action: "create token", Wallet: a.Wallet, Detail: "valid until " + expires.Format(time.RFC3339), Reason: reason}
	err = o.db.Write(ctx, o.record(action)) // the token is worth nothing before it is answered
	return apitype.SessionToken{Token: token, ExpiresAt: expires.Truncate(time.Second)}, err
}
