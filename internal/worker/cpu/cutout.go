package cpu

import (
	"context"
	"errors"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// removeBackground cuts the subject of a picture out, or gives the soft mask of
// it.
func removeBackground(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	img, err := source(ctx, t, true)
	if err != nil {
		return nil, err
	}
	return pictures(t, "cutting out", func(_ int64, progress func(float64)) (image.Image, map[string]any, error) {
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
			"coverage": thousandths(m.Share()), "score": thousandths(score), "box": boxIn(m),
		}
		if !flag(t, "applyMask", true) {
			return m.Gray(), meta, nil
		}
		out, err := pixel.Cutout(ctx, img, m)
		return out, meta, err
	})
}

// boxIn is the box around what a mask means, in parts of the picture.
func boxIn(m *pixel.Mask) pixel.Frame {
	b := m.Box()
	w, h := float64(m.W), float64(m.H)
	return pixel.Frame{
		X0: thousandths(float64(b.Min.X) / w), Y0: thousandths(float64(b.Min.Y) / h),
		X1: thousandths(float64(b.Max.X) / w), Y1: thousandths(float64(b.Max.Y) / h),
	}
}

func thousandths(v float64) float64 { return math.Round(v*1000) / 1000 }
