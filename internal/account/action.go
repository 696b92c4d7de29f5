package account

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// What an account does with its keys and sessions, as its actions name it.
const (
	actionSignIn      = "sign in"
	actionEndSessions = "end sessions"
	actionCreateKey   = "create key"
	actionChangeKey   = "change key"
	actionLimitKey    = "limit key"
	actionRevokeKey   = "revoke key"
)

// maxOwnActions is how many actions of a UTC day an account fills the records with: it could change a key for ever.
const maxOwnActions = 1000

// act records what an account does to itself, in the transaction of the change.
func (e *Engine) act(tx *store.Tx, w atelier.Wallet, keyID, action, target, detail string) error {
	return tx.InsertAction(store.Action{
		ID: mint.OrderedUUID(), At: e.now(), By: string(w), KeyID: keyID, Action: action, Wallet: w, Target: target, Detail: detail,
	})
}

// hasActed reports whether an account has done as much today as is recorded.
func (e *Engine) hasActed(tx *store.Tx, w atelier.Wallet) (bool, error) {
	n, err := tx.CountActions(w, e.now().UTC().Truncate(24*time.Hour), maxOwnActions)
	return n >= maxOwnActions, err
}

// actOften is act for what is never refused, however often it is done: of those beyond the first of a day nothing is
// recorded.
func (e *Engine) actOften(tx *store.Tx, w atelier.Wallet, keyID, action string) error {
	full, err := e.hasActed(tx, w)
	if err != nil || full {
		return err
	}
	return e.act(tx, w, keyID, action, "", "")
}
