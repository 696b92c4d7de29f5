package api

import (
	"fmt"
	"io"
	"log/slog"
	"math"
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
	"github.com/atelier-project/atelier/internal/wire"
)

// mount adds every path of the table to the tree: one handler per path, which knows the
// methods of the path and so can answer 405 and OPTIONS itself.
func (s *Server) mount() {
	paths := map[string]map[string]*route{}
	for i := range s.table {
		rt := &s.table[i]
		if rt.handler.request != nil {
			rt.handler.shape = wire.ShapeOf(rt.handler.request, rt.names)
		}
		if paths[rt.pattern] == nil {
			paths[rt.pattern] = map[string]*route{}
		}
		paths[rt.pattern][rt.method] = rt
	}
	for pattern, methods := range paths {
		s.tree.add(pattern, s.methodsOf(pattern, methods))
	}
}

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
	if p == http.ErrAbortHandler {
		panic(p)
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
func (s *Server) methodsOf(pattern string, methods map[string]*route) http.Handler {
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
			s.writeError(w, r, standard, atelier.Errorf(atelier.CodeForbidden, "Only pages of this service may use the session of the console."))
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
func (s *Server) observe(w *statusWriter, r *http.Request, rt *route) {
	started := s.now()
	s.metrics.EnterHTTP()
	defer s.metrics.LeaveHTTP()
	ctx, end := telemetry.ServerSpan(r, rt.pattern)
	if ctx != r.Context() {
		r = r.WithContext(ctx)
	}
	c := &call{Context: ctx, r: r, w: w, now: started, log: s.log, status: rt.status, streamStall: s.timeouts.Stream}
	defer func() {
		status := w.status
		if status == 0 {
			status = http.StatusInternalServerError // it panicked before answering
		}
		end(status)
		took := s.now().Sub(started)
		s.metrics.ObserveHTTP(r.Method, rt.pattern, status, took)
		if s.log.Enabled(r.Context(), slog.LevelDebug) {
			line := []any{"request", requestID(w), "method", r.Method, "route", rt.pattern, "status", status, "took", took}
			if c.app != "" {
				line = append(line, "app", c.app)
			}
			s.log.Debug("request", line...)
		}
	}()
	s.serve(c, rt)
}

// serve runs a route: limits, credential, handler, envelope.
func (s *Server) serve(c *call, rt *route) {
	admit := s.admit
	if rt.handler.content == eventStream {
		admit = s.admitDetached
	}
	err := admit(c, rt)
	if err == nil {
		c.key, err = idempotencyKey(c.r.Header, rt.key)
	}
	if err == nil && rt.lasts() {
		if err = s.open.Enter(c.caller.Wallet); err == nil {
			defer s.open.Leave(c.caller.Wallet)
		}
	}
	if err != nil {
		s.writeError(c.w, c.r, rt.format, err)
		return
	}
	c.body = admission.Reservation{Of: s.bodies, Owner: string(c.caller.Wallet)}
	c.values = admission.Reservation{Of: s.values, Owner: string(c.caller.Wallet)}
	defer c.body.Release()
	defer c.values.Release()
	if rt.handler.recheck {
		defer s.rechecks.enter(c)()
	}
	reply, err := rt.handler.run(c, s.reader(c, rt))
	err = c.ended(err)
	if rt.limit != unlimited && (c.refund || atelier.HasCode(err, atelier.CodeActiveWorkflows)) {
		for range 1 + c.more {
			s.limiters[rt.limit].GiveBack(string(c.caller.Wallet), c.now)
		}
	}
	if err != nil {
		s.writeError(c.w, c.r, rt.format, err)
		return
	}
	if rt.who != public {
		c.w.Header()["Cache-Control"] = private
	}
	s.writeSuccess(c, rt, reply)
}

// lasts reports whether requests of a route stay open for long.
func (rt *route) lasts() bool { return rt.handler.streams || rt.handler.content == eventStream }

// writeSuccess writes the answer of a handler that succeeded.
func (s *Server) writeSuccess(c *call, rt *route, reply any) {
	if rt.handler.reply == nil || c.written {
		return // the handler wrote it itself
	}
	if c.status == http.StatusNoContent {
		c.w.WriteHeader(c.status)
		return
	}
	switch reply := reply.(type) {
	case *page:
		reply.send(c.w, c.r, c.status)
		return
	case string:
		c.w.Header().Set("Content-Type", rt.handler.content+"; charset=utf-8")
		c.w.WriteHeader(c.status)
		_, _ = io.WriteString(c.w, reply)
		return
	}
	body, err := envelop(rt.format, reply)
	if err != nil {
		s.writeError(c.w, c.r, rt.format, err)
		return
	}
	err = sendHeld(c.w, c.status, body, func(bytes int64) error {
		c.values.Release() // it is encoded now, and the client may read it slowly
		return c.body.Extend(c.body.Held() + bytes)
	})
	if atelier.HasCode(err, atelier.CodeUnavailable) {
		s.writeError(c.w, c.r, rt.format, err)
		return
	}
	if err != nil {
		s.log.Debug("write response failed: client disconnected", "error", err)
	}
}

var private = []string{"private, no-store"}

// admit checks the credential and applies the rate limit: by client address on public
// routes, by account on all others.
func (s *Server) admit(c *call, rt *route) error {
	if rt.who == public {
		if rt.limit == unlimited {
			return nil
		}
		return s.limiters[rt.limit].Take(limitSubject(clientAddress(c.r, s.trusted)), c.now)
	}
	if err := s.authenticate(c, rt.who); err != nil || rt.limit == unlimited {
		return err
	}
	return s.limiters[rt.limit].Take(string(c.caller.Wallet), c.now)
}

// admitDetached is admit for a stream, on another goroutine.
func (s *Server) admitDetached(c *call, rt *route) (err error) {
	detached.Run(func() { err = s.admit(c, rt) })
	return err
}

// serveFallback answers paths that are no endpoint: the pages of the console, or a 404 in
// the envelope of the nearest routes.
func (s *Server) serveFallback(w http.ResponseWriter, r *http.Request) {
	get := r.Method == http.MethodGet || r.Method == http.MethodHead
	if get && s.pages != nil && !isAPI(r.URL.Path) {
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

// formatOf is the envelope for errors about a path without a route: that of the routes at
// or above it.
func (s *Server) formatOf(p string) format {
	for _, rt := range s.table {
		if rt.format != openAI {
			continue
		}
		root, _, _ := strings.Cut(rt.pattern, "/{")
		if rest, below := strings.CutPrefix(p, root); below && (rest == "" || rest[0] == '/') {
			return openAI
		}
	}
	return standard
}

// statusWriter remembers the status of the answer, and closes the connection of a client
// that does not read it.
type statusWriter struct {
	http.ResponseWriter
	status int
	stall  time.Duration // how long the client may take for one step
	until  time.Time     // when the current step must be read
}

// sendStep is how much of an answer a client must read before the deadline is extended.
const sendStep = 512 << 10

// begin records the status and starts the deadline of the answer, which may have taken
// long to make.
func (w *statusWriter) begin(status int) {
	if w.status == 0 {
		w.status = status
		w.extend()
	}
}

// extend moves the deadline, when a part of it has passed.
func (w *statusWriter) extend() {
	if now := time.Now(); w.until.Sub(now) < w.stall*3/4 {
		_ = w.SetWriteDeadline(now.Add(w.stall))
	}
}

// SetWriteDeadline implements the interface of http.ResponseController.
func (w *statusWriter) SetWriteDeadline(t time.Time) error {
	w.until = t
	return http.NewResponseController(w.ResponseWriter).SetWriteDeadline(t)
}

func (w *statusWriter) WriteHeader(status int) {
	w.begin(status)
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (n int, err error) {
	w.begin(http.StatusOK)
	for len(b) > sendStep {
		m, err := w.ResponseWriter.Write(b[:sendStep])
		n += m
		if err != nil {
			return n, err
		}
		b = b[sendStep:]
		w.extend()
	}
	m, err := w.ResponseWriter.Write(b)
	return n + m, err
}

// ReadFrom passes a file to the connection, so that the kernel can send it. The reader is
// unwrapped and wrapped again for each step: net/http recognizes a file only behind one
// limit.
func (w *statusWriter) ReadFrom(r io.Reader) (n int64, err error) {
	w.begin(http.StatusOK)
	left := int64(math.MaxInt64)
	limit, limited := r.(*io.LimitedReader)
	if limited {
		r, left = limit.R, limit.N
	}
	for left > 0 {
		step := io.LimitedReader{R: r, N: min(left, sendStep)}
		m, err := io.Copy(w.ResponseWriter, &step)
		n, left = n+m, left-m
		if limited {
			limit.N = left
		}
		if err != nil || step.N > 0 {
			return n, err
		}
		w.extend()
	}
	return n, nil
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
