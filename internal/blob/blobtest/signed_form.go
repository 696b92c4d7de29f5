package blobtest

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/blob"
)

func form(t *testing.T, v *signedClient) {
	const key, content = "media/a/image.png", "the bytes of an image\r\n--" + boundary + "x"
	f := v.form(key, blob.FormTerms{ContentType: "image/png", MaxBytes: int64(len(content))})
	if a := v.post(f, content); a.status != http.StatusNoContent || a.body != "" {
		t.Fatalf("POST: status %d %s; want 204", a.status, a.body)
	}
	o, err := v.Stat(t.Context(), key)
	if err != nil || o.Size != int64(len(content)) || o.ContentType != "image/png" {
		t.Errorf("Stat = %+v, %v", o, err)
	}
	if o.SHA256 != "" && o.SHA256 != digest([]byte(content)) { // S3 computes none by itself
		t.Errorf("digest = %q", o.SHA256)
	}
	if got := read(t, v, key); got != content {
		t.Errorf("content = %q, want %q", got, content)
	}
}

// The disk uses the type in the header of the file's part and refuses one that is
// not in the list. S3 checks neither.
func formWithoutType(t *testing.T, v *signedClient) {
	f := v.form("a/image.png", blob.FormTerms{Allowed: []string{"image/png", "image/jpeg"}})
	if _, pins := f.Fields["Content-Type"]; pins {
		t.Error("the form has a Content-Type, although none was pinned")
	}
	if a := v.send(f.URL, encode(fieldsOf(f))+filePart("image/jpeg", "x")+formEnd); a.status != http.StatusNoContent {
		t.Errorf("POST: status %d %s; want 204", a.status, a.body)
	}
	o, err := v.Stat(t.Context(), "a/image.png")
	if err != nil || (!v.S3 && o.ContentType != "image/jpeg") {
		t.Errorf("Stat = %+v, %v; want image/jpeg", o, err)
	}
	if v.S3 {
		return
	}
	for _, kind := range []string{"text/html", "", "image/svg+xml", "image/png, text/html", "\x00"} {
		v.wantRefused(kind, v.send(f.URL, encode(fieldsOf(f))+filePart(kind, "<html>")+formEnd))
		v.wantRefused(kind, v.send(f.URL, encode(append(fieldsOf(f), field{"Content-Type", kind}))+filePart("text/html", "<html>")+formEnd))
	}
	if got := read(t, v, "a/image.png"); got != "x" {
		t.Errorf("content = %q, want what was there before", got)
	}
}

func formTwice(t *testing.T, v *signedClient) {
	f := v.pinned("a/image.png")
	for _, content := range []string{"first, and longer", "second"} {
		if a := v.post(f, content); a.status != http.StatusNoContent {
			t.Fatalf("POST: status %d %s; want 204", a.status, a.body)
		}
	}
	if got := read(t, v, "a/image.png"); got != "second" {
		t.Errorf("content = %q, want the second", got)
	}
}

// Every signed field is required, unchanged.
func formAltered(t *testing.T, v *signedClient) {
	f := v.pinned("a/image.png")
	for i, changed := range fieldsOf(f) {
		if changed.name == "bucket" {
			continue // S3 uses the bucket of the URL
		}
		for what, value := range map[string]string{
			"longer": changed.value + "x", "shorter": changed.value[:len(changed.value)-1], "empty": "",
			"other": flip(changed.value), "spaced": " " + changed.value,
		} {
			fields := fieldsOf(f)
			fields[i].value = value
			v.wantRefused(changed.name+" "+what, v.send(f.URL, encode(fields)+filePart("image/png", "x")+formEnd))
		}
		fields := fieldsOf(f)
		fields = append(fields[:i], fields[i+1:]...)
		v.wantRefused("without "+changed.name, v.send(f.URL, encode(fields)+filePart("image/png", "x")+formEnd))
		v.wantNothing(changed.name)
	}
	v.wantRefused("without a file", v.send(f.URL, encode(fieldsOf(f))+formEnd))
	v.wantRefused("without anything", v.send(f.URL, formEnd))
	v.wantRefused("not a form", v.do(http.MethodPost, f.URL, map[string]string{"Content-Type": "image/png"}, strings.NewReader("x")))
	v.wantRefused("no boundary", v.do(http.MethodPost, f.URL, map[string]string{"Content-Type": "multipart/form-data"}, strings.NewReader("x")))
	v.wantNothing("what is not a form")
}

