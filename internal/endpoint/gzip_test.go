package endpoint

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/wire"
)

type item struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// itemList is a reply of about 90 bytes for each item.
func itemList(n int) []item {
	list := make([]item, n)
	for i := range list {
		list[i] = item{fmt.Sprintf("a castle on hill %d", i), fmt.Sprintf("https://media.example/%x", 2654435761*uint64(i+1)*0x9e3779b97f4a7c15)}
	}
	return list
}

type itemQuery struct {
	N int `wire:"n"`
}

// gzipTable has each way in which an answer is made.
func gzipTable() []Route {
	list := func(_ *Call, q itemQuery) ([]item, error) { return itemList(q.N), nil }
	stream := func(c *Call, _ Empty) error {
		out := c.OpenStream()
		out.Frame(nil, "items", itemList(200))
		return nil
	}
	get := func(pattern string, h Handler) Route { return line("GET", pattern, Standard, wire.Lenient, NoKey, h) }
	return []Route{
		get("/v1/list", Handle(list)),
		get("/v1/cached", Cached(time.Minute, list)),
		get("/v1/text", Text(func(_ *Call, q itemQuery) (string, error) { return strings.Repeat("one line of text\n", q.N), nil })),
		get("/v1/stream", Stream(stream)),
		get("/v1/picture", Write("image/jpeg", func(w http.ResponseWriter, _ *http.Request) error {
			w.Header().Set("Content-Type", "image/jpeg")
			_, err := w.Write(make([]byte, 10000))
			return err
		})),
		line("POST", "/v1/list", Standard, wire.Lenient, NoKey, Handle(list)),
	}
}

func unzip(t *testing.T, body []byte) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

// JSON and text are compressed for a client that prefers it, and nothing else is.
func TestCompression(t *testing.T) {
	t.Parallel()
	s := serverOf(io.Discard, gzipTable()...)
	for name, tc := range map[string]struct {
		method, path, accept, extra string
		compressed, varies          bool
	}{
		"list":              {"GET", "/v1/list?n=100", "gzip", "", true, true},
		"cached":            {"GET", "/v1/cached?n=100", "gzip, deflate, br", "", true, true},
		"text":              {"GET", "/v1/text?n=1000", "gzip", "", true, true},
		"any encoding":      {"GET", "/v1/list?n=100", "*", "", true, true},
		"weights":           {"GET", "/v1/list?n=100", "identity;q=0.5, GZIP; Q=0.9", "", true, true},
		"no encoding":       {"GET", "/v1/list?n=100", "", "", false, true},
		"another encoding":  {"GET", "/v1/cached?n=100", "br", "", false, true},
		"gzip refused":      {"GET", "/v1/cached?n=100", "gzip;q=0, *", "", false, true},
		"plain preferred":   {"GET", "/v1/list?n=100", "gzip;q=0.5, identity", "", false, true},
		"invalid weight":    {"GET", "/v1/list?n=100", "gzip;q=much", "", false, true},
		"small list":        {"GET", "/v1/list?n=3", "gzip", "", false, false},
		"small cached":      {"GET", "/v1/cached?n=3", "gzip", "", false, false},
		"small text":        {"GET", "/v1/text?n=3", "gzip", "", false, false},
		"very large":        {"GET", "/v1/list?n=80000", "gzip", "", false, false},
		"stream":            {"GET", "/v1/stream", "gzip", "", false, false},
		"picture":           {"GET", "/v1/picture", "gzip", "", false, false},
		"range":             {"GET", "/v1/list?n=100", "gzip", "Range", false, false},
		"HEAD":              {"HEAD", "/v1/list?n=100", "gzip", "", false, false},
		"may have a secret": {"POST", "/v1/list?n=100", "gzip", "", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var headers []string
			if tc.accept != "" {
				headers = append(headers, "Accept-Encoding", tc.accept)
			}
			if tc.extra != "" {
				headers = append(headers, tc.extra, "bytes=0-9")
			}
			plain := send1(s, tc.method, tc.path, "", "")
			w := send1(s, tc.method, tc.path, "", "", headers...)
			body, h := w.Body.String(), w.Header()
			if got := h.Get("Content-Encoding") == "gzip"; got != tc.compressed {
				t.Fatalf("compressed is %v, want %v", got, tc.compressed)
			}
			if tc.compressed {
				if len(body) >= plain.Body.Len()/2 {
					t.Errorf("%d bytes of %d", len(body), plain.Body.Len())
				}
				if got := h.Get("Content-Length"); got != fmt.Sprint(len(body)) {
					t.Errorf("Content-Length is %s, want %d", got, len(body))
				}
				body = unzip(t, w.Body.Bytes())
			}
			if body != plain.Body.String() {
				t.Errorf("the answer differs from the plain one: %.200s", body)
			}
			if got := h.Get("Vary") == "Accept-Encoding"; got != tc.varies {
				t.Errorf("Vary is %q, want it: %v", h["Vary"], tc.varies)
			}
			if got, want := h.Get("Content-Type"), plain.Header().Get("Content-Type"); got != want {
				t.Errorf("Content-Type is %q, want %q", got, want)
			}
		})
	}
}

