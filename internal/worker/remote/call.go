package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier/internal/worker"
)

// vendorClient sends requests to one vendor.
type vendorClient struct {
	base    *url.URL
	key     string
	headers map[string]text // of every request
	http    *http.Client
	timeout time.Duration
}

// request is one call of a vendor.
type request struct {
	method  string
	path    string // behind the base URL, escaped
	headers map[string]string
	kind    string // of the body
	body    []byte
	stream  func() (io.ReadCloser, error) // a body that is not in memory, instead
}

// answer is a vendor's answer to a request.
type answer struct {
	status int
	after  time.Duration // Retry-After
	body   []byte
}

// maxAnswer bounds an answer that is not a file.
const maxAnswer = 4 << 20

// newTransport is a transport with one connection for each request, so that a
// request that fails before it has a connection certainly did not arrive.
func newTransport(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Transport {
	if dial == nil {
		dial = (&net.Dialer{Timeout: 15 * time.Second}).DialContext
	}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dial,
		TLSHandshakeTimeout:    15 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		DisableKeepAlives:      true,
	}
}

// lostError is a request without an answer.
type lostError struct {
	arrived bool // the vendor may have received it
	why     string
}

func (e *lostError) Error() string { return e.why }

// open sends a request and returns the answer before its body is read. The caller
// closes the body.
func (l *vendorClient) open(ctx context.Context, q request) (*http.Response, error) {
	var connected atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	var body io.Reader
	if q.stream != nil {
		file, err := q.stream()
		if err != nil {
			return nil, &lostError{why: err.Error()}
		}
		body = file
	} else if q.body != nil {
		body = bytes.NewReader(q.body)
	}
	r, err := http.NewRequestWithContext(traced, q.method, strings.TrimRight(l.base.String(), "/")+q.path, body)
	if err != nil {
		if file, ok := body.(io.Closer); ok {
			file.Close()
		}
		return nil, &lostError{why: "the address cannot be made"}
	}
	r.Header.Set("User-Agent", "atelier")
	r.Header.Set("Accept", "application/json")
	if q.kind != "" {
		r.Header.Set("Content-Type", q.kind)
	}
	for name, t := range l.headers {
		value, _ := t.fill(func(slot string) (any, bool) { return l.key, slot == "key" }, same)
		r.Header.Set(name, value)
	}
	for name, value := range q.headers {
		r.Header.Set(name, value)
	}
	resp, err := l.http.Do(r)
	if err != nil {
		return nil, &lostError{connected.Load(), l.reason(ctx, err)}
	}
	return resp, nil
}

// do sends a request and reads the whole answer.
func (l *vendorClient) do(ctx context.Context, q request) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	resp, err := l.open(ctx, q)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && len(body) > maxAnswer {
		err = fmt.Errorf("the answer is larger than %d bytes", maxAnswer)
	}
	if err != nil {
		return answer{}, &lostError{true, l.reason(ctx, err)}
	}
	return answer{resp.StatusCode, retryAfter(resp.Header), body}, nil
}

// reason says why there is no answer, without the address: it may hold a key, and customers
// read the reason.
func (l *vendorClient) reason(ctx context.Context, err error) string {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "it did not answer in time"
	case ctx.Err() != nil:
		return "the request was aborted"
	}
	return worker.Shorten(l.clean(worker.PublicReason(err)), maxQuoted)
}

// clean removes the key from a text.
func (l *vendorClient) clean(s string) string {
	if len(l.key) < 4 {
		return s
	}
	for _, secret := range []string{l.key, url.QueryEscape(l.key), url.PathEscape(l.key)} {
		s = strings.ReplaceAll(s, secret, "…")
	}
	return s
}

// retryAfter reads how long a server asks callers to wait: seconds or a date.
func retryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if n, err := strconv.ParseFloat(v, 64); err == nil && n > 0 && n < 1e6 {
		return time.Duration(n * float64(time.Second))
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// policy says what the HTTP statuses of a submit mean.
type policy struct {
	busy       []int
	refused    []int // every other 4xx when nil
	idempotent bool  // the vendor recognises a repeated request
}

// standardBusy are the statuses of servers that did not accept a request: too
// early, too many requests, internal error, unavailable, overloaded. 502 and 504 of
// a gateway are not among them: the server behind it may be working.
var standardBusy = []int{http.StatusTooEarly, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable, 529}

// judge turns the answer to a submit into an error; nil when it was accepted.
func (p policy) judge(a answer, refusal func() error) error {
	busy := p.busy
	if len(busy) == 0 {
		busy = standardBusy
	}
	why := fmt.Sprintf("the vendor answered with status %d", a.status)
	switch {
	case a.status >= 200 && a.status < 300:
		return nil
	case slices.Contains(busy, a.status):
		return &busyError{a.after, why}
	case slices.Contains(p.refused, a.status):
		return refusal()
	case a.status == http.StatusConflict && p.idempotent: // the first request is still being processed
		return &unresolvedError{why}
	case a.status == http.StatusRequestTimeout:
		return &unresolvedError{why}
	case len(p.refused) == 0 && a.status >= 300 && a.status < 500: // redirects are not followed: they could send the key elsewhere
		return refusal()
	}
	return &unresolvedError{why}
}

// submitError turns a submit without an answer into an error.
func submitError(err error) error {
	var l *lostError
	if errors.As(err, &l) && !l.arrived {
		return &busyError{why: "the vendor cannot be reached: " + l.why}
	}
	return &unresolvedError{"the vendor's answer was lost: " + err.Error()}
}
