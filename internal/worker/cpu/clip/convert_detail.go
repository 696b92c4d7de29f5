package clip

import (
	"context"
	"image"

	"github.com/atelier-project/atelier/internal/studio/film"
	"github.com/atelier-project/atelier/internal/studio/footage"
	"github.com/atelier-project/atelier/internal/worker/cpu/task"
)

// detail cleans a clip and makes it crisper: noise is taken out over time where
// nothing moves, and edges are sharpened. Frames stay as the codec has them.
func (c *conversion) detail(_ context.Context, _ task.Task) error {
	k := c.take
	w, h := c.reel.Size()
	calm := footage.NewCalmer(w, h)
	var scale *footage.PlaneScaler
	out := film.NewSamples(k.width, k.height)
	ratio := float64(k.height) / float64(h)
	if k.width != w || k.height != h {
		scale = footage.NewPlaneScaler(image.Pt(w, h), image.Pt(k.width, k.height), footage.Crisp)
	}
	edge := footage.NewEdger(k.width, k.height, max(1, ratio), true)
	edge.Calm = 5 // what is left of the noise is not raised again
	k.frame = func(i int) (image.Image, error) {
		s, err := c.reel.Samples(i)
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
