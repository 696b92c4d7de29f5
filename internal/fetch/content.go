package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/atelier-project/atelier/internal/filetype"
)

// content reads an answer within the limits of its client.
type content struct {
	client  *Client
	ctx     context.Context
	stop    context.CancelCauseFunc
	release func()
	body    io.ReadCloser
	host    string

	head bytes.Reader // the first bytes, until they have been read
	kind string
	n    int64 // bytes received
	err  error // the error at its end
}

// peek reads the first bytes, which tell the type.
func (c *content) peek() error {
	head := make([]byte, filetype.HeadSize)
	n := 0
	var err error
	for n < len(head) && err == nil {
		var m int
		m, err = c.next(head[n:])
		n += m
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	c.err = err
	c.head.Reset(head[:n])
	if c.kind = filetype.Detect(head[:n]); c.kind == "" {
		c.kind = "application/octet-stream"
	}
	return nil
}

// Read implements io.Reader.
func (c *content) Read(p []byte) (int, error) {
	if c.head.Len() > 0 {
		return c.head.Read(p)
	}
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.next(p)
	c.err = err
	return n, err
}

// next reads from the answer itself. Each read has its own timeout.
func (c *content) next(p []byte) (int, error) {
	// One byte beyond the limit is enough to know that it was passed.
	if left := c.client.opts.MaxBytes + 1 - c.n; int64(len(p)) > left {
		p = p[:left]
	}
	timer := time.AfterFunc(c.client.opts.Idle, func() { c.stop(errIdle) })
	n, err := c.body.Read(p)
	timer.Stop()
	if c.n += int64(n); c.n > c.client.opts.MaxBytes {
		return 0, c.client.tooLarge()
	}
	if err != nil && err != io.EOF { // an answer that is cut short ends with another error
		err = c.client.explain(c.ctx, c.host, err)
	}
	return n, err
}

// Close implements io.Closer.
func (c *content) Close() error {
	c.err = errors.New("fetch: the content is closed")
	c.head.Reset(nil)
	c.release()
	return c.body.Close()
}
