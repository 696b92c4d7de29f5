package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Client calls one service with one credential. It is safe for concurrent use.
type Client struct {
	URL     string // of the service, without a trailing slash
	Key     string // an API key or a session token
	HTTP    *http.Client
	Retries int // how often a call is tried at most; 4 when made by New

	// Silence is how long the service may send nothing before or within an answer; 0 for
	// ever. It is two minutes when made by New. Streams have heartbeats, and their own time.
	Silence time.Duration

	app string // the application that requests name
}

// New makes a client.
func New(url, key string) *Client {
	return &Client{URL: strings.TrimRight(url, "/"), Key: key, HTTP: &http.Client{}, Retries: 4, Silence: maxSilence}
}

// Error is an error answer of the service.
type Error struct {
	Status     int            // HTTP status
	Code       int            // errorCode
	Message    string         // what is wrong and what to do
	Details    map[string]any // machine-readable facts
	RetryAfter time.Duration  // how long to wait
	RequestID  string         // quote it in a report
}

// Error implements the error interface.
func (e *Error) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("the service answered %d", e.Status)
	}
	return e.Message
}

// ErrForeign says that an answer has not the form that this service gives it: another server
// answers, or another version.
var ErrForeign = errors.New("the answer has not the form of this service")

// Is reports whether err is an answer with the given HTTP status.
func Is(err error, status int) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == status
}

// IsTemporary reports whether err means that the service could not answer now: no
// connection, too many requests, or a failure of the service. The same call may succeed
// later.
func IsTemporary(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return err != nil
	}
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// Call sends a JSON body to an endpoint that has no method here, and decodes data of the
// answer into out. Either may be nil.
func (c *Client) Call(ctx context.Context, method, path string, in, out any) error {
	_, err := c.call(ctx, method, path, in, out)
	return err
}

// call sends a JSON body and decodes data of the answer into out. Either may be nil. It
// returns the status.
func (c *Client) call(ctx context.Context, method, path string, in, out any) (int, error) {
	return c.callWith(ctx, method, path, nil, in, out)
}

// callWith is call with headers.
func (c *Client) callWith(ctx context.Context, method, path string, h http.Header, in, out any) (int, error) {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return 0, err
		}
	}
	for attempt := 0; ; attempt++ {
		status, err := c.once(ctx, method, path, h, body, out)
		wait, again := pause(err, attempt)
		if err == nil || !again || attempt >= c.Retries || ctx.Err() != nil || errors.Is(err, ErrSilent) || errors.Is(err, ErrForeign) {
			return status, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return status, err
		}
	}
}

func (c *Client) once(ctx context.Context, method, path string, h http.Header, body []byte, out any) (int, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	for name, values := range h {
		req.Header[name] = values
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return c.do(req, out)
}

// do sends a request, and decodes data of the answer into out, which may be nil.
func (c *Client) do(req *http.Request, out any) (int, error) {
	resp, err := c.read(req)
	if err != nil || out == nil || len(resp.text) == 0 {
		return resp.status, err
	}
	return resp.status, decode(resp.text, &struct {
		Data any `json:"data"`
	}{out})
}

// decode reads the JSON of an answer.
func decode(text []byte, out any) error {
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%w: %w", ErrForeign, err)
	}
	return nil
}

// reply is an answer that is no refusal.
type reply struct {
	status int
	text   []byte
}

// read sends a request and reads its answer.
func (c *Client) read(req *http.Request) (r reply, err error) {
	if c.Key != "" { // what is public needs none
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	if c.app != "" {
		req.Header.Set("X-App-Source", c.app)
	}
	resp, err := c.send(req, c.Silence)
	if err != nil {
		return r, err
	}
	defer resp.Body.Close()
	r.status = resp.StatusCode
	if r.text, err = io.ReadAll(io.LimitReader(resp.Body, 64<<20)); err == nil && r.status >= 300 {
		err = refusal(resp, r.text)
	}
	return r, err
}

// Ready returns nil if the node is ready to serve. It fails with ErrForeign if another server
// answers.
func (c *Client) Ready(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := c.read(req)
	if err != nil {
		return err
	}
	var state struct {
		Status string            `json:"status"`
		Parts  map[string]string `json:"parts"`
	}
	if err := decode(resp.text, &state); err != nil {
		return err
	}
	if _, ok := state.Parts["database"]; !ok || state.Status != "ok" && state.Status != "degraded" {
		return ErrForeign
	}
	return nil
}

func refusal(resp *http.Response, text []byte) error {
	var body struct {
		ErrorCode int            `json:"errorCode"`
		Message   string         `json:"message"`
		Details   map[string]any `json:"details"`
	}
	_ = json.Unmarshal(text, &body) // a proxy may answer with something else
	e := &Error{Status: resp.StatusCode, Code: body.ErrorCode, Message: body.Message, Details: body.Details, RequestID: resp.Header.Get("X-Request-Id")}
	if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(n) * time.Second
	}
	return e
}

// pause says how long to wait before the next try, and whether a retry makes sense. Pauses
// grow, with some randomness, so that many clients that failed together do not return
// together.
func pause(err error, attempt int) (time.Duration, bool) {
	grown := time.Duration(1<<attempt) * 250 * time.Millisecond
	grown += rand.N(grown)
	var e *Error
	if !errors.As(err, &e) {
		return grown, true // the connection failed
	}
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return max(e.RetryAfter, grown), true
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return grown, true
	}
	return 0, false
}
