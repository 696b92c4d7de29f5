package cpu

import (
	"context"
	"fmt"
	"image"
	_ "image/gif" // inputs
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/studio/picture"
	"github.com/atelier-project/atelier/internal/worker"
)

// paint makes pictures of a prompt, one for each artifact.
func paint(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	start, err := open(t, "sourceImageIndex")
	if err != nil {
		return nil, err
	}
	w, h := size(t, 1024, 1024)
	var out []worker.Output
	for i, slot := range t.Artifacts {
		seed := t.Seed + int64(i)
		n := float64(len(t.Artifacts))
		img, err := picture.Paint(ctx, picture.Request{
			Prompt: text(t, "prompt"), NegativePrompt: text(t, "negativePrompt"), Model: t.ModelID,
			Width: w, Height: h, Seed: seed, Start: start, StartStrength: number(t, "starting_image_strength", 0.5),
		}, func(f float64) { t.Report((float64(i)+0.9*f)/n, "painting") })
		if err != nil {
			return nil, err
		}
		path := filepath.Join(t.Folder, slot.ID+filetype.Extension(slot.ContentType))
		if err := save(path, slot.ContentType, img); err != nil {
			return nil, err
		}
		t.Report(float64(i+1)/n, "painted")
		out = append(out, worker.Output{
			ID: slot.ID, Path: path, Width: w, Height: h, Seed: seed,
			Metadata: map[string]any{"understood": picture.Describe(picture.Read(text(t, "prompt")))},
		})
	}
	return out, nil
}

// size is what was asked for, as the arguments say it.
func size(t worker.Task, width, height int) (int, int) {
	w, h := int(number(t, "width", 0)), int(number(t, "height", 0))
	if w > 0 && h > 0 {
		return w, h
	}
	var rw, rh int
	if n, _ := fmt.Sscanf(text(t, "aspectRatio"), "%d:%d", &rw, &rh); n == 2 && rw > 0 && rh > 0 {
		if rw >= rh {
			return width, max(16, width*rh/rw/2*2)
		}
		return max(16, width*rw/rh/2*2), width
	}
	if w > 0 {
		return w, w * height / width / 2 * 2
	}
	if h > 0 {
		return h * width / height / 2 * 2, h
	}
	return width, height
}

// save writes a picture in the type of its artifact.
func save(path, contentType string, img image.Image) error {
	encode := func(w io.Writer) error { return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, img) }
	switch filetype.Canonical(contentType) {
	case "image/png":
	case "image/jpeg":
		encode = func(w io.Writer) error { return jpeg.Encode(w, img, &jpeg.Options{Quality: 92}) }
	default:
		return worker.Failf("The CPU renderer writes PNG and JPEG, not %s.", contentType)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := encode(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// open reads the picture of an input; nil when there is none.
func open(t worker.Task, argument string) (image.Image, error) {
	path, ok := t.Files[argument]
	if !ok {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		return nil, worker.Failf("The input %s is not a picture that can be read.", argument)
	}
	return img, nil
}
