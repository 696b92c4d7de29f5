package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// rawConn is a connection for one request after the other. Like load it shares the
// machine with what it measures and speaks no more HTTP than it must, but it
// sends many requests and reads the answers.
type rawConn struct {
	conn    net.Conn
	quit    func() bool // stops waiting for the end of the context
	key     string
	out, in []byte
}

// patience is how long an answer may take: longer than any claim waits.
const patience = time.Minute

// dialRaw connects to a server. The connection ends with ctx.
func dialRaw(ctx context.Context, url, key string) (*rawConn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return nil, err
	}
	return &rawConn{conn: conn, key: key, quit: context.AfterFunc(ctx, func() { conn.Close() }), in: make([]byte, 16<<10)}, nil
}

// dialAll opens many connections to a server, with the keys in turn.
func dialAll(ctx context.Context, url string, keys []string, many int) ([]*rawConn, error) {
	var conns []*rawConn
	for i := range many {
		l, err := dialRaw(ctx, url, keys[i%len(keys)])
		if err != nil {
			closeAll(conns)
			return nil, err
		}
		conns = append(conns, l)
	}
	return conns, nil
}

func closeAll(conns []*rawConn) {
	for _, l := range conns {
		l.close()
	}
}

func (l *rawConn) close() {
	l.quit()
	l.conn.Close()
}

// send writes a request. The headers are whole lines, or empty.
func (l *rawConn) send(method, path, headers string, body []byte) error {
	out := append(l.out[:0], method...)
	out = append(append(append(out, ' '), path...), " HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer "...)
	out = append(append(append(out, l.key...), "\r\n"...), headers...)
	if body != nil {
		out = append(strconv.AppendInt(append(out, "Content-Length: "...), int64(len(body)), 10), "\r\n"...)
	}
	l.out = append(append(out, "\r\n"...), body...)
	if err := l.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	_, err := l.conn.Write(l.out)
	return err
}

// jsonBody is the header of requests with JSON.
const jsonBody = "Content-Type: application/json\r\n"

// ask sends a request and reads its answer, which is good until the next one.
func (l *rawConn) ask(method, path, headers string, body []byte) (status int, answer []byte, err error) {
	if err := l.send(method, path, headers, body); err != nil {
		return 0, nil, err
	}
	n, head, err := readHead(l.conn, l.in)
	if err != nil {
		return 0, nil, err
	}
	first := []byte("HTTP/1.1 ")
	if !bytes.HasPrefix(l.in, first) || n < len(first)+3 {
		return 0, nil, fmt.Errorf("no HTTP answer: %q", l.in[:min(n, 80)])
	}
	if status, err = strconv.Atoi(string(l.in[len(first) : len(first)+3])); err != nil {
		return 0, nil, err
	}
	size := 0
	if status != 204 {
		if size, err = bodyLength(l.in[:head+len("\r\n")]); err != nil {
			return 0, nil, err
		}
	}
	begin := head + len(headEnd)
	if missing := begin + size - len(l.in); missing > 0 {
		l.in = append(l.in, make([]byte, missing)...)
	}
	for n < begin+size {
		more, err := l.conn.Read(l.in[n : begin+size])
		if err != nil {
			return 0, nil, err
		}
		n += more
	}
	return status, l.in[begin : begin+size], nil
}

// want is ask for an answer that must have a status.
func (l *rawConn) want(status int, method, path, headers string, body []byte) ([]byte, error) {
	got, answer, err := l.ask(method, path, headers, body)
	if err == nil && got != status {
		err = fmt.Errorf("%s %s: got %d, want %d: %s", method, path, got, status, answer)
	}
	return answer, err
}

// value finds a string of a JSON answer by its name: the first of that name,
// which is enough for the answers that are read here. Ids have no escapes.
func value(answer []byte, name string) string {
	_, rest, _ := bytes.Cut(answer, []byte(`"`+name+`":"`))
	text, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(text)
}
