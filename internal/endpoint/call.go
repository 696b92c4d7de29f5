package endpoint

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
)

// Call is one request while it is served.
type Call struct {
	context.Context
	Request  *http.Request
	Response http.ResponseWriter
	Caller   atelier.Caller // zero on public routes
	Key      string         // the idempotency key, "" when none was given
	Now      time.Time      // when it arrived
	Log      *slog.Logger

	Status int  // of the success; a handler may change it
	Refund bool // a handler sets it: the request is not counted against its rate limit

	server  *Server
	route   *Route
	limit   LimitClass            // of the route
	format  Format                // of the route
	storage Storage               // of the route
	app     string                // the calling application, "" when it is not named
	body    admission.Reservation // memory reserved for the body
	values  admission.Reservation // memory reserved for the decoded values
	more    int                   // how many further times it was counted
	files   []FormFile            // of the form that is the body
	written bool                  // the handler has answered itself
}

// Value implements context.Context: a call acts for its caller's account.
func (c *Call) Value(key any) any {
	if key == admission.AccountKey {
		return c.Caller.Wallet
	}
	return c.Context.Value(key)
}

// Enter counts a stream of a public route against the account that it belongs to, until the returned function is
// called.
func (c *Call) Enter(w atelier.Wallet) (leave func(), err error) {
	if err := c.server.open.Enter(w); err != nil {
		return nil, err
	}
	return func() { c.server.open.Leave(w) }, nil
}

// Reserve reserves memory for the values that an answer is made of, from what the values
// of all requests share.
func (c *Call) Reserve(bytes int64) error { return c.values.Reserve(c, bytes) }

// BeginAnswer begins an answer that the handler writes itself, because it is too large to be in memory at once.
func (c *Call) BeginAnswer(contentType string) io.Writer {
	c.written = true
	h := c.Response.Header()
	h.Set("Content-Type", contentType)
	h["Cache-Control"] = private
	c.Response.WriteHeader(c.Status)
	return steadyWriter{c.Response.(*statusWriter)}
}

// ReleaseValues frees the memory of the values, for a handler that has kept none of them
// and will take long.
func (c *Call) ReleaseValues() { c.values.Release() }

// CheckSpace refuses a call while there is no space for what its route stores.
func (c *Call) CheckSpace() error {
	if c.storage == StoresNothing || c.server.checkSpace == nil {
		return nil
	}
	return c.server.checkSpace(c.storage)
}

// CountMore counts the request further times against the rate limit of its route.
func (c *Call) CountMore(times int) error {
	if err := c.server.limiters[c.limit].TakeMore(string(c.Caller.Wallet), c.Now, times); err != nil {
		return err
	}
	c.more += times
	return nil
}
