package analysis

import (
	"context"
	"math"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/probe"
	"github.com/atelier-project/atelier/internal/worker"
)

// mediaArguments are the arguments for the file, with the kind of media of
// each.
var mediaArguments = []struct{ name, kind string }{
	{"sourceImageIndex", "image"}, {"sourceVideoIndex", "video"}, {"audioSourceIndex", "audio"}, {"fileIndex", ""},
}

// Metadata reports what the headers of a file say.
func Metadata(ctx context.Context, t task.Task) ([]worker.Output, error) {
	wanted := t.Text("mediaType")
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
		err = describeVideo(ctx, t, &d, path)
	}
	if err != nil {
		return nil, task.Failure(err)
	}
	if wanted != "" && d.File.Kind != wanted {
		return nil, worker.Failf("The input %s is of the kind %s, not %s.", argument, d.File.Kind, wanted)
	}
	return t.WriteJSON(d, map[string]any{"method": "read from the file's headers", "contentType": d.File.ContentType})
}

// describeVideo describes a container that package probe does not read, as far as
// package film does.
func describeVideo(ctx context.Context, t task.Task, d *probe.Description, path string) error {
	r, err := film.Open(ctx, path, t.Engine)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d.Notes = append(d.Notes, "only the kind of this file is known: "+task.Sentence(err.Error()))
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
