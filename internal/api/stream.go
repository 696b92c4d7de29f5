package api

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// writeTimeout is how long a reader of a stream may take nothing before it is
// given up: a stuck reader costs no more than this. Tests are less patient.
var writeTimeout = 20 * time.Second

// sse is a stream of server-sent events to one reader. The functions that
// write report false when the reader is gone.
type sse struct {
	c       *call
	control *http.ResponseController
	long    bool      // it is open for hours, with thousands like it
	patient time.Time // until when a write may take
}

// openStream begins a stream. The deadline of the whole answer gives way to one
// for each write.
func openStream(c *call) *sse {
	h := c.w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no") // proxies must not keep frames back
	s := &sse{c: c, control: http.NewResponseController(c.w)}
	_ = s.control.SetReadDeadline(time.Time{})
	c.w.WriteHeader(http.StatusOK)
	return s
}

// frame writes one event. Without an id it does not move the place from which
// a reader goes on.
func (s *sse) frame(id *int64, event string, data any) bool {
	head := "event: " + event + "\n"
	if id != nil {
		head = "id: " + strconv.FormatInt(*id, 10) + "\n" + head
	}
	return s.send(head, data)
}

// data writes a frame without a name: the form of chat completions.
func (s *sse) data(v any) bool { return s.send("", v) }

// send writes a frame. The room it is put together in is shared: thousands of
// streams keep none of their own.
func (s *sse) send(head string, data any) bool {
	b := buffers.Get().(*bytes.Buffer)
	defer keepBuffer(b)
	b.Reset()
	b.WriteString(head)
	b.WriteString("data: ")
	var err error
	if s.long {
		aside(func() { err = wire.Write(b, data) })
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

// aside runs a function on a goroutine of its own and waits for it. The one
// that serves a stream waits for hours, and should not do so on a stack that a
// database or a marshaller has grown.
func aside(fn func()) {
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		fn()
	}()
	if p := <-done; p != nil {
		panic(p)
	}
}

// heartbeat shows that the stream lives.
func (s *sse) heartbeat() bool { return s.raw(": heartbeat\n\n") }

// raw writes a frame as it is.
func (s *sse) raw(frame string) bool { return s.write([]byte(frame)) }

func (s *sse) write(frame []byte) bool { return s.put(frame) && s.flush() }

// put writes a frame that may wait for the next.
func (s *sse) put(frame []byte) bool {
	// The deadline is moved on when a part of it has gone: moving it for every
	// word of a model would cost more than writing the word.
	if now := time.Now(); s.patient.Sub(now) < writeTimeout*3/4 {
		s.patient = now.Add(writeTimeout)
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
