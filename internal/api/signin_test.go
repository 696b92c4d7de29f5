package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// browser is a person who signs in with a provider.
type browser struct {
	*testing.T
	s     *ateliertest.Service
	http  *http.Client
	token string // of the console session
}

func newBrowser(t *testing.T, s *ateliertest.Service) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{T: t, s: s, http: &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == "/" {
			return http.ErrUseLastResponse
		}
		return nil
	}}}
}

// signIn begins to sign in and follows where that leads. It returns the page of a sign-in that did not work.
func (b *browser) signIn(query string) (status int, page string) {
	b.Helper()
	resp, err := b.http.Get(b.s.URL + "/v1/console/providers/op/begin" + query)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	if resp.StatusCode == 303 {
		token, ok := strings.CutPrefix(resp.Header.Get("Location"), "/#token=")
		if !ok {
			b.Fatalf("sent to %s", resp.Header.Get("Location"))
		}
		b.token = token
	}
	return resp.StatusCode, string(text)
}

type shownSession struct {
	WalletAddress atelier.Wallet
	Token         string
	Member        *struct {
		Name  string
		Email *string
		Role  atelier.Role
	}
	Accounts []struct{ WalletAddress atelier.Wallet }
}

// send sends a request as the console does.
func (b *browser) send(method, path, body string, out any) int {
	b.Helper()
	req := newRequest(b.T, method, b.s.URL+path, []byte(body))
	req.Header.Set("Atelier-Console", b.token)
	req.Header.Set("Origin", b.s.URL)
	req.Header.Set("Content-Type", "application/json")
	resp, err := b.http.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if out != nil && resp.StatusCode < 300 {
		if err := json.NewDecoder(resp.Body).Decode(&struct{ Data any }{out}); err != nil {
			b.Fatal(err)
		}
	}
	return resp.StatusCode
}

func (b *browser) session() (s shownSession) {
	b.Helper()
	var reply struct{ Session shownSession }
	if status := b.send("GET", "/v1/console/session", "", &reply); status != 200 {
		b.Fatalf("the session: got %d", status)
	}
	return reply.Session
}

func useProvider(t *testing.T, op *ateliertest.OpenID, change func(*config.SignInProvider)) func(*config.Config) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(op.Secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(c *config.Config) {
		p := config.SignInProvider{
			Name: "op", Title: "The Provider", Issuer: op.URL, ClientID: op.Client, ClientSecretFile: file, Scopes: []string{"openid"}, GroupsClaim: "groups",
			Groups: []config.SignInGroup{{Group: "artists", Account: "studio", Role: atelier.RoleViewer}, {Group: "leads", Account: "studio", Role: atelier.RoleEditor}},
		}
		if change != nil {
			change(&p)
		}
		c.SignIn.Providers = []config.SignInProvider{p}
		c.Limits.AuthFailuresPerMinute = 1000
	}
}

// A person who signs in with a provider is a member of what groups give and invitations offer, acts with that role, and
// loses what a group gave when they have left it: on every node, with their sessions and keys.
func TestSignInWithAProvider(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		op := ateliertest.NewOpenID(t, ateliertest.ClockOf(o).Now)
		s := ateliertest.Start(t, o, useProvider(t, op, nil), func(c *config.Config) { c.SessionSecret = "the secret of the nodes" })
		studio := s.Account(t, account.NewAccount{Username: "studio"}, billing.Credits{})
		other := s.Account(t, account.NewAccount{Username: "other"}, billing.Credits{})
		ann := newBrowser(t, s)
		op.Says(map[string]any{"sub": "ann", "name": "Ann", "email": "ann@example.org"})
		if status, page := ann.signIn(""); status != 403 || !strings.Contains(page, "member of no account") {
			t.Errorf("a stranger: got %d %s", status, page)
		}
		op.Says(map[string]any{"sub": "ann", "name": "Ann", "email": "ann@example.org", "groups": []string{"artists", "leads"}})
		if status, page := ann.signIn(""); status != 303 {
			t.Fatalf("got %d %s", status, page)
		}
		if got := ann.session(); got.WalletAddress != studio.Account.Wallet || got.Member == nil || got.Member.Role != atelier.RoleEditor || got.Member.Email != nil {
			t.Fatalf("the session is %+v", got)
		}
		if status := ann.send("POST", "/v1/account/members", `{"email": "eve@example.org"}`, nil); status != 403 {
			t.Errorf("an editor invites: got %d, want 403", status)
		}
		var made struct{ Key struct{ APIKey string } }
		if status := ann.send("POST", "/v1/account/keys", `{"name": "phone"}`, &made); status != 201 {
			t.Fatalf("making a key: got %d", status)
		}

		// An invitation to an e-mail waits until the provider has verified it.
		if _, _, err := s.Node.Accounts.Invite(t.Context(), other.Account.Wallet, "", account.NewMember{Email: "ann@example.org", Role: atelier.RoleOwner}); err != nil {
			t.Fatal(err)
		}
		ann.signIn("")
		if got := ann.session(); len(got.Accounts) != 0 {
			t.Errorf("an e-mail that is not verified has accepted an invitation: %+v", got.Accounts)
		}
		op.Says(map[string]any{"sub": "ann", "email": "ann@example.org", "email_verified": true, "groups": []string{"artists"}})
		ann.signIn("?account=other")
		if got := ann.session(); got.WalletAddress != other.Account.Wallet || got.Member.Role != atelier.RoleOwner || len(got.Accounts) != 2 {
			t.Errorf("the session is %+v", got)
		}
		var switched struct{ Session shownSession }
		if status := ann.send("PATCH", "/v1/console/session", `{"account": "studio"}`, &switched); status != 200 || switched.Session.WalletAddress != studio.Account.Wallet {
			t.Errorf("switching: got %d %+v", status, switched)
		}
		ann.token = switched.Session.Token
		if got := ann.session(); got.Member.Role != atelier.RoleViewer {
			t.Errorf("the role is %s, want that of the group that is left", got.Member.Role)
		}
		if status, text := s.Get(t, workflows, made.Key.APIKey); status != 200 {
			t.Errorf("the key: got %d %s", status, text)
		}

		// The groups are gone: so are the membership, its session and its keys, and the other account stays.
		before := *ann
		op.Says(map[string]any{"sub": "ann", "email": "ann@example.org", "email_verified": true})
		later := newBrowser(t, s)
		later.signIn("")
		if got := later.session(); got.WalletAddress != other.Account.Wallet || len(got.Accounts) != 0 {
			t.Errorf("the session is %+v", got)
		}
		if status := before.send("GET", "/v1/console/session", "", nil); status != 401 {
			t.Errorf("a session of a membership that has ended: got %d, want 401", status)
		}
		if status, text := s.Get(t, workflows, made.Key.APIKey); status != 401 {
			t.Errorf("a key of a membership that has ended: got %d %s, want 401", status, text)
		}

		// Another person with the same e-mail is another person.
		op.Says(map[string]any{"sub": "eve", "email": "ann@example.org", "email_verified": true})
		if status, page := newBrowser(t, s).signIn(""); status != 403 {
			t.Errorf("the e-mail of another person: got %d %s, want 403", status, page)
		}

		var out struct{ SignOutURL string }
		if status := later.send("DELETE", "/v1/console/session", "", &out); status != 200 || !strings.HasPrefix(out.SignOutURL, op.URL+"/end?") {
			t.Errorf("signing out: got %d %+v", status, out)
		}
	})
}