// flip changes the last letter or digit.
func flip(s string) string {
	b := []byte(s)
	i := len(b) - 1
	for i > 0 && b[i] == '=' {
		i -= 3 // the last character of padded base64 has unused bits
	}
	if b[i] == 'a' {
		b[i] = 'b'
	} else {
		b[i] = 'a'
	}
	return string(b)
}

// An altered policy is refused, and so is the valid policy of another key.
func formWithOtherTerms(t *testing.T, v *signedClient) {
	f, other := v.pinned("a/image.png"), v.pinned("b/image.png")
	text, err := base64.StdEncoding.DecodeString(f.Fields["policy"])
	if err != nil {
		t.Fatal(err)
	}
	for old, changed := range map[string]string{"1000": "9000", "image/png": "text/html", "a/image.png": "b/image.png"} {
		policy := strings.ReplaceAll(string(text), old, changed)
		if policy == string(text) {
			t.Fatalf("the policy does not say %s: %s", old, text)
		}
		fields := fieldsOf(f)
		for i := range fields {
			switch fields[i].name {
			case "policy":
				fields[i].value = base64.StdEncoding.EncodeToString([]byte(policy))
			default:
				fields[i].value = strings.ReplaceAll(fields[i].value, old, changed)
			}
		}
		v.wantRefused("policy with "+changed, v.send(f.URL, encode(fields)+filePart("image/png", "x")+formEnd))
	}
	fields := fieldsOf(other)
	for i := range fields {
		if fields[i].name == "key" {
			fields[i].value = f.Fields["key"]
		}
	}
	v.wantRefused("policy of another key", v.send(f.URL, encode(fields)+filePart("image/png", "x")+formEnd))
	for _, key := range []string{"../a/image.png", "/a/image.png", "a/../a/image.png", "a//image.png", "a/image.png/../../c"} {
		for i := range fields {
			if fields[i].name == "key" {
				fields[i].value = key
			}
		}
		v.wantRefused("key "+key, v.send(f.URL, encode(fields)+filePart("image/png", "x")+formEnd))
	}
	v.wantNothing("other terms")
}

func formWithMoreFields(t *testing.T, v *signedClient) {
	f := v.pinned("a/image.png")
	for _, more := range []field{
		{"x-amz-meta-sha256", strings.Repeat("0", 64)}, {"acl", "public-read"}, {"success_action_redirect", "http://localhost/"},
		{"Cache-Control", "max-age=1"}, {"key", "b/image.png"}, {"policy", "e30="},
	} {
		v.wantRefused("more: "+more.name, v.send(f.URL, encode(append(fieldsOf(f), more))+filePart("image/png", "x")+formEnd))
	}
	v.wantNothing("more fields")
	if v.S3 {
		return
	}
	v.wantRefused("huge field", v.send(f.URL, encode([]field{{"policy", strings.Repeat("x", 1<<20)}})))
	v.wantRefused("huge header", v.send(f.URL, "--"+boundary+"\r\nX: "+strings.Repeat("x", 1<<20)))
	var many []field
	for i := range 100 {
		many = append(many, field{fmt.Sprint("f", i), "x"})
	}
	v.wantRefused("many fields", v.send(f.URL, encode(append(many, fieldsOf(f)...))+filePart("image/png", "x")+formEnd))
}

func formTooLarge(t *testing.T, v *signedClient) {
	f := v.form("a/image.png", blob.FormTerms{ContentType: "image/png", MaxBytes: 10})
	v.wantRefused("11 bytes", v.post(f, strings.Repeat("x", 11)))
	v.wantNothing("11 bytes")
	if a := v.post(f, strings.Repeat("x", 10)); a.status != http.StatusNoContent {
		t.Errorf("exactly the limit: status %d %s; want 204", a.status, a.body)
	}
	v.wantRefused("11 bytes", v.post(f, strings.Repeat("x", 11)))
	if got := read(t, v, "a/image.png"); len(got) != 10 {
		t.Errorf("content = %q, want what was there before", got)
	}
}

