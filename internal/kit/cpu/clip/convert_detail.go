package clip

import (
	"context"
	"image"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
)

// detail denoises a clip over time where nothing moves, and sharpens its edges.
// Frames stay in the codec's colour space.
func (c *conversion) detail(_ context.Context, _ task.Task) error {
	k := c.out
	w, h := c.video.Size()
	calm := footage.NewTemporalDenoiser(w, h)
	var scale *footage.PlaneScaler
	out := film.NewSamples(k.width, k.height)
	ratio := float64(k.height) / float64(h)
	if k.width != w || k.height != h {
		scale = footage.NewPlaneScaler(image.Pt(w, h), image.Pt(k.width, k.height), footage.Lanczos3)
	}
	edge := footage.NewSharpener(k.width, k.height, max(1, ratio), true)
	edge.Threshold = 5 // remaining noise is not sharpened
	k.frame = func(i int) (image.Image, error) {
		s, err := c.video.Samples(i)
		if err != nil {
			return nil, err
		}
		clean := calm.Frame(s)
		if scale != nil {
			scale.Frame(out, clean)
		} else {
			out = clean.Copy(out)
		}
		edge.Sharpen(out)
		return out, nil
	}
	k.note("method", "noise averaged over time where nothing moves, edges sharpened; nothing is invented")
	return nil
}
