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
	buf     bytes.Buffer
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
	s.buf.Reset()
	if id != nil {
		s.buf.WriteString("id: ")
		s.buf.Write(strconv.AppendInt(s.buf.AvailableBuffer(), *id, 10))
		s.buf.WriteByte('\n')
	}
	s.buf.WriteString("event: " + event + "\ndata: ")
	if err := wire.Write(&s.buf, data); err != nil {
		s.c.log.Error("an event could not be written", "error", err)
		return false
	}
	s.buf.WriteString("\n\n") // the JSON has no line break
	return s.send()
}

// heartbeat shows that the stream lives.
func (s *sse) heartbeat() bool {
	s.buf.Reset()
	s.buf.WriteString(": heartbeat\n\n")
	return s.send()
}

func (s *sse) send() bool {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	_, err := s.c.w.Write(s.buf.Bytes())
	if err == nil {
		err = s.control.Flush()
	}
	if s.buf.Cap() > 8<<10 {
		s.buf = bytes.Buffer{} // a large frame is rare; its room is not kept
	}
	return err == nil
}

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
