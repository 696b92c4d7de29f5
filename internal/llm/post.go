package llm

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/atelier-project/atelier"
)

// post sends a request that is no conversation to the server, and returns its answer, which has at most a number of
// bytes. Lacks makes the error of a server that has no such path.
func (u *Upstream) post(ctx context.Context, x Exchange, path, contentType string, body []byte, most int64, lacks func() error) (text []byte, err error) {
	began := time.Now()
	defer func() {
		x.Took, x.Err = time.Since(began), err
		u.opts.Observe(ctx, x)
	}()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(u.opts.First, func() { cancel(errSlow) })
	defer watch.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.opts.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", contentType)
	u.authorize(req)
	resp, err := u.http.Do(req)
	if err != nil {
		return nil, u.failed(ctx, err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusNotImplemented:
		u.breaker.succeeded() // the server works
		return nil, lacks()
	default:
		return nil, u.refused(resp)
	}
	text, err = io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err == nil && int64(len(text)) > most {
		err = invalidAnswer("it is too long")
	}
	if err != nil {
		return nil, u.failed(ctx, err)
	}
	u.breaker.succeeded()
	return text, nil
}

// errCannot says what a model cannot do.
func errCannot(m Model, format string) error {
	e := atelier.Errorf(atelier.CodeInvalidRequest, format, m.ID)
	e.Field = "model"
	return e
}
