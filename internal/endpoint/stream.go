package endpoint

import (
	"bytes"
	"context"
	"io"
	"iter"
	"net/http"
	"strconv"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/detached"
	"github.com/atelier-project/atelier/internal/wire"
)

// EventStream is a stream of server-sent events to one reader. Its write functions report
// false when the reader has disconnected.
type EventStream struct {
	c       *Call
	control *http.ResponseController
	long    bool          // it is open for hours, with thousands of others
	stall   time.Duration // how long a write may take; a stuck reader costs no more than this
	patient time.Time     // deadline of the current write
	begun   bool          // the head of the answer was sent
}

// OpenStream begins a stream. Each write gets its own deadline instead of one for the
// whole answer.
func (c *Call) OpenStream() *EventStream {
	c.written = true
	h := c.Response.Header()
	h.Set("Content-Type", eventStreamType)
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no") // proxies must not buffer frames
	s := &EventStream{c: c, control: http.NewResponseController(c.Response), stall: c.server.timeouts.Stream}
	_ = s.control.SetReadDeadline(time.Time{})
	c.Response.WriteHeader(http.StatusOK)
	return s
}

// Frame writes one event. An event without an id does not change where a reader resumes.
func (s *EventStream) Frame(id *int64, event string, data any) bool {
	head := "event: " + event + "\n"
	if id != nil {
		head = "id: " + strconv.FormatInt(*id, 10) + "\n" + head
	}
	return s.send(head, data)
}

// LargeFrame writes one event whose data, which a function writes, is too large to be in memory at once.
func (s *EventStream) LargeFrame(event string, data func(io.Writer) error) bool {
	return s.buffer([]byte("event: "+event+"\ndata: ")) && data(frameWriter{s}) == nil && s.buffer([]byte("\n\n")) && s.Flush()
}

// frameWriter writes a part of a frame.
type frameWriter struct{ s *EventStream }

func (w frameWriter) Write(b []byte) (int, error) {
	if !w.s.buffer(b) {
		return 0, io.ErrClosedPipe
	}
	return len(b), nil
}

// Data writes a frame without a name: the form of chat completions.
func (s *EventStream) Data(v any) bool { return s.send("", v) }

// Buffer is Data for a frame that may wait for the next one.
func (s *EventStream) Buffer(v any) bool {
	return s.BufferData(func(b *bytes.Buffer) error { return wire.Write(b, v) })
}

// Fail writes an error in the envelope of the route: the way in which an answer fails that
// has begun.
func (s *EventStream) Fail(err error) bool {
	e := s.c.server.explain(s.c.Response, s.c.Request, err)
	body := s.c.server.failureBody(s.c.format, e)
	if s.c.format == Anthropic {
		return s.Frame(nil, "error", body)
	}
	return s.Data(body)
}

// send writes a frame.
func (s *EventStream) send(head string, data any) bool {
	return s.bufferFrame(head, func(b *bytes.Buffer) (err error) {
		if s.long {
			detached.Run(func() { err = wire.Write(b, data) })
			return err
		}
		return wire.Write(b, data)
	}) && s.Flush()
}

// BufferData writes a frame without a name that may wait for the next one. The function
// writes its JSON.
func (s *EventStream) BufferData(encode func(*bytes.Buffer) error) bool {
	return s.bufferFrame("", encode)
}

// BufferFrame writes one event that may wait for the next one. The function writes its JSON.
func (s *EventStream) BufferFrame(event string, encode func(*bytes.Buffer) error) bool {
	return s.bufferFrame("event: "+event+"\n", encode)
}

// bufferFrame writes a frame that may wait for the next one. Its buffer comes from a pool,
// because thousands of streams are idle most of the time.
func (s *EventStream) bufferFrame(head string, encode func(*bytes.Buffer) error) bool {
	b := buffers.Get().(*bytes.Buffer)
	defer keepBuffer(b)
	b.Reset()
	b.WriteString(head)
	b.WriteString("data: ")
	if err := encode(b); err != nil {
		s.c.Log.Error("write event failed", "error", err)
		return false
	}
	b.WriteString("\n\n") // the JSON has no line break
	return s.buffer(b.Bytes())
}

// Heartbeat shows that the stream is alive.
func (s *EventStream) Heartbeat() bool { return s.Raw(": heartbeat\n\n") }

// Raw writes a frame as it is.
func (s *EventStream) Raw(frame string) bool { return s.buffer([]byte(frame)) && s.Flush() }

// buffer writes bytes that may wait for the next ones.
func (s *EventStream) buffer(frame []byte) bool {
	// The deadline is moved on when a part of it has gone: moving it for every
	// word of a model would cost more than writing the word.
	if now := time.Now(); s.patient.Sub(now) < s.stall*3/4 {
		s.patient = now.Add(s.stall)
		_ = s.control.SetWriteDeadline(s.patient)
	}
	if !s.begun && len(frame) > largeFrame {
		return s.detach(func() error { _, err := s.c.Response.Write(frame); return err })
	}
	_, err := s.c.Response.Write(frame)
	return err == nil
}

// largeFrame is less than net/http buffers before it writes the head of an answer.
const largeFrame = 1 << 10

// Flush sends what was buffered.
func (s *EventStream) Flush() bool {
	if !s.begun {
		s.begun = true
		return s.detach(s.control.Flush)
	}
	return s.control.Flush() == nil
}

// detach runs a function that writes the head of the answer. net/http needs so much more
// of the stack for it than the rest of the stream does that the goroutine of the stream
// would keep twice as much.
func (s *EventStream) detach(write func() error) bool {
	var err error
	detached.Run(func() { err = write() })
	return err == nil
}

// LastEventID is where the reader of a stream was: the header that browsers send by
// themselves, else the query.
func (c *Call) LastEventID(after int64) (int64, error) {
	text := c.Request.Header.Get("Last-Event-ID")
	if text == "" {
		return after, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < -1 {
		return 0, atelier.Refuse("Last-Event-ID", "must be the sequence of an event.")
	}
	return n, nil
}

// Streaming is the context of a stream: it ends with the request, and when the server ends
// its streams.
func (c *Call) Streaming() (context.Context, func()) {
	ctx, cancel := context.WithCancel(c)
	quit := context.AfterFunc(c.server.streams, cancel)
	return ctx, func() { quit(); cancel() }
}

// streamError is the last frame of a failed stream: the reader should reconnect with the
// id of its last event.
type streamError struct {
	Message string `json:"message"`
}

// Follow sends updates to a reader until there are no more or the reader disconnects.
func Follow[N any](c *Call, news iter.Seq2[N, error], send func(*EventStream, N) bool) {
	out := c.OpenStream()
	out.long = true
	if c.Request.Method == http.MethodHead {
		return
	}
	_ = out.control.Flush()
	for n, err := range news {
		if err != nil {
			c.Log.Warn("event stream failed", "path", c.Request.URL.Path, "error", err)
			out.Frame(nil, "error", streamError{"The stream failed. Reconnect with Last-Event-ID."})
			return
		}
		if !send(out, n) {
			return
		}
	}
}
