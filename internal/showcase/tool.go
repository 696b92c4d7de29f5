package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"

	// What the renderer writes, read back.
	_ "image/jpeg"
	_ "image/png"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/codec/pcm"
	"github.com/atelier-project/atelier/internal/studio/film"
	"github.com/atelier-project/atelier/internal/studio/sound"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/cpu"
)

// args are the arguments of a tool, as a step of a workflow gives them.
type args = map[string]any

// piece is a file that a tool has made.
type piece struct{ worker.Output }

// given is a piece that an argument of a tool names.
type given struct {
	argument string
	piece    piece
}

// workshop has tools make things, one from another. Every order goes through
// the catalog and the renderer, as that of a workflow does, so that what it
// shows is what a caller gets.
type workshop struct {
	catalog *catalog.Catalog
	folder  string
	made    int
	kept    map[string]piece
}

// make has a tool make one thing. Clips are coded by the service itself: other
// encoders differ from one machine to the next, and the sheets must not.
func (w *workshop) make(ctx context.Context, tool string, seed int64, a args, from ...given) (piece, error) {
	facts := catalog.Facts{Sources: map[string]catalog.Source{}}
	files := map[string]string{}
	for _, g := range from {
		if !strings.Contains(g.argument, "[") { // one inside a list is addressed by its index
			facts.Bound = append(facts.Bound, g.argument)
		}
		facts.Sources[g.argument] = catalog.Source{Seconds: g.piece.DurationSeconds, Width: g.piece.Width, Height: g.piece.Height}
		name := g.argument
		for n := 1; files[name] != ""; n++ {
			name = fmt.Sprintf("%s#%d", g.argument, n)
		}
		files[name] = g.piece.Path
	}
	step, err := w.catalog.Step(tool, a, facts)
	if err != nil {
		return piece{}, fmt.Errorf("%s: %w", tool, err)
	}
	w.made++
	folder := filepath.Join(w.folder, fmt.Sprint(w.made))
	if err := os.Mkdir(folder, 0o700); err != nil {
		return piece{}, err
	}
	out, err := cpu.Renderer{Engine: film.Own}.Render(ctx, worker.Task{
		Job: client.Job{
			ToolName: tool, ModelID: step.ModelID(), Arguments: step.Arguments, Seed: seed,
			Artifacts: []client.Slot{{ID: "made", Kind: string(step.Outputs.Kind), ContentType: step.Outputs.ContentType}},
		},
		Folder: folder, Files: files, Report: func(float64, string) {},
	})
	if err != nil {
		return piece{}, fmt.Errorf("%s: %w", tool, err)
	}
	return piece{out[0]}, nil
}

// once makes a piece the first time it is asked for by a name.
func (w *workshop) once(name string, create func() (piece, error)) (piece, error) {
	if p, ok := w.kept[name]; ok {
		return p, nil
	}
	p, err := create()
	if err == nil {
		w.kept[name] = p
	}
	return p, err
}

// painted returns a picture of a prompt, to work on.
func (w *workshop) painted(ctx context.Context, prompt string, seed int64, width, height int) (piece, error) {
	return w.once(fmt.Sprint("picture ", prompt, seed, width, height), func() (piece, error) {
		return w.make(ctx, "generate_image", seed, args{"prompt": prompt, "width": width, "height": height})
	})
}

// filmed returns a clip of a prompt, to work on.
func (w *workshop) filmed(ctx context.Context, prompt string, seed int64, seconds float64) (piece, error) {
	return w.once(fmt.Sprint("clip ", prompt, seed, seconds), func() (piece, error) {
		return w.make(ctx, "generate_video", seed, args{"prompt": prompt, "duration": seconds, "targetResolution": 480})
	})
}

// picture returns what a file shows.
func (p piece) picture() (image.Image, error) {
	f, err := os.Open(p.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	return img, err
}

// sound returns what a file lets hear.
func (p piece) sound() (*sound.Clip, error) {
	f, err := os.Open(p.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return sound.ReadWAV(f, 600*pcm.MaxRate)
}

// document returns what a JSON file says, indented.
func (p piece) document() (string, error) {
	data, err := os.ReadFile(p.Path)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = json.Indent(&b, data, "", "  ")
	return b.String(), err
}

func indented(v any) (string, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return string(text), err
}
