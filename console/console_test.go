package console_test

import (
	"compress/gzip"
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
	"/":                 "text/html; charset=utf-8",
	"/docs":             "text/html; charset=utf-8",
	"/console/main.css": "text/css; charset=utf-8",
	"/console/main.js":  "text/javascript; charset=utf-8",
	"/console/icon.svg": "image/svg+xml",
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
		if other, taken := seen[etag]; taken && address != "/docs" && other != "/docs" { // the same page
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
	server.Client().Transport.(*http.Transport).DisableCompression = true // it asks for it with GET only
	for _, address := range []string{"/", "/docs", "/console/main.css", "/no/such/page"} {
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
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self' blob:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	for _, address := range []string{"/", "/docs", "/workflows/wf_1", "/no/such/page", "/console/main.css"} {
		header := ask(t, "GET", address).Header
		for name, want := range map[string]string{
			"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("GET %s: got %s %q, want %q", address, name, got, want)
			}
		}
	}
}

// Where media is on an S3, pages load it from there, and nothing else.
func TestPolicyNamesTheStorage(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	console.Handler("https://media.example:9000").ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	got := w.Result().Header.Get("Content-Security-Policy")
	for _, want := range []string{"img-src 'self' blob: https://media.example:9000;", "media-src 'self' blob: https://media.example:9000;", "connect-src 'self' blob: https://media.example:9000;", "script-src 'self';"} {
		if !strings.Contains(got, want) {
			t.Errorf("the policy %q does not say %q", got, want)
		}
	}
}

// The addresses inside the console are the same page; those that look similar are not.
func TestAddressesInsideTheConsole(t *testing.T) {
	t.Parallel()
	index := body(t, ask(t, "GET", "/"))
	for _, address := range []string{"/chat", "/chat/s-1", "/workflows", "/workflows/wf_1", "/templates", "/templates/t%20x", "/library", "/usage", "/webhooks", "/webhooks/wh_1",
		"/network", "/models", "/models/z_image", "/account", "/keys", "/operator", "/operator/accounts", "/operator/accounts/0xann/keys"} {
		response := ask(t, "GET", address)
		if got := body(t, response); response.StatusCode != 200 || got != index {
			t.Errorf("GET %s: got status %d and %d bytes, want 200 and the console", address, response.StatusCode, len(got))
		}
	}
	for _, address := range []string{"/Chat", "/create", "/chats", "/operators", "/{id}", "/chat//", "/operator/a//", "/...", "/workflows/%E0%A4"} {
		if got := ask(t, "GET", address).StatusCode; got != http.StatusNotFound {
			t.Errorf("GET %s: got status %d, want 404", address, got)
		}
	}
}

// Files are sent compressed to clients that prefer it, each encoding with its own tag.
func TestCompressedFiles(t *testing.T) {
	t.Parallel()
	plain := ask(t, "GET", "/console/main.css")
	whole := body(t, plain)
	for accept, want := range map[string]bool{
		"":                             false,
		"identity":                     false,
		"br":                           false,
		"gzip":                         true,
		"gzip, deflate, br, zstd":      true,
		"GZIP;q=0.5":                   true,
		"gzip;q=0":                     false,
		"gzip;q=0.2, identity;q=0.5":   false,
		"gzip; q=0.5, identity; q=0.5": true,
		"*":                            true,
		"*;q=0":                        false,
		"gzip;q=0, *":                  false,
		"gzip;q=much":                  false,
	} {
		got := ask(t, "GET", "/console/main.css", "Accept-Encoding", accept)
		if vary := got.Header.Get("Vary"); vary != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: got Vary %q", accept, vary)
		}
		if compressed := got.Header.Get("Content-Encoding") == "gzip"; compressed != want {
			t.Errorf("Accept-Encoding %q: compressed: %t, want %t", accept, compressed, want)
			continue
		}
		if !want {
			continue
		}
		if got.Header.Get("ETag") == plain.Header.Get("ETag") {
			t.Errorf("both encodings have the tag %s", plain.Header.Get("ETag"))
		}
		if got.ContentLength <= 0 || got.ContentLength >= int64(len(whole)) {
			t.Errorf("got %d bytes for %d", got.ContentLength, len(whole))
		}
		r, err := gzip.NewReader(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || string(text) != whole {
			t.Errorf("got %d bytes and %v, want the %d of the file", len(text), err, len(whole))
		}
		again := ask(t, "GET", "/console/main.css", "Accept-Encoding", accept, "If-None-Match", got.Header.Get("ETag"))
		if again.StatusCode != http.StatusNotModified || again.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("with its tag: got status %d and Vary %q", again.StatusCode, again.Header.Get("Vary"))
		}
		if other := ask(t, "GET", "/console/main.css", "If-None-Match", got.Header.Get("ETag")); other.StatusCode != http.StatusOK {
			t.Errorf("the plain file with the tag of the compressed one: got status %d, want 200", other.StatusCode)
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

func TestEveryPageHasOneAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"/docs", "/chat/s-1"} {
		response := ask(t, "GET", address+"/")
		if got := response.Header.Get("Location"); response.StatusCode != http.StatusPermanentRedirect || got != address {
			t.Errorf("GET %s/: got status %d and location %q, want 308 and %s", address, response.StatusCode, got, address)
		}
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
