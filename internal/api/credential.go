package api

import (
	"net/http"
	"strings"

	"github.com/atelier-project/atelier"
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

// authenticate finds who is calling and whether a route is open to them.
func (s *Server) authenticate(c *call, who access) error {
	if who == public {
		return nil
	}
	shown := credential(c.r.Header)
	if shown == "" {
		return atelier.Errorf(atelier.CodeNoCredential, "Send an API key or a session token as \"Authorization: Bearer <credential>\".")
	}
	failures := s.limiters[authFailures]
	if failures.used.Load() { // nearly never: nobody has failed of late
		if err := failures.room(limitSubject(clientAddress(c.r, s.trusted)), c.now); err != nil {
			return err
		}
	}
	caller, err := s.accounts.Authenticate(c, shown)
	if atelier.Has(err, atelier.CodeBadCredential) || atelier.Has(err, atelier.CodeAccountSuspended) {
		_ = failures.take(limitSubject(clientAddress(c.r, s.trusted)), c.now) // counted; this answer is still the 401
	}
	if err != nil {
		return err
	}
	c.caller = caller
	return allowed(caller, who)
}

// allowed checks the class of the route against the kind of credential.
func allowed(caller atelier.Caller, who access) error {
	switch {
	case who >= apiKeyOnly && caller.Credential != atelier.ByAPIKey:
		return atelier.Errorf(atelier.CodeAPIKeyRequired, "This endpoint needs an API key; a session token is not enough.")
	case who == workerOnly && !caller.Worker:
		return atelier.Errorf(atelier.CodeWorkerRequired, "This account may not run workers. An operator creates one with \"atelier account create --worker\".")
	}
	return nil
}
