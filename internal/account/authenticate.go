package account

import (
	"context"
	"errors"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Authenticate finds the account of a credential: an API key or a session token. Every
// invalid credential gets the same error, so that a caller learns nothing by guessing.
func (e *Engine) Authenticate(ctx context.Context, credential string) (atelier.Caller, error) {
	switch {
	case atelier.IsUUID(credential):
		hash := hashKey(credential)
		a, err := e.keys.owner(ctx, hash)
		caller, err := checkAccount(a, atelier.CredentialAPIKey, err)
		if _, ours := e.process.Load(hash); err == nil && !ours {
			caller.KeyHash = hash
		}
		return caller, err
	case strings.Count(credential, ".") == 2:
		token, err := e.tokens.read(credential, e.now())
		if err != nil {
			return atelier.Caller{}, errBadCredential()
		}
		a, err := e.tokenOwner(ctx, token)
		caller, err := checkAccount(a, atelier.CredentialSessionToken, err)
		if err == nil && a.TokenEpoch != token.Epoch {
			return atelier.Caller{}, errBadCredential()
		}
		return caller, err
	}
	return atelier.Caller{}, errBadCredential()
}

// tokenOwner finds the account that a token names, if the key that made it is valid.
func (e *Engine) tokenOwner(ctx context.Context, t claims) (a atelier.Account, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		if t.Key == "" {
			a, err = tx.Account(atelier.Wallet(t.Subject))
		} else {
			a, err = tx.AccountByKey(atelier.Wallet(t.Subject), t.Key)
		}
		return err
	})
	return a, err
}

// checkAccount refuses a missing account, and a suspended one. The error says that it
// is suspended: only a caller with a valid credential sees it.
func checkAccount(a atelier.Account, kind atelier.CredentialKind, err error) (atelier.Caller, error) {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return atelier.Caller{}, errBadCredential()
	case err == nil && a.Suspended():
		return atelier.Caller{}, &atelier.Error{Code: atelier.CodeAccountSuspended}
	}
	return atelier.Caller{Account: a, Credential: kind}, err
}

func errBadCredential() error {
	return atelier.Errorf(atelier.CodeBadCredential, "The API key or session token is not valid: it is unknown, revoked or expired.")
}
