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

// plainHTTPPool is a pool of connections to one server in plain HTTP/1.1. Unlike
// those of http.Transport they have no goroutines and no buffers of their own: the
// goroutine that waits for an answer writes the request and reads the answer. With
// thousands of requests in flight that saves most of their memory, and always a
// good part of the delay.
type plainHTTPPool struct {
	address string
	head    []byte // of every request, up to its length
	dialer  net.Dialer

	mu       sync.Mutex
	idle     []*pooledConn // the last one was used most recently
	sweeping bool
}

// pooledConn is one connection.
type pooledConn struct {
	conn  net.Conn
	since time.Time // when it was last used
}

const (
	maxIdleConns   = 8192
	connIdle       = time.Minute // a server with a shorter timeout closes the connection, which isAlive notices
	maxAnswerHead  = 1 << 20
	trailerTimeout = time.Second // for the end of a complete answer, in the background
)

// newPlainHTTPPool makes the pool of a server, or returns nil when it needs more
// than plain HTTP/1.1, such as TLS or a proxy.
func newPlainHTTPPool(o UpstreamOptions) *plainHTTPPool {
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

// send sends a request and waits for the head of its answer. When the server has
// closed a used connection without an answer, send tries another.
func (l *plainHTTPPool) send(ctx context.Context, body []byte) (*http.Response, error) {
	for {
		c, used, err := l.get(ctx)
		if err != nil {
			return nil, err
		}
		resp, answered, err := l.ask(ctx, c, body)
		if err == nil || !used || answered || ctx.Err() != nil {
			return resp, err
		}
	}
}

// heads are the readers of answers. Idle connections have none.
var heads = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4<<10) }}

// ask sends a request on a connection. answered reports whether any byte came back.
func (l *plainHTTPPool) ask(ctx context.Context, c *pooledConn, body []byte) (resp *http.Response, answered bool, err error) {
	b := &pooledBody{plainHTTPPool: l, conn: c, burst: burstReader{conn: c.conn}}
	b.limit = io.LimitedReader{R: &b.burst, N: maxAnswerHead}
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
		answered = true
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
	return nil, answered, err
}

// pooledBody is the body of an answer.
type pooledBody struct {
	io.ReadCloser
	plainHTTPPool *plainHTTPPool
	conn          *pooledConn
	in            *bufio.Reader
	limit         io.LimitedReader
	burst         burstReader
	stop          func() bool // stops waiting for the end of the context
	last          bool        // the server closes the connection
	ended         bool        // it was read to its end
	complete      bool        // only the end of the body may follow
}

func (b *pooledBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.ended = b.ended || err == io.EOF
	return n, err
}

// Close returns the connection to the pool, when nothing more comes on it.
func (b *pooledBody) Close() error {
	switch {
	case b.in == nil: // it was closed before
	case b.last || !b.ended && !b.complete || !b.stop():
		b.drop()
	case b.ended:
		b.returnConn()
	default: // the end is still to come, and the caller need not wait for it
		go func() {
			_ = b.conn.conn.SetReadDeadline(time.Now().Add(trailerTimeout))
			_, _ = io.CopyN(io.Discard, b, maxTrailer)
			if !b.ended || b.conn.conn.SetReadDeadline(time.Time{}) != nil {
				b.drop()
				return
			}
			b.returnConn()
		}()
	}
	return nil
}

// release gives the reader back. It reports whether no byte was left in it.
func (b *pooledBody) release() (clean bool) {
	if b.in == nil {
		return true
	}
	clean = b.burst.release() && b.in.Buffered() == 0
	b.in.Reset(nil)
	heads.Put(b.in)
	b.in = nil
	return clean
}

func (b *pooledBody) drop() {
	b.stop()
	b.release()
	_ = b.conn.conn.Close()
}

func (b *pooledBody) returnConn() {
	if !b.release() || !b.plainHTTPPool.addIdle(b.conn) {
		_ = b.conn.conn.Close()
	}
}

// get returns an idle connection, or dials. used reports which.
func (l *plainHTTPPool) get(ctx context.Context) (c *pooledConn, used bool, err error) {
	for c = l.pop(); c != nil; c = l.pop() {
		if isAlive(c.conn) {
			return c, true, nil
		}
		_ = c.conn.Close()
	}
	conn, err := l.dialer.DialContext(ctx, "tcp", l.address)
	if err != nil {
		return nil, false, err
	}
	return &pooledConn{conn: conn}, false, nil
}

// pop takes the connection that was used most recently, or nil.
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

// addIdle adds a connection to the idle ones, unless there are enough.
func (l *plainHTTPPool) addIdle(c *pooledConn) bool {
	c.since = time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.idle) >= maxIdleConns {
		return false
	}
	l.idle = append(l.idle, c)
	if !l.sweeping {
		l.sweeping = true
		time.AfterFunc(connIdle, l.sweep)
	}
	return true
}

// sweep closes connections that have been idle for long.
func (l *plainHTTPPool) sweep() {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := 0
	for old < len(l.idle) && time.Since(l.idle[old].since) >= connIdle/2 {
		_ = l.idle[old].conn.Close()
		old++
	}
	l.idle = append([]*pooledConn(nil), l.idle[old:]...)
	if l.sweeping = len(l.idle) > 0; l.sweeping {
		time.AfterFunc(connIdle/2, l.sweep)
	}
}

func (l *plainHTTPPool) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.idle {
		_ = c.conn.Close()
	}
	l.idle = nil
}
