package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
)

//go:embed pages
var files embed.FS

// areas are the first segments of the application's addresses. What is under them is
// the application's own affair.
var areas = []string{"", "chat", "templates", "workflows", "library", "models", "network", "usage", "keys", "operator", "docs"}

// application is the page that every address of the application serves.
const application = "index.html"

// missing is the page for unknown addresses.
const missing = "missing.html"

// contentTypes are listed here because package mime reads tables of the operating
// system, which differ between machines.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}

// policy lets a page load only files of this service. Inline scripts and styles do
// not run, and browsers with trusted types never turn text into markup.
const policy = "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// document is one file as it is served.
type document struct {
	body        []byte
	contentType string
	etag        string
}

type handler struct {
	documents   map[string]*document // by address
	application *document
	missing     *document
}

// Handler serves the application and the files that it loads, which are under /console/.
func Handler() http.Handler {
	h := &handler{documents: map[string]*document{}, application: open(application), missing: open(missing)}
	assets, err := fs.Glob(files, "pages/console/*")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, name := range assets {
		name = "console/" + path.Base(name)
		h.documents["/"+name] = open(name)
	}
	return h
}

// open reads an embedded file. The tag is the hash of its content, so it is
// the same on every node that runs this version.
func open(name string) *document {
	body, err := files.ReadFile("pages/" + name)
	if err != nil {
		panic(err) // embedded: cannot be missing
	}
	contentType := contentTypes[path.Ext(name)]
	if contentType == "" {
		panic(fmt.Sprintf("console: no content type for %s", name))
	}
	sum := sha256.Sum256(body)
	return &document{body: body, contentType: contentType, etag: `"` + hex.EncodeToString(sum[:16]) + `"`}
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, atelier.CodeMethodNotAllowed, http.StatusMethodNotAllowed)
		return
	}
	header := w.Header()
	header.Set("Cache-Control", "no-cache") // cached and revalidated: a new version shows at once
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Frame-Options", "DENY") // for browsers without frame-ancestors

	doc, ok := h.documents[r.URL.Path]
	if area, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); !ok && slices.Contains(areas, area) {
		doc, ok = h.application, true
	}
	if ok {
		header.Set("Content-Type", doc.contentType)
		header.Set("ETag", doc.etag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(doc.body))
		return
	}
	h.absent(w, r)
}

// absent answers for an unknown address: a page for people, an error of the API for
// programs.
func (h *handler) absent(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Vary", "Accept")
	if prefersJSON(r.Header.Values("Accept")) {
		refuse(w, atelier.CodeRouteNotFound, http.StatusNotFound)
		return
	}
	header.Set("Content-Type", h.missing.contentType)
	header.Set("Content-Length", strconv.Itoa(len(h.missing.body)))
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write(h.missing.body) // the server drops it for HEAD
}

// refuse writes an error in the envelope of the API.
func refuse(w http.ResponseWriter, code atelier.Code, status int) {
	body, err := json.Marshal(struct {
		Status    string `json:"status"`
		ErrorCode int    `json:"errorCode"`
		Message   string `json:"message"`
	}{"error", code.Number, code.Sentence})
	if err != nil {
		panic(err) // strings and a number
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
