package clip

import (
	"context"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/motion"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
)

// targetTones returns the tones of the source picture, or of the painted
// prompt; nil when there is neither.
func (c *conversion) targetTones(ctx context.Context, t task.Task) (*footage.ToneMap, error) {
	given, err := t.Picture(ctx, "sourceImageIndex")
	if err != nil {
		return nil, err
	}
	if given != nil {
		small, err := shrinkTo(ctx, given, 192)
		if err != nil {
			return nil, err
		}
		c.out.note("colours", "of the picture that was sent")
		return footage.ToneMapOf(footage.ToRGBA(small)), nil
	}
	if c.scene.Empty() {
		return nil, nil
	}
	painted, err := paint.PaintScene(ctx, c.scene, c.look, 192, 128, c.seed, 0, nil)
	if err != nil {
		return nil, err
	}
	c.out.note("colours", "of the prompt as it would be painted")
	return footage.ToneMapOf(footage.ToRGBA(painted)), nil
}

// lightOf returns the light of a scene's time of day or season.
func lightOf(scene paint.Scene) (motion.Light, bool) {
	switch scene.Time {
	case "night":
		return motion.Light{R: 0.36, G: 0.46, B: 0.78, Lift: 0}, true
	case "sunset":
		return motion.Light{R: 1.06, G: 0.82, B: 0.62, Lift: 4}, true
	case "dawn":
		return motion.Light{R: 1.04, G: 0.92, B: 0.86, Lift: 8}, true
	case "day":
		return motion.Light{R: 1.08, G: 1.07, B: 1.04, Lift: 4}, true
	}
	switch scene.Season {
	case "autumn":
		return motion.Light{R: 1.06, G: 0.92, B: 0.72, Lift: 0}, true
	case "spring":
		return motion.Light{R: 1.0, G: 1.05, B: 0.96, Lift: 6}, true
	case "summer":
		return motion.Light{R: 1.08, G: 1.04, B: 0.92, Lift: 4}, true
	}
	return motion.Light{R: 1, G: 1, B: 1, Lift: 0}, false
}
