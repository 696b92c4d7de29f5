package loratest

import (
	"crypto/sha1"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Repo is a repository of the hub.
type Repo struct {
	Name      string            // owner/repo
	Branches  map[string]string // to commits; main and its commit when nil
	Files     map[string][]byte // by path, at every commit
	Private   bool
	Disabled  bool
	Gated     any    // false when nil
	Token     string // of an account that may read it although it is gated or private
	Unsized   bool   // the API lists files without sizes, as a mirror may
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

// AddHubFile adds a file to a repository, which is public when it is new, and returns the
// link to it.
func (s *Sites) AddHubFile(repo, name string, content []byte) string {
	s.mu.Lock()
	r := Repo{Name: repo}
	if old := s.repos[repo]; old != nil {
		r = *old
	}
	s.mu.Unlock()
	files := map[string][]byte{}
	maps.Copy(files, r.Files)
	files[name] = content
	r.Files = files
	s.AddRepo(r)
	return "https://" + HubHost + "/" + repo + "/resolve/main/" + (&url.URL{Path: name}).EscapedPath()
}

// findRepo answers for a repository that cannot be read.
func (s *Sites) findRepo(w http.ResponseWriter, r *http.Request, name string) *Repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	repo := s.repos[name]
	switch {
	case repo == nil:
		// The hub hides whether a repository exists.
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
	if (repo.Private || repo.Gated != nil) && (repo.Token == "" || r.Header.Get("Authorization") != "Bearer "+repo.Token) {
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
	w.Header().Set("X-Linked-Etag", strconv.Quote(contentSum(content)))
	w.Header().Set("X-Linked-Size", strconv.Itoa(len(content)))
	s.redirect(w, r, content)
}

// takesToken reports whether a path is of a repository that has a token.
func (s *Sites) takesToken(path string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/resolve/")
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.repos[name] != nil && s.repos[name].Token != ""
}
