package cpu

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/probe"
	"github.com/atelier-project/atelier/internal/studio/film"
	"github.com/atelier-project/atelier/internal/worker"
)

// mediaArguments are the arguments that can name the file, and the kind each is
// for.
var mediaArguments = []struct{ name, kind string }{
	{"sourceImageIndex", "image"}, {"sourceVideoIndex", "video"}, {"audioSourceIndex", "audio"}, {"fileIndex", ""},
}

// extractMetadata writes down what a file says of itself.
func extractMetadata(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	wanted := text(t, "mediaType")
	path, argument := "", ""
	for _, a := range mediaArguments {
		if p, ok := t.Files[a.name]; ok && (path == "" || a.kind == wanted) {
			path, argument = p, a.name
		}
	}
	if path == "" {
		return nil, worker.Failf("extract_metadata needs a file: an image, a video or a recording.")
	}
	t.Report(0.2, "reading")
	d, err := probe.Describe(ctx, path)
	if err == nil && (d.File.ContentType == "video/webm" || d.File.ContentType == "video/x-matroska") {
		err = describeReel(&d, ctx, path)
	}
	if err != nil {
		return nil, plainly(err)
	}
	if wanted != "" && d.File.Kind != wanted {
		return nil, worker.Failf("The input %s is of the kind %s, not %s.", argument, d.File.Kind, wanted)
	}
	return document(t, d, map[string]any{"method": "read from the file's headers", "contentType": d.File.ContentType})
}

// document writes a value as the JSON artifact of a job.
func document(t worker.Task, v any, meta map[string]any) ([]worker.Output, error) {
	var out []worker.Output
	for _, slot := range t.Artifacts {
		if slot.ContentType != "application/json" {
			return nil, worker.Failf("%s makes JSON, not %s.", t.ToolName, slot.ContentType)
		}
		data, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return nil, err
		}
		path := filepath.Join(t.Folder, slot.ID+filetype.Extension(slot.ContentType))
		if err := os.WriteFile(path, append(data, '\n'), 0o600); err != nil {
			return nil, err
		}
		out = append(out, worker.Output{ID: slot.ID, Path: path, Seed: t.Seed, Metadata: meta})
	}
	t.Report(1, "done")
	return out, nil
}

// describeReel reads a clip of another container as the tools for clips do.
func describeReel(d *probe.Description, ctx context.Context, path string) error {
	r, err := film.Open(ctx, path, engineOf(ctx))
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d.Notes = append(d.Notes, "only the kind of this file is known: "+sentence(err.Error()))
		return nil
	}
	defer r.Close()
	f := r.Facts
	d.Video = &probe.VideoFacts{
		Width: f.Width, Height: f.Height, Seconds: math.Round(f.Seconds()*1000) / 1000, FrameRate: math.Round(f.Rate()*1000) / 1000,
		Frames: f.Frames, Sound: f.Sound,
	}
	return nil
}
