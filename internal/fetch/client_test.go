package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/pipetest"
)

const png = "\x89PNG\r\n\x1a\nand the rest"

// serve answers every request with f.
func serve(t *testing.T, f http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s
}

// read gets an address and all of its content.
func read(t *testing.T, c *Client, url string) (*Body, string, error) {
	t.Helper()
	b, err := c.Get(t.Context(), url)
	if err != nil {
		return nil, "", err
	}
	defer b.Close()
	content, err := io.ReadAll(b)
	return b, string(content), err
}

// wantError checks an error's code and what it says.
func wantError(t *testing.T, err error, code atelier.Code, text string) {
	t.Helper()
	if !atelier.HasCode(err, code) || !strings.Contains(err.Error(), text) {
		t.Errorf("error = %v; want %s that says %q", err, code.Slug, text)
	}
	if err != nil && strings.Contains(err.Error(), "secret") {
		t.Errorf("the error tells a secret: %v", err)
	}
}

// pretend has a client take a server on this machine for one on the Internet,
// under the name public.test. Everything else is dialled as ever.
func pretend(c *Client, s *httptest.Server) {
	transport := c.http.Transport.(*http.Transport)
	guarded := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "public.test:") {
			return net.Dial("tcp", s.Listener.Addr().String())
		}
		return guarded(ctx, network, address)
	}
}

func TestClientGet(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie")+r.Header.Get("Authorization")+r.Header.Get("Referer") != "" || r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("headers = %v", r.Header)
		}
		if r.URL.Path == "/old" {
			w.Header().Set("Set-Cookie", "a=b")
			http.Redirect(w, r, "/new?secret=1", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, png)
	})
	b, content, err := read(t, New(Options{AllowPrivate: true}), s.URL+"/old#fragment")
	if err != nil || content != png {
		t.Fatalf("Get = %q, %v", content, err)
	}
	if b.ContentType != "image/png" || b.Declared != "text/html" || b.Size != int64(len(png)) || b.FinalURL != s.URL+"/new?secret=1" {
		t.Errorf("body = %+v", b)
	}
}

func TestGetEmptyAndUnknown(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Query().Get("say")) })
	for _, say := range []string{"", "x", strings.Repeat("x", 5000)} {
		b, content, err := read(t, New(Options{AllowPrivate: true}), s.URL+"?say="+say)
		if err != nil || content != say || b.ContentType != "application/octet-stream" {
			t.Errorf("Get of %d bytes = %d bytes, %v", len(say), len(content), err)
		}
	}
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	c, open := New(Options{}), New(Options{AllowPrivate: true})
	for _, url := range []string{
		"ftp://example.com/a", "file:///etc/passwd", "gopher://example.com", "data:image/png;base64,AAAA", "//example.com/a", "/a", "", "example.com",
		"http:///a", "http:example.com", "http://user:secret@example.com/", "http://secret@example.com/", "http://exa mple.com/secret",
		"http://example.com/" + strings.Repeat("x", maxURL), "http://[::1/secret", "javascript:alert(1)", "unix:///var/run/secret.sock",
	} {
		for _, client := range []*Client{c, open} {
			wantError(t, client.CheckURL(url), atelier.CodeInvalidRequest, "URL")
		}
		if _, err := open.Get(t.Context(), url); err == nil {
			t.Errorf("Get(%q) = nil error", url)
		}
	}
	for _, url := range []string{
		"http://localhost/", "http://LOCALHOST./", "http://a.localhost/", "http://metadata.google.internal/", "http://printer.local/",
		"http://127.0.0.1/", "http://127.9.9.9:8080/", "http://[::1]/", "http://0.0.0.0/", "http://169.254.169.254/latest/meta-data/",
		"http://[fe80::1%25eth0]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[64:ff9b::7f00:1]/", "http://10.1.2.3/",
	} {
		wantError(t, c.CheckURL(url), atelier.CodeInvalidRequest, "not on the public Internet")
		if err := open.CheckURL(url); err != nil {
			t.Errorf("CheckURL(%q) = %v, although private targets are allowed", url, err)
		}
	}
	for _, url := range []string{"https://example.com/a.png?x=1#y", "HTTP://EXAMPLE.COM:8080/", "https://8.8.8.8/", "https://[2606:4700::1111]/", "http://xn--bcher-kva.example/"} {
		if err := c.CheckURL(url); err != nil {
			t.Errorf("CheckURL(%q) = %v", url, err)
		}
	}
}

