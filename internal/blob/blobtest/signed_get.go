package blobtest

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
)

const tenBytes = "0123456789"

func (v *signedClient) store(key, kind, content string) {
	v.t.Helper()
	if _, err := v.Put(v.t.Context(), key, strings.NewReader(content), blob.PutOptions{ContentType: kind}); err != nil {
		v.t.Fatalf("Put: %v", err)
	}
}

func get(t *testing.T, v *signedClient) {
	v.store("a/b.png", "image/png", tenBytes)
	u := v.getURL("a/b.png", blob.GetTerms{})
	a := v.get(u, nil)
	if a.status != http.StatusOK || a.body != tenBytes || a.header.Get("Content-Type") != "image/png" || a.header.Get("Content-Length") != "10" {
		t.Errorf("GET: status %d %q, headers %v", a.status, a.body, a.header)
	}
	if how, name := dispositionOf(t, a); how != "inline" || name != "b.png" {
		t.Errorf("disposition = %s, %q", how, name)
	}
	if !strings.HasSuffix(strings.Split(u, "?")[0], "/a/b.png") {
		t.Errorf("URL = %s, whose path should end in the key", u)
	}
	a = v.get(v.getURL("a/b.png", blob.GetTerms{ContentType: "image/webp"}), nil)
	if a.status != http.StatusOK || a.header.Get("Content-Type") != "image/webp" {
		t.Errorf("GET with a type: status %d, type %s; want image/webp", a.status, a.header.Get("Content-Type"))
	}
	if a := v.do(http.MethodHead, u, nil, nil); v.S3 { // the method is signed too
		v.wantRefused("HEAD", a)
	} else if a.status != http.StatusOK || a.body != "" || a.header.Get("Content-Length") != "10" {
		t.Errorf("HEAD: status %d %q, headers %v", a.status, a.body, a.header)
	}
	if v.S3 {
		return
	}
	a = v.get(u, nil)
	for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Cache-Control", "Etag", "Last-Modified"} {
		if a.header.Get(name) == "" {
			t.Errorf("there is no %s header", name)
		}
	}
}

// A browser caches an object that never changes, and revalidates any other.
func getCached(t *testing.T, v *signedClient) {
	v.store("a/b.png", "image/png", tenBytes)
	for fixed, want := range map[bool]string{true: "private, max-age=86400, immutable", false: "private, no-cache"} {
		terms := blob.GetTerms{}
		if fixed {
			terms = blob.FixedTerms(v.Now(), time.Hour)
		}
		u := v.getURL("a/b.png", terms)
		a := v.get(u, nil)
		if got := a.header.Get("Cache-Control"); a.status != http.StatusOK || a.body != tenBytes || got != want {
			t.Errorf("fixed %v: status %d %q, Cache-Control %q; want 200 and %q", fixed, a.status, a.body, got, want)
		}
		if again := v.get(u, map[string]string{"If-None-Match": a.header.Get("Etag")}); again.status != http.StatusNotModified {
			t.Errorf("fixed %v: with its ETag %q: status %d, want 304", fixed, a.header.Get("Etag"), again.status)
		}
		parsed, err := url.Parse(u)
		if err != nil {
			t.Fatal(err)
		}
		q := parsed.Query()
		if v.S3 {
			q.Set("response-cache-control", "public, max-age=1")
		} else if q.Has("fixed") {
			q.Del("fixed")
		} else {
			q.Set("fixed", "1")
		}
		parsed.RawQuery = q.Encode()
		v.wantRefused("another Cache-Control", v.get(parsed.String(), nil))
	}
}

func dispositionOf(t *testing.T, a answer) (how, name string) {
	t.Helper()
	how, params, err := mime.ParseMediaType(a.header.Get("Content-Disposition"))
	if err != nil {
		t.Errorf("Content-Disposition %q: %v", a.header.Get("Content-Disposition"), err)
	}
	return how, params["filename"]
}

