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
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/negotiate"
)

//go:embed pages
var files embed.FS

// areas are the first segments of the application's addresses. The application routes the
// rest of the path.
var areas = []string{"", "account", "chat", "docs", "keys", "library", "models", "network", "operator", "templates", "usage", "webhooks", "workflows"}

// application is the page that every address of the application serves.
const application = "index.html"

// missing is the page for unknown addresses.
const missing = "missing.html"

// contentTypes are listed here because package mime reads tables of the operating
// system, which differ between machines.
var contentTypes = map[string]string{
	".html":  "text/html; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".txt":   "text/plain; charset=utf-8",
	".woff2": "font/woff2",
}

// newPolicy lets a page load only files of this service, and media from the storage too.
// Inline scripts and styles do not run, browsers with trusted types never turn text into
// markup, and no other page shows this one in a frame.
func newPolicy(storage []string) string {
	media := strings.Join(append([]string{"'self' blob:"}, storage...), " ")
	return "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src " + media + "; media-src " + media + "; connect-src " + media +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

// hashed matches files whose names change with their content.
var hashed = regexp.MustCompile(`^/console/.+-[A-Z0-9]{8}\.(js|woff2)$`)

// document is one file as it is served.
type document struct {
	contentType string
	plain       encoding
	gzip        encoding // without a body when it would not be smaller
}

// encoding is the bytes of a file in one encoding. Each has its own ETag.
type encoding struct {
	body []byte
	etag string
}

// documents are the files by their names below pages/. Each is read and compressed once, when
// it is first asked for.
var documents = sync.OnceValue(func() map[string]func() *document {
	all := map[string]func() *document{}
	err := fs.WalkDir(files, "pages", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			name = strings.TrimPrefix(name, "pages/")
			all[name] = sync.OnceValue(func() *document { return open(name) })
		}
		return err
	})
	if err != nil {
		panic(err) // embedded: can be read
	}
	return all
})

type handler struct {
	policy string
}

// Handler serves the application, and the files that it loads under /console/. The origins are those of the storage,
// where pages load media from besides this service.
func Handler(storage ...string) http.Handler {
	return &handler{policy: newPolicy(storage)}
}

// find returns the document of an address.
func find(address string) (*document, bool) {
	if strings.HasPrefix(address, "/console/") {
		doc, ok := documents()[address[1:]]
		if !ok {
			return nil, false
		}
		return doc(), true
	}
	area, _, nested := strings.Cut(address[1:], "/")
	if !utf8.ValidString(address) { // the application could not read it
		return nil, false
	}
	if !slices.Contains(areas, area) || nested && (area == "" || strings.HasSuffix(address, "/")) {
		return nil, false
	}
	return documents()[application](), true
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
	tag := hex.EncodeToString(sum[:16])
	doc := &document{contentType: contentType, plain: encoding{body, `"` + tag + `"`}}
	if small := negotiate.Compress(body); len(small) < len(body) {
		doc.gzip = encoding{small, `"` + tag + `-gzip"`}
	}
	return doc
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, atelier.CodeMethodNotAllowed, http.StatusMethodNotAllowed)
		return
	}
	header := w.Header()
	header.Set("Cache-Control", "no-cache") // cached and revalidated: a new version shows at once
	if hashed.MatchString(r.URL.Path) {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	header.Set("Content-Security-Policy", h.policy)
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY") // for browsers without frame-ancestors

	if doc, ok := find(r.URL.Path); ok {
		doc.serve(w, r)
		return
	}
	if _, ok := find(strings.TrimSuffix(r.URL.Path, "/")); ok {
		http.Redirect(w, r, (&url.URL{Path: strings.TrimSuffix(r.URL.Path, "/")}).String(), http.StatusPermanentRedirect)
		return
	}
	absent(w, r)
}

// serve sends a document in the encoding that the client prefers.
func (d *document) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Vary", "Accept-Encoding")
	header.Set("Content-Type", d.contentType)
	e := d.plain
	if d.gzip.body != nil && negotiate.PrefersGzip(r.Header.Values("Accept-Encoding")) {
		e = d.gzip
		header.Set("Content-Encoding", "gzip")
		if r.Header.Get("Range") == "" { // ServeContent sets it for plain content only
			header.Set("Content-Length", strconv.Itoa(len(e.body)))
		}
	}
	header.Set("ETag", e.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(e.body))
}

// absent answers for an unknown address: a page for people, an error of the API for
// programs.
func absent(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Vary", "Accept")
	if negotiate.PrefersJSON(r.Header.Values("Accept")) {
		refuse(w, atelier.CodeRouteNotFound, http.StatusNotFound)
		return
	}
	page := documents()[missing]()
	header.Set("Content-Type", page.contentType)
	header.Set("Content-Length", strconv.Itoa(len(page.plain.body)))
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write(page.plain.body) // the server drops it for HEAD
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
