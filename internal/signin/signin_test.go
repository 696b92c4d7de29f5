package signin_test

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/signin"
)

const secret = "a-secret-of-sixteen"

type fixture struct {
	*testing.T
	op    *ateliertest.OpenID
	clock *enginetest.Clock
	e     *signin.Engine
}

func start(t *testing.T, set ...func(*signin.Provider)) fixture {
	clock := &enginetest.Clock{}
	clock.FreezeAt(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	f := fixture{T: t, op: ateliertest.NewOpenID(t, clock.Now), clock: clock}
	f.e = f.engine(secret, set...)
	return f
}

// engine is another node, or the same one after a restart.
func (f fixture) engine(secret string, set ...func(*signin.Provider)) *signin.Engine {
	f.Helper()
	p := signin.Provider{
		Name: "op", Title: "The Provider", Issuer: f.op.URL, ClientID: f.op.Client, ClientSecret: f.op.Secret,
		Scopes: []string{"openid", "email"}, GroupsClaim: "groups",
	}
	for _, s := range set {
		s(&p)
	}
	e, err := signin.New(signin.Options{Providers: []signin.Provider{p}, PublicURL: "https://atelier.example/", Secrets: []string{secret}, Now: f.clock.Now})
	if err != nil {
		f.Fatal(err)
	}
	return e
}

// begin begins a sign-in and lets the provider answer: the cookie, and what the browser brings back.
func (f fixture) begin() (cookie string, a signin.Answer) {
	f.Helper()
	address, cookie, err := f.e.Begin(f.Context(), "op", signin.Wish{Invitation: "welcome"})
	if err != nil {
		f.Fatal(err)
	}
	return cookie, f.visit(address)
}

// visit follows a browser to the provider, to where it is sent back.
func (f fixture) visit(address string) signin.Answer {
	f.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(address)
	if err != nil {
		f.Fatal(err)
	}
	resp.Body.Close()
	to, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || !strings.HasPrefix(to.String(), "https://atelier.example/v1/console/providers/op/callback?") {
		f.Fatalf("the provider sends back to %s, %v", to, err)
	}
	return signin.Answer{State: to.Query().Get("state"), Code: to.Query().Get("code")}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.op.Says(map[string]any{"sub": "u1", "email": "Ann@Example.org", "email_verified": true, "name": "Ann", "groups": []string{"artists", "staff"}})
	cookie, a := f.begin()
	if strings.Contains(cookie, a.State) {
		t.Error("the cookie shows the state")
	}
	// Another node finishes what this one began, and other cookies of the name do not hide ours.
	id, wish, err := f.engine(secret).Finish(t.Context(), "op", []string{"", "other", cookie}, a)
	want := signin.Identity{Provider: "op", Issuer: f.op.URL, Subject: "u1", Email: "ann@example.org", Name: "Ann", Groups: []string{"artists", "staff"}}
	if err != nil || !reflect.DeepEqual(id, want) || wish.Invitation != "welcome" {
		t.Errorf("got %+v, %+v, %v, want %+v", id, wish, err, want)
	}
	out, err := url.Parse(f.e.SignOutURL(t.Context(), f.op.URL))
	if err != nil || out.Path != "/end" || out.Query().Get("post_logout_redirect_uri") != "https://atelier.example/" || out.Query().Get("client_id") != f.op.Client {
		t.Errorf("signing out is at %s, %v", out, err)
	}
	f.op.RotateKeys(t) // and its new key is read
	cookie, a = f.begin()
	if _, _, err := f.e.Finish(t.Context(), "op", []string{cookie}, a); err != nil {
		t.Errorf("after the keys were rotated: %v", err)
	}
}

// An e-mail that is not verified is no person's: not for a domain, and not for an invitation.
func TestUnverifiedEmail(t *testing.T) {
	t.Parallel()
	f := start(t)
	for _, claims := range []map[string]any{
		{"sub": "u1", "email": "ann@example.org"},
		{"sub": "u1", "email": "ann@example.org", "email_verified": false},
		{"sub": "u1", "email": "Ann <ann@example.org>", "email_verified": true},
	} {
		f.op.Says(claims)
		cookie, a := f.begin()
		if id, _, err := f.e.Finish(t.Context(), "op", []string{cookie}, a); err != nil || id.Email != "" || id.Subject != "u1" {
			t.Errorf("%v: got %+v, %v, want no e-mail", claims, id, err)
		}
	}
	g := start(t, func(p *signin.Provider) { p.AllowedDomains = []string{"example.org"} })
	for claims, allowed := range map[*map[string]any]bool{
		{"sub": "u1", "email": "ann@example.org", "email_verified": "true"}:        true,
		{"sub": "u1", "email": "ann@example.org"}:                                  false,
		{"sub": "u1", "email": "ann@example.org.evil.com", "email_verified": true}: false,
		{"sub": "u1"}: false,
	} {
		g.op.Says(*claims)
		cookie, a := g.begin()
		if _, _, err := g.e.Finish(t.Context(), "op", []string{cookie}, a); (err == nil) != allowed {
			t.Errorf("%v: got %v, allowed %v", *claims, err, allowed)
		}
	}
}

// Tokens that are expired, forged, for another person or of another sign-in are refused.
func TestForgedTokens(t *testing.T) {
	t.Parallel()
	f := start(t)
	now := f.clock.Now()
	for name, tamper := range map[string]func(header, claims map[string]any){
		"expired":               func(_, c map[string]any) { c["exp"] = now.Add(-2 * time.Minute).Unix() },
		"of the future":         func(_, c map[string]any) { c["iat"] = now.Add(2 * time.Minute).Unix() },
		"not valid yet":         func(_, c map[string]any) { c["nbf"] = now.Add(2 * time.Minute).Unix() },
		"not signed":            func(h, _ map[string]any) { h["alg"] = "none" },
		"of another algorithm":  func(h, _ map[string]any) { h["alg"] = "HS256" },
		"of an unknown key":     func(h, _ map[string]any) { h["kid"] = "other" },
		"for another client":    func(_, c map[string]any) { c["aud"] = "other" },
		"for two clients":       func(_, c map[string]any) { c["aud"] = []string{"atelier", "other"} },
		"issued to another":     func(_, c map[string]any) { c["aud"], c["azp"] = []string{"atelier", "other"}, "other" },
		"of another issuer":     func(_, c map[string]any) { c["iss"] = "https://evil.example" },
		"of another sign-in":    func(_, c map[string]any) { c["nonce"] = "other" },
		"without a nonce":       func(_, c map[string]any) { delete(c, "nonce") },
		"about no person":       func(_, c map[string]any) { delete(c, "sub") },
		"of another access":     func(_, c map[string]any) { c["at_hash"] = "b3RoZXIgb3RoZXIgb3Ro" },
		"without an expiration": func(_, c map[string]any) { delete(c, "exp") },
	} {
		f.op.Tamper(tamper)
		cookie, a := f.begin()
		if id, _, err := f.e.Finish(t.Context(), "op", []string{cookie}, a); !atelier.HasCode(err, atelier.CodeBadCredential) {
			t.Errorf("a token %s: got %+v, %v, want a refusal", name, id, err)
		}
	}
	f.op.Tamper(func(_, c map[string]any) { c["exp"] = now.Add(-30 * time.Second).Unix() }) // clocks differ
	cookie, a := f.begin()
	if _, _, err := f.e.Finish(t.Context(), "op", []string{cookie}, a); err != nil {
		t.Errorf("a token that has expired by a clock that is not far off: %v", err)
	}
	f.op.Tamper(nil)
	f.op.Forge(t, true)
	cookie, a = f.begin()
	if _, _, err := f.e.Finish(t.Context(), "op", []string{cookie}, a); !atelier.HasCode(err, atelier.CodeBadCredential) {
		t.Errorf("a token signed with another key: got %v, want a refusal", err)
	}
}

// What one browser has begun no other finishes, nor the same one twice or late.
func TestSwappedAndReplayed(t *testing.T) {
	t.Parallel()
	f := start(t)
	refused := func(what string, cookies []string, a signin.Answer) {
		t.Helper()
		if id, _, err := f.e.Finish(t.Context(), "op", cookies, a); !atelier.HasCode(err, atelier.CodeBadCredential) {
			t.Errorf("%s: got %+v, %v, want a refusal", what, id, err)
		}
	}
	mine, a := f.begin()
	theirs, b := f.begin()
	refused("without a cookie", nil, a)
	refused("with the cookie of another browser", []string{theirs}, a)
	refused("with the state of another sign-in", []string{mine}, signin.Answer{State: b.State, Code: a.Code})
	refused("with the code of another sign-in", []string{mine}, signin.Answer{State: a.State, Code: b.Code})
	refused("of another provider", []string{mine}, signin.Answer{State: a.State, Code: a.Code, Issuer: "https://evil.example"})
	refused("refused by the provider", []string{mine}, signin.Answer{State: a.State, Error: "access_denied<script>"})
	refused("with a cookie that was changed", []string{mine[:len(mine)-6] + "AAAA%3D"}, a)
	if _, _, err := f.engine("another-secret-of-it").Finish(t.Context(), "op", []string{mine}, a); !atelier.HasCode(err, atelier.CodeBadCredential) {
		t.Errorf("at another installation: got %v", err)
	}
	if _, _, err := f.e.Finish(t.Context(), "op", []string{mine}, a); err != nil {
		t.Fatalf("the sign-in itself: %v", err)
	}
	refused("a second time", []string{mine}, a)
	late, c := f.begin()
	f.clock.Advance(signin.TTL)
	refused("late", []string{late}, c)
}

// A provider that is down gives an error that names it, and none when it is back; what it said of itself an hour ago
// still counts.
func TestProviderDown(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.op.Down(true)
	var down *signin.Unavailable
	for range 2 {
		if _, _, err := f.e.Begin(t.Context(), "op", signin.Wish{}); !errors.As(err, &down) || !atelier.HasCode(err, atelier.CodeUnavailable) {
			t.Fatalf("got %v, want that the provider does not answer", err)
		}
	}
	f.op.Down(false)
	f.clock.Advance(10 * time.Second)
	cookie, a := f.begin()
	f.op.Down(true)
	if _, _, err := f.e.Finish(t.Context(), "op", []string{cookie}, a); !atelier.HasCode(err, atelier.CodeUnavailable) {
		t.Errorf("got %v, want that the provider does not answer", err)
	}
	f.clock.Advance(2 * time.Hour)
	if _, _, err := f.e.Begin(t.Context(), "op", signin.Wish{}); err != nil {
		t.Errorf("with what it said before: %v", err)
	}
	if _, _, err := f.e.Begin(t.Context(), "other", signin.Wish{}); !atelier.HasCode(err, atelier.CodeNotFound) {
		t.Errorf("a provider that is not configured: %v", err)
	}
}
