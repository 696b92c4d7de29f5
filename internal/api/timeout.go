package api

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/atelier-project/atelier"
)

// Timeouts bound how long a client that does not do its part can hold a
// connection. A zero one has its default.
type Timeouts struct {
	Header time.Duration // to send the head of a request: 10 s
	Unread time.Duration // to send a body that nobody reads: 5 s
	Stall  time.Duration // to take each step of an answer: 30 s
	Idle   time.Duration // between two requests: 2 min
}

func (t Timeouts) orDefault() Timeouts {
	for _, d := range []struct {
		value *time.Duration
		usual time.Duration
	}{
		{&t.Header, 10 * time.Second}, {&t.Unread, 5 * time.Second}, {&t.Stall, 30 * time.Second}, {&t.Idle, 2 * time.Minute},
	} {
		if *d.value == 0 {
			*d.value = d.usual
		}
	}
	return t
}

// maxHead bounds the request line and the headers of a request together.
const maxHead = 64 << 10

// HTTP is the server that the API is served with. Handlers may take as long as
// they need; it is the client that has deadlines. The server sets one for
// writing when the head of a request has come, and statusWriter moves it on.
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

// maxIgnoredBody is how much of a body is read on methods that take none.
const maxIgnoredBody = 64 << 10

// boundBody gives the body of a request a deadline. net/http reads what a handler
// leaves of a body before it goes on with the connection, and would wait for it
// without end. Whoever reads a body sets deadlines of their own; at its end
// net/http lifts them. Where the method takes no body it is read and ignored
// here, so that handlers, streams above all, begin with nothing left to read.
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
