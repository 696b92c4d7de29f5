// Package api has the endpoints of the service: the route table and their handlers.
//
// route.go, the route table, has one line per endpoint. Package endpoint makes the rest
// from it: authentication, decoding of the request, rate limits, idempotency keys, the
// envelope of answers and errors, metrics and the reference. A handler is in the file named
// after its noun: it turns the request into types of the root package, makes one engine call
// and replies.
//
// It imports engines, never the store, the bus or the blob store.
package api