// Each encoding of a cached answer has its own ETag, and a client that has either has the answer.
func TestCompressedTag(t *testing.T) {
	t.Parallel()
	s := serverOf(io.Discard, gzipTable()...)
	plain := send1(s, "GET", "/v1/cached?n=100", "", "").Header().Get("Etag")
	small := send1(s, "GET", "/v1/cached?n=100", "", "", "Accept-Encoding", "gzip").Header().Get("Etag")
	if plain == "" || small == "" || plain == small {
		t.Fatalf("the tags are %q and %q, want two", plain, small)
	}
	for _, tag := range []string{plain, small, "W/" + small, `"other", ` + small, "*"} {
		for _, accept := range []string{"gzip", "identity"} {
			w := send1(s, "GET", "/v1/cached?n=100", "", "", "If-None-Match", tag, "Accept-Encoding", accept)
			if w.Code != http.StatusNotModified || w.Body.Len() > 0 || w.Header().Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s for %s: %d with %d bytes, Vary %q; want 304", tag, accept, w.Code, w.Body.Len(), w.Header().Get("Vary"))
			}
		}
	}
	if w := send1(s, "GET", "/v1/cached?n=100", "", "", "If-None-Match", `"other"`, "Accept-Encoding", "gzip"); w.Code == http.StatusNotModified {
		t.Error("a client with another answer gets a 304")
	}
}

// When every compressor is in use, answers are sent as they are. The test is not parallel: it takes
// the compressors of all tests.
func TestCompressorsInUse(t *testing.T) {
	s := serverOf(io.Discard, gzipTable()...)
	var taken []*gzip.Writer
	for range cap(compressors) {
		taken = append(taken, <-compressors)
	}
	w := send1(s, "GET", "/v1/list?n=100", "", "", "Accept-Encoding", "gzip")
	for _, c := range taken {
		compressors <- c
	}
	if w.Header().Get("Content-Encoding") != "" || !strings.Contains(w.Body.String(), "a castle on hill 99") {
		t.Errorf("got %v and %.100s, want the plain answer", w.Header(), w.Body.String())
	}
	var group sync.WaitGroup
	for range 8 * cap(compressors) {
		group.Go(func() {
			w := send1(s, "GET", "/v1/list?n=500", "", "", "Accept-Encoding", "gzip")
			body := w.Body.String()
			if w.Header().Get("Content-Encoding") == "gzip" {
				body = unzip(t, w.Body.Bytes())
			}
			if !strings.HasSuffix(strings.TrimSpace(body), "]}") || !strings.Contains(body, "hill 499") {
				t.Errorf("the answer is not whole: %d bytes", len(body))
			}
		})
	}
	group.Wait()
	if got := len(compressors); got != cap(compressors) {
		t.Errorf("%d compressors are free, want %d", got, cap(compressors))
	}
}

// BenchmarkCompress compares the levels on a list such as the library reads.
func BenchmarkCompress(b *testing.B) {
	var body bytes.Buffer
	if err := wire.Write(&body, itemList(500)); err != nil {
		b.Fatal(err)
	}
	for level := 1; level <= 6; level++ {
		b.Run(fmt.Sprint("level ", level), func(b *testing.B) {
			var out bytes.Buffer
			w, _ := gzip.NewWriterLevel(&out, level)
			b.SetBytes(int64(body.Len()))
			for b.Loop() {
				out.Reset()
				w.Reset(&out)
				_, _ = w.Write(body.Bytes())
				_ = w.Close()
			}
			b.ReportMetric(float64(out.Len()), "bytes")
		})
	}
}
