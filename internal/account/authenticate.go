package account

import (
	"context"
	"errors"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Authenticate finds the account behind a credential: an API key or a session
// token. One answer serves for all that is wrong with a credential, so that
// nothing can be learned by trying.
func (e *Engine) Authenticate(ctx context.Context, credential string) (atelier.Caller, error) {
	switch {
	case atelier.IsUUID(credential):
		a, err := e.keys.account(ctx, hashKey(credential))
		return known(a, atelier.ByAPIKey, err)
	case strings.Count(credential, ".") == 2:
		wallet, err := e.tokens.read(credential, e.now())
		if err != nil {
			return atelier.Caller{}, errBadCredential()
		}
		a, err := e.Find(ctx, string(wallet))
		return known(a, atelier.BySessionToken, err)
	}
	return atelier.Caller{}, errBadCredential()
}

func known(a atelier.Account, kind atelier.CredentialKind, err error) (atelier.Caller, error) {
	if errors.Is(err, store.ErrNotFound) || atelier.Has(err, atelier.CodeNotFound) {
		return atelier.Caller{}, errBadCredential()
	}
	return atelier.Caller{Account: a, Credential: kind}, err
}

func errBadCredential() error {
	return atelier.Errorf(atelier.CodeBadCredential, "The API key or session token is not valid: it is unknown, revoked or expired.")
}
