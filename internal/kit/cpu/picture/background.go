package picture

import (
	"context"
	"errors"
	"image"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// RemoveBackground cuts out the subject of a picture, or returns its mask.
func RemoveBackground(ctx context.Context, t task.Task) ([]worker.Output, error) {
	img, err := t.Source(ctx, true)
	if err != nil {
		return nil, err
	}
	return renderPictures(ctx, t, "cutting out", func(_ int64, progress func(float64)) (image.Image, map[string]any, error) {
		progress(0.1)
		m, score, err := pixel.Subject(ctx, img)
		if errors.Is(err, pixel.ErrNoSubject) {
			return nil, nil, worker.Failf("No subject stands out from the background of this picture, so nothing can be cut out. Select it with segment_image by a point or a box.")
		}
		if err != nil {
			return nil, nil, err
		}
		progress(0.7)
		meta := map[string]any{
			"method":   "colours of the picture's edge against the rest, a graph cut, and a border that follows the picture",
			"coverage": pixel.Thousandths(m.Share()), "score": pixel.Thousandths(score), "box": pixel.BoxIn(m),
		}
		if !t.Flag("applyMask", true) {
			return m.Gray(), meta, nil
		}
		out, err := pixel.Cutout(ctx, img, m)
		return out, meta, err
	})
}
