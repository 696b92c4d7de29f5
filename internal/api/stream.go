package api

import (
	"bytes"
	"context"
	"iter"
	"net/http"
	"strconv"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/detached"
	"github.com/atelier-project/atelier/internal/wire"
)

// sse is a stream of server-sent events to one reader. Its write functions report false
// when the reader has disconnected.
type sse struct {
	c       *call
	control *http.ResponseController
	long    bool          // it is open for hours, with thousands of others
	stall   time.Duration // how long a write may take; a stuck reader costs no more than this
	patient time.Time     // deadline of the current write
}

// openStream begins a stream. Each write gets its own deadline instead of one for the
// whole answer.
func openStream(c *call) *sse {
	h := c.w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no") // proxies must not buffer frames
	s := &sse{c: c, control: http.NewResponseController(c.w), stall: c.streamStall}
	_ = s.control.SetReadDeadline(time.Time{})
	c.w.WriteHeader(http.StatusOK)
	return s
}

// frame writes one event. An event without an id does not change where a reader resumes.
func (s *sse) frame(id *int64, event string, data any) bool {
	head := "event: " + event + "\n"
	if id != nil {
		head = "id: " + strconv.FormatInt(*id, 10) + "\n" + head
	}
	return s.send(head, data)
}

// data writes a frame without a name: the form of chat completions.
func (s *sse) data(v any) bool { return s.send("", v) }

// send writes a frame. Its buffer comes from a pool, because thousands of streams are idle
// most of the time.
func (s *sse) send(head string, data any) bool {
	b := buffers.Get().(*bytes.Buffer)
	defer keepBuffer(b)
	b.Reset()
	b.WriteString(head)
	b.WriteString("data: ")
	var err error
	if s.long {
		detached.Run(func() { err = wire.Write(b, data) })
	} else {
		err = wire.Write(b, data)
	}
	if err != nil {
		s.c.log.Error("write event failed", "error", err)
		return false
	}
	b.WriteString("\n\n") // the JSON has no line break
	return s.write(b.Bytes())
}

// heartbeat shows that the stream is alive.
func (s *sse) heartbeat() bool { return s.raw(": heartbeat\n\n") }

// raw writes a frame as it is.
func (s *sse) raw(frame string) bool { return s.write([]byte(frame)) }

func (s *sse) write(frame []byte) bool { return s.bufferFrame(frame) && s.flush() }

// bufferFrame writes a frame that may wait for the next one.
func (s *sse) bufferFrame(frame []byte) bool {
	// The deadline is moved on when a part of it has gone: moving it for every
	// word of a model would cost more than writing the word.
	if now := time.Now(); s.patient.Sub(now) < s.stall*3/4 {
		s.patient = now.Add(s.stall)
		_ = s.control.SetWriteDeadline(s.patient)
	}
	_, err := s.c.w.Write(frame)
	return err == nil
}

// flush sends what was put.
func (s *sse) flush() bool { return s.control.Flush() == nil }

// lastEventID is where a reader was: the header that browsers send by
// themselves, else the query.
func lastEventID(r *http.Request, after int64) (int64, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		return after, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < -1 {
		return 0, atelier.Refuse("Last-Event-ID", "must be the sequence of an event.")
	}
	return n, nil
}

// streaming is the context of a stream: it ends with the request, and when the
// node drains.
func (s *Server) streaming(c *call) (context.Context, func()) {
	ctx, cancel := context.WithCancel(c)
	quit := context.AfterFunc(s.streams, cancel)
	return ctx, func() { quit(); cancel() }
}

// streamError is the last frame of a failed stream: the reader should reconnect with the
// id of its last event.
type streamError struct {
	Message string `json:"message"`
}

// follow sends updates to a reader until there are no more or the reader disconnects.
func follow[N any](c *call, news iter.Seq2[N, error], send func(*sse, N) bool) {
	out := openStream(c)
	out.long = true
	if c.r.Method == http.MethodHead {
		return
	}
	_ = out.control.Flush()
	for n, err := range news {
		if err != nil {
			c.log.Warn("event stream failed", "path", c.r.URL.Path, "error", err)
			out.frame(nil, "error", streamError{"The stream failed. Reconnect with Last-Event-ID."})
			return
		}
		if !send(out, n) {
			return
		}
	}
}
