package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// Patience is how long an answer may take: longer than any claim waits, and than a clip takes on a busy machine.
const Patience = 5 * time.Minute

// Conn is one client: a connection that stays open, on which it waits for each answer before it asks again.
type Conn struct {
	conn    net.Conn
	in      *bufio.Reader
	quit    func() bool // stops waiting for the end of the context
	headers string      // of requests that are not ready-made: whole lines
	out     []byte
	answer  []byte
	first   time.Duration
}

// JSON is the header of requests with JSON.
const JSON = "Content-Type: application/json\r\n"

// Bearer is the header of a credential.
func Bearer(key string) string { return "Authorization: Bearer " + key + "\r\n" }

// Dial connects to a server, such as http://127.0.0.1:8080. The connection ends with ctx. The headers go with each
// request that is not ready-made.
func Dial(ctx context.Context, url, headers string) (*Conn, error) {
	return dial(ctx, url, headers, 16<<10)
}

// dial is Dial with a size of the buffer for answers.
func dial(ctx context.Context, url, headers string, size int) (*Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return nil, err
	}
	quit := context.AfterFunc(ctx, func() { conn.Close() })
	return &Conn{conn: conn, in: bufio.NewReaderSize(conn, size), quit: quit, headers: headers}, nil
}

// DialStream connects for streams: thousands may be open, so the buffer is small.
func DialStream(ctx context.Context, url, headers string) (*Conn, error) {
	return dial(ctx, url, headers, 1<<10)
}

// Openers is how many connections are opened at once: the queue of a listener has an end.
const Openers = 32

// DialAll opens many connections, with the headers in turn.
func DialAll(ctx context.Context, url string, many int, headers ...string) ([]*Conn, error) {
	conns := make([]*Conn, many)
	err := Together(min(Openers, many), func(who int) (err error) {
		for i := who; i < many && err == nil; i += Openers {
			conns[i], err = Dial(ctx, url, headers[i%len(headers)])
		}
		return err
	})
	if err != nil {
		CloseAll(conns)
		return nil, err
	}
	return conns, nil
}

// CloseAll closes those that were opened.
func CloseAll(conns []*Conn) {
	for _, c := range conns {
		if c != nil {
			c.Close()
		}
	}
}

// Close ends the connection.
func (c *Conn) Close() {
	c.quit()
	c.conn.Close()
}

// First is how long after its request the first byte of the last answer's body came.
func (c *Conn) First() time.Duration { return c.first }

// Request makes a request. The headers are whole lines.
func Request(method, path, headers string, body []byte) []byte {
	return appendRequest(nil, method, path, headers, body)
}

func appendRequest(to []byte, method, path, headers string, body []byte) []byte {
	to = append(append(append(append(to, method...), ' '), path...), " HTTP/1.1\r\nHost: bench\r\n"...)
	to = append(to, headers...)
	if body != nil {
		to = append(strconv.AppendInt(append(to, "Content-Length: "...), int64(len(body)), 10), "\r\n"...)
	}
	return append(append(to, "\r\n"...), body...)
}

// Answer is a whole answer. Its body is good until the next request.
type Answer struct {
	Status    int
	Type, Tag string // Content-Type and ETag
	Body      []byte
}

// Ask makes and sends a request, and reads the answer.
func (c *Conn) Ask(method, path, headers string, body []byte) (a Answer, err error) {
	c.out = appendRequest(c.out[:0], method, path, c.headers+headers, body)
	rest, err := c.send(c.out, &a)
	if err != nil {
		return a, err
	}
	for c.answer = c.answer[:0]; ; {
		n, err := rest.next()
		if err == io.EOF {
			a.Body = c.answer
			return a, nil
		}
		if err != nil {
			return a, err
		}
		from := len(c.answer)
		c.answer = append(c.answer, make([]byte, n)...)
		if _, err := io.ReadFull(rest, c.answer[from:]); err != nil {
			return a, err
		}
	}
}

// Want is Ask for an answer that must have a status.
func (c *Conn) Want(status int, method, path, headers string, body []byte) ([]byte, error) {
	a, err := c.Ask(method, path, headers, body)
	if err == nil && a.Status != status {
		err = fmt.Errorf("%s %s: got %d, want %d: %s", method, path, a.Status, status, a.Body)
	}
	return a.Body, err
}

// Repeat sends a ready-made request and reads its answer to the end, which must have the status.
func (c *Conn) Repeat(request []byte, status int) error {
	began := time.Now()
	c.first = 0
	rest, err := c.send(request, nil)
	if err != nil {
		return err
	}
	if rest.status != status {
		_ = c.conn.SetDeadline(time.Now().Add(time.Second))
		text, _ := io.ReadAll(io.LimitReader(rest, 300))
		return fmt.Errorf("it answered %d: %s", rest.status, text)
	}
	for {
		n, err := rest.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if c.first == 0 {
			c.first = time.Since(began)
		}
		if _, err := c.in.Discard(n); err != nil {
			return err
		}
		rest.left -= n
	}
}

