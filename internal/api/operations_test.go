package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/internal/wire"
)

// The parts are asked once a second, however many callers ask.
func TestReadinessIsAskedOnceASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		var broken atomic.Bool
		s := serverOf(io.Discard)
		s.table = []route{{"GET", "/readyz", public, unlimited, verbatim, wire.Lenient, ignored, 200, handle(s.ready), "for a test"}}
		s.mount()
		s.parts = []Part{{Name: "storage", Ping: func(ctx context.Context) error {
			asked.Add(1)
			if broken.Load() {
				return errors.New("away")
			}
			return ctx.Err()
		}}}
		askAll := func(want int) {
			t.Helper()
			var callers sync.WaitGroup
			for range 200 {
				callers.Go(func() {
					if w := send1(s, "GET", "/readyz", "", ""); w.Code != want {
						t.Errorf("got %d, want %d", w.Code, want)
					}
				})
			}
			callers.Wait()
		}
		askAll(200)
		askAll(200)
		if n := asked.Load(); n != 1 {
			t.Errorf("400 callers had the storage asked %d times, want once", n)
		}
		broken.Store(true)
		time.Sleep(readyAge)
		askAll(503)
		broken.Store(false)
		time.Sleep(readyAge)
		askAll(200)
		if n := asked.Load(); n != 3 {
			t.Errorf("after three seconds it was asked %d times, want 3", n)
		}
		s.Drain()
		askAll(503)
	})
}

// A page of another origin reads neither metrics nor health; everything else
// it may read.
func TestOperationsAreNotForOtherOrigins(t *testing.T) {
	t.Parallel()
	nop := handle(func(*call, empty) (empty, error) { return empty{}, nil })
	paths := map[string]bool{"/metrics": false, "/healthz": false, "/readyz": false, "/openapi.json": true, "/v1/models": true}
	var table []route
	for path := range paths {
		table = append(table, line("GET", path, verbatim, wire.Lenient, ignored, nop))
	}
	s := serverOf(io.Discard, table...)
	for path, open := range paths {
		for _, method := range []string{http.MethodGet, http.MethodOptions} {
			h := send1(s, method, path, "", "", "Origin", "https://evil.example", "Access-Control-Request-Method", "GET").Header()
			if got := h.Get("Access-Control-Allow-Origin") == "*"; got != open {
				t.Errorf("%s %s: open to all origins: %t, want %t", method, path, got, open)
			}
		}
	}
}
