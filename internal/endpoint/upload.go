package endpoint

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/atelier-project/atelier"
)

// OctetStream is the content type of a body that is a file.
const OctetStream = "application/octet-stream"

// Upload makes a handler of a function from a request, which is the query, and a file, which
// is the body, to a reply. The file may have any length: the function reads it as it arrives.
func Upload[Q, R any](fn func(c *Call, q Q, file io.Reader) (R, error)) Handler {
	h := Handle(func(*Call, Q) (r R, err error) { return r, err })
	h.takes = OctetStream
	h.run = func(c *Call, read func(any) error) (reply any, err error) {
		var q Q
		file := &fileReader{control: http.NewResponseController(c.Response), body: c.Request.Body, stall: c.server.timeouts.Stall}
		if err = read(&q); err == nil {
			reply, err = fn(c, q, file)
		}
		if err != nil {
			file.discard(c.Request)
		}
		return reply, err
	}
	return h
}

// isFile reports whether a content type is that of a file. A missing one counts as one.
func isFile(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return contentType == "" || err == nil && kind == OctetStream
}

// readsQuery reports whether a handler finds its request in the query.
func (h Handler) readsQuery(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodDelete:
		return true
	}
	return h.takes == OctetStream
}

// fileReader reads a body with a deadline that every read renews: an upload may take long,
// but a stalled one ends.
type fileReader struct {
	control *http.ResponseController
	body    io.Reader
	stall   time.Duration
	begun   bool
	ended   bool // with or without an error
}

func (f *fileReader) Read(p []byte) (int, error) {
	f.begun = true
	_ = f.control.SetReadDeadline(time.Now().Add(f.stall))
	n, err := f.body.Read(p)
	f.ended = err != nil
	if errors.Is(err, io.EOF) {
		_ = f.control.SetReadDeadline(time.Time{}) // it would end the request while the file is stored
	} else if err != nil {
		err = atelier.Refuse("", "The body could not be read to its end.")
	}
	return n, err
}

// discard reads the rest of a refused file, up to a limit, so that its sender reads the answer.
// A sender that waits to be asked for the file is not.
func (f *fileReader) discard(r *http.Request) {
	if f.ended || !f.begun && r.Header.Get("Expect") != "" {
		return
	}
	discard(f.control, f.body)
}
