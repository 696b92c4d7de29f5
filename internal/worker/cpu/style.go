package cpu

import (
	"context"
	"image"

	"github.com/atelier-project/atelier/internal/studio/picture"
	"github.com/atelier-project/atelier/internal/worker"
)

// applyStyle repaints a picture in the style that its prompt names.
func applyStyle(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	style, err := picture.ReadStyle(text(t, "prompt"))
	if err != nil {
		return nil, plainly(err)
	}
	img, err := source(ctx, t, true)
	if err != nil {
		return nil, err
	}
	if img, err = shaped(ctx, t, img); err != nil {
		return nil, err
	}
	if err := workable(img); err != nil {
		return nil, err
	}
	return pictures(t, "repainting", func(seed int64, progress func(float64)) (image.Image, map[string]any, error) {
		progress(0.1)
		out, err := picture.Stylise(ctx, img, style, picture.Look{Name: t.ModelID, Texture: 1}, seed)
		if err != nil {
			return nil, nil, err
		}
		progress(0.7)
		out, err = scaled(ctx, t, out)
		return out, map[string]any{
			"method": "image operations that imitate the style's marks and tones", "styles": style.Styles, "moods": style.Moods, "understood": picture.Describe(style),
		}, err
	})
}
