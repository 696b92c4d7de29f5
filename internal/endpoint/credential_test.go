package endpoint

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/wire"
)

// guarded serves a route that wants a credential, and bears one failure a minute.
func guarded() *Server {
	s := serverOf(io.Discard, Route{"GET", "/v1/x", Authenticated, Unlimited, Standard, wire.Lenient, NoKey, 200,
		Handle(func(*Call, Empty) (Empty, error) { return Empty{}, nil }), "for a test"})
	s.limiters[authFailures] = admission.NewRate(1, false)
	return s
}

// guess shows a wrong credential, which needs no database to be known as one.
func guess(s *Server, from string) int {
	r := httptest.NewRequest("GET", "/v1/x", nil)
	r.RemoteAddr = from
	r.Header.Set("Authorization", "Bearer wrong")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code
}

// Clients that have shown too many wrong credentials wait for each other, and
// no other request waits for them.
func TestGuessesAreLookedUpOneAfterTheOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := guarded()
		for _, want := range []int{http.StatusUnauthorized, http.StatusTooManyRequests} {
			if got := guess(s, "192.0.2.1:1000"); got != want {
				t.Errorf("got %d, want %d", got, want)
			}
		}
		for range slowLookups { // as many are under way as may be
			s.lookups <- struct{}{}
		}
		answer := make(chan int, 1)
		go func() { answer <- guess(s, "192.0.2.1:1000") }()
		synctest.Wait()
		select {
		case got := <-answer:
			t.Errorf("it did not wait: %d", got)
		default:
		}
		for _, other := range []string{"192.0.2.2:1000", "inside"} {
			if got := guess(s, other); got != http.StatusUnauthorized {
				t.Errorf("%s: got %d, want 401 at once", other, got)
			}
		}
		<-s.lookups
		if got := <-answer; got != http.StatusTooManyRequests {
			t.Errorf("after waiting: got %d, want 429", got)
		}
	})
}

// The operator learns once of a proxy that is not trusted.
func TestUntrustedProxiesAreReportedOnce(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		peer    string
		trusted string
		want    int
	}{
		{"127.0.0.1:1000", "", 1},
		{"10.1.2.3:1000", "", 1},
		{"[::1]:1000", "", 1},
		{"127.0.0.1:1000", "127.0.0.0/8", 0},
		{"203.0.113.7:1000", "", 0}, // every client can send the header
	} {
		var log bytes.Buffer
		s := serverOf(&log, routesForTests()...)
		if tc.trusted != "" {
			s.trusted = []netip.Prefix{netip.MustParsePrefix(tc.trusted)}
		}
		for range 3 {
			r := httptest.NewRequest("GET", "/v1/ours", nil)
			r.RemoteAddr = tc.peer
			r.Header.Set("X-Forwarded-For", "198.51.100.1")
			s.ServeHTTP(httptest.NewRecorder(), r)
		}
		if got := strings.Count(log.String(), "trusted_proxies"); got != tc.want {
			t.Errorf("%s: warned %d times, want %d: %s", tc.peer, got, tc.want, log.String())
		}
	}
}
