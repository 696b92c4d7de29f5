package signin

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/seal"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// TTL is how long a sign-in may take.
const TTL = 10 * time.Minute

// skew is how far the clock of a provider may be from ours.
const skew = time.Minute

// Options are the settings of an engine.
type Options struct {
	Providers []Provider
	PublicURL string   // of this service, where browsers come back
	Secrets   []string // of the installation: the first seals, all open
	Client    *http.Client
	Now       func() time.Time
}

// Engine signs people in. It is safe for concurrent use.
type Engine struct {
	providers []*provider
	public    string
	sealer    seal.Sealer
	now       func() time.Time
}

// New makes an engine.
func New(o Options) (*Engine, error) {
	sealer, err := seal.New("sign-in", o.Secrets)
	if err != nil {
		return nil, err
	}
	e := &Engine{public: strings.TrimRight(o.PublicURL, "/"), sealer: sealer, now: o.Now}
	client := &http.Client{Timeout: timeout}
	if o.Client != nil {
		client.Transport = o.Client.Transport
	}
	for _, p := range o.Providers {
		e.providers = append(e.providers, &provider{Provider: p, client: client, now: o.Now})
	}
	return e, nil
}

// Providers lists the providers as they are configured.
func (e *Engine) Providers() (list []Provider) {
	for _, p := range e.providers {
		list = append(list, p.Provider)
	}
	return list
}

func (e *Engine) find(name string) (*provider, error) {
	i := slices.IndexFunc(e.providers, func(p *provider) bool { return p.Name == name })
	if i < 0 {
		return nil, atelier.Missing("provider", name, "sign-in provider")
	}
	return e.providers[i], nil
}

// pending is a sign-in that has begun, as the cookie of its browser has it.
type pending struct {
	State      string `json:"state"`
	Nonce      string `json:"nonce"`
	Verifier   string `json:"verifier"`
	Until      int64  `json:"until"` // in seconds
	Invitation string `json:"invitation,omitempty"`
	Account    string `json:"account,omitempty"`
}

// Wish is what a person wants who signs in.
type Wish struct {
	Invitation string // the code of one to accept; may be empty
	Account    string // to act as, of several; may be empty
}

// Begin returns the address of a provider to send a browser to, and the cookie with which the browser comes back.
func (e *Engine) Begin(ctx context.Context, name string, w Wish) (address, cookie string, err error) {
	p, err := e.find(name)
	if err != nil {
		return "", "", err
	}
	d, err := p.describe(ctx)
	if err != nil {
		return "", "", err
	}
	begun := pending{
		State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Until: e.now().Add(TTL).Unix(),
		Invitation: w.Invitation, Account: w.Account,
	}
	text, err := wire.Marshal(begun)
	if err != nil {
		return "", "", err
	}
	sealed, err := e.sealer.Seal("sign-in", name, string(text))
	if err != nil {
		return "", "", err
	}
	config := e.config(p, d)
	return config.AuthCodeURL(begun.State, oauth2.S256ChallengeOption(begun.Verifier), oidc.Nonce(begun.Nonce)), url.QueryEscape(sealed), nil
}

func (e *Engine) config(p *provider, d *description) oauth2.Config {
	return oauth2.Config{
		ClientID: p.ClientID, ClientSecret: p.ClientSecret, Endpoint: d.Endpoint(), Scopes: p.Scopes,
		RedirectURL: e.public + "/v1/console/providers/" + p.Name + "/callback",
	}
}

// Answer is what a provider sends back with the browser.
type Answer struct {
	State  string
	Code   string
	Error  string
	Issuer string
}

// Identity is who a person is, by a provider.
type Identity struct {
	Provider string
	Issuer   string
	Subject  string
	Email    string // in lower case, verified by the provider; empty otherwise
	Name     string
	Groups   []string
}

// Finish checks what a browser has brought back, and returns who it is. The cookies are those that may have begun it:
// other servers of the same host may have set cookies of the same name.
func (e *Engine) Finish(ctx context.Context, name string, cookies []string, a Answer) (Identity, Wish, error) {
	p, err := e.find(name)
	if err != nil {
		return Identity{}, Wish{}, err
	}
	begun, ok := e.open(name, cookies, a.State)
	switch {
	case !ok:
		return Identity{}, Wish{}, refuse("This sign-in was not begun in this browser, or more than %d minutes ago. Begin again.", int(TTL.Minutes()))
	case a.Error != "":
		return Identity{}, Wish{}, refuse("%s did not sign you in: %s.", p.Title, shown(a.Error))
	case a.Code == "":
		return Identity{}, Wish{}, refuse("%s sent no code.", p.Title)
	case a.Issuer != "" && a.Issuer != p.Issuer:
		return Identity{}, Wish{}, refuse("The answer is of another provider.")
	}
	d, err := p.describe(ctx)
	if err != nil {
		return Identity{}, Wish{}, err
	}
	if d.NamesItems && a.Issuer == "" {
		return Identity{}, Wish{}, refuse("The answer does not name its provider.")
	}
	id, err := e.exchange(ctx, p, d, begun, a.Code)
	return id, Wish{begun.Invitation, begun.Account}, err
}

// open finds the sign-in that has a state among cookies.
func (e *Engine) open(name string, cookies []string, state string) (begun pending, ok bool) {
	for _, c := range cookies {
		sealed, err := url.QueryUnescape(c)
		if err != nil {
			continue
		}
		text, err := e.sealer.Open("sign-in", name, sealed)
		if err != nil || text == "" || wire.Unmarshal([]byte(text), &begun) != nil {
			continue
		}
		if subtle.ConstantTimeCompare([]byte(begun.State), []byte(state)) == 1 && e.now().Unix() < begun.Until {
			return begun, true
		}
	}
	return pending{}, false
}

// SignOutURL is where a browser signs out of the provider of an issuer; empty where the provider has no such place, or
// does not answer.
func (e *Engine) SignOutURL(ctx context.Context, issuer string) string {
	for _, p := range e.providers {
		if p.Issuer != issuer {
			continue
		}
		d, err := p.describe(ctx)
		if err != nil || d.EndSession == "" {
			return ""
		}
		to, err := url.Parse(d.EndSession)
		if err != nil || to.Scheme != "https" && to.Scheme != "http" {
			return ""
		}
		q := to.Query()
		q.Set("client_id", p.ClientID)
		q.Set("post_logout_redirect_uri", e.public+"/")
		to.RawQuery = q.Encode()
		return to.String()
	}
	return ""
}

// refuse is the error of a sign-in that is not accepted.
func refuse(format string, args ...any) error {
	return atelier.Errorf(atelier.CodeBadCredential, format, args...)
}

// shown is a text of a provider, cut and without what is not printable.
func shown(text string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, text)
	return clean[:min(len(clean), 100)]
}
