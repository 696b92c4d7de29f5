package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// SessionIdle is how long a console session lasts without use.
const SessionIdle = 12 * time.Hour

// maxSessions is how many sessions of one key there are. Another one ends the session
// that was not used for longest.
const maxSessions = 20

// Session is a console session that has just begun.
type Session struct {
	Account   atelier.Account
	Halves    Halves
	ExpiresAt time.Time // unless it is used
}

// Halves are the two parts of a console session. Browsers send cookies to every port of a
// host, so a cookie alone proves nothing: the page keeps the token in the storage of its
// origin.
type Halves struct {
	Token  string
	Cookie string
}

// SignIn begins a console session that acts with an API key. check says whether the limits of the key allow it, before
// an answer names its account.
func (e *Engine) SignIn(ctx context.Context, key string, check func(atelier.Caller) error) (Session, error) {
	caller, err := e.Authenticate(ctx, key)
	if err == nil && caller.KeyHash == "" { // a session token, or a key of this process
		err = errBadCredential()
	}
	if err == nil {
		err = check(caller)
	}
	if err != nil {
		return Session{}, err
	}
	return e.beginSession(ctx, caller.Wallet, func(*store.Tx) (atelier.Account, string, error) { return caller.Account, caller.KeyHash, nil })
}

// SignInByCode begins a console session with a one-time code. It acts with a key of the
// account that is named after the console, and that the first such session creates.
func (e *Engine) SignInByCode(ctx context.Context, code string) (Session, error) {
	wallet, restore, ok := e.codes.take(code, e.now())
	if !ok {
		return Session{}, atelier.Errorf(atelier.CodeBadCredential, "The sign-in code is not valid: it is unknown, used or expired. A restart of the service prints another.")
	}
	s, err := e.beginSession(ctx, wallet, func(tx *store.Tx) (a atelier.Account, hash string, err error) {
		if a, err = tx.Account(wallet); err != nil {
			return a, "", err
		}
		hash, err = e.consoleKey(tx, wallet)
		return a, hash, err
	})
	if err != nil && !atelier.HasCode(err, atelier.CodeAccountSuspended) {
		restore() // the database did not answer
	}
	return s, err
}

// consoleKeyName is the name of the key with which sessions that began with a code act.
const consoleKeyName = "console"

// consoleKey finds that key of an account, or creates it. Its text is shown nowhere.
func (e *Engine) consoleKey(tx *store.Tx, w atelier.Wallet) (hash string, err error) {
	keys, err := tx.Keys(w)
	if err != nil {
		return "", err
	}
	for _, k := range keys {
		if k.Name == consoleKeyName && k.RevokedAt.IsZero() && k.Limits.IsZero() {
			return k.Hash, nil
		}
	}
	key := mint.UUID()
	return hashKey(key), tx.InsertKey(hashKey(key), w, describeKey(key, consoleKeyName, e.now()))
}

// beginSession stores a session of the account and the key that the function finds.
func (e *Engine) beginSession(ctx context.Context, w atelier.Wallet, find func(*store.Tx) (atelier.Account, string, error)) (Session, error) {
	now := e.now()
	s := Session{Halves: Halves{Token: rand.Text(), Cookie: rand.Text()}, ExpiresAt: now.Add(SessionIdle)}
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(w); err != nil { // for the limit, and for the one key of the console
			return err
		}
		a, keyHash, err := find(tx)
		if err != nil {
			return err
		}
		if a.Suspended() {
			return &atelier.Error{Code: atelier.CodeAccountSuspended}
		}
		s.Account = a
		if err := tx.InsertConsoleSession(store.ConsoleSession{
			TokenHash: hashText(s.Halves.Token), CookieHash: hashText(s.Halves.Cookie), KeyHash: keyHash, Epoch: a.TokenEpoch, CreatedAt: now, UsedAt: now,
		}); err != nil {
			return err
		}
		if err := tx.TrimConsoleSessions(keyHash, maxSessions); err != nil {
			return err
		}
		return e.actOften(tx, w, atelier.KeyID(keyHash), actionSignIn, "")
	})
	return s, err
}

// sessionOwner is a session and the account of its key.
type sessionOwner struct {
	session store.ConsoleSession
	owner
}

// sessionOwner finds a session whose key is valid.
func (e *Engine) sessionOwner(ctx context.Context, tokenHash string) (o sessionOwner, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		if o.session, err = tx.ConsoleSession(tokenHash, e.now().Add(-SessionIdle)); err != nil {
			return err
		}
		o.account, o.limits, err = tx.KeyOwner(o.session.KeyHash)
		return err
	})
	return o, err
}

