package account_test

import (
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// holder is an account with a key and a token, and what an engine says to them.
type holder struct {
	t *testing.T
	*account.Engine
	db    *store.DB
	clock *enginetest.Clock
	account.Opened
	token string
}

func newHolder(t *testing.T, o store.Options) *holder {
	t.Helper()
	h := &holder{t: t, db: storetest.Open(t, o), clock: newClock()}
	h.Engine = account.New(h.db, []string{secret}, h.clock.Now)
	var err error
	if h.Opened, err = h.Create(t.Context(), account.NewAccount{Wallet: "0xann", Username: "ann"}, nil); err != nil {
		t.Fatal(err)
	}
	h.token = h.newToken()
	return h
}

func (h *holder) newToken() string {
	h.t.Helper()
	token, err := h.CreateToken(h.t.Context(), h.Account, "", time.Hour)
	if err != nil {
		h.t.Fatal(err)
	}
	return token
}

// newTokenOf makes a token of the account with a key.
func (h *holder) newTokenOf(key string) string {
	h.t.Helper()
	caller, err := h.Authenticate(h.t.Context(), key)
	if err != nil {
		h.t.Fatal(err)
	}
	token, err := h.CreateToken(h.t.Context(), h.Account, caller.KeyHash, time.Hour)
	if err != nil {
		h.t.Fatal(err)
	}
	return token
}

func (h *holder) newKey(name string) string {
	h.t.Helper()
	key, err := h.CreateKey(h.t.Context(), h.Account, name)
	if err != nil {
		h.t.Fatal(err)
	}
	return key
}

// want checks the error code for a credential; the zero code means that it is accepted.
func (h *holder) want(what, credential string, code atelier.Code) {
	h.t.Helper()
	caller, err := h.Authenticate(h.t.Context(), credential)
	switch {
	case code == atelier.Code{} && (err != nil || caller.Username != "ann"):
		h.t.Errorf("%s: got %+v, %v, want it accepted", what, caller, err)
	case code != atelier.Code{} && (!atelier.HasCode(err, code) || caller.Wallet != ""):
		h.t.Errorf("%s: got %+v, %v, want %s", what, caller, err, code.Slug)
	}
}

var accepted atelier.Code

func TestSuspendedAccount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		h := newHolder(t, o)
		suspended, before, err := h.Suspend(t.Context(), h.Account, nil)
		if err != nil || before || !suspended.SuspendedAt.Equal(h.clock.Now()) {
			t.Fatalf("got %+v, %v, %v", suspended, before, err)
		}
		h.want("a key", h.Key, atelier.CodeAccountSuspended)
		h.want("a token", h.token, atelier.CodeAccountSuspended)
		h.want("a key made since", h.newKey(""), atelier.CodeAccountSuspended)
		if _, err := h.CreateToken(t.Context(), h.Account, "", time.Hour); !atelier.HasCode(err, atelier.CodeAccountSuspended) {
			t.Errorf("a new token: got %v", err)
		}
		h.clock.Advance(time.Minute)
		again, before, err := h.Suspend(t.Context(), h.Account, nil)
		if err != nil || !before || !again.SuspendedAt.Equal(suspended.SuspendedAt) {
			t.Errorf("suspended twice: got %+v, %v, %v", again, before, err)
		}
		// Its work is still to be cancelled: it cannot be reinstated before.
		if pending, err := h.CancelPending(t.Context()); err != nil || len(pending) != 1 || pending[0].Wallet != h.Account.Wallet {
			t.Errorf("pending: got %+v, %v", pending, err)
		}
		if done, err := h.Reinstate(t.Context(), h.Account); done || err != nil {
			t.Errorf("reinstated too soon: got %v, %v", done, err)
		}
		stale := suspended
		stale.SuspendedAt = stale.SuspendedAt.Add(-time.Hour)
		if err := h.Cancelled(t.Context(), stale); err != nil { // of an earlier suspension
			t.Fatal(err)
		}
		if done, err := h.Reinstate(t.Context(), h.Account); done || err != nil {
			t.Errorf("reinstated after another suspension's work was cancelled: got %v, %v", done, err)
		}
		if err := h.Cancelled(t.Context(), suspended); err != nil {
			t.Fatal(err)
		}
		if done, err := h.Reinstate(t.Context(), h.Account); !done || err != nil {
			t.Errorf("reinstate: got %v, %v", done, err)
		}
		h.want("the key afterwards", h.Key, accepted)
		h.want("a token from before", h.token, atelier.CodeBadCredential)
		h.want("a new token", h.newToken(), accepted)
	})
}

func TestRevokeAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		h := newHolder(t, o)
		second := h.newKey("second")
		if err := h.RevokeKey(t.Context(), h.Key); err != nil {
			t.Fatal(err)
		}
		h.want("a token of no key, after one key was revoked", h.token, accepted)
		if n, _, err := h.RevokeAll(t.Context(), h.Account); n != 1 || err != nil {
			t.Errorf("got %d, %v, want the one that is left", n, err)
		}
		h.want("the other key", second, atelier.CodeBadCredential)
		h.want("a token", h.token, atelier.CodeBadCredential)
		// Not a moment has passed: a token is told by its epoch, not by the clock.
		h.want("a new token", h.newToken(), accepted)
		h.want("a new key", h.newKey(""), accepted)
	})
}

// A token ends with the key that made it, on every node; those of other keys, and those of
// the command line, go on.
func TestTokensEndWithTheirKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		h := newHolder(t, o)
		other := account.New(h.db, []string{secret}, h.clock.Now)
		bob, err := h.Create(t.Context(), account.NewAccount{Wallet: "0xbob", Operator: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		cat, err := h.Create(t.Context(), account.NewAccount{Wallet: "0xcat", Operator: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		kept, stolen := h.newKey("kept"), h.newKey("stolen")
		keptToken, stolenToken, operators := h.newTokenOf(kept), h.newTokenOf(stolen), h.newTokenOf(bob.Key)
		for what, token := range map[string]string{"one": keptToken, "another": stolenToken, "an operator's": operators} {
			h.want("the token of "+what, token, accepted)
		}
		if _, _, err := other.RevokeHint(t.Context(), h.Account, stolen); err != nil {
			t.Fatal(err)
		}
		h.want("the token of the revoked key", stolenToken, atelier.CodeBadCredential)
		h.want("the token of another key", keptToken, accepted)
		h.want("a token of the command line", h.token, accepted)
		h.want("the token of an operator's key", operators, accepted)
		suspended := h.newTokenOf(cat.Key)
		h.want("the token of another operator's key", suspended, accepted)
		if _, _, err := other.Suspend(t.Context(), cat.Account, nil); err != nil {
			t.Fatal(err)
		}
		h.want("the token of a suspended operator's key", suspended, atelier.CodeBadCredential)
		if _, _, err := other.RevokeHint(t.Context(), bob.Account, bob.Key); err != nil {
			t.Fatal(err)
		}
		h.want("the token of an operator's key that is revoked", operators, atelier.CodeBadCredential)
		// All sessions end, whatever made them, and the keys stay.
		again := h.newTokenOf(kept)
		if n, err := other.EndSessions(t.Context(), atelier.Caller{Account: h.Account}); n != 0 || err != nil {
			t.Errorf("got %d, %v, want no console session", n, err)
		}
		h.want("a token", keptToken, atelier.CodeBadCredential)
		h.want("another token of its key", again, atelier.CodeBadCredential)
		h.want("a token of the command line, afterwards", h.token, atelier.CodeBadCredential)
		h.want("a key", kept, accepted)
		fresh := h.newTokenOf(kept)
		h.want("a new token", fresh, accepted)
		h.clock.Advance(time.Hour + time.Minute)
		h.want("an expired token", fresh, atelier.CodeBadCredential)
	})
}

func TestRevokeHint(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		c := newClock()
		e := account.New(db, []string{secret}, c.Now)
		opened, err := e.Create(t.Context(), account.NewAccount{Wallet: "0xann"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		bob, err := e.Create(t.Context(), account.NewAccount{Wallet: "0xbob"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = db.Write(t.Context(), func(tx *store.Tx) error {
			for hash, k := range map[string]atelier.APIKey{
				"h1": {Hint: "abcd1111", Name: "one", CreatedAt: c.Now()}, "h2": {Hint: "abcd2222", CreatedAt: c.Now()},
			} {
				if err := tx.InsertKey(hash, "0xann", k); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for hint, want := range map[string]string{
			"abcd":        `2 valid keys of 0xann begin with abcd, and none was changed: abcd1111… "one" created 2026-03-01T12:00:00Z; abcd2222… created`,
			"abc":         "at least the first 4 characters",
			"":            "at least the first 4 characters",
			"…":           "at least the first 4 characters",
			bob.Key[:8]:   "No valid key of 0xann begins with",
			"abcd1111zzz": "No valid key of 0xann begins with",
		} {
			if _, _, err := e.RevokeHint(t.Context(), opened.Account, hint); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: got %v, want %s", hint, err, want)
			}
		}
		for _, hint := range []string{"ABCD1111…", "abcd2"} {
			if k, _, err := e.RevokeHint(t.Context(), opened.Account, hint); err != nil || !strings.HasPrefix(k.Hint, strings.ToLower(hint[:5])) {
				t.Errorf("%s: got %+v, %v", hint, k, err)
			}
		}
		other := opened.Key[:8] + bob.Key[8:]
		for _, key := range []string{other, bob.Key} {
			if _, _, err := e.RevokeHint(t.Context(), opened.Account, key); err == nil || strings.Contains(err.Error(), key[8:]) {
				t.Errorf("a whole key that is not the account's: %v", err)
			}
		}
		if _, _, err := e.RevokeHint(t.Context(), opened.Account, strings.ToUpper(opened.Key)); err != nil {
			t.Errorf("the whole key: %v", err)
		}
		if _, err := e.Authenticate(t.Context(), opened.Key); !atelier.HasCode(err, atelier.CodeBadCredential) {
			t.Errorf("a revoked key: %v", err)
		}
		if _, err := e.Authenticate(t.Context(), bob.Key); err != nil {
			t.Errorf("the key of another: %v", err)
		}
	})
}

// What is recorded of the use of keys costs a write now and then, not one a
// request.
func TestLastUse(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		h := newHolder(t, o)
		used := func() time.Time {
			t.Helper()
			if err := h.RecordUses(t.Context()); err != nil {
				t.Fatal(err)
			}
			keys, err := h.Keys(t.Context(), atelier.Caller{Account: h.Account})
			if err != nil || len(keys) != 1 {
				t.Fatalf("got %+v, %v", keys, err)
			}
			return keys[0].LastUsedAt
		}
		if at := used(); !at.IsZero() {
			t.Errorf("before its first use: %v", at)
		}
		h.want("a token, which is not the key", h.token, accepted)
		if at := used(); !at.IsZero() {
			t.Errorf("after the use of a token: %v", at)
		}
		first := h.clock.Now()
		for range 3 {
			h.want("the key", h.Key, accepted)
			if at := used(); !at.Equal(first) {
				t.Errorf("got %v, want %v", at, first)
			}
			h.clock.Advance(20 * time.Second)
		}
		h.want("the key", h.Key, accepted)
		if at := used(); !at.Equal(h.clock.Now()) {
			t.Errorf("later: got %v, want %v", at, h.clock.Now())
		}
		if _, _, err := h.Suspend(t.Context(), h.Account, nil); err != nil {
			t.Fatal(err)
		}
		before := h.clock.Now()
		h.clock.Advance(time.Hour)
		h.want("the key of a suspended account", h.Key, atelier.CodeAccountSuspended)
		if at := used(); !at.Equal(before) {
			t.Errorf("a refusal counts as a use: got %v, want %v", at, before)
		}
	})
}

// The key of a process is worth nothing to any other, nor when it is over: not
// even after the process was killed.
func TestProcessKey(t *testing.T) {
	t.Parallel()
	db, c := storetest.Open(t, storetest.SQLite(t)), newClock()
	e := account.New(db, []string{secret}, c.Now)
	opened, err := e.Create(t.Context(), account.NewAccount{Worker: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	key, end := e.ProcessKey(opened.Account)
	if caller, err := e.Authenticate(t.Context(), key); err != nil || !caller.Worker || caller.Credential != atelier.CredentialAPIKey {
		t.Errorf("got %+v, %v", caller, err)
	}
	other := account.New(db, []string{secret}, c.Now)
	if _, err := other.Authenticate(t.Context(), key); !atelier.HasCode(err, atelier.CodeBadCredential) {
		t.Errorf("another process: got %v, want a refusal", err)
	}
	if keys, err := e.Keys(t.Context(), atelier.Caller{Account: opened.Account}); err != nil || len(keys) != 1 {
		t.Errorf("it is stored: %+v, %v", keys, err)
	}
	end()
	if _, err := e.Authenticate(t.Context(), key); !atelier.HasCode(err, atelier.CodeBadCredential) {
		t.Errorf("after its end: got %v, want a refusal", err)
	}
}

func TestFindByUsername(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		h := newHolder(t, o)
		for _, name := range []string{"0xann", "0XANN", "ann", "Ann"} {
			if a, err := h.Find(t.Context(), name); err != nil || a.Wallet != "0xann" {
				t.Errorf("%s: got %+v, %v", name, a, err)
			}
		}
		if _, err := h.Find(t.Context(), "an"); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("got %v", err)
		}
		// A name must not stand for two accounts.
		for _, n := range []account.NewAccount{{Wallet: "ann"}, {Username: "0xANN"}} {
			if _, err := h.Create(t.Context(), n, nil); !atelier.HasCode(err, atelier.CodeNameTaken) {
				t.Errorf("%+v: got %v, want a taken name", n, err)
			}
		}
		if _, err := h.Create(t.Context(), account.NewAccount{Wallet: "bob", Username: "bob"}, nil); err != nil {
			t.Errorf("one name for both of one account: %v", err)
		}
	})
}
