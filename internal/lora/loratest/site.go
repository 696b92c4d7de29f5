// Package loratest has what tests of LoRA imports need: stand-ins of the hosting sites that
// behave well or badly (Sites, Behaviour), and LoRA files. Only tests import it.
package loratest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/lora/source"
)

// The hosts of the links to a Sites.
const (
	HubHost     = "huggingface.co"
	CivitaiHost = "civitai.com"
)

// Stage is a part of the sites that requests go to.
type Stage string

// The stages of a download.
const (
	StageAPI  Stage = "api"  // the JSON APIs
	StageFile Stage = "file" // the addresses of files, which redirect to the storage
	StageCDN  Stage = "cdn"  // the storage
)

// Sites is a stand-in of both hosting sites: their JSON APIs, the addresses of their files
// and the storage that those redirect to. It is an http.Handler, to be used on any server.
type Sites struct {
	URL string // where it is served, when Serve made it
	// Storage is the base URL of the storage in redirects; that of the sites when it is empty.
	Storage string

	mu         sync.Mutex
	repos      map[string]*Repo
	models     map[int64]*Model
	objects    map[string][]byte // of the storage, by checksum
	behaviours map[Stage]Behaviour
	counts     map[Stage]int
	ranges     []string
}

// NewSites makes empty sites.
func NewSites() *Sites {
	return &Sites{
		repos: map[string]*Repo{}, models: map[int64]*Model{}, objects: map[string][]byte{},
		behaviours: map[Stage]Behaviour{}, counts: map[Stage]int{},
	}
}

// Serve makes empty sites and serves them on this machine until the test ends.
func Serve(t testing.TB) *Sites {
	t.Helper()
	s := NewSites()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Sources are both sites as an operator configures them, read from a base URL.
func Sources(baseURL string) []source.Site {
	return []source.Site{
		{Kind: source.HuggingFace, Host: HubHost, BaseURL: baseURL},
		{Kind: source.Civitai, Host: CivitaiHost, BaseURL: baseURL},
	}
}

// Behave has a stage answer in another way than it should.
func (s *Sites) Behave(at Stage, b Behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behaviours[at] = b
}

// Count is how many requests a stage has received.
func (s *Sites) Count(at Stage) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[at]
}

// Ranges are the Range headers of the requests to the storage, one for each request.
func (s *Sites) Ranges() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ranges)
}

// ServeHTTP implements http.Handler.
func (s *Sites) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at, serve := StageFile, s.serveHubFile
	switch p := r.URL.Path; {
	case r.Header.Get("Cookie")+r.Header.Get("Referer") != "", r.Header.Get("Authorization") != "" && !s.takesToken(p):
		http.Error(w, "a request with private headers", http.StatusTeapot)
		return
	case p == "/login":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<html>Sign in.</html>")
		return
	case strings.HasPrefix(p, "/cdn/"):
		at, serve = StageCDN, s.serveObject
	case strings.HasPrefix(p, "/api/models/"):
		at, serve = StageAPI, s.serveRepo
	case strings.HasPrefix(p, "/api/v1/models/"):
		at, serve = StageAPI, s.serveModel
	case strings.HasPrefix(p, "/api/v1/model-versions/"):
		at, serve = StageAPI, s.serveVersion
	case strings.HasPrefix(p, "/api/download/models/"):
		serve = s.serveVersionFile
	}
	s.mu.Lock()
	s.counts[at]++
	if at == StageCDN {
		s.ranges = append(s.ranges, r.Header.Get("Range"))
	}
	behaviour := s.behaviours[at]
	s.mu.Unlock()
	var h http.Handler = http.HandlerFunc(serve)
	if behaviour != nil {
		h = behaviour(h)
	}
	h.ServeHTTP(w, r)
}

func contentSum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// redirect sends a client to an object of the storage.
func (s *Sites) redirect(w http.ResponseWriter, r *http.Request, content []byte) {
	http.Redirect(w, r, s.Storage+"/cdn/"+contentSum(content)+"/file?signature=secret", http.StatusFound)
}

func (s *Sites) serveObject(w http.ResponseWriter, r *http.Request) {
	id := strings.Split(r.URL.Path, "/")[2]
	s.mu.Lock()
	content, some := s.objects[id]
	s.mu.Unlock()
	if !some || r.URL.RawQuery != "signature=secret" {
		http.Error(w, "no such object", http.StatusNotFound)
		return
	}
	w.Header().Set("ETag", strconv.Quote(id))
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