func getRanges(t *testing.T, v *signedClient) {
	v.store("a/b.png", "image/png", tenBytes)
	u := v.getURL("a/b.png", blob.GetTerms{})
	for asked, want := range map[string]struct{ body, header string }{
		"bytes=0-3":   {"0123", "bytes 0-3/10"},
		"bytes=4-":    {"456789", "bytes 4-9/10"},
		"bytes=-3":    {"789", "bytes 7-9/10"},
		"bytes=2-2":   {"2", "bytes 2-2/10"},
		"bytes=9-9":   {"9", "bytes 9-9/10"},
		"bytes=5-999": {"56789", "bytes 5-9/10"},
		"bytes=0-9":   {tenBytes, "bytes 0-9/10"},
		"bytes=0-":    {tenBytes, "bytes 0-9/10"},
		"bytes=-99":   {tenBytes, "bytes 0-9/10"},
	} {
		a := v.get(u, map[string]string{"Range": asked})
		if a.status != http.StatusPartialContent || a.body != want.body || a.header.Get("Content-Range") != want.header {
			t.Errorf("%s: status %d %q, %s; want 206 %q, %s", asked, a.status, a.body, a.header.Get("Content-Range"), want.body, want.header)
		}
		if got := a.header.Get("Content-Length"); got != fmt.Sprint(len(want.body)) {
			t.Errorf("%s: length %s", asked, got)
		}
	}
	if a := v.get(u, map[string]string{"Range": "bytes=10-"}); a.status != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("bytes=10-: status %d; want 416", a.status)
	}
	// An invalid range is refused or ignored.
	for _, asked := range []string{"bytes=x", "bytes=5-2", "lines=1-2", "bytes=99999999999999999999-", "bytes=--1", "bytes="} {
		a := v.get(u, map[string]string{"Range": asked})
		if a.status != http.StatusRequestedRangeNotSatisfiable && (a.status != http.StatusOK || a.body != tenBytes) {
			t.Errorf("%s: status %d %q; want 416, or all of it", asked, a.status, a.body)
		}
	}
	severalRanges(t, v, u)
}

// S3 answers a request for several ranges with the whole object.
func severalRanges(t *testing.T, v *signedClient, u string) {
	t.Helper()
	a := v.get(u, map[string]string{"Range": "bytes=0-1,4-5"})
	if v.S3 {
		if a.status != http.StatusOK || a.body != tenBytes {
			t.Errorf("two ranges: status %d %q; want 200 and everything", a.status, a.body)
		}
		return
	}
	_, params, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if a.status != http.StatusPartialContent || err != nil {
		t.Fatalf("two ranges: status %d, %v; want 206", a.status, err)
	}
	var got []string
	for parts := multipart.NewReader(strings.NewReader(a.body), params["boundary"]); ; {
		part, err := parts.NextPart()
		if err != nil {
			break
		}
		b, _ := io.ReadAll(part)
		got = append(got, part.Header.Get("Content-Type")+" "+string(b))
	}
	if strings.Join(got, ",") != "image/png 01,image/png 45" {
		t.Errorf("two ranges gave %q", got)
	}
}

func getConditions(t *testing.T, v *signedClient) {
	v.store("a/b.png", "image/png", tenBytes)
	u := v.getURL("a/b.png", blob.GetTerms{})
	etag := v.get(u, nil).header.Get("Etag")
	tomorrow, longAgo := time.Now().Add(24*time.Hour).UTC().Format(http.TimeFormat), time.Unix(0, 0).UTC().Format(http.TimeFormat)
	for _, c := range []struct {
		header, value string
		want          int
	}{
		{"If-None-Match", etag, http.StatusNotModified},
		{"If-None-Match", `"other"`, http.StatusOK},
		{"If-Match", etag, http.StatusOK},
		{"If-Match", `"other"`, http.StatusPreconditionFailed},
		{"If-Modified-Since", longAgo, http.StatusOK},
		{"If-Unmodified-Since", longAgo, http.StatusPreconditionFailed},
		{"If-Unmodified-Since", tomorrow, http.StatusOK},
	} {
		if a := v.get(u, map[string]string{c.header: c.value}); a.status != c.want {
			t.Errorf("%s: %s: status %d; want %d", c.header, c.value, a.status, c.want)
		}
	}
	if v.S3 {
		return // S3 has no If-Range
	}
	if a := v.get(u, map[string]string{"Range": "bytes=2-3", "If-Range": etag}); a.status != http.StatusPartialContent || a.body != "23" {
		t.Errorf("If-Range: status %d %q; want 206", a.status, a.body)
	}
	if a := v.get(u, map[string]string{"Range": "bytes=2-3", "If-Range": `"other"`}); a.status != http.StatusOK || a.body != tenBytes {
		t.Errorf("If-Range of another: status %d %q; want everything", a.status, a.body)
	}
}

