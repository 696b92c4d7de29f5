package loratest

import (
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

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
			s.redirect(w, r, f.Content)
			return
		}
	}
	http.NotFound(w, r)
}
