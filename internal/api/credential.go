package api

import (
	"net/http"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
)

// credential finds the API key or session token of a request.
func credential(h http.Header) string {
	if scheme, value, ok := strings.Cut(h.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(value)
	}
	if h.Get("Authorization") != "" {
		return h.Get("Authorization") // another scheme: never valid, but not absent
	}
	return strings.TrimSpace(h.Get("api-key"))
}

// authenticate finds the caller and checks that it may use the route.
func (s *Server) authenticate(c *call, who access) error {
	if who == public {
		return nil
	}
	shown := credential(c.r.Header)
	if shown == "" {
		return atelier.Errorf(atelier.CodeNoCredential, "Send an API key or a session token as \"Authorization: Bearer <credential>\".")
	}
	caller, err := s.lookUp(c, shown)
	if atelier.HasCode(err, atelier.CodeBadCredential) || atelier.HasCode(err, atelier.CodeAccountSuspended) {
		if over := s.limiters[authFailures].Take(limitSubject(clientAddress(c.r, s.trusted)), c.now); over != nil {
			return over
		}
	}
	if err != nil {
		return err
	}
	c.caller = caller
	return allowed(caller, who)
}

// slowLookups is how many credentials are looked up at once for all clients that have sent
// too many wrong ones.
const slowLookups = 2

// slowLookupTimeout is how long such a client waits for a lookup.
const slowLookupTimeout = 10 * time.Second

// lookUp finds the owner of a credential. A valid one is never refused because other
// clients at the same address sent wrong ones: an untrusted proxy, or a whole office, is
// one address. Clients over the limit of failures wait for each other instead, so that
// guessing occupies at most slowLookups connections of the database. Workers inside this
// process have no address and never wait.
func (s *Server) lookUp(c *call, shown string) (atelier.Caller, error) {
	failures := s.limiters[authFailures]
	if failures.InUse() { // the usual case: no recent failures
		addr := clientAddress(c.r, s.trusted)
		if addr.IsValid() && failures.Check(limitSubject(addr), c.now) != nil {
			if err := s.waitForLookup(c); err != nil {
				return atelier.Caller{}, err
			}
			defer func() { <-s.lookups }()
		}
	}
	return s.accounts.Authenticate(c, shown)
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
	case who == workerOnly && !caller.Worker:
		return atelier.Errorf(atelier.CodeWorkerRequired, "This account may not run workers. An operator creates one with \"atelier account create --worker\".")
	}
	return nil
}
