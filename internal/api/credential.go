package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/wire"
)

// credential is what a request shows: an API key or a session token, or the halves of a
// console session.
type credential struct {
	bearer  string
	token   string             // of a console session
	cookies [maxCookies]string // of which one is the other half
}

// credentialOf finds the credential of a request. The cookie of the console counts only
// beside its header.
func credentialOf(r *http.Request) (shown credential) {
	h := r.Header
	if scheme, value, ok := strings.Cut(h.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		shown.bearer = strings.TrimSpace(value)
		return shown
	}
	if shown.bearer = h.Get("Authorization"); shown.bearer != "" {
		return shown // another scheme: never valid, but not absent
	}
	if shown.bearer = strings.TrimSpace(h.Get("api-key")); shown.bearer != "" {
		return shown
	}
	if h[consoleHeader] != nil {
		shown.token = h.Get(consoleHeader)
		shown.cookies = consoleCookies(r)
	}
	return shown
}

// authenticate finds the caller and checks that it may use the route.
func (s *Server) authenticate(c *call, who access) error {
	if who == public {
		return nil
	}
	shown := credentialOf(c.r)
	if shown == (credential{}) {
		return atelier.Errorf(atelier.CodeNoCredential, "Send an API key or a session token as \"Authorization: Bearer <credential>\".")
	}
	app := appName(c.r.Header)
	if shown.bearer == "" {
		if err := s.origins.check(c.r); err != nil {
			return err
		}
		app = cmp.Or(app, "console")
	}
	err := s.identify(c, func() (err error) {
		c.caller, err = s.checkCredential(c, shown)
		return err
	})
	if err != nil {
		return err
	}
	s.accounts.NoteUse(c.caller, app)
	return allowed(c.caller, who)
}

// checkCredential finds the owner of a credential.
func (s *Server) checkCredential(ctx context.Context, shown credential) (atelier.Caller, error) {
	if shown.token != "" {
		return s.accounts.AuthenticateSession(ctx, shown.token, shown.cookies[:])
	}
	return s.accounts.Authenticate(ctx, shown.bearer)
}

// appName is the application that a request names in a header, cut as in a body.
func appName(h http.Header) string {
	text := h.Get("X-App-Source")
	name := []rune(text[:min(len(text), 128*utf8.UTFMax)])
	if name = name[:min(len(name), 128)]; wire.IsText(string(name)) {
		return string(name)
	}
	return ""
}

// identify looks a credential up, and counts one that is refused against the client's
// address.
func (s *Server) identify(c *call, find func() error) error {
	err := s.lookUp(c, find)
	if atelier.HasCode(err, atelier.CodeBadCredential) || atelier.HasCode(err, atelier.CodeAccountSuspended) {
		if over := s.limiters[authFailures].Take(limitSubject(clientAddress(c.r, s.trusted)), c.now); over != nil {
			return over
		}
	}
	return err
}

// slowLookups is how many credentials are looked up at once for all clients that have sent
// too many wrong ones.
const slowLookups = 2

// slowLookupTimeout is how long such a client waits for a lookup.
const slowLookupTimeout = 10 * time.Second

// lookUp calls a function that finds the owner of a credential. A valid one is never refused because other
// clients at the same address sent wrong ones: an untrusted proxy, or a whole office, is
// one address. Clients over the limit of failures wait for each other instead, so that
// guessing occupies at most slowLookups connections of the database. Workers inside this
// process have no address and never wait.
func (s *Server) lookUp(c *call, find func() error) error {
	failures := s.limiters[authFailures]
	if failures.InUse() { // the usual case: no recent failures
		addr := clientAddress(c.r, s.trusted)
		if addr.IsValid() && failures.Check(limitSubject(addr), c.now) != nil {
			if err := s.waitForLookup(c); err != nil {
				return err
			}
			defer func() { <-s.lookups }()
		}
	}
	return find()
}

func (s *Server) waitForLookup(c *call) error {
	timeout := time.NewTimer(slowLookupTimeout)
	defer timeout.Stop()
	select {
	case s.lookups <- struct{}{}:
		return nil
	case <-c.Done():
		return c.Err()
	case <-timeout.C:
		return admission.TooMany(slowLookupTimeout)
	}
}

// allowed checks the access rule of the route against the kind of credential.
func allowed(caller atelier.Caller, who access) error {
	switch {
	case who >= apiKeyOnly && caller.Credential != atelier.CredentialAPIKey:
		return atelier.Errorf(atelier.CodeAPIKeyRequired, "This endpoint needs an API key; a session token is not enough.")
	case who == operatorOnly && !caller.Operator:
		return atelier.Errorf(atelier.CodeOperatorRequired, "This account is not an operator. \"atelier account operator\" gives an account the role.")
	case who == workerOnly && !caller.Worker:
		return atelier.Errorf(atelier.CodeWorkerRequired, "This account may not run workers. An operator creates one with \"atelier account create --worker\".")
	}
	return nil
}
