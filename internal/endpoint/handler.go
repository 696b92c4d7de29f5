package endpoint

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// Handler is a typed function with what this package needs to know about it.
type Handler struct {
	shape   *wire.Shape    // decodes the request; set when the route is mounted
	Request reflect.Type   // nil: the request has no body and no query
	reply   reflect.Type   // nil: the handler writes its answer itself
	content string         // content type of an answer that is not JSON
	frames  []reflect.Type // the data of the events of a stream
	takes   string         // content type of a body that the handler reads itself
	files   []string       // fields of a form that are files; the first is required
	cached  bool           // answers carry an ETag
	fails   []atelier.Kind // error kinds besides those of every route of its class
	paths   []pathField
	bounds  wire.Bounds        // limits of its body
	also    []int              // further statuses of a success
	nothing string             // what a 204 means, "" without a 204
	spends  bool               // it spends money although it never answers that there is too little
	streams bool               // it may also answer with an event stream
	answers bool               // a language model is occupied while it is open
	recheck bool               // its credential is checked again while the request is open
	Storage Storage            // where a call stores something
	asks    bool               // it checks itself whether there is space
	groups  []atelier.KeyGroup // of its endpoint; nil: any API key may use it
	reads   bool               // it changes nothing
	least   atelier.Role       // that a member needs for it; empty: owner
	run     func(c *Call, read func(dst any) error) (any, error)
}

// pathField is a field of the request that is filled from the path.
type pathField struct {
	name    string
	index   int
	example string // for the reference
}

// Empty is the request of a handler that needs none, and the reply of one that has none.
type Empty struct{}

// Handle makes a handler of a function from a request to a reply.
func Handle[Q, R any](fn func(*Call, Q) (R, error)) Handler {
	h := Handler{reply: reflect.TypeFor[R](), bounds: usualBody}
	if t := reflect.TypeFor[Q](); t.NumField() > 0 {
		h.Request = t
		h.paths = pathFields(t)
	}
	h.run = func(c *Call, read func(any) error) (any, error) {
		var q Q
		if err := read(&q); err != nil {
			return nil, err
		}
		return fn(c, q)
	}
	return h
}

// StateFirst has a handler whose request is not valid answer with the error of check, if
// it has one: what the resource is comes before what the body says.
func (h Handler) StateFirst(check func(*Call) error) Handler {
	run := h.run
	h.run = func(c *Call, read func(any) error) (any, error) {
		return run(c, func(dst any) error {
			err := read(dst)
			var refused *atelier.Error
			noText := func(p pathField) bool { return !wire.IsText(c.Request.PathValue(p.name)) }
			if errors.As(err, &refused) && refused.Code.Kind == atelier.KindInvalid && !slices.ContainsFunc(h.paths, noText) {
				if state := check(c); state != nil {
					return state
				}
			}
			return err
		})
	}
	return h
}

// In puts the endpoint of a handler into groups: an API key that is limited to one of them may use it. Without a group
// any key may. reads says that it changes nothing, so that a read-only key may use it, and least is the role that a
// member of the account needs.
func (h Handler) In(groups []atelier.KeyGroup, reads bool, least atelier.Role) Handler {
	h.groups, h.reads, h.least = groups, reads, least
	return h
}

// Least is the role that a member of the account needs for the endpoint.
func (h Handler) Least() atelier.Role { return h.least }

// Groups are the groups of the endpoint, and whether it changes nothing.
func (h Handler) Groups() (groups []atelier.KeyGroup, reads bool) { return h.groups, h.reads }

// Or declares, for the reference, further kinds of errors of a handler.
func (h Handler) Or(kinds ...atelier.Kind) Handler {
	h.fails = append(h.fails, kinds...)
	return h
}

// OrStatus declares, for the reference, further statuses of a success.
func (h Handler) OrStatus(status ...int) Handler {
	h.also = append(h.also, status...)
	return h
}

// OrNothing declares, for the reference, that a success may be a 204, and what it means.
func (h Handler) OrNothing(about string) Handler {
	h.nothing = about
	return h
}

