package endpoint

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/wire"
)

// success is the envelope of every answer but those of the LLM routes.
type success struct {
	Status   string `json:"status"`
	Data     any    `json:"data"`
	Metadata any    `json:"metadata,omitzero"`
}

// hasMetadata is a reply with metadata beside its data.
type hasMetadata interface{ Metadata() any }

// doubledSuccess is the envelope of answers that clients read in two places.
type doubledSuccess struct {
	Status string   `json:"status"`
	Fields wire.Raw `json:",embed"`
	Data   wire.Raw `json:"data"`
}

// envelop puts a reply into the envelope of a format.
func envelop(f Format, reply any) (any, error) {
	switch f {
	case Standard, Shared:
		out := success{Status: "success", Data: reply}
		if r, ok := reply.(hasMetadata); ok {
			out.Metadata = r.Metadata()
		}
		return out, nil
	case Doubled:
		fields, err := wire.Marshal(reply)
		return doubledSuccess{"success", fields, fields}, err
	}
	return reply, nil
}

// failure is the envelope of every error but those of the LLM routes.
type failure struct {
	Status     string         `json:"status"`
	ErrorCode  int            `json:"errorCode"`
	Message    string         `json:"message"`
	Details    map[string]any `json:"details,omitempty"`
	RetryAfter int            `json:"retryAfter,omitzero"`
	Data       *failureData   `json:"data,omitzero"`
}

// failureData carries the issues of a template that does not validate.
type failureData struct {
	Validation validation `json:"validation"`
}

type validation struct {
	Issues []atelier.Issue `json:"issues"`
}

// bareFailure is the 429 of the public reads.
type bareFailure struct {
	Error string `json:"error"`
}

// statuses maps kinds of errors to HTTP.
var statuses = map[atelier.Kind]int{
	atelier.KindInvalid:          400,
	atelier.KindUnauthenticated:  401,
	atelier.KindPaymentRequired:  402,
	atelier.KindForbidden:        403,
	atelier.KindNotFound:         404,
	atelier.KindMethodNotAllowed: 405,
	atelier.KindConflict:         409,
	atelier.KindGone:             410,
	atelier.KindPrecondition:     412,
	atelier.KindTooLarge:         413,
	atelier.KindUnsupportedMedia: 415,
	atelier.KindUnprocessable:    422,
	atelier.KindBusy:             423,
	atelier.KindTooMany:          429,
	atelier.KindInternal:         500,
	atelier.KindUpstream:         502,
	atelier.KindUnavailable:      503,
	atelier.KindUpstreamTimeout:  504,
}

// Status is the HTTP status that a kind of error becomes.
func Status(k atelier.Kind) int { return statuses[k] }

// Status is the HTTP status that a kind of error becomes in an envelope.
func (f Format) Status(k atelier.Kind) int {
	if f == Replicate && k == atelier.KindInvalid {
		return http.StatusUnprocessableEntity
	}
	return Status(k)
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// send writes a JSON answer as it is.
func send(w http.ResponseWriter, status int, body any) error {
	return sendHeld(w, nil, status, body, func(int64) error { return nil })
}

// largeAnswer is the size above which an answer reserves memory that requests share.
const largeAnswer = admission.FreeMemory

// sendHeld writes a JSON answer, compressed if a request is given and its client prefers that. For a large one it calls
// hold, which reserves the memory until the client has read it; statusWriter limits how long that takes.
func sendHeld(w http.ResponseWriter, r *http.Request, status int, body any, hold func(bytes int64) error) error {
	buf := buffers.Get().(*bytes.Buffer)
	defer keepBuffer(buf)
	buf.Reset()
	if err := wire.Write(buf, body); err != nil {
		return err
	}
	if buf.Len() > largeAnswer {
		bytes := int64(buf.Len())
		if r != nil && mayCompress(r, buf.Len()) {
			bytes *= 2 // the plain and the compressed answer, which is no larger
		}
		if err := hold(bytes); err != nil {
			return err
		}
	}
	w.Header()["Content-Type"] = jsonType
	return writeBody(w, r, status, buf.Bytes())
}

// keepBuffer returns a buffer to the pool, unless it has grown much larger than usual.
func keepBuffer(buf *bytes.Buffer) {
	if buf.Cap() <= 256<<10 {
		buffers.Put(buf)
	}
}

var jsonType = []string{"application/json"}

// writeError writes an error in the envelope of the route. An error that is not an
// *atelier.Error is a fault of the service: it goes to the log, and the caller gets only
// the request id.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, f Format, err error) {
	e := s.explain(w, r, err)
	status := f.Status(e.Code.Kind)
	h := w.Header()
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(seconds(e)))
	}
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", s.challenge(r))
	}
	h.Set("Cache-Control", "no-store")
	if err := send(w, status, s.failureBody(f, e)); err != nil {
		s.log.Debug("write error response failed: client disconnected", "error", err)
	}
}

// challenge says which credential is missing. Clients of the Model Context Protocol read where it is described.
func (s *Server) challenge(r *http.Request) string {
	const bearer = `Bearer realm="atelier"`
	if takesBasic(r) {
		return `Basic realm="atelier"`
	}
	if !isAtOrBelow(r.URL.Path, "/mcp") {
		return bearer
	}
	return bearer + `, resource_metadata="` + s.publicURL + `/.well-known/oauth-protected-resource/mcp"`
}

// outageRetry is how long callers should wait for an unavailable part: a restart of a
// database takes seconds.
const outageRetry = 2 * time.Second

// explain makes the error that the caller sees. The cause goes to the log.
func (s *Server) explain(w http.ResponseWriter, r *http.Request, err error) *atelier.Error {
	var (
		e    *atelier.Error
		away *atelier.UnavailableError
		id   = requestID(w)
	)
	switch {
	case errors.As(err, &e):
	case errors.Is(err, context.Canceled):
		e = atelier.Errorf(atelier.CodeUnavailable, "The request was cancelled.") // the client has disconnected
	case errors.As(err, &away):
		s.log.Warn("request failed: dependency unavailable", "request", id, "method", r.Method, "path", r.URL.Path, "part", away.Part, "error", err)
		e = atelier.Errorf(atelier.CodeUnavailable, "The %s of the service is not available now. Try again in a few seconds.", away.Part).With("part", away.Part)
		e.RetryAfter = outageRetry
	default:
		s.log.Error("request failed", "request", id, "method", r.Method, "path", r.URL.Path, "error", err)
		e = atelier.Errorf(atelier.CodeInternal, "The service failed. Quote the request id %s when you report it.", id)
	}
	return e
}

// failureBody puts an error into the envelope of a format.
func (s *Server) failureBody(f Format, e *atelier.Error) any {
	own := s.failures[f]
	switch {
	case own != nil:
		return own(e)
	case f == Shared && e.Code.Kind == atelier.KindTooMany:
		return bareFailure{"Too Many Requests"}
	}
	out := failure{Status: "error", ErrorCode: e.Code.Number, Message: e.Error(), Details: e.Details, RetryAfter: seconds(e)}
	if e.Field != "" {
		out.Details = map[string]any{"field": e.Field}
		for k, v := range e.Details {
			out.Details[k] = v
		}
	}
	if e.Issues != nil {
		out.Data = &failureData{validation{e.Issues}}
	}
	return out
}

// seconds rounds a wait up, so that a client that waits as long is not early.
func seconds(e *atelier.Error) int { return int(math.Ceil(e.RetryAfter.Seconds())) }
