package cluster

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	"github.com/atelier-project/atelier/internal/blob/blobtest"
)

// Storage is in front of the S3 server, and may answer badly.
type Storage struct {
	URL string // as nodes are configured

	mu     sync.Mutex
	before func(http.ResponseWriter, *http.Request) (answered bool)
	after  func(*http.Request, *http.Response) error
}

func startStorage(t testing.TB) *Storage {
	t.Helper()
	u := blobtest.S3URL(t)
	settings := u.Query()
	target, err := url.Parse(settings.Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	s := &Storage{}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // it is signed
		},
		ModifyResponse: func(resp *http.Response) error {
			s.mu.Lock()
			after := s.after
			s.mu.Unlock()
			if after == nil {
				return nil
			}
			return after(resp.Request, resp)
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		before := s.before
		s.mu.Unlock()
		if before == nil || !before(w, r) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	settings.Set("endpoint", server.URL)
	u.RawQuery = settings.Encode()
	s.URL = u.String()
	return s
}

// Before is called with each request from now on, and may answer it in place of the server; nil for no more.
func (s *Storage) Before(f func(http.ResponseWriter, *http.Request) (answered bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = f
}

// After is called with each answer of the server from now on. When it fails, the answer is lost.
func (s *Storage) After(f func(*http.Request, *http.Response) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.after = f
}
