package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// hashKey is how a key is stored. A key is a random UUID, so a plain digest is as safe as
// a slow one, and a lookup leaks nothing of the key by timing. The digits of a UUID mean
// the same in upper case.
func hashKey(key string) string { return hashText(strings.ToLower(key)) }

func hashText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// hintLength is how many characters of a key are kept to tell keys apart.
const hintLength = 8

func describeKey(key, name string, at time.Time) atelier.APIKey {
	return atelier.APIKey{ID: atelier.KeyID(hashKey(key)), Hint: key[:hintLength], Name: name, CreatedAt: at}
}

// maxKeyName is the longest name of a key, in characters.
const maxKeyName = 80

func checkKeyName(name string) error {
	if utf8.RuneCountInString(name) > maxKeyName || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return atelier.Refuse("name", "is wrong: the name of a key is at most %d printable characters on one line.", maxKeyName)
	}
	return nil
}

// CreateKey makes another key of an account, with an optional name. The key is shown only
// here.
func (e *Engine) CreateKey(ctx context.Context, a atelier.Account, name string) (string, error) {
	key, _, err := e.AddKey(ctx, a, name, atelier.KeyLimits{}, nil)
	return key, err
}

// AddKey is CreateKey with limits, that describes the key too. also, which may be nil, is
// written in the same transaction.
func (e *Engine) AddKey(ctx context.Context, a atelier.Account, name string, limits atelier.KeyLimits, also func(*store.Tx, atelier.APIKey) error) (key string, k atelier.APIKey, err error) {
	if err := checkKeyName(name); err != nil {
		return "", k, err
	}
	if err := limits.Check(e.now()); err != nil {
		return "", k, err
	}
	key = mint.UUID()
	k = describeKey(key, name, e.now())
	k.Limits = limits
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.InsertKey(hashKey(key), a.Wallet, k); err != nil || also == nil {
			return err
		}
		return also(tx, k)
	})
	return key, k, err
}

// Keys lists the keys of the account of a caller that the caller may see, oldest first.
func (e *Engine) Keys(ctx context.Context, c atelier.Caller) (keys []atelier.APIKey, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		stored, err := tx.Keys(c.Wallet)
		for _, k := range stored {
			if seesKey(c, k.APIKey) {
				keys = append(keys, k.APIKey)
			}
		}
		return err
	})
	return keys, err
}

// maxOwnKeys is how many keys an account makes for itself: those that are valid, and those
// that it made in the last day.
const maxOwnKeys = 100

// CreateOwnKey makes a key for the account of a caller. Its limits have to lie within those of the caller's own key. An
// account has a limited number of keys, and so has each of its members: their keys have their role, and end with the
// membership.
func (e *Engine) CreateOwnKey(ctx context.Context, c atelier.Caller, name string, limits atelier.KeyLimits) (key string, k atelier.APIKey, err error) {
	if err := checkKeyName(name); err != nil {
		return "", k, err
	}
	now, w := e.now(), c.Wallet
	if err := limits.Check(now); err != nil {
		return "", k, err
	}
	if err := c.Limits.CheckMade(limits); err != nil {
		return "", k, err
	}
	key = mint.UUID()
	k = describeKey(key, name, now)
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(w); err != nil { // two requests must not both be the last one
			return err
		}
		k.Limits = limits
		if person := c.Member().Person; person != "" {
			m, err := tx.Member(w, person) // not as it was read with the request: the membership may have ended since, or its role changed
			if err != nil {
				return err
			}
			k.Limits.Member = membershipOf(m)
		}
		n, err := tx.CountKeys(w, c.Member().Person, now.Add(-24*time.Hour))
		if err != nil {
			return err
		}
		if n >= maxOwnKeys {
			return atelier.Errorf(atelier.CodeWrongState, "The account has %d keys that are valid or were created in the last 24 hours. Revoke a key, or try again tomorrow.", n)
		}
		if err := tx.InsertKey(hashKey(key), w, k); err != nil {
			return err
		}
		return e.act(tx, w, c.KeyID, actionCreateKey, k.ID, k.Name)
	})
	if errors.Is(err, store.ErrNotFound) {
		err = errBadCredential()
	}
	return key, k, err
}

