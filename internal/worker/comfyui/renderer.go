package comfyui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/machine"
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

	Models []string // to offer; by default every one that can be rendered

	Patience time.Duration // to wait for a ComfyUI that does not answer: 2 minutes
	Sweep    time.Duration // between reads of the history when no frame comes, and between checks whether ComfyUI answers: 5 seconds
	Survey   time.Duration // between reads of the nodes and files of ComfyUI: 5 minutes
	Retry    time.Duration // before connecting again: a quarter of a second
	Longest  time.Duration // of one job: 2 hours
	MaxBytes int64         // of one result: 2 GiB

	Outputs map[string]string // output directories of instances on this machine, by address: results are removed there once they are fetched
	Restart func(url string)  // starts the ComfyUI at an address again, whose driver is broken; may be nil
	Scratch string            // a directory for files of the worker; the system's by default
	// Devices are the GPUs that were chosen for the first instances, as in CUDA_VISIBLE_DEVICES.
	Devices []string

	// GPUs lists the GPUs of this machine; by default NVIDIA's driver does.
	GPUs func(context.Context) ([]machine.GPU, error)

	// Dial connects to ComfyUI in the place of the network, which is for tests.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Renderer renders with ComfyUI. It is safe for concurrent use.
type Renderer struct {
	opts    Options
	pool    *pool
	library *Library
	loras   *loraCache
	brief   brief
	strays  sync.WaitGroup
	stop    context.CancelFunc // ends the watch
	survey  chan struct{}      // asks for a survey now

	mu      sync.Mutex
	state   worker.State  // as it was last announced
	changed chan struct{} // closed when the state changes
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
	o.Patience, o.Sweep, o.Retry = cmp.Or(o.Patience, 2*time.Minute), cmp.Or(o.Sweep, 5*time.Second), cmp.Or(o.Retry, 250*time.Millisecond)
	o.Survey = cmp.Or(o.Survey, 5*time.Minute)
	o.Longest, o.MaxBytes = cmp.Or(o.Longest, 2*time.Hour), cmp.Or(o.MaxBytes, 2<<30)
	if o.GPUs == nil {
		o.GPUs = machine.NewLister().GPUs
	}
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
	r := &Renderer{
		opts: o, library: o.Library, pool: &pool{library: o.Library, pace: pace{o.Patience, o.Sweep, o.Retry}},
		survey: make(chan struct{}, 1), changed: make(chan struct{}),
	}
	r.loras = &loraCache{
		dir: o.LoraCache, reads: o.LoraDir, bound: o.LoraBytes, limit: maxLora, age: o.LoraAge, open: o.Download,
		held: map[string]int{}, verified: map[string]bool{}, fetches: map[string]chan struct{}{},
	}
	if err := r.loras.prepare(); err != nil {
		return nil, err
	}
	client := &http.Client{Transport: transport(o.Dial)}
	for _, raw := range o.URLs {
		u, err := url.Parse(strings.TrimRight(raw, "/"))
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("--comfy-url: %q is not the address of a ComfyUI server, such as http://127.0.0.1:8188", raw)
		}
		i := &instance{api: &api{base: u, http: client}, log: o.Log, output: o.Outputs[raw], changed: r.update}
		if o.Restart != nil {
			i.restart = func() { o.Restart(raw) }
		}
		r.pool.instances = append(r.pool.instances, i)
	}
	if err := r.surveyAll(ctx); err != nil {
		return nil, fmt.Errorf("--comfy-url: %w", err)
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.strays.Go(func() { r.watch(watching) })
	return r, nil
}

// transport has timeouts for a server that accepts a connection and does not
// answer.
func transport(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Transport {
	if dial == nil {
		dial = (&net.Dialer{Timeout: 5 * time.Second}).DialContext
	}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dial,
		TLSHandshakeTimeout:   5 * time.Second,
		ResponseHeaderTimeout: time.Minute,
		MaxIdleConnsPerHost:   8,
		IdleConnTimeout:       30 * time.Second,
	}
}

// Close waits for background work of ended jobs.
func (r *Renderer) Close() {
	r.stop()
	r.strays.Wait()
	for _, i := range r.pool.instances {
		i.api.http.CloseIdleConnections()
	}
}

// Name implements worker.Renderer.
func (r *Renderer) Name() string { return "comfyui" }

// Capacity is how many jobs can be rendered at once.
func (r *Renderer) Capacity() int { return len(r.pool.instances) }

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

var (
	_ worker.Monitored = (*Renderer)(nil)
	_ worker.Measured  = (*Renderer)(nil)
)