// ErrEnough ends Follow without an error.
var ErrEnough = errors.New("the reader has seen enough")

// Forever is for streams that do not end.
const Forever time.Duration = 0

// Follow reads a stream of events line by line until it ends, but no longer than some time, or until each fails. After
// ErrEnough the connection is of no more use.
func (c *Conn) Follow(path string, limit time.Duration, each func(line []byte) error) error {
	c.out = appendRequest(c.out[:0], "GET", path, c.headers+"Accept: text/event-stream\r\n", nil)
	rest, err := c.send(c.out, nil)
	if err != nil {
		return err
	}
	if rest.status != 200 {
		text, _ := io.ReadAll(io.LimitReader(rest, 1<<10))
		return fmt.Errorf("GET %s: got %d: %s", path, rest.status, text)
	}
	end := time.Time{}
	if limit != Forever {
		end = time.Now().Add(limit)
	}
	if err := c.conn.SetDeadline(end); err != nil {
		return err
	}
	lines := bufio.NewScanner(rest)
	lines.Buffer(make([]byte, 1<<10), 4<<20)
	for lines.Scan() {
		if err := each(lines.Bytes()); err == ErrEnough {
			return nil
		} else if err != nil {
			return err
		}
	}
	return lines.Err()
}

// send writes a request and reads the head of its answer.
func (c *Conn) send(request []byte, a *Answer) (*body, error) {
	if err := c.conn.SetDeadline(time.Now().Add(Patience)); err != nil {
		return nil, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return nil, err
	}
	return readHead(c.in, a)
}

// body is the rest of an answer: as long as its head says, or in chunks.
type body struct {
	in      *bufio.Reader
	status  int
	left    int // of the body, or of this chunk
	chunked bool
	begun   bool // a chunk was read
}

var errLength = errors.New("an answer does not say how long it is")

// readHead reads the head of an answer, and into a, unless it is nil, what it says of the body.
func readHead(in *bufio.Reader, a *Answer) (*body, error) {
	text, err := line(in)
	if err != nil {
		return nil, err
	}
	digits, isHTTP := bytes.CutPrefix(text, []byte("HTTP/1.1 "))
	if !isHTTP || len(digits) < 3 {
		return nil, fmt.Errorf("no HTTP answer: %q", text)
	}
	b := &body{in: in, left: -1}
	if b.status, err = strconv.Atoi(string(digits[:3])); err != nil {
		return nil, err
	}
	if a != nil {
		a.Status = b.status
	}
	for {
		text, err := line(in)
		if err != nil {
			return nil, err
		}
		if len(text) == 0 {
			break
		}
		name, value, _ := bytes.Cut(text, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if b.left, err = strconv.Atoi(string(value)); err != nil {
				return nil, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			b.chunked = true
		case a != nil && bytes.EqualFold(name, []byte("Content-Type")):
			a.Type = string(value)
		case a != nil && bytes.EqualFold(name, []byte("ETag")):
			a.Tag = string(value)
		}
	}
	switch {
	case b.chunked, b.status == 204, b.status == 304:
		b.left = 0
	case b.left < 0:
		return nil, errLength
	}
	return b, nil
}

// line reads a line without its end. It is good until the next read.
func line(in *bufio.Reader) ([]byte, error) {
	text, err := in.ReadSlice('\n')
	return bytes.TrimRight(text, "\r\n"), err
}

// next waits until there is more of the body, and returns how much is left of it or of its chunk: io.EOF at its end.
func (b *body) next() (int, error) {
	if b.left == 0 && !b.chunked {
		return 0, io.EOF
	}
	if b.left == 0 {
		if b.begun {
			if text, err := line(b.in); err != nil || len(text) > 0 {
				return 0, fmt.Errorf("a chunk does not end where it said: %q %w", text, err)
			}
		}
		text, err := line(b.in)
		if err != nil {
			return 0, err
		}
		digits, _, _ := bytes.Cut(text, []byte(";"))
		n, err := strconv.ParseInt(string(bytes.TrimSpace(digits)), 16, 32)
		if err != nil {
			return 0, fmt.Errorf("a chunk does not say how long it is: %w", err)
		}
		b.begun, b.left = true, int(n)
		if n == 0 {
			b.chunked = false
			if _, err = line(b.in); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
	}
	_, err := b.in.Peek(1)
	return b.left, err
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.next()
	if err != nil {
		return 0, err
	}
	n, err = b.in.Read(p[:min(n, len(p))])
	b.left -= n
	return n, err
}