func TestLoopbackRefused(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	s := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	port := s.URL[strings.LastIndexByte(s.URL, ':'):]
	c := New(Options{})
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "0", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::]", "[::1]"} {
		if _, err := c.Get(t.Context(), "http://"+host+port+"/secret"); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("Get of %s = %v; want it refused", host, err)
		}
	}
	if asked.Load() > 0 {
		t.Error("the server was reached")
	}
}

// A redirect leads no further than the first address would.
func TestRedirectToLoopbackRefused(t *testing.T) {
	t.Parallel()
	var inside atomic.Int64
	private := serve(t, func(http.ResponseWriter, *http.Request) { inside.Add(1) })
	for _, target := range []string{
		private.URL + "/secret", strings.Replace(private.URL, "127.0.0.1", "[::ffff:127.0.0.1]", 1), strings.Replace(private.URL, "127.0.0.1", "localhost", 1),
		"file:///etc/secret", "ftp://example.com/", "http://user:secret@public.test/", "//127.0.0.1:1/", "http://169.254.169.254/secret",
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", target)
			w.WriteHeader(http.StatusTemporaryRedirect)
		})
		c := New(Options{})
		pretend(c, s)
		_, err := c.Get(t.Context(), "http://public.test/image.png")
		wantError(t, err, atelier.CodeInvalidRequest, "URL")
	}
	if inside.Load() > 0 {
		t.Error("the private server was reached")
	}
}

// A name says nothing: what counts is the address that is dialled.
func TestNameOfLoopbackRefused(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = io.WriteString(w, png)
	})
	port := s.URL[strings.LastIndexByte(s.URL, ':'):]
	url := "http://harmless.example" + port + "/secret"
	for _, ip := range [][4]byte{{127, 0, 0, 1}, {10, 0, 0, 1}, {169, 254, 169, 254}, {0, 0, 0, 0}, {100, 64, 0, 1}} {
		c := New(Options{Resolver: pipetest.Resolver(t, ip)})
		if err := c.CheckURL(url); err != nil {
			t.Fatalf("CheckURL = %v", err)
		}
		_, err := c.Get(t.Context(), url)
		wantError(t, err, atelier.CodeInvalidRequest, `"harmless.example" is not on the public Internet`)
	}
	if asked.Load() > 0 {
		t.Error("the server was reached")
	}
	open := New(Options{Resolver: pipetest.Resolver(t, [4]byte{127, 0, 0, 1}), AllowPrivate: true})
	if _, content, err := read(t, open, url); err != nil || content != png {
		t.Errorf("Get, allowed = %q, %v", content, err)
	}
}

// The environment's proxy would be dialled in the target's place.
func TestNoProxy(t *testing.T) {
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") })
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	c := New(Options{Resolver: pipetest.Resolver(t, [4]byte{127, 0, 0, 1})})
	_, err := c.Get(t.Context(), "http://harmless.example/")
	wantError(t, err, atelier.CodeInvalidRequest, "not on the public Internet")
}

func TestSizes(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/declared":
			w.Header().Set("Content-Length", "2000")
		case "/endless":
			for {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		case "/exact":
			_, _ = w.Write(make([]byte, 1000))
		case "/chunked":
			w.(http.Flusher).Flush()
			_, _ = w.Write(make([]byte, 1001))
		}
	})
	c := New(Options{AllowPrivate: true, MaxBytes: 1000})
	if _, content, err := read(t, c, s.URL+"/exact"); err != nil || len(content) != 1000 {
		t.Errorf("exactly the limit: %d bytes, %v", len(content), err)
	}
	for _, path := range []string{"/declared", "/endless", "/chunked"} {
		_, content, err := read(t, c, s.URL+path)
		wantError(t, err, atelier.CodeBodyTooLarge, "larger than 1000 bytes")
		if len(content) > 1000 {
			t.Errorf("%s: %d bytes were given out", path, len(content))
		}
	}
	// Also when the limit is below what the type is told by.
	_, _, err := read(t, New(Options{AllowPrivate: true, MaxBytes: 10}), s.URL+"/exact")
	wantError(t, err, atelier.CodeBodyTooLarge, "larger than 10 bytes")
}

