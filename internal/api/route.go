package api

import "github.com/atelier-project/atelier/internal/wire"

// routes is the table of every endpoint.
func (s *Server) routes() []route {
	const (
		get   = "GET"
		noKey = ignored
	)
	return []route{
		// Account and usage
		{get, "/v2/account/me", anyone, accountReads, standard, wire.Open, noKey, 200, handle(s.me), "Who the credential belongs to"},
		{get, "/v4/account/balance", anyone, accountReads, standard, wire.Open, noKey, 200, handle(s.balance), "The generation balance"},
		{get, "/v1/subscriptions/status", anyone, accountReads, standard, wire.Open, noKey, 200, handle(s.subscription), "The plan of the account as it stands now"},
		{get, "/v1/subscriptions/plans", public, publicReads, shared, wire.Open, noKey, 200, handle(s.plans), "The plans there are"},
		{get, "/v2/wallet/balance", anyone, accountReads, standard, wire.Open, noKey, 200, handle(s.walletBalance), "Assets that a public wallet holds on a chain"},

		// Operations
		{get, "/healthz", public, unlimited, verbatim, wire.Open, noKey, 200, handle(s.healthy), "Whether the process is up"},
		{get, "/readyz", public, unlimited, verbatim, wire.Open, noKey, 200, handle(s.ready), "Whether every part answers"},
		{get, "/metrics", public, unlimited, verbatim, wire.Open, noKey, 200, write("text/plain", s.metrics.Handler().ServeHTTP), "Metrics for Prometheus"},
		{get, "/openapi.json", public, unlimited, verbatim, wire.Open, noKey, 200, write("application/json", s.openAPI), "This document"},
	}
}