// Sessions are listed and ended one by one: all for the account, a member's own for the member.
func TestSessionsOneByOne(t *testing.T) {
	t.Parallel()
	op := ateliertest.NewOpenID(t, ateliertest.ClockOf(store.Options{}).Now)
	s := ateliertest.Start(t, storetest.SQLite(t), useProvider(t, op, func(p *config.SignInProvider) { p.NewPeople = config.NewPeopleCreate }))
	op.Tamper(func(_, c map[string]any) { c["iat"], c["exp"] = s.Clock.Now().Unix(), s.Clock.Now().Unix()+300 })
	ann, again := newBrowser(t, s), newBrowser(t, s)
	for _, b := range []*browser{ann, again} { // the second time into the account that the first has made
		if status, page := b.signIn(""); status != 303 {
			t.Fatalf("got %d %s", status, page)
		}
	}
	if a, b := ann.session(), again.session(); a.WalletAddress != b.WalletAddress || a.Member.Role != atelier.RoleOwner {
		t.Errorf("the sessions are %+v and %+v", a, b)
	}
	var list struct {
		Sessions []struct {
			SessionID string
			Current   bool
		}
	}
	if ann.send("GET", "/v1/account/sessions", "", &list); len(list.Sessions) != 2 {
		t.Fatalf("the sessions are %+v", list)
	}
	i := slices.IndexFunc(list.Sessions, func(one struct {
		SessionID string
		Current   bool
	}) bool {
		return !one.Current
	})
	if status := ann.send("DELETE", "/v1/account/sessions/"+list.Sessions[i].SessionID, "", nil); status != 200 {
		t.Errorf("ending a session: got %d", status)
	}
	if status := again.send("GET", "/v1/console/session", "", nil); status != 401 {
		t.Errorf("a session that was ended: got %d, want 401", status)
	}
	ann.session()
	bob := s.Account(t, account.NewAccount{}, billing.Credits{})
	if status, text := ask(t, "DELETE", s.URL+"/v1/account/sessions/"+list.Sessions[1-i].SessionID, bob.Key); status != 404 {
		t.Errorf("a session of another account: got %d %s, want 404", status, text)
	}
}

// A provider that does not answer gives a page that names it, and so does a callback without a beginning.
func TestSignInPages(t *testing.T) {
	t.Parallel()
	op := ateliertest.NewOpenID(t, ateliertest.ClockOf(store.Options{}).Now)
	op.Down(true)
	s := ateliertest.Start(t, storetest.SQLite(t), useProvider(t, op, nil))
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/v1/console/providers/op/begin":                               {503, "The Provider does not answer"},
		"/v1/console/providers/op/callback?state=a&code=b":             {401, "not begun in this browser"},
		"/v1/console/providers/op/callback?error=%3Cscript%3E&state=a": {401, "not begun in this browser"},
	} {
		resp, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != want.status || !strings.Contains(string(text), want.text) || strings.Contains(string(text), "<script") {
			t.Errorf("%s: got %d %s, want %d with %q", path, resp.StatusCode, text, want.status, want.text)
		}
		if h := resp.Header; !strings.HasPrefix(h.Get("Content-Type"), "text/html") || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s has the headers %v", path, h)
		}
	}
	if status, text := s.Get(t, "/v1/console/providers", ""); status != 200 || !strings.Contains(text, `"title":"The Provider"`) {
		t.Errorf("the providers: got %d %s", status, text)
	}
}