// Spends declares, for the reference, that a call may spend money of the account, at once
// or later. A handler that fails with KindPaymentRequired needs no such declaration.
func (h Handler) Spends() Handler {
	h.spends = true
	return h
}

// Storage is where the calls of a handler store something that stays.
type Storage int

const (
	StoresNothing Storage = iota // or little that is bounded otherwise, or what work under way leaves
	StoresRows                   // in the database
	StoresMedia                  // in the media storage too, at once or when the work is done
)

// Stores declares that a call stores something: it is refused while there is no space.
func (h Handler) Stores(what Storage) Handler {
	h.Storage = what
	return h
}

// MayStore declares that some calls store something. The handler calls CheckSpace for them.
func (h Handler) MayStore(what Storage) Handler {
	h.Storage, h.asks = what, true
	return h
}

// OrEvents declares, for the reference, that a success may also be a stream.
func (h Handler) OrEvents() Handler {
	h.streams, h.recheck = true, true
	return h
}

// Answers declares that a call occupies a language model until it ends, of which an account may have only some open.
func (h Handler) Answers() Handler {
	h.answers = true
	return h
}

// UpTo sets larger limits for the body.
func (h Handler) UpTo(b wire.Bounds) Handler {
	h.bounds = b
	return h
}

// Text makes a handler of a function from a request to a plain text.
func Text[Q any](fn func(*Call, Q) (string, error)) Handler {
	h := Handle(fn)
	h.content = "text/plain"
	return h
}

// AnyFile is the content of a handler that serves files, whole or in parts.
const AnyFile = "*/*"

// Write makes a handler of a function that writes the answer itself, unless it returns an
// error first.
func Write(content string, fn func(http.ResponseWriter, *http.Request) error) Handler {
	return Handler{content: content, run: func(c *Call, _ func(any) error) (any, error) {
		return nil, fn(c.Response, c.Request)
	}}
}

// Pass makes a handler of a function that answers messages of another protocol, which are JSON, with the name of the
// calling application. It reads the body, which is in memory, and writes the answer, which may take long.
func Pass(content string, fn func(c *Call, w http.ResponseWriter, r *http.Request, app string)) Handler {
	return Handler{content: content, takes: "application/json", streams: true, answers: true, recheck: true, run: func(c *Call, _ func(any) error) (any, error) {
		body, err := readBody(c, usualBody)
		if err != nil {
			return nil, err
		}
		r := c.Request.WithContext(c)
		r.Body = io.NopCloser(bytes.NewReader(body))
		out := c.Response.(*statusWriter)
		fn(c, steadyWriter{out}, r, appName(r.Header))
		if out.status == 0 {
			return nil, c.Err() // the client has left, or may not wait any longer
		}
		return nil, nil
	}}
}

// WithBodyType declares, for the reference, the content type of a body that the handler
// reads itself.
func (h Handler) WithBodyType(content string) Handler {
	h.takes = content
	return h
}

// WithPathExample declares, for the reference, an example of the path parameter that a
// handler reads itself.
func (h Handler) WithPathExample(name, example string) Handler {
	h.paths = append(h.paths, pathField{name: name, example: example})
	return h
}

// Stream makes a handler of a function that reads a typed request and writes its answer
// itself, as server-sent events whose data are of the given types.
func Stream[Q any](fn func(*Call, Q) error, frames ...reflect.Type) Handler {
	h := Handle(func(c *Call, q Q) (Empty, error) { return Empty{}, fn(c, q) })
	h.reply, h.content, h.recheck, h.frames = nil, eventStreamType, true, frames
	return h
}

// File makes a handler of a function that reads a typed request and writes a file as its
// answer.
func File[Q any](content string, fn func(*Call, Q) error) Handler {
	h := Handle(func(c *Call, q Q) (Empty, error) { return Empty{}, fn(c, q) })
	h.reply, h.content = nil, content
	return h
}

// eventStreamType is the content of server-sent events.
const eventStreamType = "text/event-stream"

func pathFields(t reflect.Type) (fields []pathField) {
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("path"); name != "" {
			fields = append(fields, pathField{name: name, index: i, example: t.Field(i).Tag.Get("example")})
		}
	}
	return fields
}