func getNames(t *testing.T, v *signedClient) {
	v.store("a/b.png", "image/png", tenBytes)
	for _, name := range []string{
		"plain.png", "with space.png", `quo"te.png`, `back\slash.png`, "semi;colon=1.png", "größe 写真.png", "100%.png", "../../up.png", "new\r\nline: x.png",
	} {
		a := v.get(v.getURL("a/b.png", blob.GetTerms{Filename: name}), nil)
		if how, got := dispositionOf(t, a); a.status != http.StatusOK || how != "inline" || got != name {
			t.Errorf("%q: status %d, %s, %q", name, a.status, how, got)
		}
		if a.header.Get("Line") != "" {
			t.Errorf("%q became a header", name)
		}
	}
}

func getMissing(t *testing.T, v *signedClient) {
	if a := v.get(v.getURL("not/there.png", blob.GetTerms{}), nil); a.status != http.StatusNotFound {
		t.Errorf("status %d %s; want 404", a.status, a.body)
	}
}

func getAltered(t *testing.T, v *signedClient) {
	v.store("a/b.png", "image/png", tenBytes)
	v.store("c/d.png", "image/png", tenBytes)
	u := v.getURL("a/b.png", blob.GetTerms{ContentType: "image/png", Filename: "name.png"})
	for _, altered := range alteredURLs(t, u, "a/b.png", "c/d.png") {
		v.wantRefused(altered, v.get(altered, nil))
	}
	if a := v.get(u, nil); a.status != http.StatusOK {
		t.Errorf("as signed: status %d %s; want 200", a.status, a.body)
	}
}

// Terms of every kind expire at their time.
func expired(t *testing.T, v *signedClient) {
	v.store("a/b.png", "image/png", tenBytes)
	var (
		until time.Time
		u     string
		p     blob.SignedPut
		f     blob.Form
	)
	for life := 2 * time.Second; ; life *= 2 { // as short as S3 signs, and longer where the machine is too busy for that
		until = v.Now().Truncate(time.Second).Add(life)
		u, p = v.getURL("a/b.png", blob.GetTerms{Until: until}), v.putURL("new/put.png", []byte("x"), until)
		f = v.form("new/form.png", blob.FormTerms{ContentType: "image/png", Until: until})
		if a := v.get(u, nil); a.status == http.StatusOK {
			break
		} else if v.Now().Before(until) {
			t.Fatalf("before its end: status %d %s; want 200", a.status, a.body)
		}
	}
	v.Wait(t, until)
	for what, a := range map[string]answer{"GET": v.get(u, nil), "PUT": v.put(p, []byte("x")), "POST": v.post(f, "x")} {
		if a.status != http.StatusForbidden {
			t.Errorf("%s: status %d %s; want 403", what, a.status, a.body)
		}
	}
	if got := keysOf(t, v, "", ""); len(got) != 1 {
		t.Errorf("keys = %q, want nothing new", got)
	}
}

// A browser saves a file that could run as a page, instead of showing it.
func getPage(t *testing.T, v *signedClient) {
	for key, kind := range map[string]string{"a/page.html": "text/html", "a/image.svg": "image/svg+xml", "a/noext": "text/html"} {
		v.store(key, kind, "<script>alert(1)</script>")
		for _, terms := range []blob.GetTerms{{}, {ContentType: kind}} {
			a := v.get(v.getURL(key, terms), nil)
			if how, _ := dispositionOf(t, a); a.status != http.StatusOK || how != "attachment" {
				t.Errorf("%s: status %d, %s; want an attachment", key, a.status, how)
			}
			if csp := a.header.Get("Content-Security-Policy"); !v.S3 && !strings.HasPrefix(csp, "sandbox;") {
				t.Errorf("%s: policy %q; want a sandbox", key, csp)
			}
		}
	}
}

// Terms are valid for one method.
func otherMethods(t *testing.T, v *signedClient) {
	v.store("a/b.png", "image/png", tenBytes)
	u := v.getURL("a/b.png", blob.GetTerms{})
	p := v.putURL("new/b.png", []byte("x"), v.later())
	for _, method := range []string{http.MethodPut, http.MethodPost, http.MethodDelete, http.MethodPatch} {
		v.wantRefused(method+" with terms to GET", v.do(method, u, nil, strings.NewReader("x")))
	}
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
		v.wantRefused(method+" with terms to PUT", v.do(method, p.URL, p.Headers, nil))
	}
	if got := keysOf(t, v, "", ""); len(got) != 1 || read(t, v, "a/b.png") != tenBytes {
		t.Errorf("keys = %q, want a/b.png as it was", got)
	}
}

