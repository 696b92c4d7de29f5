package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// caller is one client of a gateway: a connection that stays open, on which it
// waits for each answer before it asks again. It shares the machine with what
// it measures, so it speaks no more HTTP than it must; unlike a client of load
// it also reads answers that come in pieces.
type caller struct {
	conn  net.Conn
	in    *bufio.Reader
	quit  func() bool // stops waiting for the end of the context
	began time.Time
	first time.Duration // until the first byte of the last answer's body
	keep  *bytes.Buffer // where the body goes; nil when it is not read
}

// dial connects to a gateway. The connection ends with ctx.
func (g *gateway) dial(ctx context.Context) (*caller, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", g.address)
	if err != nil {
		return nil, err
	}
	return &caller{conn: conn, in: bufio.NewReaderSize(conn, 4<<10), quit: context.AfterFunc(ctx, func() { conn.Close() })}, nil
}

func (c *caller) close() {
	c.quit()
	c.conn.Close()
}

// ask sends a request and reads its answer to the end.
func (c *caller) ask(request []byte) error {
	c.began, c.first = time.Now(), 0
	if err := c.conn.SetDeadline(c.began.Add(patience)); err != nil {
		return err
	}
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	status, size, err := c.head()
	if err != nil {
		return err
	}
	if status != 200 {
		_ = c.conn.SetDeadline(time.Now().Add(time.Second))
		said, _ := c.in.Peek(min(max(size, 300), c.in.Size()))
		return fmt.Errorf("it answered %d: %s", status, said)
	}
	if size >= 0 {
		return c.take(size)
	}
	for {
		text, err := c.line()
		if err != nil {
			return err
		}
		digits, _, _ := bytes.Cut(text, []byte(";"))
		n, err := strconv.ParseInt(string(bytes.TrimSpace(digits)), 16, 32)
		if err != nil {
			return fmt.Errorf("a piece does not say how long it is: %w", err)
		}
		if err := c.take(int(n)); err != nil {
			return err
		}
		if text, err = c.line(); err != nil {
			return err
		}
		if len(text) > 0 {
			return fmt.Errorf("a piece does not end where it said: %q", text)
		}
		if n == 0 {
			return nil
		}
	}
}

// line reads a line without its end. It is good until the next read.
func (c *caller) line() ([]byte, error) {
	text, err := c.in.ReadSlice('\n')
	return bytes.TrimRight(text, "\r\n"), err
}

// head reads the head of an answer: its status, and its length or -1 when it
// comes in pieces.
func (c *caller) head() (status, size int, err error) {
	text, err := c.line()
	if err != nil {
		return 0, 0, err
	}
	if _, err := fmt.Sscanf(string(text), "HTTP/1.1 %d", &status); err != nil {
		return 0, 0, fmt.Errorf("no HTTP answer: %q", text)
	}
	size = -2
	for {
		text, err := c.line()
		if err != nil {
			return 0, 0, err
		}
		if len(text) == 0 {
			break
		}
		name, value, _ := bytes.Cut(text, []byte(":"))
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if size, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, 0, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			size = -1
		}
	}
	if size == -2 {
		return status, 0, errors.New("an answer does not say how long it is")
	}
	return status, size, nil
}

// take reads so much of a body.
func (c *caller) take(n int) error {
	if c.first == 0 && n > 0 {
		if _, err := c.in.Peek(1); err != nil {
			return err
		}
		c.first = time.Since(c.began)
	}
	if c.keep != nil {
		_, err := io.CopyN(c.keep, c.in, int64(n))
		return err
	}
	_, err := c.in.Discard(n)
	return err
}

// check asks once and holds the answer against what the mock says: a gateway
// that drops or changes something is not compared.
func (g *gateway) check(ctx context.Context, k gatewayCase) error {
	c, err := g.dial(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	c.keep = &bytes.Buffer{}
	if err := c.ask(g.request(k)); err != nil {
		return err
	}
	type part struct{ Content string }
	var content strings.Builder
	for text := range strings.SplitSeq(c.keep.String(), "\n") {
		if k.stream {
			var data bool
			if text, data = strings.CutPrefix(text, "data:"); !data || strings.TrimSpace(text) == "[DONE]" {
				continue
			}
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		var said struct {
			Choices []struct{ Message, Delta part }
		}
		if err := json.Unmarshal([]byte(text), &said); err != nil {
			return fmt.Errorf("%w in %q", err, text)
		}
		for _, choice := range said.Choices {
			content.WriteString(choice.Message.Content + choice.Delta.Content)
		}
	}
	if want := mockContent(k.size); content.String() != want {
		return fmt.Errorf("it answered %d bytes that are not the %d of the model", content.Len(), len(want))
	}
	return nil
}

// calls is what clients saw in one turn.
type calls struct {
	whole []float64 // milliseconds to the end of an answer
	first []float64 // and to its first byte
	rate  float64   // answers a second
	cpu   float64   // of the gateway, microseconds an answer; 0 when it is not known
}

// turn has a number of clients send requests concurrently for some time, each on
// its own connection: servers close those that were idle while it was the others' turn.
func (g *gateway) turn(ctx context.Context, k gatewayCase, many int, d time.Duration) (out calls, err error) {
	clients := make([]*caller, many)
	defer func() {
		for _, c := range clients {
			if c != nil {
				c.close()
			}
		}
	}()
	// Not all at once: the queue of a listener has an end.
	var wg sync.WaitGroup
	errs := make([]error, many)
	for who := range min(openers, many) {
		wg.Go(func() {
			for i := who; i < many; i += openers {
				clients[i], errs[i] = g.dial(ctx)
			}
		})
	}
	wg.Wait()
	if err := firstOf(errs); err != nil {
		return out, fmt.Errorf("%s: %w", g.name, err)
	}
	var (
		request = g.request(k)
		each    = make([]calls, many)
		before  = g.used()
		began   = time.Now()
	)
	for i, c := range clients {
		wg.Go(func() {
			for time.Since(began) < d && errs[i] == nil {
				errs[i] = c.ask(request)
				each[i].whole = append(each[i].whole, milliseconds(time.Since(c.began)))
				each[i].first = append(each[i].first, milliseconds(c.first))
			}
		})
	}
	wg.Wait()
	took, used := time.Since(began), g.used()-before
	for _, one := range each {
		out.whole, out.first = append(out.whole, one.whole...), append(out.first, one.first...)
	}
	out.rate = float64(len(out.whole)) / took.Seconds()
	out.cpu = float64(used.Microseconds()) / float64(len(out.whole))
	if err := ctx.Err(); err != nil {
		return out, err
	}
	if err := firstOf(errs); err != nil {
		return out, fmt.Errorf("%s: %w", g.name, err)
	}
	return out, nil
}

// firstOf is one of many errors. It tells it all: they ask the same thing.
func firstOf(errs []error) error {
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
