package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit"
	"github.com/atelier-project/atelier/internal/machine"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/child"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
	comfyprocess "github.com/atelier-project/atelier/internal/worker/comfyui/process"
	"github.com/atelier-project/atelier/internal/worker/remote"
)

// workerCommand runs a worker process for a remote service.
type workerCommand struct {
	service
	Backend  string        `help:"What renders: ${enum}." enum:"cpu,comfyui,openai-images,sdcpp" default:"cpu"`
	Name     string        `help:"Display name; default: the name of this machine." placeholder:"NAME"`
	Network  string        `help:"Which jobs it takes: ${enum}." enum:"fast,relaxed" default:"fast"`
	Models   []string      `help:"Models to offer; default: every model that needs no vendor. For an image server, ID=NAME gives the server's name for it." placeholder:"ID,…"`
	Capacity *int          `help:"Jobs to render at once; default: 1, or one per ComfyUI server."`
	Timeout  time.Duration `help:"Longest time that a render may take." name:"render-timeout" default:"30m" placeholder:"DURATION"`
	Catalog  path          `help:"Directory of catalog files, as the service has it." placeholder:"DIR"`
	LogLevel slog.Level    `help:"Least level of the log: debug, info, warn or error." name:"log-level" default:"info" placeholder:"LEVEL"`

	ComfyURL  []string `help:"Address of a ComfyUI server; may be repeated. Default: http://127.0.0.1:8188, unless --comfyui-command is given." name:"comfy-url" placeholder:"URL"`
	Command   text     `help:"Start ComfyUI on this machine for each of --gpus and restart it when it ends: a command with {port} and, if needed, {gpu}." name:"comfyui-command" placeholder:"COMMAND"`
	GPUs      []string `help:"GPUs for --comfyui-command, as in CUDA_VISIBLE_DEVICES; default: 0." name:"gpus" placeholder:"GPU,…"`
	Port      int      `help:"Port of the first ComfyUI of --comfyui-command; the others get the next ones." name:"comfyui-port" default:"8188" placeholder:"PORT"`
	Output    path     `help:"Output directory of the ComfyUI servers that --comfy-url names, when it is on this machine: the worker removes its own results there once it has them." name:"comfyui-output" placeholder:"DIR"`
	Graphs    path     `help:"Directory of your own graphs for ComfyUI." placeholder:"DIR"`
	LoraDir   path     `help:"A directory from which ComfyUI reads LoRAs, made when it is missing; without it no LoRAs are loaded." name:"lora-dir" placeholder:"DIR"`
	LoraCache path     `help:"Where to keep LoRA files; default: the user's cache directory." name:"lora-cache" placeholder:"DIR"`

	ImageURL serviceURL `help:"Address of an image server, for the backends openai-images and sdcpp." name:"image-url" placeholder:"URL"`
	ImageKey string     `help:"API key of the image server, if it needs one." name:"image-api-key" env:"ATELIER_IMAGE_API_KEY" placeholder:"KEY"`
}

// Run works until SIGINT or SIGTERM, then gives unfinished jobs back.
func (w *workerCommand) Run(ctx context.Context, t terminal) error {
	if _, err := w.connect(); err != nil {
		return err
	}
	if w.Capacity != nil && (*w.Capacity < 1 || *w.Capacity > 64) {
		return errors.New("--capacity: must be between 1 and 64")
	}
	if w.Timeout < time.Second {
		return errors.New("--render-timeout: must be at least 1s")
	}
	if err := w.checkBackend(); err != nil {
		return err
	}
	known, err := catalog.Load(string(w.Catalog))
	if err != nil {
		return fmt.Errorf("--catalog: %w", err)
	}
	models, err := w.models(known)
	if err != nil {
		return err
	}
	library, err := w.library(known, t)
	if err != nil {
		return err
	}
	name := w.Name
	if name == "" {
		if name, err = os.Hostname(); err != nil {
			name = "worker"
		}
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	log := slog.New(slog.NewTextHandler(t.err, &slog.HandlerOptions{Level: w.LogLevel}))
	c := client.New(string(w.URL), string(w.APIKey))
	spec := apitype.WorkerSpec{Name: name, Network: atelier.Network(w.Network), Models: models, Capacity: 1, Version: versionText(), GPU: "none"}
	var renderer worker.Renderer
	note := "" // about models that are not offered
	switch {
	case w.isImageServer():
		r, err := w.imageServer(known, log)
		if err != nil {
			return err
		}
		if r.Await(ctx) != nil {
			return nil // stopped while it waited for the server
		}
		renderer, spec.GPU = r, "" // the API does not name it
	case w.Backend == "comfyui":
		defer onHangup(func() {})() // it must not end the program while ComfyUI starts
		managed, err := w.startComfy(ctx, log)
		if ctx.Err() != nil {
			return nil // stopped while ComfyUI started
		}
		if err != nil {
			return err
		}
		if managed != nil {
			defer managed.Close()
		}
		r, err := w.comfy(ctx, c, library, models, managed, log)
		if ctx.Err() != nil {
			return nil // stopped while it waited for ComfyUI
		}
		if err != nil {
			return err
		}
		defer r.Close()
		defer onHangup(r.Resurvey)()
		if spec.Models, note, err = w.offered(r, models, t); err != nil {
			return err
		}
		spec.Capacity = r.Capacity()
		renderer, spec.GPU = r, r.Device()
	}
	if w.Capacity != nil {
		spec.Capacity = *w.Capacity
	}
	if renderer == nil {
		spec.Fallback = true // the CPU worker is a fallback for models that it does not have
		renderer = child.New(child.Options{Name: kit.Renderer{}.Name(), Command: child.OwnCommand(), Slots: spec.Capacity, Log: log})
	}
	run := &worker.Worker{Client: c, Renderer: renderer, Log: log, Spec: spec, Timeout: worker.Timeouts(w.Timeout, known.FreeTool)}
	run.Machine = machineOf(renderer)
	run.Connected = sync.OnceFunc(func() {
		fmt.Fprintf(t.out, "serving %s with %d models: %s%s\n", w.URL, len(spec.Models), strings.Join(spec.Models, ", "), note)
	})
	return w.explain(run.Run(ctx))
}

// explain says of a model that the service refused whose catalog lacks it.
func (w *workerCommand) explain(err error) error {
	var refused *client.Error
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
		field, _ := refused.Details["field"].(string)
		_, quoted, _ := strings.Cut(refused.Message, `"`)
		id, _, found := strings.Cut(quoted, `"`)
		if strings.HasPrefix(field, "models[") && found {
			return fmt.Errorf("the catalog of the service has no model %s, although that of this worker has: add it there too, and restart the service (%w)", id, err)
		}
	}
	return w.URL.explain(err)
}

