package cpu

import (
	"context"
	"image"
	"math"
	"os"
	"path/filepath"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/studio/film"
	"github.com/atelier-project/atelier/internal/studio/picture"
	"github.com/atelier-project/atelier/internal/worker"
)

// frameRate is that of every clip.
const frameRate = 24

// maxClip bounds the file of a clip.
const maxClip = 64 << 20

// film1 makes moving pictures of a prompt.
func film1(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	scene, look := picture.Read(text(t, "prompt")), picture.LookOf(t.ModelID)
	w, h := size(t, 768, 432)
	w, h = w/2*2, h/2*2
	return clips(ctx, t, w, h, func(seed int64) func(int) (image.Image, error) {
		return func(i int) (image.Image, error) {
			return picture.PaintScene(ctx, scene, look, w, h, seed, float64(i)/frameRate, nil)
		}
	})
}

// animate brings a still picture to life: the camera drifts over it and nears.
func animate(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	source, err := open(t, "sourceImageIndex")
	if err != nil {
		return nil, err
	}
	if source == nil {
		return nil, worker.Failf("animate_photo needs a picture to animate.")
	}
	b := source.Bounds()
	w, h := 768, max(16, 768*b.Dy()/b.Dx()/2*2)
	if b.Dy() > b.Dx() {
		w, h = max(16, 768*b.Dx()/b.Dy()/2*2), 768
	}
	// A little larger than the clip, so that there is room to drift in.
	big, err := picture.Resize(ctx, source, w*5/4/2*2, h*5/4/2*2)
	if err != nil {
		return nil, err
	}
	frames := float64(clipFrames(t))
	return clips(ctx, t, w, h, func(seed int64) func(int) (image.Image, error) {
		angle := float64(uint64(seed)%360) * math.Pi / 180
		frame := image.NewNRGBA(image.Rect(0, 0, w, h))
		return func(i int) (image.Image, error) {
			at := float64(i) / max(1, frames-1)
			ease := at * at * (3 - 2*at)
			drift(frame, big, ease, angle)
			return frame, nil
		}
	})
}

// drift samples the part of a picture that the camera sees: from nearly all of
// it to a closer look, off to one side.
func drift(dst, src *image.NRGBA, ease, angle float64) {
	sw, sh := float64(src.Rect.Dx()), float64(src.Rect.Dy())
	w, h := dst.Rect.Dx(), dst.Rect.Dy()
	scale := 1 - 0.2*ease // of the source that is seen
	cx := sw/2 + math.Cos(angle)*sw*(1-scale)*0.45
	cy := sh/2 + math.Sin(angle)*sh*(1-scale)*0.45
	for y := range h {
		fy := cy + (float64(y)+0.5-float64(h)/2)*sh*scale/float64(h) - 0.5
		for x := range w {
			fx := cx + (float64(x)+0.5-float64(w)/2)*sw*scale/float64(w) - 0.5
			sample(dst.Pix[dst.PixOffset(x, y):], src, fx, fy)
		}
	}
}

// sample reads a picture between its pixels.
func sample(out []uint8, src *image.NRGBA, fx, fy float64) {
	fx = min(max(fx, 0), float64(src.Rect.Dx()-1)-1e-6)
	fy = min(max(fy, 0), float64(src.Rect.Dy()-1)-1e-6)
	x, y := int(fx), int(fy)
	u, v := fx-float64(x), fy-float64(y)
	a, b := src.Pix[y*src.Stride+4*x:], src.Pix[(y+1)*src.Stride+4*x:]
	for c := range 4 {
		top := float64(a[c])*(1-u) + float64(a[4+c])*u
		low := float64(b[c])*(1-u) + float64(b[4+c])*u
		out[c] = uint8(top*(1-v) + low*v + 0.5)
	}
}

// clipFrames is how many frames were asked for.
func clipFrames(t worker.Task) int {
	return max(1, int(math.Round(number(t, "duration", 5)*frameRate)))
}

// clips writes a clip for each artifact. The function makes the frames of one
// seed.
func clips(ctx context.Context, t worker.Task, w, h int, frames func(seed int64) func(int) (image.Image, error)) ([]worker.Output, error) {
	var out []worker.Output
	for i, slot := range t.Artifacts {
		seed := t.Seed + int64(i)
		o, err := clip(ctx, t, slot, w, h, frames(seed), func(f float64) { t.Report((float64(i)+f)/float64(len(t.Artifacts)), "filming") })
		if err != nil {
			return nil, err
		}
		o.Seed = seed
		out = append(out, o)
	}
	return out, nil
}

func clip(ctx context.Context, t worker.Task, slot client.Slot, w, h int, frame func(int) (image.Image, error), progress func(float64)) (worker.Output, error) {
	format := "mp4"
	if slot.ContentType == "video/quicktime" {
		format = "mov"
	}
	path := filepath.Join(t.Folder, slot.ID+filetype.Extension(slot.ContentType))
	f, err := os.Create(path)
	if err != nil {
		return worker.Output{}, err
	}
	n := clipFrames(t)
	info, err := film.Write(ctx, f, film.Options{
		Width: w, Height: h, FPS: frameRate, Frames: n, Format: format, MaxBytes: maxClip, Tool: "atelier-cpu", TempDir: t.Folder,
	}, frame, progress)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return worker.Output{
		ID: slot.ID, Path: path, Width: w, Height: h, DurationSeconds: float64(n) / frameRate,
		Metadata: map[string]any{"fps": frameRate, "encoder": string(info.Engine)},
	}, err
}
