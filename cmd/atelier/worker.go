package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/cpu"
)

// workerCommand runs a worker process against a service elsewhere.
type workerCommand struct {
	URL      string   `help:"The service." env:"ATELIER_URL" default:"http://127.0.0.1:8080" placeholder:"URL"`
	APIKey   string   `help:"API key of an account created with --worker." name:"api-key" env:"ATELIER_API_KEY" required:"" placeholder:"KEY"`
	Backend  string   `help:"What renders: ${enum}." enum:"cpu" default:"cpu"`
	Name     string   `help:"A name for people; default: the name of this machine." placeholder:"NAME"`
	Network  string   `help:"Which jobs it takes: ${enum}." enum:"fast,relaxed" default:"fast"`
	Models   []string `help:"The models it offers; default: every model that needs no vendor." placeholder:"ID,…"`
	Capacity int      `help:"Jobs at once." default:"1"`
	Catalog  path     `help:"Directory of catalog files, as the service has it." placeholder:"DIR"`
}

// Run works until SIGINT or SIGTERM, then gives back what it has not finished.
func (w *workerCommand) Run(ctx context.Context, t terminal) error {
	if w.Capacity < 1 || w.Capacity > 64 {
		return errors.New("--capacity: must be between 1 and 64")
	}
	models, err := w.models()
	if err != nil {
		return err
	}
	name := w.Name
	if name == "" {
		if name, err = os.Hostname(); err != nil {
			name = "worker"
		}
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	log := slog.New(slog.NewTextHandler(t.err, nil))
	fmt.Fprintf(t.out, "working for %s with %d models\n", w.URL, len(models))
	return (&worker.Worker{
		Client: client.New(w.URL, w.APIKey), Renderer: cpu.Renderer{}, Log: log,
		Spec: client.WorkerSpec{Name: name, Network: w.Network, Models: models, Capacity: w.Capacity, Version: versionText(), GPU: "none"},
	}).Run(ctx)
}

// models are those named, or all that need no vendor.
func (w *workerCommand) models() ([]string, error) {
	known, err := catalog.Load(string(w.Catalog))
	if err != nil {
		return nil, fmt.Errorf("--catalog: %w", err)
	}
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
