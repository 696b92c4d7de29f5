package console_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/console"
)

// ask sends one request to a new handler; headers are pairs of a name and a value.
func ask(t *testing.T, method, address string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, address, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	console.Handler().ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, response *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// everyAddress is the pages and one asset of each kind.
var everyAddress = map[string]string{
	"/":                     "text/html; charset=utf-8",
	"/docs":                 "text/html; charset=utf-8",
	"/console/style.css":    "text/css; charset=utf-8",
	"/console/reference.js": "text/javascript; charset=utf-8",
	"/console/icon.svg":     "image/svg+xml",
}

func TestEveryFileHasItsContentType(t *testing.T) {
	t.Parallel()
	for address, want := range everyAddress {
		response := ask(t, "GET", address)
		if response.StatusCode != http.StatusOK {
			t.Errorf("GET %s: got status %d, want 200", address, response.StatusCode)
		}
		if got := response.Header.Get("Content-Type"); got != want {
			t.Errorf("GET %s: got content type %q, want %q", address, got, want)
		}
		if body(t, response) == "" {
			t.Errorf("GET %s: got an empty body", address)
		}
	}
}

func TestUnchangedFilesAreNotSentAgain(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for address := range everyAddress {
		first := ask(t, "GET", address)
		etag := first.Header.Get("ETag")
		if !strings.HasPrefix(etag, `"`) || len(etag) < 16 {
			t.Errorf("GET %s: got ETag %q, want a strong one", address, etag)
		}
		if other, taken := seen[etag]; taken {
			t.Errorf("%s and %s have the same ETag", address, other)
		}
		seen[etag] = address
		if got := first.Header.Get("Cache-Control"); got != "no-cache" {
			t.Errorf("GET %s: got Cache-Control %q, want no-cache", address, got)
		}

		again := ask(t, "GET", address, "If-None-Match", `"other", W/`+etag)
		if again.StatusCode != http.StatusNotModified {
			t.Errorf("GET %s with its ETag: got status %d, want 304", address, again.StatusCode)
		}
		if got := again.Header.Get("ETag"); got != etag {
			t.Errorf("GET %s with its ETag: got ETag %q, want %q", address, got, etag)
		}
		if got := body(t, again); got != "" {
			t.Errorf("GET %s with its ETag: got a body of %d bytes, want none", address, len(got))
		}
		if stale := ask(t, "GET", address, "If-None-Match", `"other"`); stale.StatusCode != http.StatusOK {
			t.Errorf("GET %s with another ETag: got status %d, want 200", address, stale.StatusCode)
		}
	}
}

func TestHeadIsGetWithoutABody(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(console.Handler())
	t.Cleanup(server.Close)
	for _, address := range []string{"/", "/docs", "/console/style.css", "/no/such/page"} {
		get, err := server.Client().Get(server.URL + address)
		if err != nil {
			t.Fatal(err)
		}
		whole := body(t, get)
		head, err := server.Client().Head(server.URL + address)
		if err != nil {
			t.Fatal(err)
		}
		if got := body(t, head); got != "" {
			t.Errorf("HEAD %s: got a body", address)
		}
		if head.StatusCode != get.StatusCode || head.ContentLength != int64(len(whole)) {
			t.Errorf("HEAD %s: got status %d and length %d, want %d and %d",
				address, head.StatusCode, head.ContentLength, get.StatusCode, len(whole))
		}
		for _, name := range []string{"Content-Type", "ETag"} {
			if got, want := head.Header.Get(name), get.Header.Get(name); got != want {
				t.Errorf("HEAD %s: got %s %q, want %q", address, name, got, want)
			}
		}
		_ = get.Body.Close()
		_ = head.Body.Close()
	}
}

func TestPagesAreGuarded(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"/", "/docs", "/no/such/page", "/console/console.js"} {
		header := ask(t, "GET", address).Header
		policy := header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'self'", "base-uri 'none'", "object-src 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("GET %s: the policy %q does not say %s", address, policy, want)
			}
		}
		for _, never := range []string{"unsafe-inline", "unsafe-eval", "http:", "https:", "*"} {
			if strings.Contains(policy, never) {
				t.Errorf("GET %s: the policy %q allows %s", address, policy, never)
			}
		}
		for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"} {
			if got := header.Get(name); got != want {
				t.Errorf("GET %s: got %s %q, want %q", address, name, got, want)
			}
		}
	}
}

func TestUnknownAddresses(t *testing.T) {
	t.Parallel()
	const page, envelope = "text/html; charset=utf-8", "application/json"
	for accept, want := range map[string]string{
		"":    page,
		"*/*": page,
		"text/html,application/xhtml+xml,*/*;q=0.8": page,
		"text/html, application/json":               page,
		"application/json;q=0.5, text/html":         page,
		"application/json;q=0, */*":                 page,
		"image/png":                                 page,
		"application/json":                          envelope,
		"application/json, text/plain, */*":         envelope,
		"text/html;q=0.5, application/json":         envelope,
		"text/*;q=0.3, application/*":               envelope,
	} {
		response := ask(t, "GET", "/no/such/page", "Accept", accept)
		if response.StatusCode != http.StatusNotFound {
			t.Errorf("Accept %q: got status %d, want 404", accept, response.StatusCode)
		}
		if got := response.Header.Get("Content-Type"); got != want {
			t.Errorf("Accept %q: got content type %q, want %q", accept, got, want)
			continue
		}
		if got := response.Header.Get("Vary"); got != "Accept" {
			t.Errorf("Accept %q: got Vary %q, want Accept", accept, got)
		}
		if want == envelope {
			wantEnvelope(t, response, atelier.CodeRouteNotFound)
		} else if text := body(t, response); !strings.Contains(text, "There is nothing here") {
			t.Errorf("Accept %q: the page does not say that the address is unknown", accept)
		}
	}
}

func wantEnvelope(t *testing.T, response *http.Response, want atelier.Code) {
	t.Helper()
	var got struct {
		Status    string
		ErrorCode int
		Message   string
	}
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Status != "error" || got.ErrorCode != want.Number || got.Message == "" {
		t.Errorf("got %+v, want status error, code %d and a message", got, want.Number)
	}
}

func TestFilesAreOnlyAtTheirAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"/index.html", "/docs.html", "/missing.html", "/console", "/console/", "/pages/index.html", "/console/../console.go", "/favicon.ico"} {
		if got := ask(t, "GET", address).StatusCode; got != http.StatusNotFound {
			t.Errorf("GET %s: got status %d, want 404", address, got)
		}
	}
}

func TestTheReferenceHasOneAddress(t *testing.T) {
	t.Parallel()
	response := ask(t, "GET", "/docs/")
	if got := response.Header.Get("Location"); response.StatusCode != http.StatusPermanentRedirect || got != "/docs" {
		t.Errorf("GET /docs/: got status %d and location %q, want 308 and /docs", response.StatusCode, got)
	}
}

func TestPagesAreOnlyRead(t *testing.T) {
	t.Parallel()
	response := ask(t, "POST", "/")
	if got := response.Header.Get("Allow"); response.StatusCode != http.StatusMethodNotAllowed || got != "GET, HEAD" {
		t.Errorf("POST /: got status %d and Allow %q, want 405 and GET, HEAD", response.StatusCode, got)
	}
	wantEnvelope(t, response, atelier.CodeMethodNotAllowed)
}
