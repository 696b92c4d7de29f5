package endpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/openai"
	"github.com/atelier-project/atelier/internal/telemetry"
	"github.com/atelier-project/atelier/internal/wire"
)

// serverOf serves a given table, so that the pipeline can be tested apart
// from any endpoint.
func serverOf(log io.Writer, table ...Route) *Server {
	return New(Config{
		Authenticate: func(context.Context, Credential) (atelier.Caller, error) {
			return atelier.Caller{}, atelier.Errorf(atelier.CodeBadCredential, "There is no such credential.")
		},
		NoteUse: func(atelier.Caller, string) {}, Failures: map[Format]func(*atelier.Error) any{OpenAI: openai.Failure},
		Metrics: telemetry.NewMetrics(), Log: slog.New(slog.NewTextHandler(log, nil)), Now: time.Now, Heartbeat: 15 * time.Second,
		Limits: Limits{PublicReads: 1000, AccountReads: 1000, LLMRequests: 1000, MediaURLs: 1000, AuthFailures: 1000},
	}, table)
}

type echoRequest struct {
	ID    string              `path:"id"`
	Model string              `wire:"model,required"`
	Count int                 `wire:"max_count,min=1"`
	Extra map[string]wire.Raw `wire:",extra"`
}

type echoReply struct {
	ID    string `json:"id"`
	Model string `json:"model"`
	Count int    `json:"count"`
	Extra int    `json:"extra"`
	Key   string `json:"key"`
}

func echo(c *Call, q echoRequest) (echoReply, error) {
	return echoReply{q.ID, q.Model, q.Count, len(q.Extra), c.Key}, nil
}

func line(method, pattern string, f Format, m wire.NamePolicy, k KeyRule, h Handler) Route {
	return Route{method, pattern, Public, Unlimited, f, m, k, 201, h, "for a test"}
}

func send1(s http.Handler, method, path, contentType, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestBodies(t *testing.T) {
	t.Parallel()
	s := serverOf(io.Discard,
		line("POST", "/v1/strict/{id}", Standard, wire.Strict, NoKey, Handle(echo)),
		line("POST", "/v1/chat/completions", OpenAI, wire.Lenient, NoKey, Handle(echo)))
	const json = "application/json"
	for _, tc := range []struct {
		path, kind, body string
		status           int
		want             string
	}{
		{"/v1/strict/a%2Fb", json, `{"model":"m","max_count":2}`, 201, `{"status":"success","data":{"id":"a/b","model":"m","count":2,"extra":0,"key":""}}`},
		{"/v1/strict/x", "", `{"model":"m"}`, 201, `"model":"m"`},
		{"/v1/strict/x", "application/json; charset=utf-8", `{"model":"m"}`, 201, `"model":"m"`},
		{"/v1/strict/x", "application/vnd.x+json", `{"model":"m"}`, 201, `"model":"m"`},
		{"/v1/strict/x", "text/plain", `{"model":"m"}`, 415, `"errorCode":2004`},
		{"/v1/strict/x", "application/x-www-form-urlencoded", `model=m`, 415, `"errorCode":2004`},
		{"/v1/strict/x", "application/json; charset=latin1", `{}`, 415, `"errorCode":2004`},
		{"/v1/strict/x", "multipart/form-data", ``, 400, `"message":"model is required."`},
		{"/v1/strict/x", json, `{"model":"m","other":1}`, 400, `"details":{"field":"other"}`},
		{"/v1/strict/x", json, strings.Repeat(" ", maxBody+1), 413, `"errorCode":2003`},
		{"/v1/strict/x", json, `{"model":"m"`, 400, `not valid JSON`},
		{"/v1/chat/completions", json, `{"model":"m","logit_bias":{},"n":1}`, 201, `{"id":"","model":"m","count":0,"extra":2,"key":""}`},
		{"/v1/chat/completions", json, `{"model":"m","maxCount":1}`, 400, `{"error":{"message":"maxCount is not accepted: write it as \"max_count\".","type":"invalid_request_error","param":"maxCount","code":"invalid_request"}}`},
		{"/v1/chat/completions", json, `{}`, 400, `"param":"model"`},
		{"/v1/chat/completions", "text/html", `{}`, 415, `"code":"unsupported_media_type"`},
	} {
		w := send1(s, "POST", tc.path, tc.kind, tc.body)
		if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.want) {
			t.Errorf("%s %.60s:\n got %d %s\nwant %d %s", tc.kind, tc.body, w.Code, w.Body, tc.status, tc.want)
		}
	}
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	s := serverOf(io.Discard,
		line("POST", "/none", Standard, wire.Strict, NoKey, Handle(echo)),
		line("POST", "/cut", Standard, wire.Strict, CutAt192, Handle(echo)),
		line("POST", "/drop", Standard, wire.Strict, DropOver200, Handle(echo)))
	long := strings.Repeat("ü", 201)
	for _, tc := range []struct{ path, header, key, want string }{
		{"/none", "Idempotency-Key", "k", ""},
		{"/cut", "Idempotency-Key", "k", "k"},
		{"/cut", "X-Idempotency-Key", "k", "k"},
		{"/cut", "Idempotency-Key", long, strings.Repeat("ü", 192)},
		{"/cut", "Idempotency-Key", strings.Repeat("a", 192), strings.Repeat("a", 192)},
		{"/drop", "Idempotency-Key", strings.Repeat("a", 200), strings.Repeat("a", 200)},
		{"/drop", "Idempotency-Key", long, ""},
	} {
		w := send1(s, "POST", tc.path, "application/json", `{"model":"m"}`, tc.header, tc.key)
		if want := `"key":"` + tc.want + `"`; !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s %s: %.8s…: got %s", tc.path, tc.header, tc.key, w.Body)
		}
	}
	w := send1(s, "POST", "/cut", "", `{"model":"m"}`, "Idempotency-Key", "first", "X-Idempotency-Key", "alias")
	if !strings.Contains(w.Body.String(), `"key":"first"`) {
		t.Errorf("the alias won over the header: %s", w.Body)
	}
}

