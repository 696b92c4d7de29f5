package endpoint

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/detached"
	"github.com/atelier-project/atelier/internal/telemetry"
)

// ServeHTTP serves one request: it sets the request id and the headers for browsers,
// recovers panics and finds the route.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h["X-Request-Id"] = []string{newRequestID(r)}
	h["X-Content-Type-Options"] = noSniff
	cors(h, r)
	if r.Header["X-Forwarded-For"] != nil {
		s.warnOfProxy(r)
	}
	seen := &statusWriter{ResponseWriter: w, stall: s.timeouts.Stall, until: time.Now().Add(s.timeouts.Stall)}
	defer s.recoverPanic(seen, r)
	if err := s.boundBody(w, r); err != nil {
		h.Set("Connection", "close")
		s.writeError(seen, r, s.formatOf(r.URL.Path), err)
		return
	}
	if !clean(r.URL.EscapedPath()) {
		s.noRoute(seen, r)
		return
	}
	s.tree.serve(seen, r, s.serveFallback)
}

// clean reports whether a path has no empty and no dotted segments. Such a path could mean
// another one, so the API refuses it.
func clean(escaped string) bool {
	tidy := path.Clean(escaped)
	return escaped == tidy || escaped == tidy+"/"
}

var noSniff = []string{"nosniff"}

// recoverPanic turns a panic of a handler into a logged 500. An answer that has begun can
// only be aborted, so that the client sees that it is incomplete.
func (s *Server) recoverPanic(w *statusWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	err := fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	if w.status == 0 {
		s.writeError(w, r, s.formatOf(r.URL.Path), err)
		return
	}
	s.log.Error("request aborted", "request", requestID(w), "method", r.Method, "path", r.URL.Path, "error", err)
	panic(http.ErrAbortHandler)
}

// methodsOf serves all the methods of one path.
func (s *Server) methodsOf(pattern string, methods map[string]*Route) http.Handler {
	var allow []string
	for method := range methods {
		allow = append(allow, method)
		if method == http.MethodGet {
			allow = append(allow, http.MethodHead)
		}
	}
	allow = append(allow, http.MethodOptions)
	slices.Sort(allow)
	allowed := strings.Join(allow, ", ")

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if rt, ok := methods[method]; ok {
			s.observe(w.(*statusWriter), r, rt)
			return
		}
		w.Header().Set("Allow", allowed)
		if r.Method == http.MethodOptions && forConsole(r) {
			s.writeError(w, r, Standard, atelier.Errorf(atelier.CodeForbidden, "Only pages of this service may use the session of the console."))
			return
		}
		if r.Method == http.MethodOptions {
			preflight(w, r, allowed)
			return
		}
		s.writeError(w, r, s.formatOf(r.URL.Path), atelier.Errorf(atelier.CodeMethodNotAllowed,
			"%s does not take %s; it takes %s.", pattern, r.Method, allowed))
	})
}

// observe measures a request and calls the route.
func (s *Server) observe(w *statusWriter, r *http.Request, rt *Route) {
	started := s.now()
	s.metrics.EnterHTTP()
	defer s.metrics.LeaveHTTP()
	ctx, end := telemetry.ServerSpan(r, rt.Pattern)
	if ctx != r.Context() {
		r = r.WithContext(ctx)
	}
	c := &Call{Context: ctx, Request: r, Response: w, Now: started, Log: s.log, Status: rt.Status, server: s, route: rt, limit: rt.Limit, format: rt.Format, storage: rt.Handler.Storage}
	defer func() {
		status := w.status
		if status == 0 {
			status = http.StatusInternalServerError // it panicked before answering
		}
		end(status)
		took := s.now().Sub(started)
		s.metrics.ObserveHTTP(r.Method, rt.Pattern, status, took)
		if s.log.Enabled(r.Context(), slog.LevelDebug) {
			line := []any{"request", requestID(w), "method", r.Method, "route", rt.Pattern, "status", status, "took", took}
			if c.app != "" {
				line = append(line, "app", c.app)
			}
			s.log.Debug("request", line...)
		}
	}()
	s.serve(c, rt)
}

// serve runs a route: limits, credential, handler, envelope.
func (s *Server) serve(c *Call, rt *Route) {
	admit := s.admit
	if rt.Handler.content == eventStreamType {
		admit = s.admitDetached
	}
	err := admit(c, rt)
	if err == nil && !rt.Handler.asks {
		err = c.CheckSpace()
	}
	if err == nil {
		c.Key, err = idempotencyKey(c.Request.Header, rt)
	}
	if err == nil && rt.lasts() && rt.Access != Public { // a public stream counts when its account is known
		if err = s.open.Enter(c.Caller.Wallet); err == nil {
			defer s.open.Leave(c.Caller.Wallet)
		}
	}
	if err == nil && rt.Handler.answers && rt.Access != Public {
		if err = s.answers.Enter(c.Caller.Wallet); err == nil {
			defer s.answers.Leave(c.Caller.Wallet)
		}
	}
	if err != nil {
		s.writeError(c.Response, c.Request, rt.Format, err)
		return
	}
	c.body = admission.Reservation{Of: s.bodies, Owner: string(c.Caller.Wallet)}
	c.values = admission.Reservation{Of: s.values, Owner: string(c.Caller.Wallet)}
	defer c.body.Release()
	defer c.values.Release()
	if rt.Handler.recheck && rt.Access != Public {
		defer s.rechecks.enter(c)()
	}
	reply, err := rt.Handler.run(c, s.reader(c, rt))
	err = c.Ended(err)
	if rt.Limit != Unlimited && (c.Refund || atelier.HasCode(err, atelier.CodeActiveWorkflows)) {
		for range 1 + c.more {
			s.limiters[rt.Limit].GiveBack(string(c.Caller.Wallet))
		}
		if c.Caller.Limits != nil && c.Caller.Limits.Rate > 0 {
			s.keyRates.GiveBack(c.Caller.KeyID)
		}
	}
	if err != nil {
		s.writeError(c.Response, c.Request, rt.Format, err)
		return
	}
	if rt.Access != Public {
		c.Response.Header()["Cache-Control"] = private
	}
	s.writeSuccess(c, rt, reply)
}

