package picture

import (
	"context"
	"image"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/worker"
)

// ApplyStyle repaints a picture in the style that its prompt names.
func ApplyStyle(ctx context.Context, t task.Task) ([]worker.Output, error) {
	style, err := paint.ReadStyle(t.Text("prompt"))
	if err != nil {
		return nil, task.Failure(err)
	}
	img, err := t.Source(ctx, true)
	if err != nil {
		return nil, err
	}
	if img, err = cropToRatio(ctx, t, img); err != nil {
		return nil, err
	}
	if err := checkSize(img); err != nil {
		return nil, err
	}
	small, err := paint.Preview(ctx, img)
	if err != nil {
		return nil, task.Failure(err)
	}
	return renderPictures(ctx, t, "repainting", func(seed int64, progress func(float64)) (image.Image, map[string]any, error) {
		look := paint.Look{Name: t.ModelID, Texture: 1}
		progress(0.1)
		out, err := paint.Stylise(ctx, img, style, look, seed)
		if err != nil {
			return nil, nil, err
		}
		progress(0.7)
		seen, err := style.Painted(ctx, func(s paint.Scene) ([]*image.NRGBA, error) {
			img, err := paint.Stylise(ctx, small, s, look, seed)
			return []*image.NRGBA{img}, err
		})
		if err != nil {
			return nil, nil, err
		}
		meta := map[string]any{"method": "image operations that imitate the style's marks and tones", "styles": seen.Styles, "moods": seen.Moods}
		task.NoteUnderstood(meta, seen, nil)
		out, err = scaleUp(ctx, t, out)
		return out, meta, err
	})
}
