package load_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/bench/load"
)

func serve(t *testing.T) *load.Conn {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/length", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"e"`)
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "%s %s", r.Method, r.Header.Get("Authorization"))
	})
	mux.HandleFunc("/chunks", func(w http.ResponseWriter, r *http.Request) {
		for range 3 {
			_, _ = w.Write(bytes.Repeat([]byte("x"), 40_000))
			_ = http.NewResponseController(w).Flush()
		}
	})
	mux.HandleFunc("/none", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	mux.HandleFunc("/same", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(304) })
	mux.HandleFunc("/stream", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("event: a\ndata: 1\n\n"))
		_ = http.NewResponseController(w).Flush()
		_, _ = w.Write([]byte("event: b\ndata: 2\n\n"))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	c, err := load.Dial(t.Context(), s.URL, load.Bearer("key"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// All kinds of answers come one after the other on one connection: each is read to its end.
func TestAsk(t *testing.T) {
	t.Parallel()
	c := serve(t)
	for range 2 {
		a, err := c.Ask("POST", "/length", load.JSON, []byte("{}"))
		if err != nil || a.Status != 200 || a.Tag != `"e"` || a.Type != "text/plain" || string(a.Body) != "POST Bearer key" {
			t.Errorf("/length: got %+v %s, %v", a, a.Body, err)
		}
		if a, err = c.Ask("GET", "/chunks", "", nil); err != nil || len(a.Body) != 120_000 {
			t.Errorf("/chunks: got %d bytes, %v", len(a.Body), err)
		}
		for path, status := range map[string]int{"/none": 204, "/same": 304, "/missing": 404} {
			if _, err := c.Want(status, "GET", path, "", nil); err != nil {
				t.Error(err)
			}
		}
		if _, err := c.Want(200, "GET", "/missing", "", nil); err == nil || !strings.Contains(err.Error(), "got 404, want 200") {
			t.Errorf("another status: got %v", err)
		}
	}
}

func TestRepeat(t *testing.T) {
	t.Parallel()
	c := serve(t)
	for _, path := range []string{"/chunks", "/length", "/chunks"} {
		if err := c.Repeat(load.Request("GET", path, "", nil), 200); err != nil || c.First() <= 0 {
			t.Errorf("%s: first byte after %v, %v", path, c.First(), err)
		}
	}
	calls, err := load.Repeat(t.Context(), []*load.Conn{c}, load.Request("GET", "/length", "", nil), 200, time.Nanosecond)
	if err != nil || len(calls.Whole) != 1 || len(calls.First) != 1 || calls.Rate <= 0 {
		t.Errorf("got %+v, %v", calls, err)
	}
	if err := c.Repeat(load.Request("GET", "/missing", "", nil), 200); err == nil || !strings.Contains(err.Error(), "404 page not found") {
		t.Errorf("another status: got %v", err)
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	c := serve(t)
	var lines []string
	read := func(line []byte) error { lines = append(lines, string(line)); return nil }
	for range 2 { // on one connection
		lines = nil
		if err := c.Follow("/stream", load.Patience, read); err != nil || strings.Join(lines, "|") != "event: a|data: 1||event: b|data: 2|" {
			t.Errorf("got %q, %v", lines, err)
		}
	}
	if err := c.Follow("/stream", load.Patience, func([]byte) error { return load.ErrEnough }); err != nil {
		t.Errorf("a reader that has seen enough: %v", err)
	}
	c = serve(t)
	broken := errors.New("broken")
	if err := c.Follow("/stream", load.Patience, func([]byte) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	c = serve(t)
	if err := c.Follow("/missing", load.Patience, read); err == nil {
		t.Error("a stream that is not there was followed")
	}
}
