package cpu

import (
	"context"
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/studio/paint"
	"github.com/atelier-project/atelier/internal/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// paintPicture makes pictures of a prompt, one for each artifact.
func paintPicture(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	start, err := source(ctx, t, false)
	if err != nil {
		return nil, err
	}
	w, h := size(t, 1024, 1024)
	prompt := text(t, "prompt")
	return pictures(t, "painting", func(seed int64, progress func(float64)) (image.Image, map[string]any, error) {
		r := paint.Request{
			Prompt: prompt, NegativePrompt: text(t, "negativePrompt"), Model: t.ModelID, Width: w, Height: h, Seed: seed,
			Start: start, StartStrength: number(t, "starting_image_strength", 0.5),
		}
		meta := map[string]any{"method": "painted from a lexicon of words and drawings"}
		if start != nil {
			meta["method"] = "the prompt's light, style and subjects over the starting image, or its colours under a painted scene"
		}
		render := paint.Paint
		if text(t, "gptImageBackground") == "transparent" {
			meta["method"] = "the subjects painted alone, without a ground"
			render = paint.PaintAlone
		}
		img, err := render(ctx, r, progress)
		if err != nil {
			return nil, nil, err
		}
		scene, err := r.Painted(ctx, render)
		understood(meta, scene, nil)
		return img, meta, err
	})
}

// understood notes what of a prompt is seen in a result, and the words of which
// nothing is. Followed are phrases that something else than the painter shows.
func understood(meta map[string]any, scene paint.Scene, followed []string) {
	if words := besides(scene.NotUnderstood(), followed); len(words) > 0 {
		meta["notUnderstood"] = words
	}
	scene.Unknown = nil
	meta["understood"] = paint.Describe(scene)
}

// besides are the words that are in none of some phrases.
func besides(words, phrases []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return slices.ContainsFunc(phrases, func(phrase string) bool { return slices.Contains(strings.Fields(phrase), w) })
	})
}

// pictures makes a picture for each artifact with its own seed, and writes it in
// the artifact's type.
func pictures(t worker.Task, message string, create func(seed int64, progress func(float64)) (image.Image, map[string]any, error)) ([]worker.Output, error) {
	var out []worker.Output
	n := float64(len(t.Artifacts))
	for i, slot := range t.Artifacts {
		seed := t.Seed + int64(i)
		img, meta, err := create(seed, func(f float64) { t.Report((float64(i)+0.9*f)/n, message) })
		if err != nil {
			return nil, plainly(err)
		}
		path := filepath.Join(t.Folder, slot.ID+filetype.Extension(slot.ContentType))
		if err := save(path, slot.ContentType, img, quality(t)); err != nil {
			return nil, err
		}
		if meta == nil {
			meta = map[string]any{}
		}
		leftOut(t, meta)
		t.Report(float64(i+1)/n, "done")
		b := img.Bounds()
		out = append(out, worker.Output{ID: slot.ID, Path: path, Width: b.Dx(), Height: b.Dy(), Seed: seed, Metadata: meta})
	}
	return out, nil
}

// leftOut notes what was asked for and cannot be had from this renderer, so that
// nobody looks for it in the result.
func leftOut(t worker.Task, meta map[string]any) {
	var names []string
	if len(t.Loras) > 0 {
		names = append(names, "loras: they need a neural model")
	}
	if text(t, "personaName") != "" {
		names = append(names, "personaName: faces are neither found nor changed here")
	}
	if len(names) > 0 {
		meta["leftOut"] = names
	}
}

// size is what was asked for, as the arguments say it.
func size(t worker.Task, width, height int) (int, int) {
	w, h := int(number(t, "width", 0)), int(number(t, "height", 0))
	if w > 0 && h > 0 {
		return w, h
	}
	if ratio, ok := ratioOf(text(t, "aspectRatio")); ok {
		if ratio >= 1 {
			return width, max(16, int(float64(width)/ratio)/2*2)
		}
		return max(16, int(float64(width)*ratio)/2*2), width
	}
	if w > 0 {
		return w, w * height / width / 2 * 2
	}
	if h > 0 {
		return h * width / height / 2 * 2, h
	}
	return width, height
}

// shaped cuts a source to the aspect ratio that was asked for, if any.
func shaped(ctx context.Context, t worker.Task, img image.Image) (image.Image, error) {
	asked := text(t, "aspectRatio")
	if asked == "" {
		return img, nil
	}
	ratio, ok := ratioOf(asked)
	if !ok {
		return nil, worker.Failf("The aspect ratio %s cannot be made: it must lie between 1:8 and 8:1.", asked)
	}
	out, err := pixel.Shape(ctx, img, ratio)
	return out, plainly(err)
}

// maxScaled is the longest edge of a picture that was worked on and enlarged.
const maxScaled = 8192

// scaled enlarges a result as the scale argument says.
func scaled(ctx context.Context, t worker.Task, img *image.NRGBA) (*image.NRGBA, error) {
	scale := number(t, "scale", 1)
	if scale == 1 {
		return img, nil
	}
	w, h := int(float64(img.Rect.Dx())*scale), int(float64(img.Rect.Dy())*scale)
	if !(scale > 0) || max(w, h) > maxScaled || w*h > atelier.MaxPixels || w < 1 || h < 1 {
		return nil, worker.Failf("A picture of %d by %d pixels cannot be made %g times as large here: the longest edge is at most %d, and the pixels are at most %d.",
			img.Rect.Dx(), img.Rect.Dy(), scale, maxScaled, atelier.MaxPixels)
	}
	e, err := pixel.Enlarge(ctx, img, w, h, nil)
	if err != nil {
		return nil, plainly(err)
	}
	return e.Whole()
}

// workable says whether a picture can be worked on at its size.
func workable(img image.Image) error {
	const least = 16
	if b := img.Bounds(); b.Dx() < least || b.Dy() < least || b.Dx() > maxScaled || b.Dy() > maxScaled {
		return worker.Failf("The picture is %d by %d pixels; edges from %d to %d can be worked on.", b.Dx(), b.Dy(), least, maxScaled)
	}
	return nil
}

// sizeOf is a picture's size in words.
func sizeOf(img image.Image) string {
	return fmt.Sprintf("%dx%d", img.Bounds().Dx(), img.Bounds().Dy())
}
