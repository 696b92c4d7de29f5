package api

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// route is one line of the table.
type route struct {
	method  string
	pattern string          // with {name} for any segment and {name...} for the rest
	who     access          // which credential it takes
	limit   limitClass      // which rate limit it counts against
	format  format          // the envelope of its answers and errors
	names   wire.NamePolicy // how names of the request are read
	key     keyRule         // what an Idempotency-Key means
	status  int             // of a success
	handler handler         // what it does
	about   string          // one line for the reference
}

// access says who may call a route.
type access int

const (
	public        access = iota // anybody
	authenticated               // any valid credential
	apiKeyOnly                  // an API key
	workerOnly                  // an API key of a worker account
)

// format says in which envelope a route answers.
type format int

const (
	standard format = iota // {status, data} and {status, errorCode, message}
	shared                 // the same, with the bare 429 of public reads
	openAI                 // the object itself and {error: {…}}
	verbatim               // what the handler writes; errors as in standard
)

// call is one request on its way through a handler.
type call struct {
	context.Context
	r       *http.Request
	w       http.ResponseWriter
	caller  atelier.Caller // zero on public routes
	key     string         // the idempotency key, "" when none was given
	app     string         // the application that asks, "" when it does not say
	now     time.Time      // when it came
	log     *slog.Logger
	body    reservation // what its body holds of the memory of all bodies
	values  reservation // what was read from the body holds of the memory of all that is read
	status  int         // of the success; a handler may change it
	refund  bool        // it took nothing of what its rate limit counts
	more    int         // how many more it took of that
	written bool        // the handler has answered itself
}

// handler is a typed function with what must be known about its types.
type handler struct {
	shape   *wire.Shape    // how the request is read; set when the route is mounted
	request reflect.Type   // nil: the request has no body or query of its own
	reply   reflect.Type   // nil: the handler writes its answer itself
	content string         // content type of an answer that is not JSON
	takes   string         // content type of a body that the handler reads itself
	cached  bool           // answers carry an ETag
	fails   []atelier.Kind // how it may fail, besides what every route of its class may
	paths   []pathField
	bounds  wire.Bounds // of its body
	also    []int       // further statuses of a success
	streams bool        // it may also answer with events
	recheck bool        // its credential is checked again while it lasts
	run     func(c *call, read func(dst any) error) (any, error)
}

// pathField is a field of the request that is filled from the path.
type pathField struct {
	name    string
	index   int
	example string // for the reference
}

// empty is the request of a handler that needs none, and the reply of one
// that has nothing to say.
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
		err := read(&q)
		if s, ok := any(&q).(hasAppSource); ok {
			c.app = s.app() // as far as it was read: also refused requests are logged
		}
		if err != nil {
			return nil, err
		}
		return fn(c, q)
	}
	return h
}

// or says, for the reference, how a handler may fail besides what every route
// of its class may.
func (h handler) or(kinds ...atelier.Kind) handler {
	h.fails = append(h.fails, kinds...)
	return h
}

// orStatus says, for the reference, which other statuses a success may have.
func (h handler) orStatus(status ...int) handler {
	h.also = append(h.also, status...)
	return h
}

// orEvents says, for the reference, that a success may also be a stream.
func (h handler) orEvents() handler {
	h.streams = true
	return h
}

// upTo lets bodies be larger than usual.
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

// write makes a handler of a function that writes its answer itself, unless it
// fails before.
func write(content string, fn func(http.ResponseWriter, *http.Request) error) handler {
	return handler{content: content, run: func(c *call, _ func(any) error) (any, error) {
		return nil, fn(c.w, c.r)
	}}
}

// taking says, for the reference, which body a handler reads itself.
func (h handler) taking(content string) handler {
	h.takes = content
	return h
}

// at shows, for the reference, a value of the path's parameter that a handler reads
// itself.
func (h handler) at(name, example string) handler {
	h.paths = append(h.paths, pathField{name: name, example: example})
	return h
}

// stream makes a handler of a function that writes its answer itself, bit by
// bit, and must be told what was asked for.
func stream[Q any](fn func(*call, Q) error) handler {
	h := handle(func(c *call, q Q) (empty, error) { return empty{}, fn(c, q) })
	h.reply, h.content, h.recheck = nil, eventStream, true
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
