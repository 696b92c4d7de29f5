// Package loratest has what tests of LoRA imports need: stand-ins of the hosting sites that
// behave well or badly (Sites, Behaviour), and LoRA files. Only tests import it.
package loratest

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
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

// Repo is a repository of the hub.
type Repo struct {
	Name      string            // owner/repo
	Branches  map[string]string // to commits; main and its commit when nil
	Files     map[string][]byte // by path, at every commit
	Private   bool
	Disabled  bool
	Gated     any  // false when nil
	Unsized   bool // the API lists files without sizes, as a mirror may
	RenamedTo string
}

// Commit is a commit id made from a text.
func Commit(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// AddRepo adds or replaces a repository.
func (s *Sites) AddRepo(r Repo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Branches == nil {
		r.Branches = map[string]string{"main": Commit(r.Name)}
	}
	for _, content := range r.Files {
		s.objects[contentSum(content)] = content
	}
	s.repos[r.Name] = &r
}

// AddHubFile adds a public repository with one file, and returns the link to it.
func (s *Sites) AddHubFile(repo, name string, content []byte) string {
	s.AddRepo(Repo{Name: repo, Files: map[string][]byte{name: content}})
	return "https://" + HubHost + "/" + repo + "/resolve/main/" + name
}

// Model is a model of the other site.
type Model struct {
	ID       int64
	Name     string
	Type     string // LORA when empty
	Mode     string
	Creator  string
	Versions []Version // as the API lists them
}

// Version is a version of a Model.
type Version struct {
	ID                int64
	Status            string // Published when empty
	Availability      string // Public when empty
	UsageControl      string // Download when empty
	PublishedAt       time.Time
	EarlyAccessEndsAt time.Time
	Files             []VersionFile
}

// VersionFile is a file of a Version.
type VersionFile struct {
	Name        string // model.safetensors when empty
	Type        string // Model when empty
	Format      string // SafeTensor when empty
	Size, FP    string
	Primary     bool
	VirusScan   string // Success when empty
	Content     []byte
	SHA256      string  // that of the content when empty; "-" for none
	SizeKB      float64 // that of the content when zero; negative for none
	DownloadURL string  // one that describes the file when empty
}

// AddModel adds or replaces a model.
func (s *Sites) AddModel(m Model) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range m.Versions {
		for _, f := range v.Files {
			s.objects[contentSum(f.Content)] = f.Content
		}
	}
	s.models[m.ID] = &m
}