// KeyChange changes a key. What is nil stays as it is.
type KeyChange struct {
	Name   *string
	Limits *atelier.KeyLimits // all of them
}

func (q KeyChange) check(now time.Time) error {
	if q.Name != nil {
		if err := checkKeyName(*q.Name); err != nil {
			return err
		}
	}
	if q.Limits != nil {
		return q.Limits.Check(now)
	}
	return nil
}

// apply changes a key that was found, in the caller's transaction.
func (q KeyChange) apply(tx *store.Tx, k *store.StoredKey, now time.Time) error {
	if q.Name != nil {
		k.Name = *q.Name
		if err := tx.RenameKey(k.Hash, k.Name); err != nil {
			return err
		}
	}
	if q.Limits != nil {
		member := k.Limits.Member
		if member.KeyID != "" && q.Limits.Budget != (atelier.KeyBudget{}) {
			return atelier.Refuse("limits.budget", "must be left out: the keys of a member spend within the budget of the member.")
		}
		k.Limits = *q.Limits
		k.Limits.Member = member
		return tx.PutKeyLimits(k.Hash, k.Limits, now)
	}
	return nil
}

// ChangeOwnKey changes a key of the account of a caller, by its id. Only a caller whose own key has no limits changes
// those of a key, or another key than its own.
func (e *Engine) ChangeOwnKey(ctx context.Context, c atelier.Caller, id string, q KeyChange) (k atelier.APIKey, err error) {
	now := e.now()
	if err := q.check(now); err != nil {
		return k, err
	}
	if q.Limits != nil {
		if err := c.Limits.CheckWhole("change the limits of a key"); err != nil {
			return k, err
		}
	}
	if err := checkOthersKey(c, id, "change another key"); err != nil {
		return k, err
	}
	return e.changeOwnKey(ctx, c, id, func(tx *store.Tx, k *store.StoredKey) error {
		err := e.checkActed(tx, c.Wallet)
		if err == nil && q.Limits != nil && k.Limits.Member.Person != c.Member().Person { // whose work is on another budget, or on none
			err = c.Limits.CheckLimitless("change the limits of a key of others")
		}
		if err == nil {
			err = q.apply(tx, k, now)
		}
		if err != nil {
			return err
		}
		action, detail := actionChangeKey, k.Name
		if q.Limits != nil {
			action, detail = actionLimitKey, DescribeLimited(k.APIKey)
		}
		return e.act(tx, c.Wallet, c.KeyID, action, k.ID, detail)
	})
}

// ChangeKey changes the key of an account that has an id, or that begins with the hint, as RevokeHint finds it.
func (e *Engine) ChangeKey(ctx context.Context, a atelier.Account, hint string, q KeyChange, also func(*store.Tx, atelier.APIKey) error) (k atelier.APIKey, err error) {
	now := e.now()
	if err := q.check(now); err != nil {
		return k, err
	}
	err = e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(a.Wallet); err != nil {
			return err
		}
		found, err := e.findHint(tx, a, hint)
		if err != nil {
			return err
		}
		if err := q.apply(tx, &found, now); err != nil {
			return err
		}
		k = found.APIKey
		return also(tx, k)
	})
	if errors.Is(err, store.ErrNotFound) { // it was revoked meanwhile
		err = atelier.Missing("id", hint, "key")
	}
	return k, err
}

// checkOthersKey refuses what a limited key would do to another key of its account: who was given it for some work
// should not lock the owner out.
func checkOthersKey(c atelier.Caller, id, what string) error {
	if id == c.KeyID {
		return nil
	}
	return c.Limits.CheckWhole(what)
}

