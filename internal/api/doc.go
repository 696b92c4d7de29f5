// Package api is the HTTP edge: the route table, requests, envelopes, limits
// and the OpenAPI document.
//
// route.go has one line an endpoint. From that line come authentication,
// reading the request, rate limits, the envelope of answers and errors,
// metrics and the reference. A handler is in the file named after its noun:
// request to ground types, one engine call, reply.
//
// It imports engines, never the databases, the bus or the blob store.
package api
