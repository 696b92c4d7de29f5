package remote

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/worker"
)

// A vendor makes new clips. To extend a clip, or to replace a part of it, the
// vendor gets the frames next to the new part, and the new clip is then joined with
// the old one.

// cut is where a new clip goes into an existing one: it replaces the frames from
// first up to last, which is not included.
type cut struct {
	source      string
	facts       worker.ClipFacts
	first, last int
	keepSound   bool // of the whole clip, also during the new part
}

// cutOf reads where the new clip of a job goes; nil for jobs that make a separate
// clip.
func cutOf(ctx context.Context, editor worker.Editor, t worker.Task) (*cut, error) {
	if t.ToolName != "extend_video" && t.ToolName != "replace_video_segment" {
		return nil, nil
	}
	source := t.Files["videoIndex"]
	if source == "" {
		return nil, worker.Failf("%s needs a video.", t.ToolName)
	}
	if !editor.ReadsAnyClip() {
		return nil, worker.Failf("%s with a vendor model needs ffmpeg on the machine of the service, to join the result with the video.", t.ToolName)
	}
	facts, err := editor.ClipFacts(ctx, source)
	if err != nil {
		return nil, clipError(ctx, "The video cannot be read", err)
	}
	k := &cut{source: source, facts: facts, first: facts.Frames, last: facts.Frames}
	keep, given := t.Arguments["keepOriginalAudio"].(bool)
	if t.ToolName == "extend_video" {
		k.keepSound = keep || !given
		k.last = k.first + max(1, int(math.Round(number(t, "duration")*facts.Rate())))
		return k, nil
	}
	k.keepSound = keep
	start, end := number(t, "startSeconds"), number(t, "endSeconds")
	k.first, k.last = int(math.Round(start*facts.Rate())), min(int(math.Round(end*facts.Rate())), facts.Frames)
	if k.last <= k.first {
		return nil, worker.Failf("The video lasts %.2f seconds; there is no frame between %g and %g.", facts.Seconds(), start, end)
	}
	return k, nil
}

// clipError is a failure to process a clip, unless it was interrupted.
func clipError(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return worker.Failf("%s: %s", what, toSentence(worker.PublicReason(err)))
}

// addEdgeFrames adds the frames next to the new part to an order.
func (j *job) addEdgeFrames(ctx context.Context, o *order) error {
	k, err := cutOf(ctx, j.opts.Editor, j.t)
	if k == nil || err != nil {
		return err
	}
	before, after, err := j.opts.Editor.EdgeFrames(ctx, k.source, k.first, k.last)
	if err != nil {
		return clipError(ctx, "The video cannot be read", err)
	}
	if after != nil && k.last < k.facts.Frames && j.a.used["endImage"] {
		if err := o.frame(j.t.Folder, "endImage", after); err != nil {
			return err
		}
	}
	return o.frame(j.t.Folder, "image", before)
}

// frame adds a frame to an order as a file.
func (o *order) frame(folder, slot string, frame image.Image) error {
	path := filepath.Join(folder, slot+".png")
	o.files[slot] = []file{{path: path, kind: "image"}}
	return writePNG(path, frame)
}

func writePNG(path string, img image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(f, img)
	return errors.Join(err, f.Close())
}

// join inserts the new clip into the old one.
func (j *job) join(ctx context.Context, out *worker.Output, slot apitype.AssignmentArtifact) error {
	k, err := cutOf(ctx, j.opts.Editor, j.t)
	if k == nil || err != nil {
		return err
	}
	if _, err := j.opts.Editor.ClipFacts(ctx, out.Path); err != nil {
		return clipError(ctx, "The vendor's clip cannot be read", err)
	}
	path := out.Path + "-joined"
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = j.opts.Editor.Join(ctx, f, worker.Splice{
		Source: k.source, Part: out.Path, First: k.first, Last: k.last, KeepSound: k.keepSound,
		Format: format(slot.ContentType), MaxBytes: j.opts.MaxBytes, Tool: j.Name(), Folder: j.t.Folder,
	})
	if err = errors.Join(err, f.Close()); err != nil {
		return clipError(ctx, "The vendor's clip could not be joined with the video", err)
	}
	out.Path = path
	out.Metadata["joined"] = map[string]any{"fromSeconds": float64(k.first) / k.facts.Rate(), "toSeconds": float64(k.last) / k.facts.Rate()}
	out.Measure()
	return nil
}

func format(contentType string) string {
	if contentType == "video/quicktime" {
		return "mov"
	}
	return "mp4"
}

// lastFrame is the last frame of a clip: the vendor's file, or else read from the
// clip.
func (j *job) lastFrame(ctx context.Context, i int, from *exchange, doc any, clip worker.Output) (worker.Output, bool) {
	slot := j.stills[i]
	out := worker.Output{ID: slot.ID, Path: filepath.Join(j.t.Folder, fmt.Sprintf("still-%d.png", i)), Seed: clip.Seed, Metadata: map[string]any{"lastFrameOf": clip.ID}}
	err := j.still(ctx, from.LastFrame.word(doc), clip.Path, out.Path)
	if err == nil {
		err = checkType(out.Path, slot)
	}
	if err != nil { // it is not paid for, and the clip exists
		j.opts.Log.Warn("extract last frame of vendor clip failed", "vendor", j.opts.Name, "job", j.t.JobID, "error", err)
		return out, false
	}
	out.Measure()
	return out, true
}

func (j *job) still(ctx context.Context, address, clip, to string) error {
	if address != "" && j.t.ToolName != "replace_video_segment" {
		raw := to + ".raw"
		if err := j.download(ctx, address, raw); err != nil {
			return err
		}
		if filetype.DetectFile(raw) == "image/png" {
			return os.Rename(raw, to)
		}
		f, err := os.Open(raw)
		if err != nil {
			return err
		}
		defer f.Close()
		img, err := decodePicture(f)
		if err != nil {
			return err
		}
		return writePNG(to, img)
	}
	last, _, err := j.opts.Editor.EdgeFrames(ctx, clip, math.MaxInt, -1)
	if err != nil {
		return err
	}
	return writePNG(to, last)
}
