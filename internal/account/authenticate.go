package account

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Authenticate finds the account of a credential: an API key or a session token. Every
// invalid credential gets the same error, so that a caller learns nothing by guessing.
func (e *Engine) Authenticate(ctx context.Context, credential string) (atelier.Caller, error) {
	switch {
	case atelier.IsUUID(credential):
		hash := hashKey(credential)
		o, err := e.keys.owner(ctx, hash)
		caller, err := e.check(o, atelier.CredentialAPIKey, err)
		if _, ours := e.process.Load(hash); err == nil && !ours {
			caller.KeyHash, caller.KeyID = hash, atelier.KeyID(hash)
		}
		return caller, err
	case strings.Count(credential, ".") == 2:
		token, err := e.tokens.read(credential, e.now())
		if err != nil {
			return atelier.Caller{}, errBadCredential()
		}
		o, err := e.tokenOwner(ctx, token)
		caller, err := e.check(o, atelier.CredentialSessionToken, err)
		if err == nil && o.account.TokenEpoch != token.Epoch {
			return atelier.Caller{}, errBadCredential()
		}
		if err == nil && token.Key != "" {
			caller.KeyID = atelier.KeyID(token.Key)
		}
		return caller, err
	}
	return atelier.Caller{}, errBadCredential()
}

// owner is the account of a credential, and what the key behind the credential is limited to.
type owner struct {
	account atelier.Account
	limits  *atelier.KeyLimits // nil for nothing
}

// tokenOwner finds the account that a token names, if the key that made it is valid.
func (e *Engine) tokenOwner(ctx context.Context, t claims) (o owner, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		if t.Key == "" {
			o.account, err = tx.Account(atelier.Wallet(t.Subject))
		} else {
			o.account, o.limits, err = tx.AccountByKey(atelier.Wallet(t.Subject), t.Key)
		}
		return err
	})
	return o, err
}

// check refuses a missing account, a suspended one and a key that has expired. The error says which of the last two:
// only a caller with a valid credential sees it.
func (e *Engine) check(o owner, kind atelier.CredentialKind, err error) (atelier.Caller, error) {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return atelier.Caller{}, errBadCredential()
	case err == nil && o.account.Suspended():
		return atelier.Caller{}, &atelier.Error{Code: atelier.CodeAccountSuspended}
	case err == nil && o.limits.Expired(e.now()):
		return atelier.Caller{}, atelier.Errorf(atelier.CodeBadCredential, "The API key expired at %s. Another key of the account can extend it.", o.limits.ExpiresAt.UTC().Format(time.RFC3339))
	}
	return atelier.Caller{Account: o.account, Credential: kind, Limits: o.limits}, err
}

func errBadCredential() error {
	return atelier.Errorf(atelier.CodeBadCredential, "The API key or session token is not valid: it is unknown, revoked or expired.")
}