// lasts reports whether requests of a route stay open for long.
func (rt *Route) lasts() bool { return rt.Handler.streams || rt.Handler.content == eventStreamType }

// writeSuccess writes the answer of a handler that succeeded.
func (s *Server) writeSuccess(c *Call, rt *Route, reply any) {
	if rt.Handler.reply == nil || c.written {
		return // the handler wrote it itself
	}
	if c.Status == http.StatusNoContent {
		c.Response.WriteHeader(c.Status)
		return
	}
	switch reply := reply.(type) {
	case *page:
		reply.send(c.Response, c.Request, c.Status)
		return
	case string:
		c.Response.Header().Set("Content-Type", rt.Handler.content+"; charset=utf-8")
		_ = writeBody(c.Response, c.Request, c.Status, []byte(reply)) // a client that left needs no answer
		return
	}
	body, err := envelop(rt.Format, reply)
	if err != nil {
		s.writeError(c.Response, c.Request, rt.Format, err)
		return
	}
	err = sendHeld(c.Response, c.Request, c.Status, body, func(bytes int64) error {
		c.values.Release() // it is encoded now, and the client may read it slowly
		return c.body.Extend(c.body.Held() + bytes)
	})
	if atelier.HasCode(err, atelier.CodeUnavailable) {
		s.writeError(c.Response, c.Request, rt.Format, err)
		return
	}
	if err != nil {
		s.log.Debug("write response failed: client disconnected", "error", err)
	}
}

var private = []string{"private, no-store"}

// admit checks the credential and applies the rate limit: by client address on public
// routes, by key and address on those that change credentials, by account on all others.
func (s *Server) admit(c *Call, rt *Route) error {
	if rt.Access == Public {
		if rt.Limit == Unlimited {
			return nil
		}
		return s.limiters[rt.Limit].Take(limitSubject(clientAddress(c.Request, s.trusted)), c.Now)
	}
	err := s.identifyCaller(c, rt.Access)
	if err == nil {
		err = s.takeKeyRate(c.Caller, c.Now)
	}
	if err != nil || rt.Limit == Unlimited {
		return err
	}
	subject := string(c.Caller.Wallet)
	if rt.Limit == Credentials {
		subject = c.Caller.KeyHash + " " + limitSubject(clientAddress(c.Request, s.trusted))
	}
	return s.limiters[rt.Limit].Take(subject, c.Now)
}

// admitDetached is admit for a stream, on another goroutine.
func (s *Server) admitDetached(c *Call, rt *Route) (err error) {
	detached.Run(func() { err = s.admit(c, rt) })
	return err
}

// serveFallback answers paths that are no endpoint: the pages of the console, or a 404 in
// the envelope of the nearest routes.
func (s *Server) serveFallback(w http.ResponseWriter, r *http.Request) {
	get := r.Method == http.MethodGet || r.Method == http.MethodHead
	if get && s.pages != nil && !isAPI(r.URL.Path) && s.formatOf(r.URL.Path) == Standard {
		s.pages.ServeHTTP(w, r)
		return
	}
	s.noRoute(w, r)
}

func (s *Server) noRoute(w http.ResponseWriter, r *http.Request) {
	s.writeError(w, r, s.formatOf(r.URL.Path), atelier.Errorf(atelier.CodeRouteNotFound,
		"There is no endpoint %s %s. The reference of every endpoint is at /docs.", r.Method, r.URL.Path))
}

// isAPI reports whether a path belongs to the API, by its version.
func isAPI(p string) bool {
	return len(p) >= 3 && p[1] == 'v' && '0' <= p[2] && p[2] <= '9'
}

// formatOf is the envelope for errors about a path without a route: that of the routes at or above it, or, of a
// protocol that is not under /v1, of the routes beside it. A path under /v1 whose first segment only routes of
// OpenAI's have, or none, is one of OpenAI's that the service lacks, such as /v1/batches: a client of OpenAI's API
// calls it, and shows the message of no other envelope.
func (s *Server) formatOf(p string) Format {
	isForeign := strings.HasPrefix(p, "/v1/")
	for _, rt := range s.table {
		root, _, _ := strings.Cut(rt.Pattern, "/{")
		if !isAPI(rt.Pattern) {
			root = family(rt.Pattern) // of another protocol, such as /replicate/v1
		}
		_, theirs := s.failures[rt.Format]
		if theirs && isAtOrBelow(p, root) {
			return rt.Format
		}
		isForeign = isForeign && (theirs || !isAtOrBelow(p, family(rt.Pattern)))
	}
	if isForeign {
		return OpenAI
	}
	return Standard
}

func isAtOrBelow(p, root string) bool {
	rest, isBelow := strings.CutPrefix(p, root)
	return isBelow && (rest == "" || rest[0] == '/')
}

// family is the first two segments of a path, such as /v1/account.
func family(p string) string {
	segments := strings.SplitAfterN(p, "/", 4)
	return strings.TrimSuffix(strings.Join(segments[:min(3, len(segments))], ""), "/")
}
