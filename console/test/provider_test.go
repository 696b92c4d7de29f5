package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oauth2-proxy/mockoidc"
)

// A person signs in with an OpenID provider, in whose group they are an editor of the account, and out of it; without
// the group they are told so.
func TestSignInWithAProvider(t *testing.T) {
	t.Parallel()
	provider, err := mockoidc.Run()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = provider.Shutdown() })
	file := filepath.Join(t.TempDir(), "atelier.yaml")
	text := fmt.Sprintf(`sign_in:
  providers:
    - name: staff
      title: Staff
      issuer: %s
      client_id: %s
      client_secret_env: STAFF_SECRET
      scopes: [openid, email, profile, groups]
      groups: [{group: artists, account: local, role: editor}]
`, provider.Issuer(), provider.ClientID)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startService(t, "ATELIER_CONFIG="+file, "STAFF_SECRET="+provider.ClientSecret)
	p := openPage(t, s.URL, desktop)
	p.allow("401", "403")
	p.open("/")
	p.see("link", "Sign in with Staff")
	p.checkAccess("with a provider")
	// A person without groups would be asked about again, and what this provider then says names no person.
	provider.QueueUser(&mockoidc.MockUser{Subject: "ann", Email: "ann@example.org", EmailVerified: true, PreferredUsername: "Ann", Groups: []string{"visitors"}})
	p.click("link", "Sign in with Staff")
	p.seeText("You are a member of no account here")
	p.click("link", "Back to the console")
	provider.QueueUser(&mockoidc.MockUser{Subject: "ann", Email: "ann@example.org", EmailVerified: true, PreferredUsername: "Ann", Groups: []string{"artists"}})
	p.click("link", "Sign in with Staff")
	p.see("button", "Sign out")
	if got := evaluate[string](p, "location.href + document.cookie"); strings.Contains(got, "session") || got != s.URL+"/" {
		t.Errorf("the address and the cookies that scripts see are %q", got)
	}
	if members := s.run("account", "members", "local"); !strings.Contains(members, "ann@example.org") || !strings.Contains(members, "editor") {
		t.Errorf("the members are\n%s", members)
	}
	p.open("/usage") // a new load of the page is still signed in
	p.see("heading", "Usage")
	p.click("button", "Sign out")
	p.see("link", "Sign in with Staff")

	// An invitation makes a member of the person who has its link.
	link := strings.TrimSpace(s.run("account", "add-member", "local", "--name", "Ben", "--role", "viewer"))
	_, code, ok := strings.Cut(link, "/#invitation=")
	if !ok {
		t.Fatalf("the link is %q", link)
	}
	guest := openPage(t, s.URL, desktop)
	guest.allow("401", "403")
	guest.open("/#invitation=" + code)
	guest.click("button", "Accept with an API key")
	guest.seeText("shown only here")
	guest.checkAccess("with the key of a new member")
	guest.click("button", "I have kept it")
	guest.see("button", "Sign out")
}
