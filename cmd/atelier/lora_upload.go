package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
)

// loraUpload is atelier lora upload.
type loraUpload struct {
	service
	File   path `arg:"" help:"A .safetensors file."`
	Model  text `help:"The model that it was trained for, by its id. It works with every model of the same family. Default: found by the file." placeholder:"ID"`
	Name   text `help:"A display name of 1 to 80 characters. Default: the name of the file." placeholder:"NAME"`
	Rights bool `help:"Confirm that you may use the file." name:"rights-confirmed"`
	JSON   bool `help:"Print JSON." name:"json"`
}

// Run uploads a file and prints its entry. Mistakes that can be found without the file are
// found before it is sent.
func (c *loraUpload) Run(ctx context.Context, t terminal) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	if !c.Rights {
		return errors.New("--rights-confirmed: confirm that you may use the file")
	}
	file, err := os.Open(string(c.File))
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", c.File)
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	if c.Model != "" {
		if err := c.checkModel(ctx, service); err != nil {
			return err
		}
	}
	name := filepath.Base(string(c.File))
	shown := &shownFile{File: file, bar: newBar(t.err), name: name, size: info.Size()}
	l, err := service.UploadLora(ctx, apitype.LoraUpload{
		Name: c.name(), ModelID: string(c.Model), RightsConfirmed: true, FileName: name,
	}, shown)
	shown.end()
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx, "the file was not added, unless all of it had arrived")
	case err != nil:
		return c.URL.explain(err)
	case c.JSON:
		return printJSON(t.out, l)
	}
	_, err = fmt.Fprintf(t.out, "%s: %s\n", l.ID, l.Status)
	return err
}

// checkModel refuses a model that LoRAs cannot be added for.
func (c *loraUpload) checkModel(ctx context.Context, service *client.Client) error {
	lib, err := service.Loras(ctx)
	if err != nil {
		return c.URL.explain(err)
	}
	if !slices.Contains(lib.Models, string(c.Model)) {
		return fmt.Errorf("--model: LoRAs cannot be added for %q; the models are %s", c.Model, strings.Join(lib.Models, ", "))
	}
	return nil
}

// name is the display name of the entry.
func (c *loraUpload) name() string {
	if c.Name != "" {
		return string(c.Name)
	}
	base := filepath.Base(string(c.File))
	return clip(strings.TrimSuffix(base, filepath.Ext(base)), 80)
}

// shownFile shows how much of a file was read. A request that is refused may read it for a
// while longer.
type shownFile struct {
	*os.File
	name string
	size int64

	mu    sync.Mutex
	bar   *bar
	done  int64
	ended bool
}

func (f *shownFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done += int64(n); n > 0 && !f.ended {
		f.bar.show(float64(f.done)/float64(f.size), f.name)
	}
	return n, err
}

// end removes the bar.
func (f *shownFile) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.bar.clear()
}
