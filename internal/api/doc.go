// Package api is the HTTP edge: the route table, requests, envelopes, limits
// and the OpenAPI document.
//
// route.go has one line per endpoint. From this route table come authentication,
// decoding of the request, rate limits, idempotency keys, the envelope of answers
// and errors, metrics and the reference. A handler is in the file named after its
// noun: it turns the request into types of the root package, makes one engine call
// and replies.
//
// It imports engines, never the store, the bus or the blob store.
package api