// machineOf measures the machine of a renderer: of one that does not know it, the disk of this one.
func machineOf(r worker.Renderer) func(context.Context) apitype.Machine {
	if m, ok := r.(worker.Measured); ok {
		return m.Machine
	}
	return func(context.Context) (m apitype.Machine) {
		m.Renderer = r.Name()
		if free, total, err := machine.Space(os.TempDir()); err == nil && free <= total {
			m.DiskFreeBytes, m.DiskTotalBytes = &free, &total
		}
		return m
	}
}

// checkBackend refuses flags that the backend does not use.
func (w *workerCommand) checkBackend() error {
	switch {
	case w.Command != "" && w.Backend != "comfyui":
		return errors.New("--comfyui-command: needs --backend comfyui")
	case w.Output != "" && w.Backend != "comfyui":
		return errors.New("--comfyui-output: needs --backend comfyui")
	case len(w.GPUs) > 0 && w.Command == "":
		return errors.New("--gpus: needs --comfyui-command")
	case w.ImageURL != "" && !w.isImageServer():
		return errors.New("--image-url: needs --backend openai-images or sdcpp")
	}
	return nil
}

// startComfy starts ComfyUI processes, if asked to, and adds their addresses.
func (w *workerCommand) startComfy(ctx context.Context, log *slog.Logger) (*comfyprocess.Processes, error) {
	if w.Command == "" {
		if len(w.ComfyURL) == 0 {
			w.ComfyURL = []string{"http://127.0.0.1:8188"}
		}
		return nil, nil
	}
	if len(w.GPUs) == 0 {
		w.GPUs = []string{"0"}
	}
	if w.Port < 1 || w.Port+len(w.GPUs) > 1<<16 {
		return nil, errors.New("--comfyui-port: must be a port, and followed by one for each GPU")
	}
	p, err := comfyprocess.Start(ctx, comfyprocess.Options{Command: string(w.Command), GPUs: w.GPUs, Port: w.Port, Log: log})
	if err != nil {
		return nil, fmt.Errorf("--comfyui-command: %w", err)
	}
	w.ComfyURL = append(p.URLs(), w.ComfyURL...)
	return p, nil
}

// library are the graphs for ComfyUI. It prints which of the operator's models no catalog has, so
// that no job can ask for them.
func (w *workerCommand) library(known *catalog.Catalog, t terminal) (*comfyui.Library, error) {
	if w.Backend != "comfyui" {
		return nil, nil
	}
	library, err := comfyui.LoadLibrary(string(w.Graphs))
	if err != nil {
		return nil, fmt.Errorf("--graphs: %w", err)
	}
	for _, id := range library.Models() {
		if _, ok := known.Model(id); !ok && !slices.Contains(known.WorkerTools(), id) {
			fmt.Fprintf(t.err, "%s: the graph is there, but no catalog has a model of this name: add it to the catalog of the service, and name the same directory here with --catalog\n", id)
		}
	}
	return library, nil
}

