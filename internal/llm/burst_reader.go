package llm

import (
	"bytes"
	"net"
	"sync"
)

// burstReader reads a connection in parts of what its reader has space for. When a part has filled that, as much as has
// arrived behind it is read at once: a server that is faster than its readers then costs a call of the system, and
// everything that comes after a read, for many parts. The buffer for that is held only while there is something in it.
type burstReader struct {
	conn   net.Conn
	filled bool // the last read had no space for more
	buffer *[burst]byte
	rest   []byte // of buffer, to be read
}

// burst is how much is read at once. It bounds what a client may get beyond the end of its money.
const burst = 32 << 10

var burstBuffers = sync.Pool{New: func() any { return new([burst]byte) }}

func (r *burstReader) Read(p []byte) (n int, err error) {
	if r.filled && len(r.rest) == 0 {
		r.fill()
	}
	if len(r.rest) == 0 {
		n, err = r.conn.Read(p)
		r.filled = n == len(p)
		return n, err
	}
	n = copy(p, r.rest)
	if r.rest = r.rest[n:]; len(r.rest) == 0 {
		r.release()
	}
	return n, nil
}

// fill reads what has arrived. An error is left for the next read.
func (r *burstReader) fill() {
	r.buffer = burstBuffers.Get().(*[burst]byte)
	n, _ := readNow(r.conn, r.buffer[:])
	if r.rest = r.buffer[:n]; n == 0 {
		r.filled = false
		r.release()
	}
}

// release gives the buffer back. It reports whether nothing was left to be read.
func (r *burstReader) release() (clean bool) {
	clean = len(r.rest) == 0
	if r.buffer != nil {
		burstBuffers.Put(r.buffer)
		r.buffer, r.rest = nil, nil
	}
	return clean
}

// hasEvent reports whether at least a part of an event has arrived, so that the next read does not wait. An empty line
// is never part of what HTTP puts around the parts of a body.
func (r *burstReader) hasEvent() bool { return bytes.Contains(r.rest, emptyLine) }

var emptyLine = []byte("\n\n")
