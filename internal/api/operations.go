package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/telemetry"
)

// health is the answer of the two health endpoints.
type health struct {
	Status  string            `json:"status"`
	Version string            `json:"version,omitzero"`
	Parts   map[string]string `json:"parts,omitzero"`
}

func (s *Server) healthy(*endpoint.Call, endpoint.Empty) (health, error) {
	return health{Status: "ok", Version: s.version}, nil
}

const (
	readyTimeout = 3 * time.Second // for each part: one that takes longer is not ready
	readyAge     = time.Second     // how old an answer may be
)

// readiness caches the last check of the parts. A check costs a synced file, or paid
// requests to an S3, and any client can ask for it.
type readiness struct {
	mu  sync.Mutex // held during a check: other requests wait for the same result
	at  time.Time
	is  health
	err error
}

// ready reports whether every part answers that the service needs.
func (s *Server) ready(c *endpoint.Call, _ endpoint.Empty) (health, error) {
	if s.draining.Load() {
		return health{}, atelier.Errorf(atelier.CodeUnavailable, "This node is shutting down.")
	}
	r := &s.readiness
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := s.now(); r.at.IsZero() || now.Sub(r.at) >= readyAge || now.Before(r.at) {
		r.is, r.err = s.askParts(context.WithoutCancel(c)) // the result is not for this caller alone
		r.at = s.now()
	}
	return r.is, r.err
}

// askParts checks all parts at once, and names those that do not answer. Without an
// optional one the service is degraded.
func (s *Server) askParts(ctx context.Context) (health, error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	var (
		mu     sync.Mutex
		wg     sync.WaitGroup
		is     = health{Status: "ok", Parts: map[string]string{}}
		broken []string
	)
	for _, part := range s.parts {
		wg.Go(func() {
			err := part.Ping(ctx)
			mu.Lock()
			defer mu.Unlock()
			is.Parts[part.Name] = "ok"
			if err == nil {
				return
			}
			is.Parts[part.Name] = "failing"
			if part.Optional {
				is.Status = "degraded"
				s.log.Warn("degraded", "part", part.Name, "error", err)
				return
			}
			broken = append(broken, part.Name)
			s.log.Warn("not ready", "part", part.Name, "error", err)
		})
	}
	wg.Wait()
	if broken != nil {
		slices.Sort(broken)
		return health{}, atelier.Errorf(atelier.CodeUnavailable, "Not answering: %s.", strings.Join(broken, ", ")).With("parts", is.Parts)
	}
	return is, nil
}

func (s *Server) showMetrics(w http.ResponseWriter, r *http.Request) error {
	switch {
	case s.hidesMetrics:
		return atelier.Errorf(atelier.CodeNotFound, "The metrics of this node have an address of their own.")
	case !telemetry.MayRead(r, s.metricsToken):
		return atelier.Errorf(atelier.CodeBadCredential, "The metrics are for those who send their token: Authorization: Bearer TOKEN.")
	}
	s.metrics.Handler().ServeHTTP(w, r)
	return nil
}

func (s *Server) openAPI(w http.ResponseWriter, r *http.Request) error {
	s.endpoints.ServeDocument(w, r)
	return nil
}
