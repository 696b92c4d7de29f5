package llm

import (
	"bufio"
	"context"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// plainHTTPPool is the connections to a server next door, in plain HTTP/1.1. They do what http.Transport does for such a server with neither
// goroutines nor buffers of their own: a request is written and its answer read
// by the one who waits for it. With thousands in flight that is most of their
// memory, and at any time a good part of the delay.
type plainHTTPPool struct {
	address string
	head    []byte // of every request, up to its length
	dialer  net.Dialer

	mu       sync.Mutex
	idle     []*pooledConn // the latest used is the last
	sweeping bool
}

// pooledConn is one connection.
type pooledConn struct {
	conn  net.Conn
	since time.Time // when it was last used
}

// What is kept, and how much is read.
const (
	maxIdleLines  = 8192
	lineIdle      = time.Minute // a server that waits less has closed it, which is seen
	maxAnswerHead = 1 << 20
	lineLinger    = time.Second // for the end of an answer that is complete: nobody waits for it
)

// newLineup makes lines to a server, or nil when it takes more than plain
// HTTP/1.1 to reach it.
func newLineup(o UpstreamOptions) *plainHTTPPool {
	at, err := url.Parse(o.BaseURL + "/chat/completions")
	if err != nil || at.Scheme != "http" || at.Host == "" || at.User != nil {
		return nil
	}
	req, err := http.NewRequest(http.MethodPost, at.String(), nil)
	if err != nil {
		return nil
	}
	if proxy, err := http.ProxyFromEnvironment(req); proxy != nil || err != nil {
		return nil
	}
	port := at.Port()
	if port == "" {
		port = "80"
	}
	l := &plainHTTPPool{address: net.JoinHostPort(at.Hostname(), port), dialer: net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}}
	l.head = append(l.head, "POST "+at.RequestURI()+" HTTP/1.1\r\nHost: "+at.Host+"\r\nUser-Agent: atelier\r\nContent-Type: application/json\r\n"...)
	if o.APIKey != "" {
		l.head = append(l.head, "Authorization: Bearer "+o.APIKey+"\r\n"...)
	}
	l.head = append(l.head, "Content-Length: "...)
	return l
}

// send sends a request and waits for the head of its answer. A line that the
// server has closed meanwhile is replaced by a new one.
func (l *plainHTTPPool) send(ctx context.Context, body []byte) (*http.Response, error) {
	for {
		c, used, err := l.take(ctx)
		if err != nil {
			return nil, err
		}
		resp, heard, err := l.ask(ctx, c, body)
		if err == nil || !used || heard || ctx.Err() != nil {
			return resp, err
		}
	}
}

// heads are the readers of answers. Lines that are idle have none.
var heads = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4<<10) }}

// ask sends a request on a line. heard reports whether anything came back.
func (l *plainHTTPPool) ask(ctx context.Context, c *pooledConn, body []byte) (resp *http.Response, heard bool, err error) {
	b := &lineBody{plainHTTPPool: l, line: c, limit: io.LimitedReader{R: c.conn, N: maxAnswerHead}}
	b.stop = context.AfterFunc(ctx, func() { _ = c.conn.SetDeadline(time.Unix(1, 0)) })
	head := append(strconv.AppendInt(append(make([]byte, 0, len(l.head)+16), l.head...), int64(len(body)), 10), "\r\n\r\n"...)
	request := net.Buffers{head, body}
	if _, err = request.WriteTo(c.conn); err != nil {
		b.drop()
		return nil, false, err
	}
	b.in = heads.Get().(*bufio.Reader)
	b.in.Reset(&b.limit)
	for {
		if _, err = b.in.Peek(1); err != nil {
			break
		}
		heard = true
		resp, err = http.ReadResponse(b.in, nil)
		if err == nil && resp.StatusCode >= 200 {
			b.limit.N = math.MaxInt64
			b.ReadCloser, b.last = resp.Body, resp.Close
			resp.Body = b
			return resp, true, nil
		}
		if err != nil {
			break
		}
	}
	b.drop()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return nil, heard, err
}

