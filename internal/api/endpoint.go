package api

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/wire"
)

// route is one line of the table.
type route struct {
	method  string
	pattern string          // with {name} for any segment and {name...} for the rest
	who     access          // which credential it needs
	limit   limitClass      // which rate limit it counts against
	format  format          // the envelope of its answers and errors
	names   wire.NamePolicy // how names in the request are matched
	key     keyRule         // what an Idempotency-Key means
	status  int             // of a success
	handler handler         // the function behind it
	about   string          // one line for the reference
}

// access is which credential a route needs.
type access int

const (
	public        access = iota // none
	authenticated               // any valid credential
	apiKeyOnly                  // an API key
	workerOnly                  // an API key of a worker account
	operatorOnly                // an API key of an account with the operator role
)

// format is the envelope of a route's answers.
type format int

const (
	standard format = iota // {status, data} and {status, errorCode, message}
	shared                 // the same, with the bare 429 of public reads
	doubled                // the same, with the members of data at the top level too
	openAI                 // the object itself and {error: {…}}
	verbatim               // what the handler writes; errors as in standard
)

// call is one request while it is served.
type call struct {
	context.Context
	r       *http.Request
	w       http.ResponseWriter
	caller  atelier.Caller // zero on public routes
	key     string         // the idempotency key, "" when none was given
	app     string         // the calling application, "" when it is not named
	now     time.Time      // when it arrived
	log     *slog.Logger
	body    admission.Reservation // memory reserved for the body
	values  admission.Reservation // memory reserved for the decoded values
	status  int                   // of the success; a handler may change it
	refund  bool                  // the request is not counted against its rate limit
	more    int                   // how many further times it was counted
	written bool                  // the handler has answered itself

	streamStall time.Duration // how long the reader of a stream may take for a frame
}

// handler is a typed function with what the framework needs to know about it.
type handler struct {
	shape   *wire.Shape    // decodes the request; set when the route is mounted
	request reflect.Type   // nil: the request has no body or query of its own
	reply   reflect.Type   // nil: the handler writes its answer itself
	content string         // content type of an answer that is not JSON
	takes   string         // content type of a body that the handler reads itself
	cached  bool           // answers carry an ETag
	fails   []atelier.Kind // error kinds besides those of every route of its class
	paths   []pathField
	bounds  wire.Bounds // limits of its body
	also    []int       // further statuses of a success
	streams bool        // it may also answer with an event stream
	recheck bool        // its credential is checked again while the request is open
	run     func(c *call, read func(dst any) error) (any, error)
}

// pathField is a field of the request that is filled from the path.
type pathField struct {
	name    string
	index   int
	example string // for the reference
}

// empty is the request of a handler that needs none, and the reply of one that has none.
type empty struct{}

// handle makes a handler of a function from a request to a reply.
func handle[Q, R any](fn func(*call, Q) (R, error)) handler {
	h := handler{reply: reflect.TypeFor[R](), bounds: usualBody}
	if t := reflect.TypeFor[Q](); t.NumField() > 0 {
		h.request = t
		h.paths = pathFields(t)
	}
	h.run = func(c *call, read func(any) error) (any, error) {
		var q Q
		if err := read(&q); err != nil {
			return nil, err
		}
		return fn(c, q)
	}
	return h
}

// or declares, for the reference, further kinds of errors of a handler.
func (h handler) or(kinds ...atelier.Kind) handler {
	h.fails = append(h.fails, kinds...)
	return h
}

// orStatus declares, for the reference, further statuses of a success.
func (h handler) orStatus(status ...int) handler {
	h.also = append(h.also, status...)
	return h
}

// orEvents declares, for the reference, that a success may also be a stream.
func (h handler) orEvents() handler {
	h.streams = true
	return h
}

// upTo sets larger limits for the body.
func (h handler) upTo(b wire.Bounds) handler {
	h.bounds = b
	return h
}

// text makes a handler of a function from a request to a plain text.
func text[Q any](fn func(*call, Q) (string, error)) handler {
	h := handle(fn)
	h.content = "text/plain"
	return h
}

// anyFile is the content of a handler that serves files, whole or in parts.
const anyFile = "*/*"

// write makes a handler of a function that writes the answer itself, unless it returns an
// error first.
func write(content string, fn func(http.ResponseWriter, *http.Request) error) handler {
	return handler{content: content, run: func(c *call, _ func(any) error) (any, error) {
		return nil, fn(c.w, c.r)
	}}
}

// withBodyType declares, for the reference, the content type of a body that the handler
// reads itself.
func (h handler) withBodyType(content string) handler {
	h.takes = content
	return h
}

// withPathExample declares, for the reference, an example of the path parameter that a
// handler reads itself.
func (h handler) withPathExample(name, example string) handler {
	h.paths = append(h.paths, pathField{name: name, example: example})
	return h
}

// stream makes a handler of a function that reads a typed request and writes its answer
// itself, piece by piece.
func stream[Q any](fn func(*call, Q) error) handler {
	h := handle(func(c *call, q Q) (empty, error) { return empty{}, fn(c, q) })
	h.reply, h.content, h.recheck = nil, eventStream, true
	return h
}

// file makes a handler of a function that reads a typed request and writes a file as its
// answer.
func file[Q any](content string, fn func(*call, Q) error) handler {
	h := handle(func(c *call, q Q) (empty, error) { return empty{}, fn(c, q) })
	h.reply, h.content = nil, content
	return h
}

// eventStream is the content of server-sent events.
const eventStream = "text/event-stream"

func pathFields(t reflect.Type) (fields []pathField) {
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("path"); name != "" {
			fields = append(fields, pathField{name: name, index: i, example: t.Field(i).Tag.Get("example")})
		}
	}
	return fields
}