// Whatever the path is, only the signed object is read and nothing else is written.
func paths(t *testing.T, v *signedClient) {
	v.store("a/b.png", "image/png", "secret")
	signed, err := url.Parse(v.getURL("x/y.png", blob.GetTerms{}))
	if err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSuffix(signed.Path, "x/y.png")
	for _, path := range []string{
		"../a/b.png", "x/../a/b.png", "x/y.png/../../a/b.png", "%2e%2e/a/b.png", "x/%2e%2e/a/b.png", "x%2f..%2fa%2fb.png", "..%5ca%5cb.png",
		"x/y.png%00", "a/b.png", "a/b.png%00.png", "/a/b.png", "x/./../a/b.png", "....//a/b.png", "%c0%ae%c0%ae/a/b.png", "a+/b.png", "objects/a+/b.png",
	} {
		for _, method := range []string{"GET", "PUT"} {
			status, body := rawRequest(t, method, signed.Host, base+path+"?"+signed.RawQuery)
			if status < 300 || strings.Contains(body, "secret") {
				t.Errorf("%s %s: status %d %q", method, path, status, body)
			}
		}
	}
	if got := keysOf(t, v, "", ""); len(got) != 1 {
		t.Errorf("keys = %q, want only a/b.png", got)
	}
}

// rawRequest sends a request whose path no client library would send as it is.
func rawRequest(t *testing.T, method, host, uri string) (status int, body string) {
	t.Helper()
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx", method, uri, host)
	b, err := io.ReadAll(conn)
	if _, scan := fmt.Sscanf(string(b), "HTTP/1.1 %d", &status); scan != nil {
		t.Fatalf("%s %s: answer %.200q, %v", method, uri, b, err)
	}
	return status, string(b)
}

func signedKeys(t *testing.T, v *signedClient) {
	v.store("a", "text/plain", "x")
	for _, key := range InvalidKeys {
		_, errForm := v.Form(t.Context(), key, blob.FormTerms{ContentType: "image/png", MaxBytes: 1, Until: v.later()})
		_, errPut := v.PutURL(t.Context(), key, blob.PutTerms{ContentType: "image/png", Size: 1, SHA256: digest(nil), Until: v.later()})
		_, errGet := v.GetURL(t.Context(), key, blob.GetTerms{Until: v.later()})
		for call, err := range map[string]error{
			"Form": errForm, "PutURL": errPut, "GetURL": errGet,
			"Copy to": v.Copy(t.Context(), "a", key), "Copy from": v.Copy(t.Context(), key, "b"),
		} {
			if !errors.Is(err, blob.ErrInvalidKey) {
				t.Errorf("%s %q = %v, want ErrInvalidKey", call, key, err)
			}
		}
	}
	for _, sum := range []string{"", "00", strings.Repeat("g", 64), digest(nil) + "00"} {
		if _, err := v.PutURL(t.Context(), "a", blob.PutTerms{ContentType: "image/png", Size: 1, SHA256: sum, Until: v.later()}); err == nil {
			t.Errorf("PutURL with checksum %q = nil error", sum)
		}
	}
}

func copies(t *testing.T, v *signedClient) {
	v.store("a/image.png", "image/png", "original")
	v.store("c/image.png", "text/plain", "something else")
	before := time.Now().Add(-time.Minute)
	for range 2 { // a second copy is no error
		for _, to := range []string{"b/image.png", "c/image.png", "d/e/f.png", "a/image.png"} {
			if err := v.Copy(t.Context(), "a/image.png", to); err != nil {
				t.Fatalf("Copy to %s: %v", to, err)
			}
		}
	}
	if err := v.Delete(t.Context(), "a/image.png"); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"b/image.png", "c/image.png", "d/e/f.png"} {
		o, err := v.Stat(t.Context(), key)
		if err != nil || o.ContentType != "image/png" || o.SHA256 != digest([]byte("original")) || o.Size != 8 || o.ModTime.Before(before) {
			t.Errorf("Stat(%s) = %+v, %v; want it as the original", key, o, err)
		}
	}
	v.store("b/image.png", "image/png", "replaced")
	if got := read(t, v, "d/e/f.png"); got != "original" {
		t.Errorf("a copy = %q after another was replaced", got)
	}
	if err := v.Delete(t.Context(), "c/image.png"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, v, "d/e/f.png"); got != "original" {
		t.Errorf("a copy = %q after another was deleted", got)
	}
	if err := v.Copy(t.Context(), "a/image.png", "x"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Copy of what is not there = %v, want ErrNotFound", err)
	}
	if err := v.Copy(t.Context(), "not/there", "not/there"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Copy of what is not there onto itself = %v, want ErrNotFound", err)
	}
}
