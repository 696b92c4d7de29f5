package picture

import (
	"context"
	"errors"
	"image"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/edit"
	"github.com/atelier-project/atelier/internal/worker"
)

// defaultStrength is the strength at which a view turns by its default degrees.
const defaultStrength = 0.9

// ChangeAngle shows a picture as a plane from another camera angle.
func ChangeAngle(ctx context.Context, t task.Task) ([]worker.Output, error) {
	v, err := edit.ReadView(t.Text("description"), t.Number("loraStrength", defaultStrength)/defaultStrength)
	if errors.Is(err, edit.ErrBehind) {
		return nil, worker.Failf("A picture shows its subject from one side only; %s.", edit.ViewHelp)
	}
	if err != nil {
		return nil, task.Failure(err)
	}
	img, err := croppedSource(ctx, t)
	if err != nil {
		return nil, err
	}
	return renderPictures(ctx, t, "turning the camera", func(_ int64, progress func(float64)) (image.Image, map[string]any, error) {
		progress(0.1)
		out, err := edit.RenderView(ctx, img, v)
		return out, map[string]any{
			"method": "the picture as a plane seen in perspective; its edges are mirrored where it ends",
			"view":   map[string]any{"yaw": v.Yaw, "pitch": v.Pitch, "roll": v.Roll, "zoom": v.Zoom},
		}, err
	})
}
