// Package endpoint has the mechanism of HTTP endpoints: how one is declared, called and
// answered.
//
// An endpoint is a Route, a line of a table: method and path, the credential that it needs,
// its rate limit, the envelope of its answers, how names in its request are matched, what
// an idempotency key means, and a Handler. Handle, Stream, File, Text, Write and Cached make
// a Handler of a typed function, whose methods declare what the reference adds. New makes an
// http.Handler of a table. A request becomes a Call: it is authenticated and counted, its
// query or body is decoded into the request of the handler, and what the handler returns is
// put into the envelope of the route. The OpenAPI document describes the same table.
// Answers to reads are compressed with gzip for clients that accept it, cached ones once; streams, files and
// the answers to other methods never are.
//
// Package api has the table of the service and the handlers. What this package needs of the
// engines it gets as functions, with its Config.
//
// Invariants: a handler runs only for a caller that its route admits, and within the rate
// limit; a body is measured while it arrives, and what requests and large answers hold in
// memory is bounded for a node and for each account; only the text of an *atelier.Error is
// sent, all others are logged and become a 500; a slow client has a deadline for each step,
// a handler has none; the credential of a long request is checked again at every heartbeat;
// the cookie of the console counts only beside its header, and for its own pages.
//
// An idempotency key is the caller's name for one intended action. An envelope is the outer
// form of an answer or error.
package endpoint
