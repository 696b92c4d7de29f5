package picture

import (
	"context"
	"errors"
	"image"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/edit"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// Edit changes a picture as its prompt says.
func Edit(ctx context.Context, t task.Task) ([]worker.Output, error) {
	prompt := t.Text("prompt")
	edits, unknown := edit.ReadEdits(prompt)
	if len(edits) == 0 {
		return nil, worker.Failf("Nothing in %q is understood as a change to a picture; %s.", prompt, edit.EditHelp)
	}
	img, err := t.Source(ctx, true)
	if err != nil {
		return nil, err
	}
	if err := checkSize(img); err != nil {
		return nil, err
	}
	mask, err := maskFor(ctx, t, img)
	if err != nil {
		return nil, err
	}
	clear := t.Text("gptImageBackground") == "transparent"
	return renderPictures(ctx, t, "editing", func(seed int64, progress func(float64)) (image.Image, map[string]any, error) {
		out, meta, err := applyEdits(ctx, t, img, edits, mask, seed, progress)
		if err != nil {
			return nil, nil, err
		}
		if len(unknown) > 0 {
			meta["notUnderstood"] = unknown
		}
		if clear {
			if out, err = cutBackground(ctx, out); err != nil {
				return nil, nil, err
			}
		}
		w, h := int(t.Number("width", 0)), int(t.Number("height", 0))
		if ratio, ok := task.ParseRatio(t.Text("aspectRatio")); ok && (w == 0 || h == 0) {
			shape, err := pixel.CropToRatio(ctx, out, ratio)
			return shape, meta, err
		}
		if w == 0 && h == 0 {
			return out, meta, nil
		}
		if w == 0 {
			w = max(h*out.Rect.Dx()/out.Rect.Dy(), 1)
		} else if h == 0 {
			h = max(w*out.Rect.Dy()/out.Rect.Dx(), 1)
		}
		fitted, err := pixel.Fit(ctx, out, w, h)
		return fitted, meta, err
	})
}

// maskFor returns the mask that limits an edit, at the size of the picture; nil when
// there is none.
func maskFor(ctx context.Context, t task.Task, img image.Image) (*pixel.Mask, error) {
	shown, err := t.Picture(ctx, "mask_image_url")
	if shown == nil || err != nil {
		return nil, err
	}
	m, err := pixel.MaskOf(ctx, shown, img.Bounds().Dx(), img.Bounds().Dy())
	if err != nil {
		return nil, task.Failure(err)
	}
	if m.Box().Empty() {
		return nil, worker.Failf("The mask selects nothing: the area to change must be white.")
	}
	return m, nil
}

// applyEdits makes all edits, one after another. The seed varies the strength
// of each a little, so that variations differ.
func applyEdits(ctx context.Context, t task.Task, img image.Image, edits []edit.Edit, mask *pixel.Mask, seed int64, progress func(float64)) (*image.NRGBA, map[string]any, error) {
	d := edit.NewEditor(img, paint.LookOf(t.ModelID), seed)
	d.Mask = mask
	var understood []string
	for i, e := range edits {
		if err := d.Apply(ctx, e.Varied(seed)); err != nil {
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			if errors.Is(err, pixel.ErrSize) {
				return nil, nil, err
			}
			return nil, nil, worker.Failf("It could not %s: %v.", e, err)
		}
		understood = append(understood, e.String())
		progress(float64(i+1) / float64(len(edits)))
	}
	meta := map[string]any{"method": "image operations, chosen by the words of the prompt", "understood": understood, "sourceSize": formatSize(img)}
	if len(d.Notes) > 0 {
		meta["assumed"] = d.Notes
	}
	if mask != nil {
		meta["maskCoverage"] = mask.Share()
	}
	return d.Picture, meta, nil
}

// cutBackground makes the background of a picture transparent.
func cutBackground(ctx context.Context, img *image.NRGBA) (*image.NRGBA, error) {
	m, _, err := pixel.Subject(ctx, img)
	if err != nil {
		return nil, err
	}
	return pixel.Cutout(ctx, img, m)
}
