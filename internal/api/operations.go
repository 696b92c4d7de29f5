package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
)

// health is the answer of the two health endpoints.
type health struct {
	Status  string            `json:"status"`
	Version string            `json:"version,omitzero"`
	Parts   map[string]string `json:"parts,omitzero"`
}

func (s *Server) healthy(*call, nothing) (health, error) {
	return health{Status: "ok", Version: s.version}, nil
}

// readyTimeout bounds each part's answer: one that takes longer is not ready.
const readyTimeout = 3 * time.Second

// ready asks every part at once, and names those that do not answer.
func (s *Server) ready(c *call, _ nothing) (health, error) {
	if s.draining.Load() {
		return health{}, atelier.Errorf(atelier.CodeUnavailable, "This node is shutting down.")
	}
	ctx, cancel := context.WithTimeout(c, readyTimeout)
	defer cancel()
	var (
		mu     sync.Mutex
		wg     sync.WaitGroup
		parts  = map[string]string{}
		broken []string
	)
	for _, part := range s.parts {
		wg.Go(func() {
			err := part.Ping(ctx)
			mu.Lock()
			defer mu.Unlock()
			parts[part.Name] = "ok"
			if err != nil {
				parts[part.Name] = "failing"
				broken = append(broken, part.Name)
				s.log.Warn("not ready", "part", part.Name, "error", err)
			}
		})
	}
	wg.Wait()
	if broken != nil {
		slices.Sort(broken)
		return health{}, atelier.Errorf(atelier.CodeUnavailable, "Not answering: %s.", strings.Join(broken, ", ")).With("parts", parts)
	}
	return health{Status: "ok", Parts: parts}, nil
}

func (s *Server) showMetrics(w http.ResponseWriter, r *http.Request) error {
	s.metrics.Handler().ServeHTTP(w, r)
	return nil
}

func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(s.document)))
	_, _ = w.Write(s.document) // a client that left needs no answer
	return nil
}