// RevokeOwnKey revokes a key of the account of a caller, by its id: a limited key revokes itself alone. It returns how
// many console sessions end with it.
func (e *Engine) RevokeOwnKey(ctx context.Context, c atelier.Caller, id string) (k atelier.APIKey, sessions int, err error) {
	if err := checkOthersKey(c, id, "revoke another key"); err != nil {
		return k, 0, err
	}
	k, err = e.changeOwnKey(ctx, c, id, func(tx *store.Tx, k *store.StoredKey) error {
		if sessions, err = e.revoke(tx, c.Wallet, k.Hash, e.now()); err != nil {
			return err
		}
		return e.act(tx, c.Wallet, c.KeyID, actionRevokeKey, k.ID, k.Name)
	})
	return k, sessions, err
}

// revoke revokes a key of an account, which ends the session tokens that it made and its
// console sessions. It returns how many sessions there were; tokens are not stored, so they
// cannot be counted.
func (e *Engine) revoke(tx *store.Tx, w atelier.Wallet, hash string, at time.Time) (sessions int, err error) {
	n, err := tx.EndConsoleSessions(w, hash, e.now().Add(-SessionIdle))
	if err != nil {
		return 0, err
	}
	return int(n), tx.RevokeKey(hash, at)
}

// changeOwnKey changes a valid key that a caller may see, and returns it as the change has left it.
func (e *Engine) changeOwnKey(ctx context.Context, c atelier.Caller, id string, change func(*store.Tx, *store.StoredKey) error) (atelier.APIKey, error) {
	var found store.StoredKey
	w := c.Wallet
	err := e.db.WriteDeletion(ctx, func(tx *store.Tx) (err error) {
		if err := tx.LockAccount(w); err != nil {
			return err
		}
		if found, err = tx.OwnKey(w, id); err != nil {
			return err
		}
		if !seesKey(c, found.APIKey) {
			return store.ErrNotFound
		}
		return change(tx, &found)
	})
	if errors.Is(err, store.ErrNotFound) {
		err = atelier.Missing("id", id, "key")
	}
	return found.APIKey, err
}

// seesKey reports whether a caller sees a key of the account: those of memberships are shown to none, and those of
// others are for owners.
func seesKey(c atelier.Caller, k atelier.APIKey) bool {
	m := c.Member()
	return !k.IsMembership() && (m.Role.Includes(atelier.RoleOwner) || k.Limits.Member.Person == m.Person)
}

// RevokeKey makes a key invalid from the next request on, and what was made with it.
func (e *Engine) RevokeKey(ctx context.Context, key string) error {
	err := e.db.WriteDeletion(ctx, func(tx *store.Tx) error { return tx.RevokeKey(hashKey(key), e.now()) })
	if errors.Is(err, store.ErrNotFound) {
		return errNoKey()
	}
	return err
}

func errNoKey() error {
	return &atelier.Error{Code: atelier.CodeNotFound, Field: "apiKey", Message: "There is no such key, or it is already revoked."}
}

// KeyAccount finds the account of a valid key, suspended or not.
func (e *Engine) KeyAccount(ctx context.Context, key string) (a atelier.Account, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		a, _, err = tx.KeyOwner(hashKey(key))
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = errNoKey()
	}
	return a, err
}

// minHint is the shortest prefix that names a key: a typing error should not revoke one.
const minHint = 4

// RevokeHint revokes the key of an account that has an id, or that begins with the hint: a
// part of what Keys shows, or the whole key. When several keys match, none is revoked and the error lists
// them. RevokeHint returns how many console sessions end with the key, too.
func (e *Engine) RevokeHint(ctx context.Context, a atelier.Account, hint string, also ...func(*store.Tx, atelier.APIKey) error) (revoked atelier.APIKey, sessions int, err error) {
	err = e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(a.Wallet); err != nil {
			return err
		}
		found, err := e.findHint(tx, a, hint)
		if err != nil {
			return err
		}
		revoked = found.APIKey
		revoked.RevokedAt = e.now()
		sessions, err = e.revoke(tx, a.Wallet, found.Hash, revoked.RevokedAt)
		for _, f := range also {
			if err == nil {
				err = f(tx, revoked)
			}
		}
		return err
	})
	return revoked, sessions, err
}

