package account_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// accepts reports whether an engine accepts a session, and fails for errors that say
// nothing about it.
func accepts(t *testing.T, e *account.Engine, s account.Session) bool {
	t.Helper()
	caller, err := e.AuthenticateSession(t.Context(), s.Halves.Token, []string{"", s.Halves.Cookie})
	var refused *atelier.Error
	if err != nil && !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if err == nil {
		e.NoteUse(caller, "console")
	}
	return err == nil
}

func signIn(t *testing.T, e *account.Engine, key string) account.Session {
	t.Helper()
	s, err := e.SignIn(t.Context(), key, anyCaller)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A session that is used lasts, though its use is written at most once a minute; half a day
// without use ends it, and the sweeper removes it.
func TestSessionsEndWithoutUse(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		h := newHolder(t, o)
		used, unused := signIn(t, h.Engine, h.Key), signIn(t, h.Engine, h.Key)
		if want := h.clock.Now().Add(12 * time.Hour); !used.ExpiresAt.Equal(want) || used.Account.Username != "ann" {
			t.Errorf("got %+v, want it to expire at %v", used, want)
		}
		for range 3 {
			h.clock.Advance(11 * time.Hour)
			if !accepts(t, h.Engine, used) {
				t.Fatal("a session that is used has ended")
			}
			if err := h.RecordUses(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if accepts(t, h.Engine, unused) {
			t.Error("an unused session is still accepted")
		}
		if n, err := h.SweepSessions(t.Context()); err != nil || n != 1 {
			t.Errorf("swept %d, %v, want 1", n, err)
		}
		// Within a minute of a recorded use nothing is written: this use is lost.
		h.clock.Advance(59 * time.Second)
		if !accepts(t, h.Engine, used) {
			t.Fatal("a session that is used has ended")
		}
		if err := h.RecordUses(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.clock.Advance(12*time.Hour - 59*time.Second)
		if accepts(t, h.Engine, used) {
			t.Error("a use was written less than a minute after the one before")
		}
	})
}

// A check of a credential, as of an open stream at every heartbeat, is no use.
func TestChecksAreNoUseOfASession(t *testing.T) {
	t.Parallel()
	h := newHolder(t, storetest.SQLite(t))
	s := signIn(t, h.Engine, h.Key)
	h.clock.Advance(11 * time.Hour)
	if _, err := h.AuthenticateSession(t.Context(), s.Halves.Token, []string{s.Halves.Cookie}); err != nil {
		t.Fatal(err)
	}
	if err := h.RecordUses(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.clock.Advance(2 * time.Hour)
	if accepts(t, h.Engine, s) {
		t.Error("a check has extended the session")
	}
}

// What ends a session ends it on every node at once.
func TestSessionsEndOnEveryNode(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db, c := storetest.Open(t, o), newClock()
		node, other := account.New(db, []string{secret}, c.Now), account.New(db, []string{secret}, c.Now)
		opened, err := node.Create(t.Context(), account.NewAccount{Username: "ann"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for what, end := range map[string]func(s account.Session, key string) error{
			"signing out": func(s account.Session, _ string) error {
				caller, err := other.AuthenticateSession(t.Context(), s.Halves.Token, []string{s.Halves.Cookie})
				return errors.Join(err, other.SignOut(t.Context(), caller))
			},
			"revoking its key": func(_ account.Session, key string) error { return other.RevokeKey(t.Context(), key) },
			"revoking its key by its id": func(_ account.Session, key string) error {
				caller, err := other.Authenticate(t.Context(), key)
				if err != nil {
					return err
				}
				_, n, err := other.RevokeOwnKey(t.Context(), atelier.Caller{Account: opened.Account}, atelier.KeyID(caller.KeyHash))
				return errors.Join(err, wantSessions(n))
			},
			"revoking its key by a hint": func(_ account.Session, key string) error {
				_, n, err := other.RevokeHint(t.Context(), opened.Account, key)
				return errors.Join(err, wantSessions(n))
			},
			"revoking all keys": func(account.Session, string) error {
				_, n, err := other.RevokeAll(t.Context(), opened.Account)
				return errors.Join(err, wantSessions(n))
			},
			"ending all sessions": func(account.Session, string) error {
				n, err := other.EndSessions(t.Context(), atelier.Caller{Account: opened.Account})
				return errors.Join(err, wantSessions(n))
			},
			"suspending the account": func(account.Session, string) error {
				a, _, err := other.Suspend(t.Context(), opened.Account, nil)
				if err == nil {
					err = other.Cancelled(t.Context(), a)
				}
				if accepts(t, node, account.Session{}) {
					t.Error("an empty session is accepted")
				}
				_, again := other.Reinstate(t.Context(), a)
				return errors.Join(err, again)
			},
		} {
			key, err := node.CreateKey(t.Context(), opened.Account, "")
			if err != nil {
				t.Fatal(err)
			}
			s := signIn(t, node, key)
			if !accepts(t, node, s) || !accepts(t, other, s) {
				t.Fatalf("before %s: it is not accepted", what)
			}
			if err := end(s, key); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if accepts(t, node, s) {
				t.Errorf("%s: the session is still accepted", what)
			}
		}
	})
}

// wantSessions checks that one session has ended: sessions that had ended before, and those
// of other epochs, do not count.
func wantSessions(n int) error {
	if n != 1 {
		return fmt.Errorf("%d sessions ended, want 1", n)
	}
	return nil
}

// A key has a limited number of sessions: another one ends the one that was not used for
// longest.
func TestSessionsOfAKeyAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		h := newHolder(t, o)
		var all []account.Session
		for range 20 {
			all = append(all, signIn(t, h.Engine, h.Key))
			h.clock.Advance(2 * time.Minute)
		}
		elsewhere := signIn(t, h.Engine, h.newKey("other"))
		if !accepts(t, h.Engine, all[0]) { // the second is now the one without use
			t.Fatal("the first has ended before there were too many")
		}
		if err := h.RecordUses(t.Context()); err != nil {
			t.Fatal(err)
		}
		all = append(all, signIn(t, h.Engine, h.Key))
		for i, s := range all {
			if got := accepts(t, h.Engine, s); got == (i == 1) {
				t.Errorf("session %d: accepted: %t", i, got)
			}
		}
		if !accepts(t, h.Engine, elsewhere) {
			t.Error("the session of another key has ended")
		}
	})
}