func TestErrorsInTheirEnvelopes(t *testing.T) {
	t.Parallel()
	limited := atelier.Errorf(atelier.CodeRateLimited, "Slow down.")
	limited.RetryAfter = 1500 * time.Millisecond
	invalid := atelier.Errorf(atelier.CodeInvalidRequest, "The template is not valid.")
	invalid.Issues = []atelier.Issue{{Severity: "error", Code: "missing_name", Message: "name is required.", Path: "name"}}
	away := &atelier.UnavailableError{Part: atelier.PartStorage, Err: errors.New("secret path /etc/x")}
	for _, tc := range []struct {
		format Format
		err    error
		status int
		want   string
	}{
		{Standard, limited, 429, `{"status":"error","errorCode":126,"message":"Slow down.","retryAfter":2}`},
		{Shared, limited, 429, `{"error":"Too Many Requests"}`},
		{OpenAI, limited, 429, `{"error":{"message":"Slow down.","type":"rate_limit_error","param":null,"code":"rate_limited"}}`},
		{Standard, atelier.Refuse("a.b", "is wrong.").With("x", 1), 400, `{"status":"error","errorCode":102,"message":"a.b is wrong.","details":{"field":"a.b","x":1}}`},
		{OpenAI, atelier.Refuse("a.b", "is wrong.").With("x", 1), 400, `{"error":{"message":"a.b is wrong.","type":"invalid_request_error","param":"a.b","code":"invalid_request","details":{"x":1}}}`},
		{Standard, invalid, 400, `"data":{"validation":{"issues":[{"severity":"error","code":"missing_name","message":"name is required.","path":"name"}]}}`},
		{Verbatim, atelier.Errorf(atelier.CodeUnavailable, "Later."), 503, `{"status":"error","errorCode":2009,"message":"Later."}`},
		{Standard, fmt.Errorf("read: %w", away), 503, `{"status":"error","errorCode":2009,"message":"The storage of the service is not available now. Try again in a few seconds.","details":{"part":"storage"},"retryAfter":2}`},
		{OpenAI, away, 503, `"type":"server_error","param":null,"code":"unavailable","details":{"part":"storage"}`},
		{Standard, errors.New("secret path /etc/x"), 500, `"errorCode":2010`},
		{OpenAI, errors.New("secret path /etc/x"), 500, `"type":"server_error"`},
	} {
		fails := Handle(func(*Call, Empty) (Empty, error) { return Empty{}, tc.err })
		w := send1(serverOf(io.Discard, line("GET", "/v1/x", tc.format, wire.Lenient, NoKey, fails)), "GET", "/v1/x", "", "")
		if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.want) {
			t.Errorf("%v: got %d %s, want %d %s", tc.err, w.Code, w.Body, tc.status, tc.want)
		}
		if strings.Contains(w.Body.String(), "secret") {
			t.Errorf("the text of an inner error was sent: %s", w.Body)
		}
		if (tc.status == 429 || errors.Is(tc.err, away)) && w.Header().Get("Retry-After") != "2" {
			t.Errorf("Retry-After: got %q, want 2", w.Header().Get("Retry-After"))
		}
	}
}

func TestPanicIsALogged500(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	breaks := Handle(func(*Call, Empty) (Empty, error) { panic("boom") })
	w := send1(serverOf(&log, line("GET", "/v1/x", Standard, wire.Lenient, NoKey, breaks)), "GET", "/v1/x", "", "", "X-Request-Id", "abc")
	if w.Code != 500 || !strings.Contains(w.Body.String(), "Quote the request id abc") || strings.Contains(w.Body.String(), "boom") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if text := log.String(); !strings.Contains(text, "boom") || !strings.Contains(text, "request=abc") {
		t.Errorf("the log says %s", text)
	}
}

// An answer that has begun cannot become a 500: its connection is closed.
func TestPanicAfterTheAnswerBegan(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	breaks := Write("text/plain", func(w http.ResponseWriter, _ *http.Request) error {
		_, _ = io.WriteString(w, "half")
		panic("boom")
	})
	server := httptest.NewServer(serverOf(&log, line("GET", "/v1/x", Standard, wire.Lenient, NoKey, breaks)))
	defer server.Close()
	resp, err := http.Get(server.URL + "/v1/x")
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	if err == nil {
		t.Error("the client was told that half an answer is whole")
	}
	again, err := http.Get(server.URL + "/v1/y")
	if err != nil || again.StatusCode != 404 {
		t.Errorf("the process did not live on: %v", err)
	}
}

func TestEveryKindHasAStatus(t *testing.T) {
	t.Parallel()
	for _, c := range atelier.Codes() {
		if Status(c.Kind) < 400 {
			t.Errorf("%s has no status", c.Slug)
		}
	}
}