// lineBody is the body of an answer.
type lineBody struct {
	io.ReadCloser
	plainHTTPPool *plainHTTPPool
	line          *pooledConn
	in            *bufio.Reader
	limit         io.LimitedReader
	stop          func() bool // stops waiting for the end of the context
	last          bool        // the server closes the line
	ended         bool        // it was read to its end
	complete      bool        // nothing that matters follows
}

func (b *lineBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.ended = b.ended || err == io.EOF
	return n, err
}

// Close keeps the line for the next request, when nothing more comes on it.
func (b *lineBody) Close() error {
	switch {
	case b.in == nil: // it was closed before
	case b.last || !b.ended && !b.complete || !b.stop():
		b.drop()
	case b.ended:
		b.keep()
	default: // the end is on its way, and the caller need not wait for it
		go func() {
			_ = b.line.conn.SetReadDeadline(time.Now().Add(lineLinger))
			_, _ = io.CopyN(io.Discard, b, maxTrailer)
			if !b.ended || b.line.conn.SetReadDeadline(time.Time{}) != nil {
				b.drop()
				return
			}
			b.keep()
		}()
	}
	return nil
}

// release gives the reader back. What it still holds is nobody's.
func (b *lineBody) release() (clean bool) {
	if b.in == nil {
		return true
	}
	clean = b.in.Buffered() == 0
	b.in.Reset(nil)
	heads.Put(b.in)
	b.in = nil
	return clean
}

func (b *lineBody) drop() {
	b.stop()
	b.release()
	_ = b.line.conn.Close()
}

func (b *lineBody) keep() {
	if !b.release() || !b.plainHTTPPool.put(b.line) {
		_ = b.line.conn.Close()
	}
}

// take finds an idle line, or dials. used reports which.
func (l *plainHTTPPool) take(ctx context.Context) (c *pooledConn, used bool, err error) {
	for c = l.pop(); c != nil; c = l.pop() {
		if alive(c.conn) {
			return c, true, nil
		}
		_ = c.conn.Close()
	}
	conn, err := l.dial(ctx)
	if err != nil {
		return nil, false, err
	}
	return &pooledConn{conn: conn}, false, nil
}

// dial opens a connection. It takes a deep stack, which the goroutine of a
// request would keep as long as it waits for its answer; another one gives it
// back at once.
func (l *plainHTTPPool) dial(ctx context.Context) (conn net.Conn, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err = l.dialer.DialContext(ctx, "tcp", l.address)
	}()
	<-done
	return conn, err
}

// pop takes the line that was used last, or nil.
func (l *plainHTTPPool) pop() *pooledConn {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.idle)
	if n == 0 {
		return nil
	}
	c := l.idle[n-1]
	l.idle[n-1] = nil
	l.idle = l.idle[:n-1]
	return c
}

// put keeps a line, unless there are enough.
func (l *plainHTTPPool) put(c *pooledConn) bool {
	c.since = time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.idle) >= maxIdleLines {
		return false
	}
	l.idle = append(l.idle, c)
	if !l.sweeping {
		l.sweeping = true
		time.AfterFunc(lineIdle, l.sweep)
	}
	return true
}

// sweep closes lines that nobody has used for long.
func (l *plainHTTPPool) sweep() {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := 0
	for old < len(l.idle) && time.Since(l.idle[old].since) >= lineIdle/2 {
		_ = l.idle[old].conn.Close()
		old++
	}
	l.idle = append([]*pooledConn(nil), l.idle[old:]...)
	if l.sweeping = len(l.idle) > 0; l.sweeping {
		time.AfterFunc(lineIdle/2, l.sweep)
	}
}

// close lets go of idle lines.
func (l *plainHTTPPool) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.idle {
		_ = c.conn.Close()
	}
	l.idle = nil
}
