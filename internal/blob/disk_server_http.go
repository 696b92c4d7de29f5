package blob

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
)

// Serve serves one request of a client that holds signed terms; the object's key is
// the path below the server's URL. The caller turns an error into an answer.
func (d *DiskServer) Serve(w http.ResponseWriter, r *http.Request, key string) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return d.serveGet(w, r, key)
	case http.MethodPut:
		return d.servePut(w, r, key)
	case http.MethodPost:
		return d.servePost(w, r)
	}
	return atelier.Errorf(atelier.CodeMethodNotAllowed, "This path accepts only POST, PUT, GET and HEAD.")
}

func errSignature() error {
	return atelier.Errorf(atelier.CodeBadSignature, "The signature does not match the request: send exactly what was signed.")
}

func errExpired() error {
	return atelier.Errorf(atelier.CodeBadSignature, "The signature has expired: request a new one.")
}

// expired reports whether the terms have ended. Their end is in Unix seconds; terms
// without one have ended.
func (d *DiskServer) expired(until string) bool {
	n, err := strconv.ParseInt(until, 10, 64)
	return err != nil || !d.now().Before(time.Unix(n, 0))
}

func (d *DiskServer) serveGet(w http.ResponseWriter, r *http.Request, key string) error {
	q := r.URL.Query()
	until, kind, name, fixed := q.Get("until"), q.Get("type"), q.Get("name"), q.Get("fixed") == "1"
	if !d.signer.valid(q.Get("signature"), getFacts(key, until, kind, name, fixed)...) {
		return errSignature()
	}
	if d.expired(until) {
		return errExpired()
	}
	file, object, err := d.open(key)
	switch {
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrInvalidKey):
		return atelier.Missing("key", key, "object")
	case err != nil:
		return err
	}
	defer file.Close()
	if kind == "" {
		kind = object.ContentType
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Etag", etag(object))
	h.Set("Cache-Control", cacheControl(fixed))
	h.Set("Content-Disposition", disposition(kind, name))
	// Whatever was uploaded, a browser must never run it as a page of ours.
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	d.serveObject(w, r, file, object)
	return nil
}

// etag names the content of an object. Without a digest its size and the time
// it was put, which the disk knows to the nanosecond, distinguish it from any other.
func etag(o Object) string {
	if o.SHA256 != "" {
		return `"` + o.SHA256 + `"`
	}
	return `"` + strconv.FormatInt(o.Size, 36) + "-" + strconv.FormatInt(o.ModTime.UnixNano(), 36) + `"`
}

// disposition makes browsers show media and save everything else.
func disposition(kind, name string) string {
	how := "attachment"
	for _, prefix := range []string{"image/", "video/", "audio/"} {
		if strings.HasPrefix(kind, prefix) && !strings.HasPrefix(kind, "image/svg") {
			how = "inline"
		}
	}
	if text := mime.FormatMediaType(how, map[string]string{"filename": name}); text != "" {
		return text
	}
	return how
}

func (d *DiskServer) servePut(w http.ResponseWriter, r *http.Request, key string) error {
	q := r.URL.Query()
	until, size, account := q.Get("until"), q.Get("size"), q.Get("account")
	kind, sum := r.Header.Get("Content-Type"), r.Header.Get("x-amz-checksum-sha256")
	if !d.signer.valid(q.Get("signature"), "PUT", key, until, size, kind, sum, account) || r.Header.Get("If-None-Match") != "*" {
		return errSignature()
	}
	if d.expired(until) {
		return errExpired()
	}
	want, err := strconv.ParseInt(size, 10, 64)
	if err != nil || want < 1 {
		return errSignature()
	}
	if r.ContentLength >= 0 && r.ContentLength != want {
		return atelier.Refuse("", "The body must be exactly %d bytes.", want)
	}
	if _, err := d.Stat(r.Context(), key); err == nil {
		return atelier.Errorf(atelier.CodeObjectExists, "The object is there already.")
	}
	up := Upload{Key: key, Account: account, ContentType: kind, Size: want}
	release, err := d.admit(r.Context(), up)
	if err != nil {
		return err
	}
	defer release()
	object, err := d.Put(r.Context(), key, d.timed(w, r.Body), PutOptions{
		ContentType: kind, MaxBytes: want, OnlyNew: true,
		Check: func(f io.ReadSeeker, size int64, sha string) error {
			if err := checkPut(size, sha, want, sum); err != nil {
				return err
			}
			return d.inspect(r.Context(), up, f)
		},
	})
	if err != nil {
		return uploadError(err)
	}
	w.Header().Set("Etag", etag(object))
	w.WriteHeader(http.StatusOK)
	return nil
}

func checkPut(size int64, sha string, want int64, sum string) error {
	if size != want {
		return atelier.Refuse("", "The body has %d bytes instead of %d.", size, want)
	}
	if got, err := checksum(sha); err != nil || got != sum {
		return atelier.Refuse("", "The body does not have the checksum that was signed.")
	}
	return nil
}

// uploadError says what a client can do about an upload that failed.
func uploadError(err error) error {
	var e *atelier.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, ErrTooLarge):
		return atelier.Errorf(atelier.CodeBodyTooLarge, "The file is larger than the signed terms allow.")
	case errors.Is(err, ErrExists):
		return atelier.Errorf(atelier.CodeObjectExists, "The object is there already.")
	case errors.Is(err, errBroken):
		return atelier.Refuse("", "The upload ended early.")
	}
	return fmt.Errorf("upload: %w", err)
}

// errBroken marks errors that come from the client's side of an upload.
var errBroken = errors.New("the upload ended early")

// timed reads a body with a deadline that every read renews: an upload may take
// long, but a stalled one ends.
func (d *DiskServer) timed(w http.ResponseWriter, body io.Reader) io.Reader {
	return &timedReader{http.NewResponseController(w), body, d.stall}
}

type timedReader struct {
	control *http.ResponseController
	body    io.Reader
	stall   time.Duration
}

func (t *timedReader) Read(p []byte) (int, error) {
	_ = t.control.SetReadDeadline(time.Now().Add(t.stall))
	n, err := t.body.Read(p)
	if errors.Is(err, io.EOF) {
		// The client has sent everything. A remaining deadline would end the
		// request while the file is inspected.
		_ = t.control.SetReadDeadline(time.Time{})
	} else if err != nil {
		err = fmt.Errorf("%w: %w", errBroken, err)
	}
	return n, err
}
