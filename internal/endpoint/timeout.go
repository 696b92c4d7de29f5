package endpoint

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/atelier-project/atelier"
)

// Timeouts limit how long a slow client can hold a connection. Zero means the default.
type Timeouts struct {
	Header time.Duration // to send the head of a request: 10 s
	Unread time.Duration // to send a body that no handler reads: 5 s
	Stall  time.Duration // to read each step of an answer: 30 s
	Stream time.Duration // to read each frame of a stream: 20 s
	Idle   time.Duration // between two requests: 2 min
}

func (t Timeouts) orDefault() Timeouts {
	for _, d := range []struct {
		value *time.Duration
		usual time.Duration
	}{
		{&t.Header, 10 * time.Second}, {&t.Unread, 5 * time.Second}, {&t.Stall, 30 * time.Second}, {&t.Stream, 20 * time.Second}, {&t.Idle, 2 * time.Minute},
	} {
		if *d.value == 0 {
			*d.value = d.usual
		}
	}
	return t
}

// maxHead limits the request line and the headers of a request together.
const maxHead = 64 << 10

// HTTP is the HTTP server of the API. Handlers may take as long as they need; only the
// client has deadlines. The server sets the one for writing when the head of a request has
// arrived, and statusWriter extends it.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.timeouts.Header,
		WriteTimeout:      s.timeouts.Stall,
		IdleTimeout:       s.timeouts.Idle,
		MaxHeaderBytes:    maxHead,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// maxIgnoredBody is how much of a body is read for methods without one.
const maxIgnoredBody = 64 << 10

// boundBody sets a deadline for the body of a request. net/http reads the rest of a body
// before it reuses the connection, and would wait for it without end. A handler that reads
// the body sets its own deadlines; at the end of the body net/http removes them. For a
// method without a body it is read and discarded here, so that no handler, above all no
// stream, begins with unread bytes.
func (s *Server) boundBody(w http.ResponseWriter, r *http.Request) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.timeouts.Unread))
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodDelete, http.MethodOptions:
		return ignoreBody(r)
	}
	return nil
}

func ignoreBody(r *http.Request) error {
	_, err := io.CopyN(io.Discard, r.Body, maxIgnoredBody+1)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return atelier.Errorf(atelier.CodeBodyTooLarge, "A %s takes no body; this one is larger than %d bytes.", r.Method, maxIgnoredBody)
	}
	return atelier.Refuse("", "A %s takes no body, and the announced one did not arrive.", r.Method)
}