// raw answers every connection with the same bytes and then does what it is
// told.
func raw(t *testing.T, answer string, then func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	answerAll(t, l, answer, then)
	return "http://" + l.Addr().String() + "/secret"
}

// answerAll answers every connection of a listener until the test ends.
func answerAll(t *testing.T, l net.Listener, answer string, then func(net.Conn)) {
	t.Helper()
	var conns sync.WaitGroup
	t.Cleanup(func() { l.Close(); conns.Wait() })
	conns.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				defer conn.Close()
				_, _ = conn.Read(make([]byte, 4096))
				_, _ = io.WriteString(conn, answer)
				if then != nil {
					then(conn)
				}
			})
		}
	})
}

// hold keeps a connection open until the client closes it.
func hold(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// A length that is a lie is noticed in both directions.
func TestLyingLength(t *testing.T) {
	t.Parallel()
	c := New(Options{AllowPrivate: true, MaxBytes: 10_000})
	for _, sent := range []int{0, 10, 700} {
		_, _, err := read(t, c, raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"+strings.Repeat("x", sent), nil))
		wantError(t, err, atelier.CodeUpstream, "was interrupted")
	}
	_, content, err := read(t, c, raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 600\r\n\r\n"+strings.Repeat("x", 9000), nil))
	if err != nil || len(content) != 600 {
		t.Errorf("more than declared: %d bytes, %v; want those declared", len(content), err)
	}
	_, _, err = read(t, c, raw(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n400\r\n"+strings.Repeat("x", 0x400)+"\r\n", nil))
	wantError(t, err, atelier.CodeUpstream, "was interrupted")
	for _, answer := range []string{"", "nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 100<<10)} {
		_, _, err = read(t, c, raw(t, answer, nil))
		wantError(t, err, atelier.CodeUpstream, "")
	}
}

// A server that keeps a client waiting is given up, and one that is merely slow is
// not. The times are the defaults.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\n\r\n"
	every := func(pause time.Duration, n int) func(net.Conn) {
		return func(conn net.Conn) {
			for range n {
				if _, err := io.WriteString(conn, strings.Repeat("x", 100)); err != nil {
					return
				}
				time.Sleep(pause)
			}
		}
	}
	for name, test := range map[string]struct {
		answer string
		then   func(net.Conn)
		says   string // nothing when it is read
		after  time.Duration
	}{
		"no answer":         {"", hold, "did not answer in time", 15 * time.Second},
		"half a header":     {"HTTP/1.1 200 OK\r\nX:", hold, "did not answer in time", 15 * time.Second},
		"no content":        {head, hold, "sent nothing for", 15 * time.Second},
		"content that ends": {head + strings.Repeat("x", 1000), hold, "sent nothing for", 15 * time.Second},
		"a trickle":         {head, every(time.Second, 1000), "could not be read within", 2 * time.Minute},
		"a slow answer":     {head, every(14*time.Second, 8), "", 8 * 14 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := pipetest.Listen()
				answerAll(t, l, test.answer, test.then)
				c := New(Options{AllowPrivate: true})
				c.http.Transport.(*http.Transport).DialContext = l.Dial
				began := time.Now()
				_, content, err := read(t, c, "http://127.0.0.1/secret")
				switch {
				case test.says != "":
					wantError(t, err, atelier.CodeUpstreamTimeout, test.says)
				case err != nil || len(content) != 800:
					t.Errorf("%d bytes, %v", len(content), err)
				}
				if took := time.Since(began); took != test.after {
					t.Errorf("it took %s, want %s", took, test.after)
				}
			})
		})
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	gone := errors.New("the caller has gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	b, err := New(Options{AllowPrivate: true}).Get(ctx, raw(t, "HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat("x", 600), func(conn net.Conn) {
		cancel(gone)
		hold(conn)
	}))
	if err == nil {
		defer b.Close()
		_, err = io.ReadAll(b)
	}
	if !errors.Is(err, gone) {
		t.Errorf("error = %v, want the caller's", err)
	}
}

// Content that would have to be unpacked is refused: a few bytes of it can be
// gigabytes.
func TestCompressedRefused(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 10<<20))
	z.Close()
	for _, encoding := range []string{"gzip", "br", "identity, gzip", "deflate"} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", encoding)
			_, _ = w.Write(bomb.Bytes())
		})
		_, _, err := read(t, New(Options{AllowPrivate: true}), s.URL)
		wantError(t, err, atelier.CodeInvalidRequest, "compressed")
	}
	// Without the header it is just bytes.
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bomb.Bytes()) })
	if _, content, err := read(t, New(Options{AllowPrivate: true}), s.URL); err != nil || content != bomb.String() {
		t.Errorf("Get = %d bytes, %v; want them as they are", len(content), err)
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var left int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &left)
		switch {
		case r.URL.Path == "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case left > 0:
			http.Redirect(w, r, fmt.Sprintf("/%d?secret", left-1), http.StatusMovedPermanently)
		default:
			_, _ = io.WriteString(w, png)
		}
	})
	c := New(Options{AllowPrivate: true, MaxRedirects: 3})
	if _, content, err := read(t, c, s.URL+"/3"); err != nil || content != png {
		t.Errorf("3 redirects = %q, %v", content, err)
	}
	for _, path := range []string{"/4", "/loop"} {
		_, _, err := read(t, c, s.URL+path)
		wantError(t, err, atelier.CodeInvalidRequest, "redirects more than 3 times")
	}
	_, _, err := read(t, New(Options{AllowPrivate: true, MaxRedirects: -1}), s.URL+"/1")
	wantError(t, err, atelier.CodeInvalidRequest, "redirects more than 0 times")
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.WriteHeader(status)
	})
	for status, code := range map[int]atelier.Code{
		204: atelier.CodeInvalidRequest, 206: atelier.CodeInvalidRequest, 304: atelier.CodeInvalidRequest, 401: atelier.CodeInvalidRequest,
		404: atelier.CodeInvalidRequest, 500: atelier.CodeUpstream, 503: atelier.CodeUpstream,
	} {
		_, _, err := read(t, New(Options{AllowPrivate: true}), fmt.Sprintf("%s/%d/secret", s.URL, status))
		wantError(t, err, code, fmt.Sprint("status ", status))
	}
	s.Close()
	_, _, err := read(t, New(Options{AllowPrivate: true}), s.URL+"/secret")
	wantError(t, err, atelier.CodeUpstream, fmt.Sprintf("host %q cannot be reached: it refused the connection", s.Listener.Addr()))
}

