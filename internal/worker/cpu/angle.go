package cpu

import (
	"context"
	"errors"
	"image"

	"github.com/atelier-project/atelier/internal/studio/edit"
	"github.com/atelier-project/atelier/internal/worker"
)

// usualTurn is the strength at which a view turns by its usual degrees.
const usualTurn = 0.9

// changeAngle shows a picture as a plane from another camera angle.
func changeAngle(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	v, err := edit.ReadView(text(t, "description"), number(t, "loraStrength", usualTurn)/usualTurn)
	if errors.Is(err, edit.ErrBehind) {
		return nil, worker.Failf("A picture shows its subject from one side only; %s.", edit.ViewHelp)
	}
	if err != nil {
		return nil, plainly(err)
	}
	img, err := source(ctx, t, true)
	if err != nil {
		return nil, err
	}
	if err := workable(img); err != nil {
		return nil, err
	}
	if img, err = shaped(ctx, t, img); err != nil {
		return nil, err
	}
	return pictures(t, "turning the camera", func(_ int64, progress func(float64)) (image.Image, map[string]any, error) {
		progress(0.1)
		out, err := edit.Turn(ctx, img, v)
		return out, map[string]any{
			"method": "the picture as a plane seen in perspective; its edges are mirrored where it ends",
			"view":   map[string]any{"yaw": v.Yaw, "pitch": v.Pitch, "roll": v.Roll, "zoom": v.Zoom},
		}, err
	})
}
