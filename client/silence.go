package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// ErrSilent says that the service accepted a connection and then sent nothing for too long.
var ErrSilent = errors.New("it accepts connections, but does not answer")

// The longest silence of a service: of an answer, and of a stream, which has heartbeats.
const (
	maxSilence       = 2 * time.Minute
	maxStreamSilence = 5 * time.Minute
)

// send sends a request. It fails with ErrSilent when the service takes nothing of the request and sends
// nothing of the answer for too long. The time that the caller needs to give the one and read the
// other does not count.
func (c *Client) send(req *http.Request, longest time.Duration) (*http.Response, error) {
	if longest <= 0 {
		return c.HTTP.Do(req)
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	w := &watch{longest: longest, timer: time.AfterFunc(longest, func() { cancel(ErrSilent) })}
	w.explain = func(err error) error {
		if err != nil && context.Cause(ctx) == ErrSilent {
			return &url.Error{Op: req.Method, URL: req.URL.Redacted(), Err: fmt.Errorf("%w: nothing came for %s", ErrSilent, longest)}
		}
		return err
	}
	req = req.WithContext(ctx)
	if req.Body != nil && req.Body != http.NoBody {
		req.Body = sent{req.Body, w}
	}
	resp, err := c.HTTP.Do(req)
	w.answered.Store(true)
	w.timer.Stop()
	if err != nil {
		defer cancel(nil)
		return nil, w.explain(err)
	}
	resp.Body = received{resp.Body, w, func() { cancel(nil) }}
	return resp, nil
}

// watch measures the silence of a service.
type watch struct {
	timer    *time.Timer
	longest  time.Duration
	answered atomic.Bool // the rest of the request does not matter any more
	explain  func(error) error
}

// sent is the body of a request. What the caller needs to make it is not the silence of the service.
type sent struct {
	io.ReadCloser
	watch *watch
}

func (s sent) Read(b []byte) (int, error) {
	if !s.watch.answered.Load() {
		s.watch.timer.Stop()
		defer s.watch.timer.Reset(s.watch.longest)
	}
	return s.ReadCloser.Read(b)
}

// received is the body of an answer.
type received struct {
	io.ReadCloser
	watch *watch
	end   func()
}

func (r received) Read(b []byte) (int, error) {
	r.watch.timer.Reset(r.watch.longest)
	defer r.watch.timer.Stop()
	n, err := r.ReadCloser.Read(b)
	if err == io.EOF {
		return n, err
	}
	return n, r.watch.explain(err)
}

func (r received) Close() error {
	defer r.end()
	return r.ReadCloser.Close()
}
