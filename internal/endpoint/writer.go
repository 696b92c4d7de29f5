package endpoint

import (
	"io"
	"math"
	"net/http"
	"time"
)

// statusWriter remembers the status of the answer, and closes the connection of a client
// that does not read it.
type statusWriter struct {
	http.ResponseWriter
	status int
	stall  time.Duration // how long the client may take for one step
	until  time.Time     // when the current step must be read
}

// sendStep is how much of an answer a client must read before the deadline is extended.
const sendStep = 512 << 10

// begin records the status and starts the deadline of the answer, which may have taken
// long to make.
func (w *statusWriter) begin(status int) {
	if w.status == 0 {
		w.status = status
		w.extend()
	}
}

// extend moves the deadline, when a part of it has passed.
func (w *statusWriter) extend() {
	if now := time.Now(); w.until.Sub(now) < w.stall*3/4 {
		_ = w.SetWriteDeadline(now.Add(w.stall))
	}
}

// SetWriteDeadline implements the interface of http.ResponseController.
func (w *statusWriter) SetWriteDeadline(t time.Time) error {
	w.until = t
	return http.NewResponseController(w.ResponseWriter).SetWriteDeadline(t)
}

func (w *statusWriter) WriteHeader(status int) {
	w.begin(status)
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (n int, err error) {
	w.begin(http.StatusOK)
	for len(b) > sendStep {
		m, err := w.ResponseWriter.Write(b[:sendStep])
		n += m
		if err != nil {
			return n, err
		}
		b = b[sendStep:]
		w.extend()
	}
	m, err := w.ResponseWriter.Write(b)
	return n + m, err
}

// steadyWriter moves the deadline with every write, for an answer whose parts come over a long time.
type steadyWriter struct{ *statusWriter }

func (w steadyWriter) Write(b []byte) (int, error) {
	w.extend()
	return w.statusWriter.Write(b)
}

// ReadFrom passes a file to the connection, so that the kernel can send it. The reader is
// unwrapped and wrapped again for each step: net/http recognizes a file only behind one
// limit.
func (w *statusWriter) ReadFrom(r io.Reader) (n int64, err error) {
	w.begin(http.StatusOK)
	left := int64(math.MaxInt64)
	limit, limited := r.(*io.LimitedReader)
	if limited {
		r, left = limit.R, limit.N
	}
	for left > 0 {
		step := io.LimitedReader{R: r, N: min(left, sendStep)}
		m, err := io.Copy(w.ResponseWriter, &step)
		n, left = n+m, left-m
		if limited {
			limit.N = left
		}
		if err != nil || step.N > 0 {
			return n, err
		}
		w.extend()
	}
	return n, nil
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
