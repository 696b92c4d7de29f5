package signin

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/coreos/go-oidc/v3/oidc"
)

// Provider is a provider as it is configured.
type Provider struct {
	Name           string
	Title          string
	Issuer         string
	ClientID       string
	ClientSecret   string // empty for a public client
	Scopes         []string
	GroupsClaim    string
	AllowedDomains []string // of verified e-mails, in lower case; nil for all
}

// How long the description of a provider is used, and how soon one that does not answer is asked again.
const (
	describedFor = time.Hour
	askAgain     = 5 * time.Second
	timeout      = 10 * time.Second
)

// provider is a provider with its description.
type provider struct {
	Provider
	client *http.Client
	now    func() time.Time

	mu        sync.Mutex
	described *description
	at        time.Time // when it was read
	failed    error     // the last time it was asked
	failedAt  time.Time
}

// description is what a provider publishes about itself.
type description struct {
	*oidc.Provider
	EndSession string   `json:"end_session_endpoint"`
	UserInfo   string   `json:"userinfo_endpoint"`
	Algorithms []string `json:"id_token_signing_alg_values_supported"`
	NamesItems bool     `json:"authorization_response_iss_parameter_supported"`
}

// describe reads what the provider says of itself. While it does not answer, what it said last counts.
func (p *provider) describe(ctx context.Context) (*description, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.described != nil && now.Sub(p.at) < describedFor {
		return p.described, nil
	}
	if p.failed == nil || now.Sub(p.failedAt) >= askAgain {
		found, err := p.read()
		if err == nil {
			p.described, p.at, p.failed = found, now, nil
			return found, nil
		}
		p.failed, p.failedAt = err, p.now() // it may have taken long, and others wait: they must not ask in turn
	}
	if p.described != nil {
		return p.described, nil
	}
	return nil, p.unavailable(p.failed)
}

// read asks the provider. It serves all who sign in, so that it does not end with one of them; the client has a
// timeout.
func (p *provider) read() (*description, error) {
	found, err := oidc.NewProvider(oidc.ClientContext(context.Background(), p.client), p.Issuer)
	if err != nil {
		return nil, err
	}
	d := &description{Provider: found}
	if err := found.Claims(d); err != nil {
		return nil, err
	}
	return d, nil
}

// unavailable is the error of a provider that does not answer as it should. The cause is for the log.
func (p *provider) unavailable(err error) error {
	return &Unavailable{Name: p.Title, Err: err}
}

// Unavailable says that a provider does not answer.
type Unavailable struct {
	Name string
	Err  error
}

// Error is for the log.
func (u *Unavailable) Error() string { return "sign in with " + u.Name + ": " + u.Err.Error() }

// Unwrap is what callers are told.
func (u *Unavailable) Unwrap() error {
	e := atelier.Errorf(atelier.CodeUnavailable, "%s does not answer at present. Try again in a moment.", u.Name)
	e.RetryAfter = askAgain
	return e
}
