package api

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// How much of a body is read, and for how long.
const (
	maxBody     = 2 << 20
	bodyTimeout = 30 * time.Second
	idleTimeout = 10 * time.Second // how far behind an even pace a body that holds memory may fall
)

// usualBody bounds most bodies.
var usualBody = wire.Bounds{Text: maxBody}

// reader returns the function with which a handler reads its request: the
// query of a GET, the JSON body of anything else, and what the path holds.
func (s *Server) reader(c *call, rt *route) func(any) error {
	return func(dst any) error {
		if rt.handler.shape == nil {
			return nil
		}
		if err := readInto(c, rt.handler, dst); err != nil {
			return err
		}
		v := reflect.ValueOf(dst).Elem()
		for _, p := range rt.handler.paths {
			value := c.r.PathValue(p.name)
			if !wire.IsText(value) {
				return atelier.Refuse(p.name, "must be valid UTF-8 text.")
			}
			v.Field(p.index).SetString(value)
		}
		return nil
	}
}

func readInto(c *call, h handler, dst any) error {
	switch c.r.Method {
	case http.MethodGet, http.MethodHead, http.MethodDelete:
		return h.shape.Query(c.r.URL.RawQuery, c.r.Header, dst)
	}
	body, err := readBody(c, h.bounds)
	if err != nil {
		return err
	}
	return h.shape.Body(body, c.r.Header, dst)
}

// readBody reads a body into memory. It measures what comes while it comes, and
// refuses what is too much without keeping the rest. A body that costs more than
// a little waits for its part of the memory that all bodies share, and holds it
// until the request is over.
func readBody(c *call, bounds wire.Bounds) ([]byte, error) {
	control := http.NewResponseController(c.w)
	began := time.Now()
	_ = control.SetReadDeadline(began.Add(bodyTimeout))
	announced := c.r.ContentLength
	if announced > bounds.Total() {
		discard(control, c.r.Body)
		return nil, atelier.Errorf(atelier.CodeBodyTooLarge, "The body is larger than %d bytes.", bounds.Total())
	}
	if err := c.body.reserve(c, firstRoom(announced)); err != nil {
		discard(control, c.r.Body)
		return nil, err
	}
	if c.body.held > 0 {
		began = time.Now() // it may have waited
		_ = control.SetReadDeadline(began.Add(timeFor(0, announced)))
	}
	from := http.MaxBytesReader(c.w, c.r.Body, bounds.Total())
	var (
		body  = make([]byte, 0, min(firstRoom(announced), readSize))
		meter wire.Meter
		over  *http.MaxBytesError
	)
	for {
		if len(body) == cap(body) {
			body = append(make([]byte, 0, len(body)+moreRoom(len(body), announced, bounds.Total())), body...)
		}
		n, err := from.Read(body[len(body):min(cap(body), len(body)+readSize)])
		meter.Add(body[len(body) : len(body)+n])
		body = body[:len(body)+n]
		if wrong := meter.Check(bounds); wrong != nil {
			c.body.release()
			discard(control, from)
			return nil, wrong
		}
		if err := c.body.extend(int64(cap(body))); err != nil { // it is longer than was announced, if anything was
			c.body.release()
			discard(control, from)
			return nil, err
		}
		switch {
		case err == io.EOF:
			return body, mayRead(c, body, &meter)
		case errors.As(err, &over):
			return nil, atelier.Errorf(atelier.CodeBodyTooLarge, "The body is larger than %d bytes.", over.Limit)
		case err != nil:
			return nil, atelier.Refuse("", "The body could not be read to its end.")
		}
		if c.body.held > 0 && announced > 0 {
			_ = control.SetReadDeadline(began.Add(timeFor(int64(len(body)), announced)))
		}
	}
}

// mayRead looks at a body that has come whole, before it is made into a request.
func mayRead(c *call, body []byte, m *wire.Meter) error {
	if len(body) > 0 && !isJSON(c.r.Header.Get("Content-Type")) {
		return atelier.Errorf(atelier.CodeUnsupportedMedia, "Send the body as JSON, with the header \"Content-Type: application/json\".")
	}
	return c.values.reserve(c, m.Growth())
}

// readSize is how much is read before it is looked at.
const readSize = 64 << 10

// roomStep is up to where a body that was announced as larger gets its room by and
// by. What is refused for what it holds is refused before.
const roomStep = 8 << 20

// firstRoom is how much room a body will want, as far as is known.
func firstRoom(announced int64) int64 {
	if announced < 0 {
		return 4 << 10
	}
	return announced + 1 // one more, so that the end is seen without growing
}

// moreRoom is how much more room a body gets: not before its bytes come, and from
// some size on all that was announced, so that it is not copied again.
func moreRoom(have int, announced, most int64) int {
	more := int64(3 * have)
	switch rest := announced + 1 - int64(have); {
	case rest > 0 && have >= roomStep:
		more = rest
	case rest > 0:
		more = min(more, rest)
	case have >= roomStep:
		more = int64(have / 2)
	}
	return int(min(more, most+1-int64(have)))
}

// timeFor is how long a body may take for the next piece when so much of it has
// come: whoever announces much and sends little holds memory for seconds only.
func timeFor(have, announced int64) time.Duration {
	return idleTimeout + time.Duration(float64(bodyTimeout-idleTimeout)*float64(min(have, announced))/float64(announced))
}

// discardMost is how much of a refused body is read and thrown away.
const discardMost = 32 << 20

// discard reads what still comes of a body that was refused, so that its sender
// reads the answer instead of a broken connection. There is an end to it.
func discard(control *http.ResponseController, from io.Reader) {
	_ = control.SetReadDeadline(time.Now().Add(idleTimeout))
	_, _ = io.CopyN(io.Discard, from, discardMost)
}

// isJSON reports whether a content type is JSON in UTF-8. A client that sends
// none is taken at its word: the body will show.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	return kind == "application/json" || (strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json"))
}
