package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// connections is how many clients ask at once, each on a connection that stays
// open and each waiting for its answer before it asks again.
const connections = 64

// load asks a server the same thing over and over. It shares the machine with
// the server it measures, so it speaks no more HTTP than it must: the request
// is ready-made, and of an answer it reads the status and where it ends.
type load struct {
	clients []*client
	request []byte
}

// request is what a client sends.
func request(path string, headers map[string]string) []byte {
	text := "GET " + path + " HTTP/1.1\r\nHost: bench\r\n"
	for name, value := range headers {
		text += name + ": " + value + "\r\n"
	}
	return []byte(text + "\r\n")
}

// connect opens the connections to a server.
func connect(url string, req []byte, status int) (*load, error) {
	l := &load{request: req}
	for range connections {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			l.close()
			return nil, err
		}
		want := fmt.Appendf(nil, "HTTP/1.1 %d ", status)
		l.clients = append(l.clients, &client{conn: conn, want: want, buffer: make([]byte, 32<<10)})
	}
	return l, nil
}

func (l *load) close() {
	for _, c := range l.clients {
		c.conn.Close()
	}
}

// run asks for some time and returns how many answers came a second.
func (l *load) run(ctx context.Context, d time.Duration) (float64, error) {
	var (
		wg    sync.WaitGroup
		done  atomic.Bool
		total atomic.Int64
		errs  = make([]error, len(l.clients))
	)
	started := time.Now()
	for i, c := range l.clients {
		wg.Go(func() {
			var n int64
			for !done.Load() && errs[i] == nil {
				errs[i] = c.ask(l.request)
				n++
			}
			total.Add(n)
		})
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	done.Store(true)
	wg.Wait()
	rate := float64(total.Load()) / time.Since(started).Seconds()
	if ctx.Err() != nil {
		return rate, ctx.Err()
	}
	for _, err := range errs {
		if err != nil {
			return rate, err // one tells it all: they ask the same thing
		}
	}
	return rate, nil
}

// client is one connection.
type client struct {
	conn   net.Conn
	want   []byte // how an answer begins
	buffer []byte
}

var (
	headEnd = []byte("\r\n\r\n")
	length  = []byte("\r\nContent-Length: ")
)

// ask sends the request and reads the answer.
func (c *client) ask(req []byte) error {
	if _, err := c.conn.Write(req); err != nil {
		return err
	}
	n, head, err := readHead(c.conn, c.buffer)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(c.buffer, c.want) {
		return fmt.Errorf("unexpected answer: %s", c.buffer[:n])
	}
	body, err := bodyLength(c.buffer[:head+len("\r\n")])
	if err != nil {
		return err
	}
	for missing := head + len(headEnd) + body - n; missing > 0; {
		more, err := c.conn.Read(c.buffer[:min(missing, len(c.buffer))])
		if err != nil {
			return err
		}
		missing -= more
	}
	return nil
}

// readHead reads from a connection until the head of an answer is there. It returns
// how much was read, and where the head ends.
func readHead(conn net.Conn, buffer []byte) (n, head int, err error) {
	for head = -1; head < 0; head = bytes.Index(buffer[:n], headEnd) {
		if n == len(buffer) {
			return n, head, errors.New("the head of an answer is too long")
		}
		more, err := conn.Read(buffer[n:])
		if err != nil {
			return n, head, err
		}
		n += more
	}
	return n, head, nil
}

// bodyLength finds how long the body is in the head of an answer.
func bodyLength(head []byte) (int, error) {
	_, value, ok := bytes.Cut(head, length)
	if !ok {
		if bytes.HasPrefix(head, []byte("HTTP/1.1 304 ")) {
			return 0, nil
		}
		return 0, fmt.Errorf("an answer does not say how long it is: %s", head)
	}
	digits, _, _ := bytes.Cut(value, []byte("\r"))
	return strconv.Atoi(string(digits))
}
