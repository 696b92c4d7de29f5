package admission

import (
	"context"

	"github.com/atelier-project/atelier"
)

// accountKey is the key under which a context has the account that it acts for.
type accountKey struct{}

// AccountKey is what a context is asked for that knows its account without another context around it.
var AccountKey any = accountKey{}

// WithAccount is a context that acts for an account.
func WithAccount(ctx context.Context, w atelier.Wallet) context.Context {
	return context.WithValue(ctx, AccountKey, w)
}

// AccountOf is the account that a context acts for; empty for the service itself, and while it is not known.
func AccountOf(ctx context.Context) atelier.Wallet {
	w, _ := ctx.Value(AccountKey).(atelier.Wallet)
	return w
}
