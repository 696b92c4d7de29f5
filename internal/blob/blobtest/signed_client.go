package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
)

// signedClient is a client of a signed store: one that holds signed terms and nothing else.
type signedClient struct {
	Served
	t *testing.T
}

var client = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 32},
	Timeout:       time.Minute,
}

type answer struct {
	status int
	header http.Header
	body   string
}

// do sends a request. A server that closes the connection has refused too: it is an
// answer with status 0.
func (v *signedClient) do(method, url string, headers map[string]string, body io.Reader) answer {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, url, body)
	if err != nil {
		v.t.Fatalf("%s: %v", method, err)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	resp, err := client.Do(r)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			v.t.Fatalf("%s: %v", method, err)
		}
		return answer{body: err.Error()}
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatalf("%s: reading the answer: %v", method, err)
	}
	return answer{resp.StatusCode, resp.Header, string(b)}
}

// wantRefused checks that an answer is the client's fault. Compatible services
// sometimes answer with a server error, such as to a form that ends early.
func (v *signedClient) wantRefused(what string, a answer) {
	v.t.Helper()
	if a.status != 0 && (a.status < 400 || a.status > 499 && !v.S3) {
		v.t.Errorf("%s: status %d %s; want it refused", what, a.status, a.body)
	}
}

// wantNothing checks that nothing is stored.
func (v *signedClient) wantNothing(what string) {
	v.t.Helper()
	if keys := keysOf(v.t, v, "", ""); len(keys) > 0 {
		v.t.Errorf("%s: stored %q; want nothing", what, keys)
	}
}

func (v *signedClient) later() time.Time { return v.Now().Add(time.Hour) }

func (v *signedClient) form(key string, t blob.FormTerms) blob.Form {
	v.t.Helper()
	if t.Until.IsZero() {
		t.Until = v.later()
	}
	if t.MaxBytes == 0 {
		t.MaxBytes = 1000
	}
	f, err := v.Form(v.t.Context(), key, t)
	if err != nil {
		v.t.Fatalf("Form(%q): %v", key, err)
	}
	return f
}

// pinned is a form for PNG images and nothing else.
func (v *signedClient) pinned(key string) blob.Form {
	v.t.Helper()
	return v.form(key, blob.FormTerms{ContentType: "image/png", Allowed: []string{"image/png", "image/jpeg"}})
}

// field is a part of a form.
type field struct{ name, value string }

// fieldsOf lists the fields of a form, in the order of their names.
func fieldsOf(f blob.Form) (out []field) {
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		out = append(out, field{name, f.Fields[name]})
	}
	return out
}

const boundary = "a-line-that-no-file-has"

// filePart is the part with the file.
func filePart(kind, content string) string {
	return "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"image.png\"\r\nContent-Type: " + kind + "\r\n\r\n" + content + "\r\n"
}

// encode writes fields as the parts of a form.
func encode(fields []field) string {
	var b strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", boundary, f.name, f.value)
	}
	return b.String()
}

const formEnd = "--" + boundary + "--\r\n"

// send posts what is already encoded.
func (v *signedClient) send(url, body string) answer {
	v.t.Helper()
	return v.do(http.MethodPost, url, map[string]string{"Content-Type": "multipart/form-data; boundary=" + boundary}, strings.NewReader(body))
}

// post posts a form as a well-behaved client does.
func (v *signedClient) post(f blob.Form, content string) answer {
	v.t.Helper()
	return v.send(f.URL, encode(fieldsOf(f))+filePart("image/png", content)+formEnd)
}

func (v *signedClient) putURL(key string, content []byte, until time.Time) blob.SignedPut {
	v.t.Helper()
	p, err := v.PutURL(v.t.Context(), key, blob.PutTerms{ContentType: "image/png", Size: int64(len(content)), SHA256: digest(content), Until: until})
	if err != nil {
		v.t.Fatalf("PutURL(%q): %v", key, err)
	}
	return p
}

func (v *signedClient) put(p blob.SignedPut, content []byte) answer {
	v.t.Helper()
	return v.do(http.MethodPut, p.URL, p.Headers, bytes.NewReader(content))
}

func (v *signedClient) getURL(key string, t blob.GetTerms) string {
	v.t.Helper()
	if t.Until.IsZero() {
		t.Until = v.later()
	}
	u, err := v.GetURL(v.t.Context(), key, t)
	if err != nil {
		v.t.Fatalf("GetURL(%q): %v", key, err)
	}
	return u
}

func (v *signedClient) get(url string, headers map[string]string) answer {
	v.t.Helper()
	return v.do(http.MethodGet, url, headers, nil)
}
