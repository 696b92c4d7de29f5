package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/pipetest"
)

// serve runs a handler in a bubble, and returns a client of it.
func serve(t *testing.T, h http.HandlerFunc) *client.Client {
	t.Helper()
	l := pipetest.Listen()
	server := &http.Server{Handler: h}
	go func() { _ = server.Serve(l) }()
	c := client.New("http://service.test", "key")
	c.HTTP = l.Client()
	t.Cleanup(func() {
		c.HTTP.CloseIdleConnections()
		server.Close()
		time.Sleep(time.Second) // of the bubble: connections that break linger for half of it
	})
	return c
}

// hang waits until the client has left.
func hang(r *http.Request) { <-r.Context().Done() }

// A call does not wait for ever for a service that accepts connections and is silent: before its answer,
// within it, and while it should take the request. It is not made again.
func TestSilentService(t *testing.T) {
	t.Parallel()
	upload := func(ctx context.Context, c *client.Client) error {
		return c.Post(ctx, client.Form{URL: "http://service.test/storage"}, "image/png", strings.NewReader(strings.Repeat("x", 1<<20)))
	}
	call := func(ctx context.Context, c *client.Client) error {
		return c.Call(ctx, http.MethodGet, "/v1/x", nil, nil)
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		do     func(context.Context, *client.Client) error
	}{
		"no answer":     {func(w http.ResponseWriter, r *http.Request) { hang(r) }, call},
		"half a header": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusProcessing); hang(r) }, call},
		"half an answer": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `{"data":`)
			_ = http.NewResponseController(w).Flush()
			hang(r)
		}, call},
		"an upload": {nil, upload},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int32
				over := make(chan struct{})
				cl := serve(t, func(w http.ResponseWriter, r *http.Request) {
					calls.Add(1)
					if c.answer != nil {
						c.answer(w, r)
					}
					<-over // also where the server does not notice that the client has left
				})
				begun := time.Now()
				err := c.do(t.Context(), cl)
				close(over)
				if took := time.Since(begun); !errors.Is(err, client.ErrSilent) || took != cl.Silence || calls.Load() != 1 {
					t.Errorf("%d calls took %s and returned %v", calls.Load(), took, err)
				}
			})
		})
	}
}

// What takes long is not silent: an answer that arrives in pieces, one that its reader reads slowly, and
// a request that is made slowly.
func TestSlowService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if r.URL.Path == "/storage" {
				w.WriteHeader(http.StatusNoContent)
				return
			}
			for _, piece := range []string{`{"data"`, `: "sl`, `ow"}`} {
				_, _ = io.WriteString(w, piece)
				_ = http.NewResponseController(w).Flush()
				time.Sleep(90 * time.Second)
			}
		})
		var got string
		if err := c.Call(t.Context(), http.MethodGet, "/v1/x", nil, &got); err != nil || got != "slow" {
			t.Errorf("got %q, %v", got, err)
		}
		file, _, err := c.Download(t.Context(), "http://service.test/file")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if text, err := io.ReadAll(file); err != nil || len(text) != 16 {
			t.Errorf("a download that is read later has %q, %v", text, err)
		}
		file.Close()
		if err := c.Post(t.Context(), client.Form{URL: "http://service.test/storage"}, "image/png", &slowFile{pieces: 3}); err != nil {
			t.Errorf("an upload that is made slowly: %v", err)
		}
	})
}

// slowFile needs an hour for each piece.
type slowFile struct{ pieces int }

func (s *slowFile) Read(b []byte) (int, error) {
	if s.pieces--; s.pieces < 0 {
		return 0, io.EOF
	}
	time.Sleep(time.Hour)
	return copy(b, "piece"), nil
}

// A stream is opened again when even its heartbeats stay away.
func TestSilentStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opened := 0
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			opened++
			for beat := 0; opened == 2 && beat < 40; beat++ {
				_, _ = io.WriteString(w, ": heartbeat\n\n")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Minute)
			}
			if opened == 2 {
				_, _ = io.WriteString(w, "event: workflow_status\ndata: {\"status\":\"completed\"}\n\n")
				return
			}
			_ = http.NewResponseController(w).Flush()
			hang(r)
		})
		for u, err := range c.Follow(t.Context(), "wf_1", -1) {
			if err != nil || u.Status == nil {
				t.Errorf("got %+v, %v", u, err)
			}
		}
		if opened != 2 {
			t.Errorf("the stream was opened %d times", opened)
		}
	})
}
