package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/worker"
)

// Options are the settings of a renderer. Zero values have defaults.
type Options struct {
	Name    string
	BaseURL string
	Key     string            // sent only to the base URL
	Headers map[string]string // of every request; {{key}} is the key. A bearer token when nil, unless the adapter sends the key
	Models  []Model

	// Adapter is the protocol of a vendor that queues renders. Without one the
	// vendor has the OpenAI images API, and IdempotencyHeader is its header for
	// idempotency keys, if any.
	Adapter           *Adapter
	IdempotencyHeader string

	// Local says that the server is the operator's own and charges nothing: there are
	// no receipts, and a render whose outcome is unknown is dropped, to be tried again.
	// It is for the images API. With Extended the server is that of
	// stable-diffusion.cpp, and gets its own arguments too.
	Local, Extended bool

	// Editor joins clips and reads masks.
	Editor worker.Editor

	AllowPrivate bool // results may also be read from machines that are not on the public Internet
	Log          *slog.Logger

	Timeout    time.Duration // of one request: a minute, or ten for images
	Patience   time.Duration // with one render: an hour
	RetryFor   time.Duration // until a busy vendor must accept a request: two minutes
	Backoff    time.Duration // before the first retry: a second
	Stall      time.Duration // without a valid status: two minutes
	CancelWait time.Duration // to wait for the final status of a cancelled render: half a minute
	StopWait   time.Duration // to wait for an answer when the worker stops: five seconds
	MaxBytes   int64         // of one result: 512 MiB

	// Dial connects to the vendor's host in the place of the network, which is for tests.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Model is a model of the catalog, and the vendor's name for it.
type Model struct {
	*catalog.Model
	VendorID string
}

// Renderer renders with one vendor. It is safe for concurrent use.
type Renderer struct {
	opts   Options
	models map[string]Model
	api    *vendorClient
	web    *fetch.Client // reads addresses that the vendor names
	near   *fetch.Client // the same on the vendor's own host

	observe func(vendor, model string, took time.Duration, err error) // may be nil
}

// Open makes a renderer. It sends no request.
func Open(o Options) (*Renderer, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Host == "" {
		return nil, errors.New("base_url: must be an http or https URL")
	}
	calls := time.Minute
	if o.Adapter == nil {
		calls = 10 * time.Minute
	}
	o.Timeout, o.Patience, o.RetryFor = cmp.Or(o.Timeout, calls), cmp.Or(o.Patience, time.Hour), cmp.Or(o.RetryFor, 2*time.Minute)
	o.Backoff, o.Stall, o.CancelWait = cmp.Or(o.Backoff, time.Second), cmp.Or(o.Stall, 2*time.Minute), cmp.Or(o.CancelWait, 30*time.Second)
	o.StopWait, o.MaxBytes = cmp.Or(o.StopWait, 5*time.Second), cmp.Or(o.MaxBytes, 512<<20)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Headers == nil && o.Key != "" && !o.Adapter.Keyed() {
		o.Headers = map[string]string{"Authorization": "Bearer {{key}}"}
	}
	r := &Renderer{opts: o, models: map[string]Model{}, api: &vendorClient{
		base: base, key: o.Key, headers: map[string]text{}, timeout: o.Timeout,
		http: &http.Client{Transport: newTransport(o.Dial), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}}
	for name, value := range o.Headers {
		if r.api.headers[name], err = parseText(value); err != nil {
			return nil, fmt.Errorf("headers.%s: %w", name, err)
		}
	}
	for _, m := range o.Models {
		r.models[m.ID] = m
	}
	bounds := fetch.Options{AllowPrivate: o.AllowPrivate, MaxBytes: o.MaxBytes, Timeout: 15 * time.Minute}
	r.web = fetch.New(bounds)
	bounds.AllowPrivate, bounds.MaxRedirects, bounds.Dial = true, -1, o.Dial
	r.near = fetch.New(bounds)
	return r, nil
}

// Name implements worker.Renderer.
func (r *Renderer) Name() string {
	if r.opts.Local {
		return r.opts.Name
	}
	return "vendor/" + r.opts.Name
}

// idempotent reports whether the vendor recognises a repeated request.
func (r *Renderer) idempotent() bool { return r.idempotencyHeader() != "" }

func (r *Renderer) idempotencyHeader() string {
	if r.opts.Adapter != nil {
		return r.opts.Adapter.IdempotencyHeader
	}
	return r.opts.IdempotencyHeader
}

// Observe sets a function that is called when a render has ended, before the first one begins.
func (r *Renderer) Observe(f func(vendor, model string, took time.Duration, err error)) {
	r.observe = f
}

// Render implements worker.Renderer.
func (r *Renderer) Render(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	m, ok := r.models[t.ModelID]
	if !ok {
		return nil, dropped("The vendor %s does not render %s.", r.opts.Name, t.ModelID)
	}
	began := time.Now()
	outputs, err := r.render(ctx, t, m)
	if r.observe != nil {
		r.observe(r.opts.Name, t.ModelID, time.Since(began), err)
	}
	r.opts.Log.Debug("vendor render ended", "vendor", r.opts.Name, "job", t.JobID, "model", t.ModelID, "made", len(outputs), "error", err, "took", time.Since(began))
	return outputs, err
}

func (r *Renderer) render(ctx context.Context, t worker.Task, m Model) ([]worker.Output, error) {
	switch {
	case r.opts.Adapter != nil:
		return r.renderQueue(ctx, t, m)
	case r.opts.Local:
		return r.renderLocal(ctx, t, m)
	}
	return r.renderImages(ctx, t, m)
}

// prompt is that of an artifact: some tools have one for each.
func prompt(t worker.Task, i int) string {
	if list, ok := t.Arguments["prompts"].([]any); ok && len(list) > 0 {
		s, _ := list[min(i, len(list)-1)].(string)
		return s
	}
	s, _ := t.Arguments["prompt"].(string)
	return s
}

// number is a numeric argument; 0 when it is not given.
func number(t worker.Task, name string) float64 {
	f, _ := t.Arguments[name].(float64)
	return f
}

var _ worker.Renderer = (*Renderer)(nil)