// Neither the halves nor a code are stored as they are, and no other credential signs in.
func TestSignInNeedsAKey(t *testing.T) {
	t.Parallel()
	h := newHolder(t, storetest.SQLite(t))
	process, end := h.ProcessKey(h.Account)
	defer end()
	s := signIn(t, h.Engine, h.Key)
	for what, credential := range map[string]string{
		"a session token": h.token, "the key of a process": process, "a token": s.Halves.Token, "a cookie": s.Halves.Cookie, "nothing": "",
	} {
		if _, err := h.SignIn(t.Context(), credential, anyCaller); !atelier.HasCode(err, atelier.CodeBadCredential) {
			t.Errorf("%s: got %v, want it refused", what, err)
		}
	}
	if s.Halves.Token == s.Halves.Cookie {
		t.Error("the halves are the same")
	}
}

// Two browsers that send the same code do not both sign in.
func TestCodesAreForOneSession(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		h := newHolder(t, o)
		code := h.CreateCode(h.Account.Wallet)
		results := make(chan error, 4)
		for range 4 {
			go func() { _, err := h.SignInByCode(t.Context(), code); results <- err }()
		}
		signedIn := 0
		for range 4 {
			if err := <-results; err == nil {
				signedIn++
			} else if !atelier.HasCode(err, atelier.CodeBadCredential) {
				t.Error(err)
			}
		}
		if signedIn != 1 {
			t.Errorf("%d signed in, want 1", signedIn)
		}
	})
}

// The last use of a key has the application that named itself, also when the name came
// with the body of a request.
func TestLastUseNamesTheApplication(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		h := newHolder(t, o)
		for _, step := range []struct{ app, want string }{{"", ""}, {"studio", "studio"}, {"", "studio"}, {"chat", "chat"}} {
			caller, err := h.Authenticate(t.Context(), h.Key)
			if err != nil {
				t.Fatal(err)
			}
			h.NoteUse(caller, step.app)
			if err := h.RecordUses(t.Context()); err != nil {
				t.Fatal(err)
			}
			h.NoteUse(caller, "late") // within the minute: not written
			if err := h.RecordUses(t.Context()); err != nil {
				t.Fatal(err)
			}
			keys, err := h.Keys(t.Context(), atelier.Caller{Account: h.Account})
			if err != nil || len(keys) != 1 || keys[0].LastUsedBy != step.want || !keys[0].LastUsedAt.Equal(h.clock.Now()) || !caller.ActsWith(keys[0]) {
				t.Errorf("got %+v, %v, want %q now", keys, err, step.want)
			}
			h.clock.Advance(time.Minute)
		}
	})
}

// An account makes a limited number of keys, also when it revokes them again.
func TestOwnKeysAreBounded(t *testing.T) {
	t.Parallel()
	h := newHolder(t, storetest.SQLite(t))
	for range 99 {
		_, k, err := h.CreateOwnKey(t.Context(), atelier.Caller{Account: h.Account}, "x", atelier.KeyLimits{})
		if err == nil {
			_, _, err = h.RevokeOwnKey(t.Context(), atelier.Caller{Account: h.Account}, k.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := h.CreateOwnKey(t.Context(), atelier.Caller{Account: h.Account}, "x", atelier.KeyLimits{}); !atelier.HasCode(err, atelier.CodeWrongState) {
		t.Errorf("one too many: got %v", err)
	}
	h.clock.Advance(25 * time.Hour)
	if _, _, err := h.CreateOwnKey(t.Context(), atelier.Caller{Account: h.Account}, "x", atelier.KeyLimits{}); err != nil {
		t.Errorf("on the next day: %v", err)
	}
}

// anyCaller is the check of a sign-in from everywhere.
func anyCaller(atelier.Caller) error { return nil }
