package loratest

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// Behaviour answers in the place of a stage, or in front of it.
type Behaviour func(next http.Handler) http.Handler

func answerWith(f http.HandlerFunc) Behaviour { return func(http.Handler) http.Handler { return f } }

// Times applies a behaviour to the first n requests only.
func Times(n int, b Behaviour) Behaviour {
	var seen atomic.Int64
	return func(next http.Handler) http.Handler {
		if seen.Add(1) > int64(n) {
			return next
		}
		return b(next)
	}
}

// After applies a behaviour to all but the first n requests.
func After(n int, b Behaviour) Behaviour {
	var seen atomic.Int64
	return func(next http.Handler) http.Handler {
		if seen.Add(1) <= int64(n) {
			return next
		}
		return b(next)
	}
}

// Status answers with a status, a Retry-After and a page of HTML.
func Status(status int) Behaviour {
	return answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<html>An error.</html>")
	})
}

// Redirect redirects to an address.
func Redirect(to string) Behaviour {
	return answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	})
}

// Send answers every request with the same content, and pays no attention to ranges.
func Send(contentType string, content []byte) Behaviour {
	return answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(content)
	})
}

// Chunked answers with content whose length is not declared.
func Chunked(content []byte) Behaviour {
	return answerWith(func(w http.ResponseWriter, _ *http.Request) {
		_ = http.NewResponseController(w).Flush()
		_, _ = w.Write(content)
	})
}

// Gzip answers with compressed content.
func Gzip(content []byte) Behaviour {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(content)
	_ = z.Close()
	return answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(b.Bytes())
	})
}

// Endless sends zeros for ever.
func Endless() Behaviour {
	return answerWith(func(w http.ResponseWriter, _ *http.Request) {
		for block := make([]byte, 64<<10); ; {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
}

// Drip declares a length and sends n bytes at a time, with a pause before each.
func Drip(length, n int, pause time.Duration) Behaviour {
	return answerWith(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(length))
		for sent := 0; sent < length; sent += n {
			select {
			case <-r.Context().Done():
				return
			case <-time.After(pause):
			}
			if _, err := w.Write(make([]byte, min(n, length-sent))); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	})
}

// Hang answers with nothing until the client goes.
func Hang() Behaviour {
	return answerWith(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

// Break closes the connection after n bytes of the content.
func Break(n int) Behaviour {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(&breaking{ResponseWriter: w, left: n}, r)
		})
	}
}

type breaking struct {
	http.ResponseWriter
	left  int
	until <-chan struct{} // nil for a connection that breaks at once
}

func (b *breaking) Unwrap() http.ResponseWriter { return b.ResponseWriter }

func (b *breaking) Write(p []byte) (int, error) {
	if len(p) < b.left {
		b.left -= len(p)
		return b.ResponseWriter.Write(p)
	}
	_, _ = b.ResponseWriter.Write(p[:b.left])
	_ = http.NewResponseController(b.ResponseWriter).Flush()
	if b.until != nil {
		<-b.until
	}
	panic(http.ErrAbortHandler)
}

// Stall sends n bytes of the content, and nothing more until the client leaves.
func Stall(n int) Behaviour {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(&breaking{ResponseWriter: w, left: n, until: r.Context().Done()}, r)
		})
	}
}

// SetHeader sets a header of the answer, or removes it when its value is empty.
func SetHeader(name, value string) Behaviour {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(&changing{ResponseWriter: w, name: name, value: value}, r)
		})
	}
}

type changing struct {
	http.ResponseWriter
	name, value string
}

func (c *changing) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *changing) WriteHeader(status int) {
	c.Header().Del(c.name)
	if c.value != "" {
		c.Header().Set(c.name, c.value)
	}
	c.ResponseWriter.WriteHeader(status)
}

// Replace serves other content, with ranges and its own ETag.
func Replace(content []byte) Behaviour {
	return answerWith(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", strconv.Quote(contentSum(content)))
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	})
}
