package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/blob/blobtest"
	"github.com/atelier-project/atelier/internal/pipetest"
)

// clock is a clock that tests advance.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *clock) wait(_ *testing.T, until time.Time) { c.ahead.Add(int64(until.Sub(c.now()))) }

func TestDiskServer(t *testing.T) {
	t.Parallel()
	blobtest.RunSigned(t, func(t *testing.T) blobtest.Served {
		c := &clock{}
		server := blobtest.ServeDisk(t, openDisk(t, t.TempDir()), blob.DiskServerOptions{Secrets: []string{"first", "second"}, Now: c.now})
		return blobtest.Served{SignedStore: server, Wait: c.wait, Now: c.now}
	})
}

func openServer(t testing.TB, dir string, o blob.DiskServerOptions) *blob.DiskServer {
	t.Helper()
	o.Secrets, o.Now = []string{"a secret"}, time.Now
	return blobtest.ServeDisk(t, openDisk(t, dir), o)
}

func soon() time.Time { return time.Now().Add(time.Hour) }

// formBody is a form as a client would post it, with a file of a given size.
func formBody(t testing.TB, f blob.Form, file io.Reader, size int64) (body io.Reader, length int64, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range f.Fields {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="x"`}}); err != nil {
		t.Fatal(err)
	}
	head := bytes.Clone(b.Bytes())
	w.Close()
	tail := b.Bytes()[len(head):]
	return io.MultiReader(bytes.NewReader(head), file, bytes.NewReader(tail)), int64(len(head)) + size + int64(len(tail)), w.FormDataContentType()
}

func post(t testing.TB, f blob.Form, file io.Reader, size int64) (status int, text string) {
	t.Helper()
	return postWith(t, http.DefaultClient, f, file, size)
}

func postWith(t testing.TB, c *http.Client, f blob.Form, file io.Reader, size int64) (status int, text string) {
	t.Helper()
	body, length, kind := formBody(t, f, file, size)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = length
	r.Header.Set("Content-Type", kind)
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b)
}

func pngForm(t testing.TB, d *blob.DiskServer, key string, maxBytes int64) blob.Form {
	t.Helper()
	f, err := d.Form(t.Context(), key, blob.FormTerms{ContentType: "image/png", MaxBytes: maxBytes, Until: soon()})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Inspect reads files that are valid in two formats unchanged, and the client
// receives its refusal.
func TestDiskServerInspects(t *testing.T) {
	t.Parallel()
	const png = "\x89PNG\r\n\x1a\n"
	dir := t.TempDir()
	inspect := func(_ context.Context, u blob.Upload, f io.ReadSeeker) error {
		b, err := io.ReadAll(f)
		if err != nil || int64(len(b)) != u.Size || u.ContentType != "image/png" {
			t.Errorf("Inspect was shown %d of %d bytes as %s, %v", len(b), u.Size, u.ContentType, err)
		}
		if http.DetectContentType(b) != u.ContentType || bytes.Contains(b, []byte("<script")) {
			return atelier.Refuse("file", "is not what it says.")
		}
		return nil
	}
	d := openServer(t, dir, blob.DiskServerOptions{Inspect: inspect})
	for _, content := range []string{
		"GIF89a/*<script>alert(1)</script>*/", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "MZ\x90\x00", "%PDF-1.7 " + png,
		png + "<script>alert(1)</script>", "PK\x03\x04" + png, "\x00" + png,
	} {
		if status, text := post(t, pngForm(t, d, "a/form.png", 1000), strings.NewReader(content), int64(len(content))); status != 400 || !strings.Contains(text, "is not what it says") {
			t.Errorf("POST of %q: status %d %s; want 400 and why", content, status, text)
		}
		if status := putTo(t, d, "a/put.png", content); status != 400 {
			t.Errorf("PUT of %q: status %d; want 400", content, status)
		}
	}
	if got := strings.Join(files(t, dir), " "); got != "objects tmp" {
		t.Errorf("left on disk: %s; want nothing", got)
	}
	if status, text := post(t, pngForm(t, d, "a/form.png", 1000), strings.NewReader(png), 8); status != 204 {
		t.Errorf("POST of an image: status %d %s; want 204", status, text)
	}
}

func putTo(t *testing.T, d *blob.DiskServer, key, content string) int {
	t.Helper()
	sum := sha256.Sum256([]byte(content))
	p, err := d.PutURL(t.Context(), key, blob.PutTerms{ContentType: "image/png", Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), Until: soon()})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, p.URL, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range p.Headers {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// stall is how long a client may do nothing.
const stall = 30 * time.Second

// openPiped serves a disk over pipes, inside a bubble of synctest.
func openPiped(t testing.TB, dir string, o blob.DiskServerOptions) (*blob.DiskServer, *pipetest.Listener) {
	t.Helper()
	l := pipetest.Listen()
	o.Secrets, o.Now, o.Stall = []string{"a secret"}, time.Now, stall
	return blobtest.ServeDiskOn(t, l, openDisk(t, dir), o), l
}

// dialPiped connects to a server that listens on pipes.
func dialPiped(t *testing.T, l *pipetest.Listener) net.Conn {
	t.Helper()
	conn, err := l.Dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// A client that stops sending is cut off; one that is merely slow is not.
func TestDiskServerCutsStalledUploads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		d, l := openPiped(t, dir, blob.DiskServerOptions{})
		f := pngForm(t, d, "a/image.png", 1000)
		body, length, kind := formBody(t, f, strings.NewReader(strings.Repeat("x", 500)), 500)
		whole, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(f.URL)
		if err != nil {
			t.Fatal(err)
		}
		for _, sent := range []int{0, 100, len(whole) - 300, len(whole) - 1} {
			conn := dialPiped(t, l)
			began := time.Now()
			go fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", u.Path, kind, length, whole[:sent])
			if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") {
				t.Errorf("stalled after %d bytes: answer %.40q, %v; want 400 and the end", sent, answer, err)
			}
			if took := time.Since(began); took < stall || took > 3*stall {
				t.Errorf("stalled after %d bytes: it was cut off after %s, want %s to %s", sent, took, stall, 3*stall)
			}
		}
		if got := strings.Join(files(t, dir), " "); got != "objects tmp" {
			t.Errorf("left on disk: %s; want nothing", got)
		}
		c := l.Client()
		defer c.CloseIdleConnections()
		slow := &slowly{r: strings.NewReader(strings.Repeat("x", 500)), step: 20, pause: stall * 3 / 4}
		if status, text := postWith(t, c, pngForm(t, d, "a/image.png", 1000), slow, 500); status != 204 {
			t.Errorf("slow upload: status %d %s; want 204", status, text)
		}
	})
}

// slowly reads in small steps, with a pause before each.
type slowly struct {
	r     io.Reader
	step  int
	pause time.Duration
}

func (s *slowly) Read(p []byte) (int, error) {
	time.Sleep(s.pause)
	return s.r.Read(p[:min(len(p), s.step)])
}

// zeros is endless content that needs no memory.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// The server ends a download whose client stops reading.
func TestDiskServerCutsStalledDownloads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, l := openPiped(t, t.TempDir(), blob.DiskServerOptions{})
		const size = 1 << 20 // more than a server buffers
		if _, err := d.Put(t.Context(), "a.mp4", io.LimitReader(zeros{}, size), blob.PutOptions{ContentType: "video/mp4"}); err != nil {
			t.Fatal(err)
		}
		address, err := d.GetURL(t.Context(), "a.mp4", blob.GetTerms{Until: soon()})
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		for _, header := range []string{"X: y", "Range: bytes=-1048000"} {
			conn := dialPiped(t, l)
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", u.RequestURI(), header)
			if _, err := io.ReadFull(conn, make([]byte, 1000)); err != nil {
				t.Fatalf("%s: %v", header, err)
			}
			time.Sleep(2 * stall)
			if n, err := io.Copy(io.Discard, conn); err != nil || n > size/2 {
				t.Errorf("%s: after the pause came %d bytes, %v; want the end", header, n, err)
			}
		}
	})
}

// A deadline of one request does not reach the next over the same connection, and
// no deadline runs while a file is inspected.
func TestDiskServerLeavesNoDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, l := openPiped(t, t.TempDir(), blob.DiskServerOptions{Inspect: func(context.Context, blob.Upload, io.ReadSeeker) error {
			time.Sleep(2 * stall)
			return nil
		}})
		c := l.Client()
		defer c.CloseIdleConnections()
		if status, text := postWith(t, c, pngForm(t, d, "a/image.png", 1000), strings.NewReader("x"), 1); status != 204 {
			t.Fatalf("POST: status %d %s; want 204", status, text)
		}
		u, err := d.GetURL(t.Context(), "a/image.png", blob.GetTerms{Until: time.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			resp, err := c.Get(u)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(resp.Body); err != nil || string(b) != "x" {
				t.Errorf("GET: %q, %v", b, err)
			}
			resp.Body.Close()
			time.Sleep(2 * stall)
		}
	})
}

// A signature of an older secret is valid, and one of a removed secret is not.
func TestDiskServerSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, openDisk(t, dir), "a", "x")
	get := func(signed, served []string) int {
		d := blob.NewDiskServer(openDisk(t, dir), blob.DiskServerOptions{Secrets: signed, Now: time.Now})
		u, err := d.GetURL(t.Context(), "a", blob.GetTerms{Until: soon()})
		if err != nil {
			t.Fatal(err)
		}
		s := blob.NewDiskServer(openDisk(t, dir), blob.DiskServerOptions{Secrets: served, Now: time.Now})
		w := httptest.NewRecorder()
		if err := s.Serve(w, httptest.NewRequest(http.MethodGet, u, nil), "a"); atelier.HasCode(err, atelier.CodeBadSignature) {
			return 403
		}
		return w.Code
	}
	if got := get([]string{"old"}, []string{"new", "old"}); got != 200 {
		t.Errorf("a signature of the older secret: %d; want 200", got)
	}
	if got := get([]string{"old"}, []string{"new"}); got != 403 {
		t.Errorf("a signature of a secret that is gone: %d; want 403", got)
	}
}

// Copies leave nothing in tmp, even when the target is the same file already.
func TestDiskServerCopyLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openServer(t, dir, blob.DiskServerOptions{})
	put(t, d, "a", "x")
	for _, to := range []string{"b", "b", "a"} {
		if err := d.Copy(t.Context(), "a", to); err != nil {
			t.Fatal(err)
		}
	}
	if left := files(t, filepath.Join(dir, "tmp")); len(left) > 0 {
		t.Errorf("left in tmp: %q", left)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Copy(ctx, "not/there", "c"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Copy = %v, want ErrNotFound", err)
	}
}

// Memory does not grow with the file. The test counts allocations, so it does not
// run in parallel.
func TestDiskServerStreams(t *testing.T) {
	d := openServer(t, t.TempDir(), blob.DiskServerOptions{})
	const size = 64 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if status, text := post(t, pngForm(t, d, "a/large.png", size), io.LimitReader(zeros{}, size), size); status != 204 {
		t.Fatalf("POST: status %d %s; want 204", status, text)
	}
	u, err := d.GetURL(t.Context(), "a/large.png", blob.GetTerms{Until: soon()})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(u)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if n, err := io.Copy(io.Discard, resp.Body); n != size || err != nil {
		t.Errorf("GET: %d bytes, %v", n, err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > size/2 {
		t.Errorf("%d bytes were allocated, client included, to move %d twice", used, size)
	}
}
