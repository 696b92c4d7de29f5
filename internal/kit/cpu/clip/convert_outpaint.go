package clip

import (
	"cmp"
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/worker"
)

// outpaint puts a clip into a wider or higher frame. The new area is the clip,
// mirrored at its edge and increasingly blurred.
func (c *conversion) outpaint(_ context.Context, t task.Task) error {
	k := c.out
	w, h := c.video.Size()
	shape := float64(w) / float64(h)
	ratio, ok := task.ParseRatio(t.Text("outpaintAspectRatio"))
	if !ok {
		ratio = 16.0 / 9
		if shape >= ratio-0.01 {
			ratio = 21.0 / 9
		}
	}
	if math.Abs(ratio-shape) < 0.01*shape {
		return worker.Failf("The video already has the shape %s; there is nothing to add.", t.Text("outpaintAspectRatio"))
	}
	short := float64(min(w, h))
	if r := t.Number("targetResolution", 0); r > 0 {
		short = r
	}
	k.width, k.height = int(short*ratio)/2*2, int(short)/2*2
	if ratio < 1 {
		k.width, k.height = int(short)/2*2, int(short/ratio)/2*2
	}
	if k.width*k.height > maxFramePixels {
		return worker.Failf("The wider video would be %d by %d pixels, more than the CPU renderer makes.", k.width, k.height)
	}
	iw, ih := k.width, int(float64(k.width)/shape)/2*2
	if ih > k.height {
		iw, ih = int(float64(k.height)*shape)/2*2, k.height
	}
	at := image.Pt((k.width-iw)/2, (k.height-ih)/2)
	switch position := cmp.Or(t.Text("outpaintPosition"), "center"); position {
	case "center":
	case "top":
		at.Y = 0
	case "bottom":
		at.Y = k.height - ih
	case "left":
		at.X = 0
	case "right":
		at.X = k.width - iw
	default:
		return worker.Failf("There is no position %q.", position)
	}
	s := footage.NewOutpainter(image.Pt(w, h), image.Rect(0, 0, iw, ih).Add(at), image.Pt(k.width, k.height))
	k.frame = func(i int) (image.Image, error) {
		img, err := c.video.RGBA(i)
		if err != nil {
			return nil, err
		}
		return s.Frame(img), nil
	}
	k.note("inside", map[string]int{"x": at.X, "y": at.Y, "width": iw, "height": ih})
	k.note("method", "surroundings mirrored from the clip and softened; nothing new is shown there")
	return nil
}
