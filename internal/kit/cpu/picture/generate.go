package picture

import (
	"context"
	"fmt"
	"image"
	"path/filepath"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// Generate paints pictures from a prompt, one for each artifact.
func Generate(ctx context.Context, t task.Task) ([]worker.Output, error) {
	start, err := t.Source(ctx, false)
	if err != nil {
		return nil, err
	}
	w, h := requestedSize(t, 1024, 1024)
	prompt := t.Text("prompt")
	return renderPictures(ctx, t, "painting", func(seed int64, progress func(float64)) (image.Image, map[string]any, error) {
		r := paint.Request{
			Prompt: prompt, NegativePrompt: t.Text("negativePrompt"), Model: t.ModelID, Width: w, Height: h, Seed: seed,
			Start: start, StartStrength: t.Number("starting_image_strength", 0.5),
		}
		meta := map[string]any{"method": "painted from a lexicon of words and drawings"}
		if start != nil {
			meta["method"] = "the prompt's light, style and subjects over the starting image, or its colours under a painted scene"
		}
		render := paint.Paint
		if t.Text("gptImageBackground") == "transparent" {
			meta["method"] = "the subjects painted alone, without a ground"
			render = paint.PaintAlone
		}
		img, err := render(ctx, r, progress)
		if err != nil {
			return nil, nil, err
		}
		scene, err := r.Painted(ctx, render)
		task.NoteUnderstood(meta, scene, nil)
		return img, meta, err
	})
}

// renderPictures makes a picture for each artifact and writes it in the artifact's type.
func renderPictures(ctx context.Context, t task.Task, message string, create func(seed int64, progress func(float64)) (image.Image, map[string]any, error)) ([]worker.Output, error) {
	return t.ForEachArtifact(message, func(slot apitype.AssignmentArtifact, seed int64, progress func(float64)) (worker.Output, error) {
		img, meta, err := create(seed, progress)
		if err == nil {
			img, err = t.Tint(ctx, img)
		}
		if err != nil {
			return worker.Output{}, task.Failure(err)
		}
		path := filepath.Join(t.Folder, slot.ID+filetype.Extension(slot.ContentType))
		if err := writePicture(path, slot.ContentType, img, quality(t)); err != nil {
			return worker.Output{}, err
		}
		if meta == nil {
			meta = map[string]any{}
		}
		noteIgnored(t, meta)
		return worker.Output{Path: path, Width: img.Bounds().Dx(), Height: img.Bounds().Dy(), Metadata: meta}, nil
	})
}

// noteIgnored notes the arguments that this renderer does not follow.
func noteIgnored(t task.Task, meta map[string]any) {
	var names []string
	if len(t.Loras) > 0 {
		names = append(names, "loras: "+task.LoraNote)
	}
	if t.Text("personaName") != "" {
		names = append(names, "personaName: faces are neither found nor changed here")
	}
	if len(names) > 0 {
		meta["leftOut"] = names
	}
}

// requestedSize returns the size that the arguments ask for.
func requestedSize(t task.Task, width, height int) (int, int) {
	w, h := int(t.Number("width", 0)), int(t.Number("height", 0))
	if w > 0 && h > 0 {
		return w, h
	}
	if ratio, ok := task.ParseRatio(t.Text("aspectRatio")); ok {
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

// cropToRatio crops a source to the aspectRatio argument, if there is one.
func cropToRatio(ctx context.Context, t task.Task, img image.Image) (image.Image, error) {
	asked := t.Text("aspectRatio")
	if asked == "" {
		return img, nil
	}
	ratio, ok := task.ParseRatio(asked)
	if !ok {
		return nil, worker.Failf("The aspect ratio %s cannot be made: it must lie between 1:8 and 8:1.", asked)
	}
	out, err := pixel.CropToRatio(ctx, img, ratio)
	return out, task.Failure(err)
}

// croppedSource returns the picture that a tool changes, after a check of its
// size, cropped to the aspectRatio argument.
func croppedSource(ctx context.Context, t task.Task) (image.Image, error) {
	img, err := t.Source(ctx, true)
	if err != nil {
		return nil, err
	}
	if err := checkSize(img); err != nil {
		return nil, err
	}
	return cropToRatio(ctx, t, img)
}

// maxEdge is the longest edge of a picture that is edited.
const maxEdge = 8192

// scaleUp enlarges a result by the scale argument.
func scaleUp(ctx context.Context, t task.Task, img *image.NRGBA) (*image.NRGBA, error) {
	scale := t.Number("scale", 1)
	if scale == 1 {
		return img, nil
	}
	w, h := int(float64(img.Rect.Dx())*scale), int(float64(img.Rect.Dy())*scale)
	if !(scale > 0) || max(w, h) > maxEdge || w*h > atelier.MaxPixels || w < 1 || h < 1 {
		return nil, worker.Failf("A picture of %d by %d pixels cannot be made %g times as large here: the longest edge is at most %d, and the pixels are at most %d.",
			img.Rect.Dx(), img.Rect.Dy(), scale, maxEdge, atelier.MaxPixels)
	}
	e, err := pixel.Enlarge(ctx, img, w, h, nil)
	if err != nil {
		return nil, task.Failure(err)
	}
	return e.Whole()
}

// checkSize returns an error for a picture that is too small or too large to
// edit.
func checkSize(img image.Image) error {
	const least = 16
	if b := img.Bounds(); b.Dx() < least || b.Dy() < least || b.Dx() > maxEdge || b.Dy() > maxEdge {
		return worker.Failf("The picture is %d by %d pixels; edges from %d to %d can be worked on.", b.Dx(), b.Dy(), least, maxEdge)
	}
	return nil
}

// formatSize returns a picture's size as text.
func formatSize(img image.Image) string {
	return fmt.Sprintf("%dx%d", img.Bounds().Dx(), img.Bounds().Dy())
}
