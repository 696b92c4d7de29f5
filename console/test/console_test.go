package test

import (
	"strings"
	"testing"
)

// Signing in with a key, and what does not sign in.
func TestSignIn(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.allow("401")
	p.open("/")
	p.see("heading", "Sign in")
	p.checkAccess("signed out")
	p.fill("API key", "00000000-0000-0000-0000-000000000000")
	p.click("button", "Sign in")
	p.see("alert", "")
	p.checkAccess("refused")
	p.fill("API key", s.Key)
	p.click("button", "Sign in")
	p.see("button", "Sign out")

	// No script can read a credential: the key is nowhere, and the cookie is hidden.
	if got := evaluate[string](p, "JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])"); strings.Contains(got, s.Key) || evaluate[string](p, "document.cookie") != "" {
		t.Errorf("a script reads %s", got)
	}
	p.open("/usage") // a new load of the page is still signed in
	p.see("heading", "Usage")
	p.click("button", "Sign out")
	p.see("heading", "Sign in")
	p.open("/usage")
	p.see("heading", "Sign in")
}

// The link that the service prints opens the console signed in, once.
func TestOneTimeLink(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, "", desktop)
	p.open(s.link)
	p.see("button", "Sign out")
	if got := evaluate[string](p, "location.hash"); got != "" {
		t.Errorf("the code stays in the address: %s", got)
	}
	again := openPage(t, "", desktop)
	again.allow("401", "400", "403", "404")
	again.open(s.link)
	again.see("heading", "Sign in")
}

// Keys: create, use, rename, revoke; revoking the key of a console ends its session.
func TestKeys(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, phone)
	p.allow("401")
	p.signIn(s.Key)
	p.open("/keys")
	p.checkAccess("keys")
	p.click("button", "Create a key")
	p.fill("Name", "render farm")
	p.checkAccess("creating")
	p.click("button", "Create a key")
	p.see("dialog", "Your new key")
	p.checkAccess("created")
	key := evaluate[string](p, `document.querySelector(".secret code").textContent`)
	p.click("button", "I have saved it")
	p.seeText("render farm")

	other := openPage(t, s.URL, desktop)
	other.allow("401")
	other.signIn(key)
	p.open("/keys")
	p.click("button", "Rename render farm")
	p.fill("Name", "old farm")
	p.click("button", "Save")
	p.click("button", "Revoke old farm")
	p.see("dialog", "Revoke old farm?")
	p.click("button", "Revoke")
	p.gone("button", "Revoke old farm")
	other.open("/keys")
	other.see("heading", "Sign in")
}