// A file beyond the limit is refused long before its end.
func formTooLargeStreamed(t *testing.T, v *signedClient) {
	f := v.form("a/image.png", blob.FormTerms{ContentType: "image/png", MaxBytes: 1 << 20})
	const size = 4 << 30
	endless := &counting{}
	body := io.MultiReader(strings.NewReader(encode(fieldsOf(f))+strings.TrimSuffix(filePart("image/png", ""), "\r\n")), io.LimitReader(endless, size))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = size
	r.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
	if resp, err := client.Do(r); err == nil { // the server may also close the connection
		resp.Body.Close()
		v.wantRefused("4 GiB", answer{status: resp.StatusCode})
	}
	if endless.n.Load() > 64<<20 {
		t.Errorf("%d bytes were taken for a limit of 1 MiB", endless.n.Load())
	}
	v.wantNothing("4 GiB")
}

// A form without its end is refused even when everything else is there.
func formCutShort(t *testing.T, v *signedClient) {
	f := v.pinned("a/image.png")
	whole := encode(fieldsOf(f)) + filePart("image/png", strings.Repeat("x", 100)) + formEnd
	for _, missing := range []int{len("--\r\n"), len(formEnd), len(formEnd) + 1, len(formEnd) + 2, 80, 160, 300, len(whole) - 10} {
		v.wantRefused(fmt.Sprintf("without its last %d bytes", missing), v.send(f.URL, whole[:len(whole)-missing]))
	}
	v.wantNothing("cut short")
	if a := v.send(f.URL, whole); a.status != http.StatusNoContent {
		t.Errorf("whole: status %d %s; want 204", a.status, a.body)
	}
}

// An upload that its client aborts leaves nothing.
func formAborted(t *testing.T, v *signedClient) {
	f := v.pinned("a/image.png")
	u, err := url.Parse(f.URL)
	if err != nil {
		t.Fatal(err)
	}
	whole := encode(fieldsOf(f)) + filePart("image/png", strings.Repeat("x", 900)) + formEnd
	for _, missing := range []int{1, len(formEnd) + 3, 500, 1200} {
		conn, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: multipart/form-data; boundary=%s\r\nContent-Length: %d\r\n\r\n%s",
			u.RequestURI(), u.Host, boundary, len(whole), whole[:len(whole)-missing])
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
			resp.Body.Close()
			v.wantRefused(fmt.Sprintf("%d bytes short", missing), answer{status: resp.StatusCode})
		}
		conn.Close()
	}
	v.wantNothing("interrupted")
}

// Amazon's S3 ignores fields after the file, and compatible services may read them
// as part of the file: only the disk is tested.
func formWithFileEarly(t *testing.T, v *signedClient) {
	if v.S3 {
		t.Skip("left out: S3 does not refuse fields behind the file")
	}
	f := v.pinned("a/image.png")
	fields := fieldsOf(f)
	v.wantRefused("a field behind it", v.send(f.URL, encode(fields)+filePart("image/png", "x")+encode([]field{{"more", "x"}})+formEnd))
	v.wantRefused("two files", v.send(f.URL, encode(fields)+filePart("image/png", "x")+filePart("image/png", "y")+formEnd))
	v.wantRefused("signature behind it", v.send(f.URL, encode(fields[:len(fields)-1])+filePart("image/png", "x")+encode(fields[len(fields)-1:])+formEnd))
	v.wantRefused("file first", v.send(f.URL, filePart("image/png", "x")+encode(fields)+formEnd))
	v.wantNothing("file early")
}

func formEmpty(_ *testing.T, v *signedClient) {
	v.wantRefused("empty file", v.post(v.pinned("a/image.png"), ""))
	v.wantNothing("empty file")
}
