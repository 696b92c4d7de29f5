package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/child"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
	"github.com/atelier-project/atelier/internal/worker/cpu"
)

// workerCommand runs a worker process for a remote service.
type workerCommand struct {
	URL      serviceURL    `help:"The service." env:"ATELIER_URL" default:"http://127.0.0.1:8080" placeholder:"URL"`
	APIKey   apiKey        `help:"API key of an account created with --worker." name:"api-key" env:"ATELIER_API_KEY" required:"" placeholder:"KEY"`
	Backend  string        `help:"What renders: ${enum}." enum:"cpu,comfyui" default:"cpu"`
	Name     string        `help:"Display name; default: the name of this machine." placeholder:"NAME"`
	Network  string        `help:"Which jobs it takes: ${enum}." enum:"fast,relaxed" default:"fast"`
	Models   []string      `help:"Models to offer; default: every model that needs no vendor." placeholder:"ID,…"`
	Capacity *int          `help:"Jobs to render at once; default: 1, or one per ComfyUI server."`
	Timeout  time.Duration `help:"Longest time that a render may take." name:"render-timeout" default:"30m" placeholder:"DURATION"`
	Catalog  path          `help:"Directory of catalog files, as the service has it." placeholder:"DIR"`

	ComfyURL  []string `help:"Address of a ComfyUI server; may be repeated." name:"comfy-url" default:"http://127.0.0.1:8188" placeholder:"URL"`
	Graphs    path     `help:"Directory of your own graphs for ComfyUI." placeholder:"DIR"`
	LoraDir   path     `help:"A directory from which ComfyUI reads LoRAs, made when it is missing; without it no LoRAs are loaded." name:"lora-dir" placeholder:"DIR"`
	LoraCache path     `help:"Where to keep LoRA files; default: the user's cache directory." name:"lora-cache" placeholder:"DIR"`
}

// Run works until SIGINT or SIGTERM, then gives unfinished jobs back.
func (w *workerCommand) Run(ctx context.Context, t terminal) error {
	if w.Capacity != nil && (*w.Capacity < 1 || *w.Capacity > 64) {
		return errors.New("--capacity: must be between 1 and 64")
	}
	if w.Timeout < time.Second {
		return errors.New("--render-timeout: must be at least 1s")
	}
	known, err := catalog.Load(string(w.Catalog))
	if err != nil {
		return fmt.Errorf("--catalog: %w", err)
	}
	models, err := w.models(known)
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
	log := slog.New(slog.NewTextHandler(t.err, nil))
	c := client.New(string(w.URL), string(w.APIKey))
	spec := client.WorkerSpec{Name: name, Network: w.Network, Models: models, Capacity: 1, Version: versionText(), GPU: "none"}
	var renderer worker.Renderer
	if w.Backend == "comfyui" {
		r, err := w.comfy(ctx, c, models, log)
		if ctx.Err() != nil {
			return nil // stopped while it waited for ComfyUI
		}
		if err != nil {
			return err
		}
		defer r.Close()
		defer onHangup(r.Resurvey)()
		if spec.Models, err = w.offered(r, models, t); err != nil {
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
		renderer = child.New(child.Options{Name: cpu.Renderer{}.Name(), Command: child.OwnCommand(), Slots: spec.Capacity, Log: log})
	}
	fmt.Fprintf(t.out, "serving %s with %d models\n", w.URL, len(spec.Models))
	run := &worker.Worker{Client: c, Renderer: renderer, Log: log, Spec: spec, Timeout: worker.Timeouts(w.Timeout, known.FreeTool)}
	return w.URL.explain(run.Run(ctx))
}

// comfy is the renderer for the ComfyUI instances.
func (w *workerCommand) comfy(ctx context.Context, c *client.Client, models []string, log *slog.Logger) (*comfyui.Renderer, error) {
	library, err := comfyui.LoadLibrary(string(w.Graphs))
	if err != nil {
		return nil, fmt.Errorf("--graphs: %w", err)
	}
	cache := string(w.LoraCache)
	if cache == "" && w.LoraDir != "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("--lora-cache: %w", err)
		}
		cache = filepath.Join(user, "atelier", "loras")
	}
	return comfyui.Open(ctx, comfyui.Options{
		URLs: w.ComfyURL, Library: library, Models: models, LoraDir: string(w.LoraDir), LoraCache: cache, Download: c.Download, Log: log,
	})
}

// offered are the requested models that can be rendered. For the others it prints what is
// missing.
func (w *workerCommand) offered(r *comfyui.Renderer, wanted []string, t terminal) ([]string, error) {
	var out []string
	able, missing := r.Models(), r.Missing()
	for _, id := range wanted {
		switch lacks := missing[id]; {
		case slices.Contains(able, id):
			out = append(out, id)
		case len(lacks) > 0:
			fmt.Fprintf(t.err, "%s is not offered: missing %s\n", id, strings.Join(lacks, ", "))
		case len(w.Models) > 0:
			fmt.Fprintf(t.err, "%s is not offered: there is no graph for it\n", id)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no model can be offered: the lines above say what each one lacks")
	}
	return out, nil
}

// models are those named, or all that need no vendor.
func (w *workerCommand) models(known *catalog.Catalog) ([]string, error) {
	if len(w.Models) > 0 {
		for _, id := range w.Models {
			if _, ok := known.Model(id); !ok && !slices.Contains(known.WorkerTools(), id) {
				return nil, fmt.Errorf("--models: there is no model %s in the catalog", strings.TrimSpace(id))
			}
		}
		return w.Models, nil
	}
	return append(known.NativeModels(), known.WorkerTools()...), nil
}