// Open asks for a part and leaves the status to its caller.
func TestOpen(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/old":
			http.Redirect(w, r, "/new", http.StatusFound)
		case "/new":
			w.Header().Set("ETag", `"one"`)
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(png))
		default:
			w.Header().Set("Content-Encoding", "gzip") // which does not matter: it is no content
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, strings.Repeat("x", 2000))
		}
	})
	c := New(Options{AllowPrivate: true, MaxBytes: 1000})
	for name, test := range map[string]struct {
		Request
		status  int
		content string
	}{
		"all":            {Request{URL: "/old"}, 200, png},
		"a part":         {Request{URL: "/old", Range: "bytes=1-3"}, 206, "PNG"},
		"the end":        {Request{URL: "/new", Range: "bytes=8-"}, 206, png[8:]},
		"of this entity": {Request{URL: "/old", Range: "bytes=1-3", IfRange: `"one"`}, 206, "PNG"},
		"of another one": {Request{URL: "/old", Range: "bytes=1-3", IfRange: `"two"`}, 200, png},
		"outside of it":  {Request{URL: "/new", Range: "bytes=1000-"}, 416, "invalid range: failed to overlap\n"},
		"too many asked": {Request{URL: "/busy"}, 429, ""},
		"a part of that": {Request{URL: "/busy", Range: "bytes=1-3"}, 429, ""},
	} {
		test.URL = s.URL + test.URL
		a, err := c.Open(t.Context(), test.Request)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		content, err := io.ReadAll(a)
		if test.status == 429 { // its content has a limit too
			wantError(t, err, atelier.CodeBodyTooLarge, "larger than 1000 bytes")
			content = nil
		} else if err != nil || a.Size != int64(len(test.content)) || a.FinalURL != s.URL+"/new" {
			t.Errorf("%s: answer = %+v, %v", name, a, err)
		}
		if a.Status != test.status || string(content) != test.content || (test.status == 429) != (a.Header.Get("Retry-After") == "7") {
			t.Errorf("%s: status %d, %q", name, a.Status, content)
		}
		a.Close()
		if _, err := a.Read(make([]byte, 1)); err == nil {
			t.Errorf("%s: it is read after it was closed", name)
		}
	}
	for _, status := range []int{200, 206} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(status)
		})
		_, err := c.Open(t.Context(), Request{URL: s.URL})
		wantError(t, err, atelier.CodeInvalidRequest, "compressed")
	}
}

