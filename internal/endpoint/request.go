package endpoint

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
	idleTimeout = 10 * time.Second // how far a body that holds memory may fall behind an even pace
)

// usualBody bounds most bodies.
var usualBody = wire.Bounds{Text: maxBody}

// reader returns the function with which a handler reads its request: the query of a GET
// or of an upload, the JSON body of other methods, and the parameters of the path.
func (s *Server) reader(c *Call, rt *Route) func(any) error {
	return func(dst any) error {
		if rt.Handler.shape == nil {
			return nil
		}
		err := readInto(c, rt.Handler, dst)
		if from, ok := dst.(hasApp); ok {
			c.app = from.App() // as far as it was decoded: refused requests are logged too
			s.noteUse(c.Caller, c.app)
		}
		if err != nil {
			return err
		}
		v := reflect.ValueOf(dst).Elem()
		for _, p := range rt.Handler.paths {
			value := c.Request.PathValue(p.name)
			if !wire.IsText(value) {
				return atelier.Refuse(p.name, "must be valid UTF-8 text.")
			}
			v.Field(p.index).SetString(value)
		}
		return nil
	}
}

func readInto(c *Call, h Handler, dst any) error {
	if h.takes == OctetStream && !isFile(c.Request.Header.Get("Content-Type")) {
		return atelier.Errorf(atelier.CodeUnsupportedMedia, "Send the file as it is, with the header \"Content-Type: %s\".", OctetStream)
	}
	if h.readsQuery(c.Request.Method) {
		return h.shape.Query(c.Request.URL.RawQuery, c.Request.Header, dst)
	}
	if h.takes == FormData {
		return readForm(c, h, dst)
	}
	body, err := readBody(c, h.bounds)
	if err != nil {
		return err
	}
	return h.shape.Body(body, c.Request.Header, dst)
}

// readBody reads a JSON body into memory. It measures the body while it arrives.
func readBody(c *Call, bounds wire.Bounds) ([]byte, error) {
	var meter wire.Meter
	body, err := receive(c, bounds.Total(), func(piece []byte) error {
		meter.Add(piece)
		return meter.Check(bounds)
	})
	if err != nil {
		return nil, err
	}
	return body, mayRead(c, body, &meter)
}

// receive reads a body into memory, and refuses one that is too large or that check refuses, without
// keeping the rest. A large body waits for its part of the memory that all bodies share, and holds it
// until the request ends.
func receive(c *Call, most int64, check func(piece []byte) error) ([]byte, error) {
	control := http.NewResponseController(c.Response)
	began := time.Now()
	_ = control.SetReadDeadline(began.Add(bodyTimeout))
	announced := c.Request.ContentLength
	if announced > most {
		discard(control, c.Request.Body)
		return nil, atelier.Errorf(atelier.CodeBodyTooLarge, "The body is larger than %d bytes.", most)
	}
	if err := c.body.Reserve(c, expectedSize(announced)); err != nil {
		discard(control, c.Request.Body)
		return nil, err
	}
	if c.body.Held() > 0 {
		began = time.Now() // it may have waited
		_ = control.SetReadDeadline(began.Add(timeFor(0, announced)))
	}
	from := http.MaxBytesReader(c.Response, c.Request.Body, most)
	var (
		body = make([]byte, 0, min(expectedSize(announced), readSize))
		over *http.MaxBytesError
	)
	for {
		if len(body) == cap(body) {
			body = append(make([]byte, 0, len(body)+growth(len(body), announced, most)), body...)
		}
		n, err := from.Read(body[len(body):min(cap(body), len(body)+readSize)])
		body = body[:len(body)+n]
		if wrong := check(body[len(body)-n:]); wrong != nil {
			c.body.Release()
			discard(control, from)
			return nil, wrong
		}
		if err := c.body.Extend(int64(cap(body))); err != nil { // it is longer than announced, if a length was announced
			c.body.Release()
			discard(control, from)
			return nil, err
		}
		switch {
		case err == io.EOF:
			return body, nil
		case errors.As(err, &over):
			return nil, atelier.Errorf(atelier.CodeBodyTooLarge, "The body is larger than %d bytes.", over.Limit)
		case err != nil:
			return nil, atelier.Refuse("", "The body could not be read to its end.")
		}
		if c.body.Held() > 0 && announced > 0 {
			_ = control.SetReadDeadline(began.Add(timeFor(int64(len(body)), announced)))
		}
	}
}

// mayRead checks a whole body before it is decoded.
func mayRead(c *Call, body []byte, m *wire.Meter) error {
	kind := c.Request.Header.Get("Content-Type")
	// A browser adds a password that it knows to requests of other origins. Those with a type of JSON need a preflight.
	_, _, isBasic := c.Request.BasicAuth()
	if len(body) > 0 && (!isJSON(kind) || kind == "" && isBasic) {
		return atelier.Errorf(atelier.CodeUnsupportedMedia, "Send the body as JSON, with the header \"Content-Type: application/json\".")
	}
	return c.values.Reserve(c, m.Growth())
}

// readSize is how much is read before the next check.
const readSize = 64 << 10

// growStep is the size up to which the buffer of a larger announced body grows step by
// step, so that a body that is refused for its content is refused before it takes more
// memory.
const growStep = 8 << 20

// expectedSize is the expected size of a body, as far as it is known.
func expectedSize(announced int64) int64 {
	if announced < 0 {
		return 4 << 10
	}
	return announced + 1 // one more, so that the end is seen without growing
}

// growth is by how much the buffer of a body grows: not before its bytes arrive, and
// above some size all that was announced, so that it is not copied again.
func growth(have int, announced, most int64) int {
	more := int64(3 * have)
	switch rest := announced + 1 - int64(have); {
	case rest > 0 && have >= growStep:
		more = rest
	case rest > 0:
		more = min(more, rest)
	case have >= growStep:
		more = int64(have / 2)
	}
	return int(min(more, most+1-int64(have)))
}

// timeFor is how long the next piece of a body may take: a client that announces much and
// sends little holds memory for seconds only.
func timeFor(have, announced int64) time.Duration {
	return idleTimeout + time.Duration(float64(bodyTimeout-idleTimeout)*float64(min(have, announced))/float64(announced))
}

// discardMost is how much of a refused body is read and discarded.
const discardMost = 32 << 20

// discard reads the rest of a refused body, up to a limit, so that its sender reads the
// answer instead of a broken connection.
func discard(control *http.ResponseController, from io.Reader) {
	_ = control.SetReadDeadline(time.Now().Add(idleTimeout))
	_, _ = io.CopyN(io.Discard, from, discardMost)
}

// isJSON reports whether a content type is JSON in UTF-8. A missing one counts as JSON:
// decoding the body will show.
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

// Source is the field with which a request names the calling application. The ledger
// records it with what was spent.
type Source struct {
	AppSource string `wire:"app_source,truncate=128,header=X-App-Source" doc:"The name of the calling application."`
}

func (s Source) App() string { return s.AppSource }

// hasApp is a request that may name the calling application.
type hasApp interface{ App() string }
