package comfyui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/worker"
)

// Options are the settings of a renderer. Zero values have defaults.
type Options struct {
	URLs    []string // of the ComfyUI instances
	Library *Library // the graphs; the program's own by default

	LoraDir   string        // a folder that ComfyUI reads LoRAs from; without it there are none
	LoraCache string        // where LoRA files are kept
	LoraBytes int64         // how much of it: 20 GiB
	LoraAge   time.Duration // how long a file that no job uses is kept: 30 days

	// Download opens an address of the service, as client.Client does.
	Download func(ctx context.Context, url string) (io.ReadCloser, string, error)
	Log      *slog.Logger

	Patience time.Duration // to wait for a ComfyUI that does not answer: 90 seconds
	Sweep    time.Duration // between reads of the history when no frame comes: 5 seconds
	Retry    time.Duration // before connecting again: a quarter of a second
	Longest  time.Duration // of one job: 2 hours
	MaxBytes int64         // of one result: 2 GiB
}

// Renderer renders with ComfyUI. It is safe for concurrent use.
type Renderer struct {
	opts    Options
	pool    *pool
	library *Library
	loras   *loraCache
	strays  sync.WaitGroup
}

// maxLora is the largest LoRA file, as in the service.
const maxLora = 2 << 30

// Open makes a renderer and surveys every ComfyUI. It waits until one answers, or
// ctx ends.
func Open(ctx context.Context, o Options) (*Renderer, error) {
	if len(o.URLs) == 0 {
		return nil, errors.New("no ComfyUI address is given")
	}
	if o.LoraDir != "" && (o.LoraCache == "" || o.Download == nil) {
		return nil, errors.New("LoRAs need a cache directory and a way to fetch them")
	}
	o.LoraBytes, o.LoraAge = cmp.Or(o.LoraBytes, 20<<30), cmp.Or(o.LoraAge, 30*24*time.Hour)
	o.Patience, o.Sweep, o.Retry = cmp.Or(o.Patience, 90*time.Second), cmp.Or(o.Sweep, 5*time.Second), cmp.Or(o.Retry, 250*time.Millisecond)
	o.Longest, o.MaxBytes = cmp.Or(o.Longest, 2*time.Hour), cmp.Or(o.MaxBytes, 2<<30)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Library == nil {
		own, err := LoadLibrary("")
		if err != nil {
			return nil, err
		}
		o.Library = own
	}
	r := &Renderer{opts: o, library: o.Library, pool: &pool{library: o.Library, pace: pace{o.Patience, o.Sweep, o.Retry}}}
	r.loras = &loraCache{
		dir: o.LoraCache, reads: o.LoraDir, bound: o.LoraBytes, limit: maxLora, age: o.LoraAge, open: o.Download,
		held: map[string]int{}, verified: map[string]bool{}, fetches: map[string]chan struct{}{},
	}
	if err := r.loras.prepare(); err != nil {
		return nil, err
	}
	client := &http.Client{Transport: transport()}
	for _, raw := range o.URLs {
		u, err := url.Parse(strings.TrimRight(raw, "/"))
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("--comfy-url: %q is not the address of a ComfyUI server, such as http://127.0.0.1:8188", raw)
		}
		r.pool.instances = append(r.pool.instances, &instance{api: &api{base: u, http: client}})
	}
	if err := r.surveyAll(ctx); err != nil {
		return nil, fmt.Errorf("--comfy-url: %w", err)
	}
	return r, nil
}

// transport has timeouts for a server that accepts a connection and does not
// answer.
func transport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSHandshakeTimeout:   5 * time.Second,
		ResponseHeaderTimeout: time.Minute,
		MaxIdleConnsPerHost:   8,
		IdleConnTimeout:       30 * time.Second,
	}
}

// surveyAll surveys every instance, until one has answered.
func (r *Renderer) surveyAll(ctx context.Context) error {
	for wait := r.opts.Retry; ; wait = min(2*wait, 10*time.Second) {
		var failed error
		met := 0
		for _, i := range r.pool.instances {
			s, err := i.surveyed(ctx, r.library)
			if err != nil {
				failed = err
				r.opts.Log.Warn("query ComfyUI failed", "comfyui", i.api.name(), "error", err)
				continue
			}
			met++
			r.opts.Log.Info("ComfyUI connected", "comfyui", i.api.name(), "version", s.version, "device", s.device, "graphs", len(s.ready))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if met > 0 {
			return nil
		}
		if !isUnreachable(failed) {
			return failed // it answers with an error, which waiting does not change
		}
		if !clock.Sleep(ctx, wait) {
			return ctx.Err()
		}
	}
}

// Close waits for background work of ended jobs.
func (r *Renderer) Close() {
	r.strays.Wait()
	for _, i := range r.pool.instances {
		i.api.http.CloseIdleConnections()
	}
}

// Name implements worker.Renderer.
func (r *Renderer) Name() string { return "comfyui" }

// Capacity is how many jobs can be rendered at once.
func (r *Renderer) Capacity() int { return len(r.pool.instances) }

// Models lists the models that an instance can render now.
func (r *Renderer) Models() []string {
	ids := map[string]bool{}
	for _, s := range r.surveys() {
		for p := range s.ready {
			ids[p.model] = true
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// Missing lists, for each model that no instance can render, what is missing: for
// the instance and the graph that lack the least.
func (r *Renderer) Missing() map[string][]string {
	out := map[string][]string{}
	able := r.Models()
	for _, s := range r.surveys() {
		for p, missing := range s.missing {
			if best, ok := out[p.model]; !slices.Contains(able, p.model) && (!ok || len(missing) < len(best)) {
				out[p.model] = missing
			}
		}
	}
	return out
}

// Loaded are the models that the instances rendered last, which they are likely
// to have in memory.
func (r *Renderer) Loaded() []string {
	ids := map[string]bool{}
	for _, i := range r.pool.instances {
		i.mu.Lock()
		if i.model != "" {
			ids[i.model] = true
		}
		i.mu.Unlock()
	}
	return slices.Sorted(maps.Keys(ids))
}

// Device names the devices that render.
func (r *Renderer) Device() string {
	var names []string
	for _, s := range r.surveys() {
		if s.device != "" {
			names = append(names, s.device)
		}
	}
	return strings.Join(names, ", ")
}

func (r *Renderer) surveys() (out []*survey) {
	for _, i := range r.pool.instances {
		i.mu.Lock()
		if i.survey != nil {
			out = append(out, i.survey)
		}
		i.mu.Unlock()
	}
	return out
}

var _ worker.Renderer = (*Renderer)(nil)