// AuthenticateSession finds the account of a console session. The caller acts with the
// session's API key. It does not count as a use of the session: see NoteUse.
func (e *Engine) AuthenticateSession(ctx context.Context, token string, cookies []string) (atelier.Caller, error) {
	o, err := e.sessions.owner(ctx, hashText(token))
	if errors.Is(err, store.ErrNotFound) || err == nil && !hasHalf(cookies, o.session.CookieHash) {
		return atelier.Caller{}, errNoSession()
	}
	caller, err := e.check(o.owner, atelier.CredentialAPIKey, err)
	if err == nil && o.account.TokenEpoch != o.session.Epoch {
		err = errNoSession()
	}
	if err != nil {
		return atelier.Caller{}, err
	}
	caller.KeyHash, caller.SessionHash, caller.KeyID = o.session.KeyHash, o.session.TokenHash, atelier.KeyID(o.session.KeyHash)
	e.uses.note(used{hash: caller.KeyHash}, "", e.now())
	return caller, nil
}

// hasHalf reports whether one of the cookies is the half with this hash. Other servers of
// the same host may have set cookies of the same name.
func hasHalf(cookies []string, hash string) bool {
	for _, c := range cookies {
		if subtle.ConstantTimeCompare([]byte(hashText(c)), []byte(hash)) == 1 {
			return true
		}
	}
	return false
}

func errNoSession() error {
	return atelier.Errorf(atelier.CodeBadCredential, "The console session is not valid: it has ended, or its halves do not belong together. Sign in again.")
}

// SignOut ends the console session of a caller.
func (e *Engine) SignOut(ctx context.Context, c atelier.Caller) error {
	return e.db.WriteDeletion(ctx, func(tx *store.Tx) error { return tx.DeleteConsoleSession(c.SessionHash) })
}

// EndSessions ends every session token and console session of the account of a caller, from the next
// request on and on every node. Its keys stay valid. It returns how many console sessions
// there were.
func (e *Engine) EndSessions(ctx context.Context, c atelier.Caller) (sessions int, err error) {
	err = e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(c.Wallet); err != nil {
			return err
		}
		if err := e.actOften(tx, c.Wallet, c.KeyID, actionEndSessions, ""); err != nil { // before the number of changes is locked
			return err
		}
		sessions, err = e.endSessions(tx, c.Wallet)
		return err
	})
	return sessions, err
}

// Sessions lists the open console sessions of the account of a caller, the one that was used last first: for an owner
// all, for others those of their own.
func (e *Engine) Sessions(ctx context.Context, c atelier.Caller) (list []store.ListedSession, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		all, err := tx.ConsoleSessions(c.Wallet, e.now().Add(-SessionIdle))
		list = all[:0]
		for _, s := range all {
			if m := c.Member(); m.Role.Includes(atelier.RoleOwner) || s.Limits.Member.Person == m.Person {
				list = append(list, s)
			}
		}
		return err
	})
	return list, err
}

// SessionID names a console session among those of its account: it is too little to use it.
func SessionID(tokenHash string) string { return atelier.KeyID(tokenHash) }

// EndSession ends one of the sessions that Sessions lists, by its id.
func (e *Engine) EndSession(ctx context.Context, c atelier.Caller, id string) (ended store.ListedSession, err error) {
	list, err := e.Sessions(ctx, c)
	if err != nil {
		return ended, err
	}
	for _, s := range list {
		if SessionID(s.TokenHash) == id {
			return s, e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
				if err := tx.DeleteConsoleSession(s.TokenHash); err != nil {
					return err
				}
				return e.actOften(tx, c.Wallet, c.KeyID, actionEndSession, atelier.KeyID(s.KeyHash))
			})
		}
	}
	return ended, atelier.Missing("id", id, "session")
}

// CountSessions counts the console sessions of an account that are open.
func (e *Engine) CountSessions(ctx context.Context, w atelier.Wallet) (n int, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		n, err = tx.CountConsoleSessions(w, e.now().Add(-SessionIdle))
		return err
	})
	return n, err
}

func (e *Engine) endSessions(tx *store.Tx, w atelier.Wallet) (int, error) {
	n, err := e.endConsoleSessions(tx, w)
	if err != nil {
		return 0, err
	}
	return n, tx.EndTokens(w)
}

func (e *Engine) endConsoleSessions(tx *store.Tx, w atelier.Wallet) (int, error) {
	if err := tx.LockAccount(w); err != nil { // as a session does that begins
		return 0, err
	}
	n, err := tx.EndConsoleSessions(w, "", e.now().Add(-SessionIdle))
	return int(n), err
}

// sweepBatch is how many sessions are removed in one transaction.
const sweepBatch = 500

// SweepSessions removes sessions that have ended for lack of use. It returns how many.
func (e *Engine) SweepSessions(ctx context.Context) (swept int64, err error) {
	for n := int64(sweepBatch); err == nil && n == sweepBatch; swept += n {
		err = e.db.Write(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.DeleteUnusedConsoleSessions(e.now().Add(-SessionIdle), sweepBatch)
			return err
		})
	}
	return swept, err
}