// With a list of addresses, nothing else is read: not at first, and not after a redirect.
func TestAllow(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	other := serve(t, func(http.ResponseWriter, *http.Request) { reached.Add(1) })
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, png)
	})
	c := New(Options{AllowPrivate: true, Allow: func(u *url.URL) bool { return "http://"+u.Host == s.URL && u.Path != "/secret" }})
	if _, content, err := read(t, c, s.URL+"?to=/a"); err != nil || content != png {
		t.Errorf("Get = %q, %v", content, err)
	}
	for _, target := range []string{other.URL, s.URL + "/secret", s.URL + "?to=/secret", s.URL + "?to=" + other.URL, "http://localhost" + s.URL[len("http://127.0.0.1"):]} {
		_, err := c.Get(t.Context(), target)
		wantError(t, err, atelier.CodeInvalidRequest, "is not one that is read from")
	}
	if reached.Load() > 0 {
		t.Error("another server was reached")
	}
	// A host that is allowed exists: that it is not found is no fault of the URL.
	c = New(Options{Allow: func(*url.URL) bool { return true }, Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
	}}})
	_, err := c.Get(t.Context(), "http://storage.example/")
	wantError(t, err, atelier.CodeUpstream, "cannot be reached")
}

// A private host is read where it is named with its port, and nothing beside it.
func TestPrivateHosts(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	other := serve(t, func(http.ResponseWriter, *http.Request) { reached.Add(1) })
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, png)
	})
	port := s.URL[strings.LastIndexByte(s.URL, ':'):]
	c := New(Options{PrivateHosts: []string{"127.0.0.1" + port, "mirror.example" + port}, Resolver: pipetest.Resolver(t, [4]byte{127, 0, 0, 1})})
	for _, target := range []string{s.URL, s.URL + "?to=/b", "http://MIRROR.example" + port, "http://mirror.example" + port + "?to=" + s.URL} {
		if _, content, err := read(t, c, target); err != nil || content != png {
			t.Errorf("Get(%q) = %q, %v", target, content, err)
		}
	}
	for _, target := range []string{other.URL, s.URL + "?to=" + other.URL, "http://localhost" + port, "http://[::ffff:127.0.0.1]" + port, "http://other.example" + port, "http://mirror.example/"} {
		_, err := c.Get(t.Context(), target)
		wantError(t, err, atelier.CodeInvalidRequest, "is not on the public Internet")
	}
	if reached.Load() > 0 {
		t.Error("another server was reached")
	}
}

// A token goes to the server of the URL, and not to one that it redirects to.
func TestBearer(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 3)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- "other " + r.Header.Get("Authorization") }))
	t.Cleanup(other.Close)
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.URL.Path + " " + r.Header.Get("Authorization")
		to := other.URL
		if r.URL.Path == "/a" {
			to = "/b"
		}
		http.Redirect(w, r, to, http.StatusFound)
	}))
	t.Cleanup(first.Close)
	a, err := New(Options{AllowPrivate: true}).Open(t.Context(), Request{URL: first.URL + "/a", Bearer: "t"})
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	for _, want := range []string{"/a Bearer t", "/b Bearer t", "other "} {
		if got := <-seen; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