// AddCivitaiFile adds a public LoRA with one version and file, and returns the link to its page.
func (s *Sites) AddCivitaiFile(model, version int64, content []byte) string {
	s.AddModel(Model{ID: model, Name: fmt.Sprint("Model ", model), Creator: "creator", Versions: []Version{{
		ID: version, PublishedAt: time.Unix(1_700_000_000, 0), Files: []VersionFile{{Primary: true, Content: content}},
	}}})
	return fmt.Sprintf("https://%s/models/%d", CivitaiHost, model)
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
	case r.Header.Get("Cookie")+r.Header.Get("Authorization")+r.Header.Get("Referer") != "":
		http.Error(w, "a request that tells too much", http.StatusTeapot)
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
func redirect(w http.ResponseWriter, r *http.Request, content []byte) {
	http.Redirect(w, r, "/cdn/"+contentSum(content)+"/file?signature=secret", http.StatusFound)
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

// findRepo answers for a repository that cannot be read.
func (s *Sites) findRepo(w http.ResponseWriter, r *http.Request, name string) *Repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	repo := s.repos[name]
	switch {
	case repo == nil:
		// The hub does not tell whether a repository exists.
		w.Header().Set("X-Error-Code", "RepoNotFound")
		http.Error(w, `{"error":"Invalid username or password."}`, http.StatusUnauthorized)
	case repo.RenamedTo != "":
		http.Redirect(w, r, strings.Replace(r.URL.String(), name, repo.RenamedTo, 1), http.StatusTemporaryRedirect)
	default:
		return repo
	}
	return nil
}

func (r *Repo) commit(revision string) string {
	for branch, commit := range r.Branches {
		if revision == branch || revision == commit {
			return commit
		}
	}
	return ""
}

// serveRepo answers GET /api/models/<owner>/<repo>/revision/<revision>.
func (s *Sites) serveRepo(w http.ResponseWriter, r *http.Request) {
	name, revision, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/api/models/"), "/revision/")
	repo := s.findRepo(w, r, name)
	if repo == nil {
		return
	}
	commit := repo.commit(revision)
	if commit == "" {
		w.Header().Set("X-Error-Code", "RevisionNotFound")
		http.Error(w, `{"error":"Invalid rev id"}`, http.StatusNotFound)
		return
	}
	siblings := []any{map[string]any{"rfilename": "README.md", "size": 12, "blobId": Commit("readme")}}
	for _, file := range slices.Sorted(maps.Keys(repo.Files)) {
		content := repo.Files[file]
		sibling := map[string]any{"rfilename": file}
		if !repo.Unsized && r.URL.Query().Get("blobs") == "true" {
			sibling["size"] = len(content)
			sibling["blobId"] = Commit(file)
			sibling["lfs"] = map[string]any{"sha256": contentSum(content), "size": len(content), "pointerSize": 134}
		}
		siblings = append(siblings, sibling)
	}
	gated := repo.Gated
	if gated == nil {
		gated = false
	}
	reply(w, map[string]any{
		"_id": "60a1", "id": name, "modelId": name, "author": path.Dir(name), "sha": commit, "private": repo.Private, "disabled": repo.Disabled,
		"gated": gated, "tags": []string{"lora"}, "siblings": siblings, "downloads": 3, "cardData": nil,
	})
}

// serveHubFile answers GET /<owner>/<repo>/resolve/<revision>/<path>.
func (s *Sites) serveHubFile(w http.ResponseWriter, r *http.Request) {
	name, rest, found := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/resolve/")
	if !found {
		http.NotFound(w, r)
		return
	}
	repo := s.findRepo(w, r, name)
	if repo == nil {
		return
	}
	if repo.Private || repo.Gated != nil {
		w.Header().Set("X-Error-Code", "GatedRepo")
		http.Error(w, "Access to this repository is restricted.", http.StatusForbidden)
		return
	}
	revision, file, _ := strings.Cut(rest, "/")
	content, some := repo.Files[file]
	if repo.commit(revision) == "" || !some {
		w.Header().Set("X-Error-Code", "EntryNotFound")
		http.Error(w, "Entry not found", http.StatusNotFound)
		return
	}
	redirect(w, r, content)
}

func orElse[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// document is a version as both endpoints of the API show it.
func (v Version) document() map[string]any {
	var files []any
	for i, f := range v.Files {
		query := "?type=Model&format=SafeTensor"
		if f.Size != "" {
			query += "&size=" + f.Size
		}
		if f.FP != "" {
			query += "&fp=" + f.FP
		}
		if f.Primary {
			query = ""
		}
		doc := map[string]any{
			"id": v.ID*10 + int64(i), "name": orElse(f.Name, "model.safetensors"), "type": orElse(f.Type, "Model"), "primary": f.Primary,
			"metadata":         map[string]any{"format": orElse(f.Format, "SafeTensor"), "size": orElse[any](f.Size, nil), "fp": orElse[any](f.FP, nil)},
			"pickleScanResult": "Success", "virusScanResult": orElse(f.VirusScan, "Success"), "scannedAt": "2025-01-01T00:00:00.000Z",
			"downloadUrl": orElse(f.DownloadURL, fmt.Sprintf("https://%s/api/download/models/%d%s", CivitaiHost, v.ID, query)),
		}
		if f.SizeKB >= 0 {
			doc["sizeKB"] = orElse(f.SizeKB, float64(len(f.Content))/1024)
		}
		if f.SHA256 != "-" {
			doc["hashes"] = map[string]any{"AutoV2": "0123456789", "SHA256": orElse(f.SHA256, strings.ToUpper(contentSum(f.Content)))}
		}
		files = append(files, doc)
	}
	return map[string]any{
		"id": v.ID, "name": fmt.Sprint("v", v.ID), "baseModel": "Other", "status": orElse(v.Status, "Published"), "availability": orElse(v.Availability, "Public"),
		"usageControl": orElse(v.UsageControl, "Download"), "publishedAt": stamp(v.PublishedAt), "earlyAccessEndsAt": stamp(v.EarlyAccessEndsAt),
		"trainedWords": []string{}, "files": files, "images": []any{},
	}
}

// serveModel answers GET /api/v1/models/<id>.
func (s *Sites) serveModel(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.ParseInt(path.Base(r.URL.Path), 10, 64)
	s.mu.Lock()
	m := s.models[id]
	s.mu.Unlock()
	if m == nil {
		http.Error(w, `{"error":"No model with id"}`, http.StatusNotFound)
		return
	}
	var versions []any
	for _, v := range m.Versions {
		versions = append(versions, v.document())
	}
	doc := map[string]any{
		"id": m.ID, "name": m.Name, "type": orElse(m.Type, "LORA"), "nsfw": false, "tags": []string{}, "mode": orElse[any](m.Mode, nil),
		"creator": map[string]any{"username": m.Creator, "image": nil}, "modelVersions": versions,
	}
	reply(w, doc)
}

// findVersion finds a version by its id.
func (s *Sites) findVersion(id int64) (*Model, *Version) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.models {
		for i := range m.Versions {
			if m.Versions[i].ID == id {
				return m, &m.Versions[i]
			}
		}
	}
	return nil, nil
}

// serveVersion answers GET /api/v1/model-versions/<id>.
func (s *Sites) serveVersion(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.ParseInt(path.Base(r.URL.Path), 10, 64)
	m, v := s.findVersion(id)
	if v == nil {
		http.Error(w, `{"error":"No model version with id"}`, http.StatusNotFound)
		return
	}
	doc := v.document()
	doc["modelId"] = m.ID
	doc["model"] = map[string]any{"name": m.Name, "type": orElse(m.Type, "LORA"), "nsfw": false, "mode": orElse[any](m.Mode, nil)}
	reply(w, doc)
}

// serveVersionFile answers GET /api/download/models/<version id>.
func (s *Sites) serveVersionFile(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.ParseInt(path.Base(r.URL.Path), 10, 64)
	_, v := s.findVersion(id)
	if v == nil {
		http.NotFound(w, r)
		return
	}
	query := r.URL.Query()
	for _, f := range v.Files {
		if (len(query) == 0 && f.Primary) || len(query) > 0 && query.Get("size") == f.Size && query.Get("fp") == f.FP && orElse(f.Type, "Model") == query.Get("type") {
			redirect(w, r, f.Content)
			return
		}
	}
	http.NotFound(w, r)
}
