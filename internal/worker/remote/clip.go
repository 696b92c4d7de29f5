package remote

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// A vendor makes new clips. To extend a clip, or to replace a part of it, the
// vendor gets the frames next to the new part, and the new clip is then joined with
// the old one.

// cut is where a new clip goes into an existing one: it replaces the frames from
// first up to last, which is not included.
type cut struct {
	source      string
	facts       film.Facts
	first, last int
	keepSound   bool // of the whole clip, also during the new part
}

// cutOf reads where the new clip of a job goes; nil for jobs that make a separate
// clip.
func cutOf(ctx context.Context, t worker.Task) (*cut, error) {
	if t.ToolName != "extend_video" && t.ToolName != "replace_video_segment" {
		return nil, nil
	}
	source := t.Files["videoIndex"]
	if source == "" {
		return nil, worker.Failf("%s needs a video.", t.ToolName)
	}
	if !film.Available() {
		return nil, worker.Failf("%s with a vendor model needs ffmpeg on the machine of the service, to join the result with the video.", t.ToolName)
	}
	r, err := film.Open(ctx, source, film.Auto)
	if err != nil {
		return nil, clipError(ctx, "The video cannot be read", err)
	}
	defer r.Close()
	k := &cut{source: source, facts: r.Facts, first: r.Frames, last: r.Frames}
	keep, given := t.Arguments["keepOriginalAudio"].(bool)
	if t.ToolName == "extend_video" {
		k.keepSound = keep || !given
		k.last = k.first + max(1, int(math.Round(number(t, "duration")*r.Rate())))
		return k, nil
	}
	k.keepSound = keep
	start, end := number(t, "startSeconds"), number(t, "endSeconds")
	k.first, k.last = int(math.Round(start*r.Rate())), min(int(math.Round(end*r.Rate())), r.Frames)
	if k.last <= k.first {
		return nil, worker.Failf("The video lasts %.2f seconds; there is no frame between %g and %g.", r.Seconds(), start, end)
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
	k, err := cutOf(ctx, j.t)
	if k == nil || err != nil {
		return err
	}
	wanted := map[int]string{max(k.first-1, 0): "image"}
	if k.last < k.facts.Frames && j.a.used["endImage"] {
		wanted[k.last] = "endImage"
	}
	r, err := film.Open(ctx, k.source, film.Auto)
	if err != nil {
		return clipError(ctx, "The video cannot be read", err)
	}
	defer r.Close()
	var kept *film.Samples
	for n := 0; n <= k.last; n++ {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			break // clips are sometimes shorter than their header says
		}
		if err != nil {
			return clipError(ctx, "The video cannot be read", err)
		}
		if slot := wanted[n]; slot == "endImage" || n == 0 && slot == "image" {
			if err := o.frame(j.t.Folder, slot, s); err != nil {
				return err
			}
		}
		if n < k.first {
			kept = s.Copy(kept)
		}
	}
	if kept != nil {
		return o.frame(j.t.Folder, "image", kept)
	}
	return nil
}

// frame adds a frame to an order as a file.
func (o *order) frame(folder, slot string, s *film.Samples) error {
	path := filepath.Join(folder, slot+".png")
	o.files[slot] = []file{{path: path, kind: "image"}}
	return writePNG(path, s.RGBA(nil))
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
	k, err := cutOf(ctx, j.t)
	if k == nil || err != nil {
		return err
	}
	old, err := film.Open(ctx, k.source, film.Auto)
	if err != nil {
		return clipError(ctx, "The video cannot be read", err)
	}
	defer old.Close()
	part, err := film.Open(ctx, out.Path, film.Auto)
	if err != nil {
		return clipError(ctx, "The vendor's clip cannot be read", err)
	}
	defer part.Close()
	path := out.Path + "-joined"
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w, h := k.facts.Width/2*2, k.facts.Height/2*2
	before, inside := &clipReader{Reader: old}, &clipReader{Reader: part}
	sound, err := k.sound(ctx, out.Path)
	if err == nil {
		_, err = film.Write(ctx, f, film.Options{
			Width: w, Height: h, FPS: k.facts.FPS, Den: k.facts.Den, Frames: max(k.facts.Frames, k.last), Sound: sound,
			Format: format(slot.ContentType), MaxBytes: j.opts.MaxBytes, Tool: j.Name(), TempDir: j.t.Folder,
		}, func(i int) (image.Image, error) {
			if i < k.first || i >= k.last {
				return before.frameAt(ctx, i, w, h)
			}
			return inside.frameAt(ctx, int((float64(i-k.first)+0.25)/k.facts.Rate()*part.Rate()), w, h)
		}, nil)
	}
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

// clipReader reads a clip forwards.
type clipReader struct {
	*film.Reader
	frame *film.Samples
	next  int
}

// frameAt returns a frame scaled to a size. After the end it returns the last one.
func (s *clipReader) frameAt(ctx context.Context, n, w, h int) (image.Image, error) {
	for s.next <= n {
		frame, err := s.Next()
		if errors.Is(err, io.EOF) && s.frame != nil {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("a frame cannot be read: %w", err)
		}
		s.frame = frame
		s.next++
	}
	if b := s.frame.Rect; b.Dx() == w && b.Dy() == h {
		return s.frame, nil
	}
	return pixel.Fit(ctx, s.frame.RGBA(nil), w, h)
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
	r, err := film.Open(ctx, clip, film.Auto)
	if err != nil {
		return err
	}
	defer r.Close()
	var last *film.Samples
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) && last != nil {
			return writePNG(to, last.RGBA(nil))
		}
		if err != nil {
			return err
		}
		last = s.Copy(last)
	}
}