// comfy is the renderer for the ComfyUI instances.
func (w *workerCommand) comfy(ctx context.Context, c *client.Client, library *comfyui.Library, models []string, managed *comfyprocess.Processes, log *slog.Logger) (*comfyui.Renderer, error) {
	if w.Output != "" {
		if info, err := os.Stat(string(w.Output)); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("--comfyui-output: there is no directory %s", w.Output)
		}
	}
	cache := string(w.LoraCache)
	if cache == "" && w.LoraDir != "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("--lora-cache: %w", err)
		}
		cache = filepath.Join(user, "atelier", "loras")
	}
	o := comfyui.Options{
		URLs: w.ComfyURL, Library: library, Models: models, LoraDir: string(w.LoraDir), LoraCache: cache, Download: c.Download, Log: log, Outputs: map[string]string{},
		Devices: w.GPUs, // those that --comfyui-command starts come first
	}
	if w.Output != "" {
		for _, url := range w.ComfyURL {
			o.Outputs[url] = string(w.Output)
		}
	}
	if managed != nil {
		maps.Copy(o.Outputs, managed.Outputs())
		o.Restart = managed.Restart
	}
	return comfyui.Open(ctx, o)
}

// offered are the requested models that can be rendered. It prints what is missing for
// graphs of these. What is missing for the others is printed for models that --models
// names, at the level debug, and when none can be offered; otherwise the note counts them.
func (w *workerCommand) offered(r *comfyui.Renderer, wanted []string, t terminal) (out []string, note string, err error) {
	var without []string // lines about the others
	able, missing, partial := r.Models(), r.Missing(), r.Partial()
	for _, id := range wanted {
		switch lacks := missing[id]; {
		case slices.Contains(able, id):
			out = append(out, id)
			for _, graph := range slices.Sorted(maps.Keys(partial[id])) {
				fmt.Fprintf(t.err, "%s is offered without its graph %s: missing %s\n", id, graph, strings.Join(partial[id][graph], ", "))
			}
		case len(lacks) > 0:
			without = append(without, fmt.Sprintf("%s is not offered: missing %s\n", id, strings.Join(lacks, ", ")))
		default:
			without = append(without, fmt.Sprintf("%s is not offered: there is no graph for it\n", id))
		}
	}
	if len(without) == 0 {
		return out, "", nil
	}
	note = fmt.Sprintf("; %d are not offered", len(without))
	if len(out) == 0 || len(w.Models) > 0 || w.LogLevel <= slog.LevelDebug {
		fmt.Fprint(t.err, strings.Join(without, ""))
	} else {
		note += " (run with --log-level debug to see why)"
	}
	if len(out) == 0 {
		return nil, "", errors.New("no model can be offered: the lines above say what each one lacks")
	}
	return out, note, nil
}

// models are those named, or all that need no vendor.
func (w *workerCommand) models(known *catalog.Catalog) (ids []string, err error) {
	if len(w.Models) == 0 {
		return append(known.NativeModels(), known.WorkerTools()...), nil
	}
	for _, entry := range w.Models {
		id, _ := w.splitModel(entry)
		if _, ok := known.Model(id); !ok && !slices.Contains(known.WorkerTools(), id) {
			return nil, fmt.Errorf("--models: there is no model %s in the catalog", strings.TrimSpace(id))
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// splitModel divides an entry of --models into the id and the image server's name for
// it, by default the same.
func (w *workerCommand) splitModel(entry string) (id, name string) {
	if id, name, found := strings.Cut(entry, "="); found && w.isImageServer() {
		return id, name
	}
	return entry, entry
}

func (w *workerCommand) isImageServer() bool {
	return w.Backend == "openai-images" || w.Backend == "sdcpp"
}

// imageTools are the tools that an image server does.
var imageTools = []string{"generate_image", "edit_image"}

// imageServer is the renderer for an image server of the operator.
func (w *workerCommand) imageServer(known *catalog.Catalog, log *slog.Logger) (*remote.Renderer, error) {
	if w.ImageURL == "" {
		return nil, fmt.Errorf("--image-url: must be given for --backend %s", w.Backend)
	}
	if len(w.Models) == 0 {
		return nil, fmt.Errorf("--models: must be given for --backend %s: the server cannot tell which model of the catalog it has loaded", w.Backend)
	}
	o := remote.Options{
		Name: w.Backend, BaseURL: string(w.ImageURL), Key: w.ImageKey, Local: true, Extended: w.Backend == "sdcpp", Timeout: w.Timeout, Editor: kit.Renderer{}, Log: log,
	}
	if u, err := url.Parse(o.BaseURL); err == nil && strings.Trim(u.Path, "/") == "" {
		o.BaseURL = u.JoinPath("v1").String()
	}
	for _, entry := range w.Models {
		id, name := w.splitModel(entry)
		m, ok := known.Model(id)
		if !ok || m.Vendor != "" || !slices.ContainsFunc(imageTools, func(tool string) bool { _, does := m.Selectors[tool]; return does }) {
			return nil, fmt.Errorf("--models: %s is not a native model that makes or edits images", id)
		}
		o.Models = append(o.Models, remote.Model{Model: m, VendorID: name})
	}
	r, err := remote.Open(o)
	if err != nil {
		return nil, fmt.Errorf("--image-url: %w", err)
	}
	return r, nil
}
