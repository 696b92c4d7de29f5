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

	"github.com/atelier-project/atelier/apitype"

	// What the renderer writes, read back.
	_ "image/jpeg"
	_ "image/png"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/codec/pcm"
	"github.com/atelier-project/atelier/internal/kit/cpu"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
	"github.com/atelier-project/atelier/internal/worker"
)

// args are the arguments of a tool, as a step of a workflow gives them.
type args = map[string]any

// result is a file that a tool has made.
type result struct{ worker.Output }

// input is a result that an argument of a tool names.
type input struct {
	argument string
	piece    result
}

// toolRunner runs tools, some on the results of others. Every call goes through
// the catalog and the renderer, as in a workflow, so that the page shows what a
// caller gets.
type toolRunner struct {
	catalog *catalog.Catalog
	folder  string
	made    int
	kept    map[string]result
}

// run runs a tool. Clips are encoded by our own encoder: the output of ffmpeg
// differs between machines, and the sheets must not.
func (w *toolRunner) run(ctx context.Context, tool string, seed int64, a args, from ...input) (result, error) {
	facts := catalog.Facts{Sources: map[string][]catalog.Source{}}
	files := map[string]string{}
	for _, g := range from {
		if !strings.Contains(g.argument, "[") { // one inside a list is addressed by its index
			facts.Bound = append(facts.Bound, g.argument)
		}
		facts.Sources[g.argument] = append(facts.Sources[g.argument], catalog.Source{Seconds: g.piece.DurationSeconds, Width: g.piece.Width, Height: g.piece.Height})
		name := g.argument
		for n := 1; files[name] != ""; n++ {
			name = fmt.Sprintf("%s#%d", g.argument, n)
		}
		files[name] = g.piece.Path
	}
	step, err := w.catalog.Step(tool, a, facts)
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", tool, err)
	}
	w.made++
	folder := filepath.Join(w.folder, fmt.Sprint(w.made))
	if err := os.Mkdir(folder, 0o700); err != nil {
		return result{}, err
	}
	out, err := cpu.Renderer{Engine: film.BuiltIn}.Render(ctx, worker.Task{
		Assignment: apitype.Assignment{
			ToolName: tool, ModelID: step.ModelID(), Arguments: step.Arguments, Seed: seed,
			Artifacts: []apitype.AssignmentArtifact{{ID: "made", Kind: string(step.Outputs.Kind), ContentType: step.Outputs.ContentType}},
		},
		Folder: folder, Files: files, Report: func(float64, string) {},
	})
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", tool, err)
	}
	return result{out[0]}, nil
}

// once makes a result the first time it is asked for by a name.
func (w *toolRunner) once(name string, create func() (result, error)) (result, error) {
	if p, ok := w.kept[name]; ok {
		return p, nil
	}
	p, err := create()
	if err == nil {
		w.kept[name] = p
	}
	return p, err
}

// picture returns a picture of a prompt, to work on.
func (w *toolRunner) picture(ctx context.Context, prompt string, seed int64, width, height int) (result, error) {
	return w.once(fmt.Sprint("picture ", prompt, seed, width, height), func() (result, error) {
		return w.run(ctx, "generate_image", seed, args{"prompt": prompt, "width": width, "height": height})
	})
}

// clip returns a clip of a prompt, to work on.
func (w *toolRunner) clip(ctx context.Context, prompt string, seed int64, seconds float64) (result, error) {
	return w.once(fmt.Sprint("clip ", prompt, seed, seconds), func() (result, error) {
		return w.run(ctx, "generate_video", seed, args{"prompt": prompt, "duration": seconds, "targetResolution": 480})
	})
}

// picture reads the picture in a file.
func (p result) picture() (image.Image, error) {
	f, err := os.Open(p.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	return img, err
}

// sound reads the recording in a file.
func (p result) sound() (*sound.Clip, error) {
	f, err := os.Open(p.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return sound.ReadWAV(f, 600*pcm.MaxRate)
}

// document reads a JSON file and indents it.
func (p result) document() (string, error) {
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
