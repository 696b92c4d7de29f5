package modeldir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/fetch"
)

// File is a file to fetch, as the catalog has it.
type File struct {
	Folder string
	Name   string
	URL    string
	Page   string // where people may ask for access; may be empty
	Bytes  int64  // 0 when unknown
	SHA256 string // empty when unknown
}

// Facts are what is known of the bytes of a file before they are read.
type Facts struct {
	Bytes  int64  `json:"bytes"`            // -1 when neither the catalog nor the site says it
	SHA256 string `json:"sha256,omitempty"` // empty when neither says it
	// SaidBy is who says the checksum: the catalog, or the host of a site.
	SaidBy string `json:"saidBy,omitempty"`
}

// Catalog is what Facts.SaidBy is for a checksum of the catalog.
const Catalog = "catalog"

// transient is a failure after which another attempt may succeed.
type transient struct {
	error
	after time.Duration // which the site asks to wait; zero when it does not
}

func (t transient) Unwrap() error { return t.error }

// answer is an answer of a site with content of the file.
type answer struct {
	io.ReadCloser
	offset int64 // of the first byte
	facts  Facts
	etag   string // strong, or empty
}

// open requests the bytes of a file from an offset on; with only one it asks for the first alone.
func (f *Fetcher) open(ctx context.Context, file File, offset int64, etag string, one bool) (*answer, error) {
	at := f.address(file.URL)
	r := fetch.Request{URL: at.String(), Bearer: f.token(at)}
	switch {
	case one:
		r.Range = "bytes=0-0"
	case offset > 0:
		r.Range, r.IfRange = fmt.Sprintf("bytes=%d-", offset), etag
	}
	a, err := f.client.Open(ctx, r)
	if err != nil {
		return nil, f.explain(ctx, at, err)
	}
	out, err := f.judge(at, file, a, offset)
	if err != nil {
		a.Close()
		return nil, err
	}
	return out, nil
}

// judge reads the header of an answer.
func (f *Fetcher) judge(at *url.URL, file File, a *fetch.Answer, offset int64) (*answer, error) {
	out := &answer{ReadCloser: a, etag: strongTag(a.Header), facts: Facts{Bytes: a.Size}}
	switch a.Status {
	case http.StatusOK:
	case http.StatusPartialContent:
		first, last, total := int64(-1), int64(-1), int64(-1)
		_, err := fmt.Sscanf(a.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &total)
		if err != nil || first != offset || total <= last {
			return nil, transient{fmt.Errorf("%s sent another part of %s than the one asked for", at.Host, file.Name), 0}
		}
		out.offset, out.facts.Bytes = offset, total
	default:
		return nil, refuse(at, file, a)
	}
	if kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type")); kind == "text/html" {
		return nil, fmt.Errorf("%s sent a web page in the place of %s", at.Host, file.Name)
	}
	out.declared(at, a)
	return out, nil
}

// declared takes over what the host of the file says of it in front of the storage that it
// redirects to. The storage itself is not asked: it would confirm whatever it sends.
func (o *answer) declared(at *url.URL, a *fetch.Answer) {
	h := a.Redirect
	if h == nil {
		h = a.Header
	}
	tag := strings.ToLower(strings.Trim(h.Get("X-Linked-Etag"), `"`))
	if len(tag) == 64 && strings.Trim(tag, "0123456789abcdef") == "" {
		o.facts.SHA256, o.facts.SaidBy = tag, at.Hostname()
	}
	if n, err := strconv.ParseInt(h.Get("X-Linked-Size"), 10, 64); err == nil && n >= 0 && o.facts.Bytes < 0 {
		o.facts.Bytes = n
	}
}

// strongTag returns the tag of an entity, when it stands for its exact bytes.
func strongTag(h http.Header) string {
	if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return tag
	}
	return ""
}

// refuse says what a status means.
func refuse(at *url.URL, file File, a *fetch.Answer) error {
	switch {
	case a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden:
		text := fmt.Sprintf("%s does not give out %s", at.Host, file.Name)
		if file.Page != "" {
			text += ": read its terms at " + file.Page
		}
		if name := tokenNames[kindOf(at)]; name != "" {
			text += ", and set " + name + " to a token of an account that may read it"
		}
		return errors.New(text)
	case a.Status == http.StatusNotFound || a.Status == http.StatusGone:
		return fmt.Errorf("%s has no %s any more (%s)", at.Host, file.Name, at.Path)
	case a.Status == http.StatusRequestedRangeNotSatisfiable:
		return errRange
	case a.Status == http.StatusTooManyRequests || a.Status == http.StatusRequestTimeout || a.Status >= 500:
		return transient{fmt.Errorf("%s answered with status %d for %s", at.Host, a.Status, file.Name), retryAfter(a.Header)}
	}
	return fmt.Errorf("%s answered with status %d for %s", at.Host, a.Status, file.Name)
}

// errRange means that the file ends before the part that was asked for.
var errRange = errors.New("the file is shorter than what has arrived of it")

// maxRetryAfter is the longest wait that a site is granted.
const maxRetryAfter = 10 * time.Minute

func retryAfter(h http.Header) time.Duration {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || n < 0 {
		return 0
	}
	return min(time.Duration(n)*time.Second, maxRetryAfter)
}

// explain sorts the failures of a connection.
func (f *Fetcher) explain(ctx context.Context, at *url.URL, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	refused := atelier.HasCode(err, atelier.CodeInvalidRequest) || atelier.HasCode(err, atelier.CodeBodyTooLarge)
	text := strings.TrimSuffix(strings.TrimPrefix(err.Error(), "The URL's host "), ".")
	err = fmt.Errorf("%s: %s", at.Host, text)
	if refused {
		return err
	}
	return transient{err, 0}
}

// The environment variables that have the tokens of sites.
var tokenNames = map[string]string{"huggingface.co": "HF_TOKEN", "civitai.com": "CIVITAI_TOKEN"}

// TokenNames are those environment variables, by host.
func TokenNames() map[string]string { return tokenNames }

// kindOf is the host that a token is for.
func kindOf(at *url.URL) string { return strings.TrimPrefix(strings.ToLower(at.Hostname()), "www.") }

// token is the token for an address. It is sent over HTTPS only, and never to a mirror.
func (f *Fetcher) token(at *url.URL) string {
	if at.Scheme != "https" && !f.clear {
		return ""
	}
	return f.opts.Tokens[kindOf(at)]
}

// address is where a file is really read.
func (f *Fetcher) address(text string) *url.URL {
	at, err := url.Parse(text)
	if err != nil {
		return &url.URL{Path: text} // the catalog has checked it; the request fails
	}
	mirror := f.mirror
	if mirror == nil {
		mirror = f.hosts[kindOf(at)]
	}
	if mirror == nil {
		return at
	}
	moved := *mirror
	moved.Path, moved.RawPath = path.Join("/", moved.Path, at.Path), ""
	moved.RawQuery = at.RawQuery
	return &moved
}
