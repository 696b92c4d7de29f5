package blobtest

import (
	"bytes"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier/internal/blob"
)

func putExact(t *testing.T, v *signedClient) {
	const key = "assets/a/image.png"
	content := []byte("the bytes of an image")
	p := v.putURL(key, content, v.later())
	if got := p.Headers["If-None-Match"]; got != "*" || p.Headers["Content-Type"] != "image/png" || p.Headers["x-amz-checksum-sha256"] == "" || len(p.Headers) != 3 {
		t.Errorf("headers = %q", p.Headers)
	}
	if a := v.put(p, content); a.status != http.StatusOK {
		t.Fatalf("PUT: status %d %s; want 200", a.status, a.body)
	}
	o, err := v.Stat(t.Context(), key)
	if err != nil || o.Size != int64(len(content)) || o.ContentType != "image/png" || o.SHA256 != digest(content) {
		t.Errorf("Stat = %+v, %v", o, err)
	}
	if got := read(t, v, key); got != string(content) {
		t.Errorf("content = %q", got)
	}
	if !strings.HasSuffix(strings.Split(p.URL, "?")[0], "/"+key) {
		t.Errorf("URL = %s, whose path should end in the key", p.URL)
	}
}

// Every signed header and every part of the URL is required, unchanged.
func putAltered(t *testing.T, v *signedClient) {
	content := []byte("the bytes of an image")
	p := v.putURL("a/image.png", content, v.later())
	for name, value := range p.Headers {
		changed := blob.SignedPut{URL: p.URL, Headers: maps.Clone(p.Headers)}
		delete(changed.Headers, name)
		v.wantRefused("without "+name, v.put(changed, content))
		for _, other := range []string{value + "x", "text/html", `"etag"`, "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="} {
			changed.Headers[name] = other
			v.wantRefused(name+": "+other, v.put(changed, content))
		}
	}
	v.wantNothing("altered headers")
	for _, u := range alteredURLs(t, p.URL, "a/image.png", "b/image.png") {
		v.wantRefused(u, v.put(blob.SignedPut{URL: u, Headers: p.Headers}, content))
	}
	v.wantNothing("altered URL")
	if a := v.put(p, content); a.status != http.StatusOK {
		t.Errorf("as signed: status %d %s; want 200", a.status, a.body)
	}
}

// alteredURLs are a signed URL with one thing changed.
func alteredURLs(t *testing.T, signed, key, otherKey string) (out []string) {
	t.Helper()
	u, err := url.Parse(signed)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	for name := range q {
		for _, change := range []func(url.Values){
			func(q url.Values) { q.Del(name) },
			func(q url.Values) { q.Set(name, "") },
			func(q url.Values) { q.Set(name, q.Get(name)+"0") },
			func(q url.Values) { q.Set(name, flip(q.Get(name))) },
		} {
			changed := u.Query()
			if change(changed); changed.Get(name) == q.Get(name) {
				continue
			}
			c := *u
			c.RawQuery = changed.Encode()
			out = append(out, c.String())
		}
	}
	if strings.Count(signed, key) == 0 {
		t.Fatalf("%s does not name %s", signed, key)
	}
	return append(out, strings.Replace(signed, key, otherKey, 1), strings.Split(signed, "?")[0])
}

func putOtherBytes(_ *testing.T, v *signedClient) {
	content := []byte("the bytes of an image")
	p := v.putURL("a/image.png", content, v.later())
	for what, other := range map[string][]byte{
		"shorter": content[:len(content)-1], "longer": append(bytes.Clone(content), 'x'), "empty": nil,
		"other bytes": bytes.Repeat([]byte("x"), len(content)),
	} {
		v.wantRefused(what, v.put(p, other))
		v.wantNothing(what)
	}
}

func putTwice(t *testing.T, v *signedClient) {
	first, second := []byte("first"), []byte("the second")
	p, q := v.putURL("a/image.png", first, v.later()), v.putURL("a/image.png", second, v.later())
	if a := v.put(p, first); a.status != http.StatusOK {
		t.Fatalf("PUT: status %d %s; want 200", a.status, a.body)
	}
	if a := v.put(p, first); a.status != http.StatusPreconditionFailed {
		t.Errorf("again: status %d %s; want 412", a.status, a.body)
	}
	if a := v.put(q, second); a.status != http.StatusPreconditionFailed {
		t.Errorf("another: status %d %s; want 412", a.status, a.body)
	}
	if got := read(t, v, "a/image.png"); got != "first" {
		t.Errorf("content = %q, want the first", got)
	}
}

func putsOfOneKeyAtOnce(t *testing.T, v *signedClient) {
	var wg sync.WaitGroup
	answers, bodies := make([]answer, 6), make([][]byte, 6)
	for i := range answers {
		bodies[i] = bytes.Repeat([]byte{byte('a' + i)}, 200_000)
		p := v.putURL("a/image.png", bodies[i], v.later())
		wg.Go(func() { answers[i] = v.put(p, bodies[i]) })
	}
	wg.Wait()
	won := -1
	for i, a := range answers {
		switch {
		case a.status == http.StatusOK && won < 0:
			won = i
		case a.status == http.StatusPreconditionFailed:
		case a.status == http.StatusConflict && v.S3: // Amazon's answer to overlapping puts
		default:
			t.Errorf("status %d %s; want one 200 and the rest 412", a.status, a.body)
		}
	}
	if won < 0 || read(t, v, "a/image.png") != string(bodies[won]) {
		t.Error("the content is not that of the one that won")
	}
}

// A client cannot set a digest: headers beyond the signed ones are refused or
// ignored.
func putForgedDigest(t *testing.T, v *signedClient) {
	content := []byte("x")
	p := v.putURL("a/image.png", content, v.later())
	p.Headers["x-amz-meta-sha256"] = strings.Repeat("0", 64)
	if a := v.put(p, content); a.status != http.StatusOK {
		v.wantRefused("forged", a)
		v.wantNothing("forged")
		return
	}
	if o, err := v.Stat(t.Context(), "a/image.png"); err != nil || o.SHA256 != digest(content) {
		t.Errorf("Stat = %+v, %v; want the true digest", o, err)
	}
}
