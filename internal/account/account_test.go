package account_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func newClock() *enginetest.Clock {
	var c enginetest.Clock
	c.FreezeAt(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	return &c
}

const secret, older = "a-secret-of-sixteen", "an-older-secret-of-it"

func TestFirstAccountIsOpenedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		e := account.New(db, []string{secret}, newClock().Now)
		var (
			mu     sync.Mutex
			opened []account.Opened
			wg     sync.WaitGroup
		)
		for range 8 {
			wg.Go(func() {
				got, first, err := e.First(context.Background(), account.NewAccount{Username: "local"}, nil)
				if err != nil {
					t.Error(err)
				}
				if first {
					mu.Lock()
					opened = append(opened, got)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if len(opened) != 1 {
			t.Fatalf("%d first accounts were opened", len(opened))
		}
		caller, err := e.Authenticate(t.Context(), opened[0].Key)
		if err != nil || caller.Username != "local" || caller.Credential != atelier.CredentialAPIKey {
			t.Errorf("its key: got %+v, %v", caller, err)
		}
	})
}

func TestNoFirstAccountBesideOthers(t *testing.T) {
	t.Parallel()
	e := account.New(storetest.Open(t, storetest.SQLite(t)), []string{secret}, newClock().Now)
	if _, err := e.Create(t.Context(), account.NewAccount{}, nil); err != nil {
		t.Fatal(err)
	}
	if _, first, err := e.First(t.Context(), account.NewAccount{}, nil); first || err != nil {
		t.Errorf("got %v, %v, want no first account", first, err)
	}
}

func TestCreateIsAllOrNothing(t *testing.T) {
	t.Parallel()
	e := account.New(storetest.Open(t, storetest.SQLite(t)), []string{secret}, newClock().Now)
	broken := errors.New("no credits today")
	_, err := e.Create(t.Context(), account.NewAccount{Wallet: "0xann"}, func(*store.Tx, atelier.Wallet) error { return broken })
	if !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	if _, err := e.Find(t.Context(), "0xann"); !atelier.HasCode(err, atelier.CodeNotFound) {
		t.Errorf("half an account is left: %v", err)
	}
	for _, n := range []account.NewAccount{{Wallet: "not a wallet"}, {Username: "x"}} {
		if _, err := e.Create(t.Context(), n, nil); err == nil {
			t.Errorf("%+v was created", n)
		}
	}
	if _, err := e.Create(t.Context(), account.NewAccount{Wallet: "0xann", Username: "ann"}, nil); err != nil {
		t.Fatal(err)
	}
	for _, n := range []account.NewAccount{{Wallet: "0XANN"}, {Username: "Ann"}} {
		if _, err := e.Create(t.Context(), n, nil); !atelier.HasCode(err, atelier.CodeNameTaken) {
			t.Errorf("%+v: got %v, want a taken name", n, err)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	db, c := storetest.Open(t, storetest.SQLite(t)), newClock()
	e := account.New(db, []string{secret}, c.Now)
	opened, err := e.Create(t.Context(), account.NewAccount{Username: "ann"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	token, err := e.CreateToken(t.Context(), opened.Account, "", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, e *account.Engine, token string, valid bool) {
		t.Helper()
		caller, err := e.Authenticate(t.Context(), token)
		if valid && (err != nil || caller.Username != "ann" || caller.Credential != atelier.CredentialSessionToken) {
			t.Errorf("%s: got %+v, %v", name, caller, err)
		}
		if !valid && !atelier.HasCode(err, atelier.CodeBadCredential) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
	check("fresh", e, token, true)
	check("after rotation, old secret still believed", account.New(db, []string{older, secret}, c.Now), token, true)
	check("after rotation, old secret dropped", account.New(db, []string{older}, c.Now), token, false)
	signature, other := strings.LastIndex(token, ".")+1, "A"
	if token[signature] == 'A' {
		other = "B"
	}
	check("tampered", e, token[:signature]+other+token[signature+1:], false)
	check("truncated", e, strings.Join(strings.Split(token, ".")[:2], ".")+".", false)
	c.Advance(time.Hour + 6*time.Second)
	check("expired", e, token, false)
	for _, ttl := range []time.Duration{0, -time.Hour, 31 * 24 * time.Hour} {
		if _, err := e.CreateToken(t.Context(), opened.Account, "", ttl); err == nil {
			t.Errorf("a token of %v was made", ttl)
		}
	}
}

// A token of a wallet that has no account is worth nothing.
func TestTokenOfNobody(t *testing.T) {
	t.Parallel()
	c := newClock()
	elsewhere := account.New(storetest.Open(t, storetest.SQLite(t)), []string{secret}, c.Now)
	here := account.New(storetest.Open(t, storetest.SQLite(t)), []string{secret}, c.Now)
	opened, err := elsewhere.Create(t.Context(), account.NewAccount{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	token, err := elsewhere.CreateToken(t.Context(), opened.Account, "", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := here.Authenticate(t.Context(), token); !atelier.HasCode(err, atelier.CodeBadCredential) {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestKeysInAnyCase(t *testing.T) {
	t.Parallel()
	e := account.New(storetest.Open(t, storetest.SQLite(t)), []string{secret}, newClock().Now)
	opened, err := e.Create(t.Context(), account.NewAccount{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Authenticate(t.Context(), strings.ToUpper(opened.Key)); err != nil {
		t.Errorf("the key in capitals: %v", err)
	}
	if err := e.RevokeKey(t.Context(), strings.ToUpper(opened.Key)); err != nil {
		t.Fatal(err)
	}
	if err := e.RevokeKey(t.Context(), opened.Key); !atelier.HasCode(err, atelier.CodeNotFound) {
		t.Errorf("revoked twice: %v", err)
	}
}

// While requests stream in on one key, a revocation that has returned is seen
// by every request that comes after it.
func TestRevocationIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		e := account.New(db, []string{secret}, newClock().Now)
		for range 5 {
			opened, err := e.Create(t.Context(), account.NewAccount{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			stop := make(chan struct{})
			var wg sync.WaitGroup
			for range 16 {
				wg.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
							_, _ = e.Authenticate(context.Background(), opened.Key)
						}
					}
				})
			}
			if _, err := e.Authenticate(t.Context(), opened.Key); err != nil {
				t.Error(err)
			}
			// By another process: a second engine on the same database.
			if err := account.New(db, []string{secret}, newClock().Now).RevokeKey(t.Context(), opened.Key); err != nil {
				t.Error(err)
			}
			if _, err := e.Authenticate(t.Context(), opened.Key); !atelier.HasCode(err, atelier.CodeBadCredential) {
				t.Errorf("after the revocation: got %v, want a refusal", err)
			}
			close(stop)
			wg.Wait()
		}
	})
}

func TestPlans(t *testing.T) {
	t.Parallel()
	c := newClock()
	e := account.New(storetest.Open(t, storetest.SQLite(t)), []string{secret}, c.Now)
	opened, err := e.Create(t.Context(), account.NewAccount{Tier: atelier.TierUnlimited}, nil)
	if err != nil {
		t.Fatal(err)
	}
	status := func() atelier.SubscriptionStatus {
		s, err := e.Subscription(t.Context(), opened.Account.Wallet)
		if err != nil {
			t.Error(err)
		}
		return s.Status
	}
	if got := status(); got != atelier.SubscriptionActive {
		t.Errorf("a new plan: got %s", got)
	}
	if err := e.SetPlan(t.Context(), opened.Account, atelier.TierNone, atelier.SubscriptionActive, time.Time{}); err == nil {
		t.Error("no plan became active")
	}
	if err := e.SetPlan(t.Context(), opened.Account, atelier.TierUnlimited, atelier.SubscriptionTrialing, time.Time{}); err != nil {
		t.Error(err)
	}
	c.Advance(3 * 24 * time.Hour)
	if got := status(); got != atelier.SubscriptionGrace {
		t.Errorf("after the trial: got %s", got)
	}
}