// findHint finds the valid key of an account that has an id, or that begins with the hint.
func (e *Engine) findHint(tx *store.Tx, a atelier.Account, hint string) (k store.StoredKey, err error) {
	hint = strings.ToLower(strings.TrimSuffix(hint, "…"))
	if len(hint) < minHint {
		return k, refuse("id", fmt.Errorf("give at least the first %d characters of the key", minHint))
	}
	whole := ""
	if atelier.IsUUID(hint) {
		whole, hint = hashKey(hint), hint[:hintLength] // the rest is not repeated
	}
	keys, err := tx.Keys(a.Wallet)
	if err != nil {
		return k, err
	}
	var found []store.StoredKey
	for _, k := range keys {
		if k.RevokedAt.IsZero() && !k.IsMembership() && (k.ID == hint || strings.HasPrefix(k.Hint, hint) && (whole == "" || k.Hash == whole)) {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 0:
		return k, &atelier.Error{Code: atelier.CodeNotFound, Field: "id", Message: fmt.Sprintf("No valid key of %s begins with %s.", a.Wallet, hint)}
	case 1:
		return found[0], nil
	}
	return k, atelier.Errorf(atelier.CodeWrongState, "%d valid keys of %s begin with %s, and none was changed: %s", len(found), a.Wallet, hint, describeKeys(found))
}

func describeKeys(keys []store.StoredKey) string {
	var out []string
	for _, k := range keys {
		text := k.Hint + "…"
		if k.Name != "" {
			text += fmt.Sprintf(" %q", k.Name)
		}
		out = append(out, text+" created "+k.CreatedAt.Format(time.RFC3339))
	}
	return strings.Join(out, "; ")
}

// RevokeAll revokes every key of an account and ends its session tokens and console
// sessions. It returns how many keys and sessions there were.
func (e *Engine) RevokeAll(ctx context.Context, a atelier.Account, also ...Also) (revoked, sessions int, err error) {
	err = e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		if sessions, err = e.endConsoleSessions(tx, a.Wallet); err != nil {
			return err
		}
		n, err := tx.RevokeKeys(a.Wallet, e.now())
		if err != nil {
			return err
		}
		if err := tx.EndTokens(a.Wallet); err != nil { // last: it locks the number of changes
			return err
		}
		revoked = int(n)
		return callAll(tx, also...)
	})
	return revoked, sessions, err
}

// ProcessKey makes a key that only this engine accepts, for a part of the process that
// calls its own API. It is not stored, so it ends with the process; the returned function
// ends it sooner.
func (e *Engine) ProcessKey(a atelier.Account) (key string, end func()) {
	key = mint.UUID()
	hash := hashKey(key)
	e.process.Store(hash, a.Wallet)
	return key, func() { e.process.Delete(hash) }
}

// keyOwner finds the account of a key and what the key is limited to, and records its use.
func (e *Engine) keyOwner(ctx context.Context, hash string) (o owner, err error) {
	own, ours := e.process.Load(hash)
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		if ours {
			o.account, err = tx.Account(own.(atelier.Wallet))
		} else {
			o.account, o.limits, err = tx.KeyOwner(hash)
		}
		return err
	})
	if err == nil && !ours && !o.account.Suspended() && !o.limits.Expired(e.now()) {
		e.uses.note(used{hash: hash}, "", e.now())
	}
	return o, err
}

// DescribeLimited is a key and what it is limited to, for the list of actions.
func DescribeLimited(k atelier.APIKey) string {
	return strings.TrimSpace(k.Name + " " + k.Limits.OwnLimits().String())
}
