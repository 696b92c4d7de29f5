package endpoint

import (
	"cmp"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/wire"
)

// Credential is what a request shows: an API key or a session token, or the halves of a
// console session.
type Credential struct {
	Bearer  string
	Token   string // of a console session
	Cookies string // separated by semicolons; one is the other half
}

// credentialOf finds the credential of a request. The cookie of the console counts only
// beside its header.
func credentialOf(r *http.Request) (shown Credential) {
	h := r.Header
	if scheme, value, ok := strings.Cut(h.Get("Authorization"), " "); ok && (strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "Token")) {
		shown.Bearer = strings.TrimSpace(value)
		return shown
	}
	if _, password, ok := r.BasicAuth(); ok && takesBasic(r) {
		shown.Bearer = password
		return shown
	}
	if shown.Bearer = h.Get("Authorization"); shown.Bearer != "" {
		return shown // another scheme: never valid, but not absent
	}
	for _, name := range []string{"api-key", "x-api-key"} {
		if shown.Bearer = strings.TrimSpace(h.Get(name)); shown.Bearer != "" {
			return shown
		}
	}
	if h[consoleHeader] != nil {
		shown.Token = h.Get(consoleHeader)
		shown.Cookies = consoleCookies(r)
	}
	return shown
}

// takesBasic reports whether a request may show its credential as a password: clients of AUTOMATIC1111's API know no
// other way.
func takesBasic(r *http.Request) bool { return isAtOrBelow(r.URL.Path, "/sdapi") }

// identifyCaller finds the caller and checks that it may use the route.
func (s *Server) identifyCaller(c *Call, who Access) error {
	shown := credentialOf(c.Request)
	if shown == (Credential{}) && takesBasic(c.Request) {
		return atelier.Errorf(atelier.CodeNoCredential, "Send an API key as the password of basic authentication, with any user name.")
	}
	if shown == (Credential{}) {
		return atelier.Errorf(atelier.CodeNoCredential, "Send an API key or a session token as \"Authorization: Bearer <credential>\".")
	}
	app := appName(c.Request.Header)
	if shown.Bearer == "" {
		if err := s.origins.check(c.Request); err != nil {
			return err
		}
		app = cmp.Or(app, "console")
	}
	err := c.Identify(func() (err error) {
		c.Caller, err = s.authenticate(c, shown)
		return err
	})
	if err != nil {
		return err
	}
	if who == WorkerOnly {
		app = cmp.Or(app, "worker")
	}
	s.noteUse(c.Caller, app)
	if err := allowed(c.Caller, who); err != nil {
		return err
	}
	return c.checkKey(c.Caller)
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

// Identify calls a function that finds the owner of a credential, and counts one that is
// refused against the client's address.
func (c *Call) Identify(find func() error) error {
	s := c.server
	err := s.lookUp(c, find)
	if atelier.HasCode(err, atelier.CodeBadCredential) || atelier.HasCode(err, atelier.CodeAccountSuspended) {
		if over := s.limiters[authFailures].Take(limitSubject(clientAddress(c.Request, s.trusted)), c.Now); over != nil {
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

// lookUp calls a function that finds the owner of a credential. A valid one is never
// refused because other clients at the same address sent wrong ones: an untrusted proxy, or
// a whole office, is one address. Clients over the limit of failures wait for each other
// instead, so that guessing occupies at most slowLookups connections of the database.
// Workers inside this process have no address and never wait.
func (s *Server) lookUp(c *Call, find func() error) error {
	failures := s.limiters[authFailures]
	if failures.InUse() { // the usual case: no recent failures
		addr := clientAddress(c.Request, s.trusted)
		if addr.IsValid() && failures.Check(limitSubject(addr), c.Now) != nil {
			if err := s.waitForLookup(c); err != nil {
				return err
			}
			defer func() { <-s.lookups }()
		}
	}
	return find()
}

func (s *Server) waitForLookup(c *Call) error {
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
func allowed(caller atelier.Caller, who Access) error {
	switch {
	case who >= APIKeyOnly && caller.Credential != atelier.CredentialAPIKey:
		return atelier.Errorf(atelier.CodeAPIKeyRequired, "This endpoint needs an API key; a session token is not enough.")
	case who == OperatorOnly && !caller.Operator:
		return atelier.Errorf(atelier.CodeOperatorRequired, "This account is not an operator. \"atelier account operator\" gives an account the role.")
	case who == WorkerOnly && !caller.Worker:
		return atelier.Errorf(atelier.CodeWorkerRequired, "This account may not run workers. An operator creates one with \"atelier account create --worker\".")
	}
	return nil
}
