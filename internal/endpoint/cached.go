package endpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/wire"
)

// Cached makes a handler of a public read whose answer may be as old as ttl. The answer is
// encoded once for each distinct request, has an ETag, and a client that has it gets a
// 304. The number of distinct requests must be bounded, since each answer is cached;
// errors are not.
func Cached[Q comparable, R any](ttl time.Duration, fn func(*Call, Q) (R, error)) Handler {
	h := Handle(fn)
	h.cached = true
	pages := pageCache[Q]{ttl: ttl}
	h.run = func(c *Call, read func(any) error) (any, error) {
		var q Q
		if err := read(&q); err != nil {
			return nil, err
		}
		return pages.get(q, c.Now, func() (any, error) { return fn(c, q) })
	}
	return h
}

// page is an encoded answer.
type page struct {
	body    []byte
	etag    []string
	control []string
	length  []string
	until   time.Time
}

// pageCache caches the answers of one endpoint.
type pageCache[Q comparable] struct {
	ttl   time.Duration
	mu    sync.RWMutex
	pages map[Q]*page
}

func (p *pageCache[Q]) get(q Q, now time.Time, build func() (any, error)) (*page, error) {
	p.mu.RLock()
	kept := p.pages[q]
	p.mu.RUnlock()
	if kept != nil && now.Before(kept.until) {
		return kept, nil
	}
	// Several requests may rebuild an expired answer at once: the work is small, and none
	// of them waits for another.
	data, err := build()
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if err := wire.Write(&body, success{Status: "success", Data: data}); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body.Bytes())
	fresh := &page{
		body: body.Bytes(), etag: []string{`"` + hex.EncodeToString(sum[:12]) + `"`},
		control: []string{fmt.Sprintf("public, max-age=%d", int(p.ttl.Seconds()))},
		length:  []string{strconv.Itoa(body.Len())},
		until:   now.Add(p.ttl),
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pages == nil {
		p.pages = map[Q]*page{}
	}
	p.pages[q] = fresh
	return fresh, nil
}

// send writes the page, or a 304 to a client that has it.
func (p *page) send(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	h["Etag"] = p.etag
	h["Cache-Control"] = p.control
	if matches(r.Header["If-None-Match"], p.etag[0]) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h["Content-Type"] = jsonType
	h["Content-Length"] = p.length
	w.WriteHeader(status)
	_, _ = w.Write(p.body) // a client that left needs no answer
}

// matches reports whether an If-None-Match header names the tag. The weak
// comparison is the right one for it.
func matches(headers []string, etag string) bool {
	for _, header := range headers {
		for tag := range strings.SplitSeq(header, ",") {
			tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
			if tag == etag || tag == "*" {
				return true
			}
		}
	}
	return false
}
