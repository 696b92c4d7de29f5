package endpoint

import (
	"math/rand/v2"
	"net/http"
)

// requestID is the id of a request in the log.
func requestID(w http.ResponseWriter) string { return w.Header().Get("X-Request-Id") }

// newRequestID keeps the id that a client or proxy sent, if it is plain text, and makes
// one otherwise. It is a name for the log, not a secret.
func newRequestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); id != "" && len(id) <= 64 && plainID(id) {
		return id
	}
	const digits = "0123456789abcdef"
	id := []byte("req_0123456789abcdef")
	for i, n := 4, rand.Uint64(); i < len(id); i, n = i+1, n>>4 {
		id[i] = digits[n&15]
	}
	return string(id)
}

func plainID(id string) bool {
	for _, c := range []byte(id) {
		ok := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.'
		if !ok {
			return false
		}
	}
	return true
}

var (
	anyOrigin = []string{"*"}
	exposed   = []string{"X-Request-Id, Retry-After, ETag, Location, Idempotency-Replayed"}
)

// cors lets pages of any origin read the answers. That is safe: credentials are sent in a
// header that a page must know, and the cookie of the console is ignored without such a
// header. The endpoints for operators need no credential, and pages of other origins cannot
// read them, nor what the console reads with its cookie.
func cors(h http.Header, r *http.Request) {
	if forOperators(r.URL.Path) || forConsole(r) {
		return
	}
	h["Access-Control-Allow-Origin"] = anyOrigin
	if r.Header["Origin"] != nil {
		h["Access-Control-Expose-Headers"] = exposed
	}
}

// forOperators reports whether a path is for operators and their tools.
func forOperators(path string) bool {
	switch path {
	case "/metrics", "/healthz", "/readyz":
		return true
	}
	return false
}

// preflight answers OPTIONS.
func preflight(w http.ResponseWriter, r *http.Request, allowed string) {
	h := w.Header()
	if forOperators(r.URL.Path) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	h.Set("Access-Control-Allow-Methods", allowed)
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
		h.Set("Vary", "Access-Control-Request-Headers")
	}
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}
