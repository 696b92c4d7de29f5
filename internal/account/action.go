package account

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// What an account does with its keys, sessions and members, as its actions name it.
const (
	actionSignIn      = "sign in"
	actionEndSessions = "end sessions"
	actionCreateKey   = "create key"
	actionChangeKey   = "change key"
	actionLimitKey    = "limit key"
	actionRevokeKey   = "revoke key"

	ActionInvite       = "invite member"
	ActionWithdraw     = "withdraw invitation"
	actionAccept       = "accept invitation"
	ActionChangeMember = "change member"
	ActionRemoveMember = "remove member"
	actionEndSession   = "end session"
	actionGroup        = "role by group"
	actionGroupEnds    = "left group"
	actionOpen         = "open account"
)

// maxOwnActions is how many actions of a UTC day an account fills the records with: it could change a key for ever.
const maxOwnActions = 1000

// Act records what a caller does to the account, in the transaction of the change. What takes something away is never
// too much.
func (e *Engine) Act(c atelier.Caller, action, target, detail string) Also {
	return func(tx *store.Tx) error {
		if action != ActionRemoveMember && action != ActionWithdraw {
			if err := e.checkActed(tx, c.Wallet); err != nil {
				return err
			}
		}
		return e.act(tx, c.Wallet, c.KeyID, action, target, detail)
	}
}

// checkActed refuses what an account could do for ever.
func (e *Engine) checkActed(tx *store.Tx, w atelier.Wallet) error {
	full, err := e.hasActed(tx, w)
	if err == nil && full {
		err = atelier.Errorf(atelier.CodeWrongState, "The account has done %d things with its keys, sessions and members today, which is the limit of a UTC day. Try again tomorrow. You can still revoke keys and remove members.", maxOwnActions)
	}
	return err
}

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
func (e *Engine) actOften(tx *store.Tx, w atelier.Wallet, keyID, action, target string) error {
	full, err := e.hasActed(tx, w)
	if err != nil || full {
		return err
	}
	return e.act(tx, w, keyID, action, target, "")
}
