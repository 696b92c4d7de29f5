package cpu

import (
	"context"
	"image"

	"github.com/atelier-project/atelier/internal/studio/film"
	"github.com/atelier-project/atelier/internal/worker"
)

// detail cleans a clip and makes it crisper: noise is taken out over time where
// nothing moves, and edges are sharpened. Frames stay as the codec has them.
func (c *conversion) detail(_ context.Context, _ worker.Task) error {
	k := c.take
	w, h := c.reel.size()
	calm := newCalmer(w, h)
	var scale *planeScaler
	out := film.NewSamples(k.width, k.height)
	ratio := float64(k.height) / float64(h)
	if k.width != w || k.height != h {
		scale = newPlaneScaler(image.Pt(w, h), image.Pt(k.width, k.height), crisp)
	}
	edge := newEdger(k.width, k.height, max(1, ratio), true)
	edge.calm = 5 // what is left of the noise is not raised again
	k.frame = func(i int) (image.Image, error) {
		s, err := c.reel.samples(i)
		if err != nil {
			return nil, err
		}
		clean := calm.frame(s)
		if scale != nil {
			scale.frame(out, clean)
		} else {
			out = clean.Copy(out)
		}
		edge.sharpen(out)
		return out, nil
	}
	k.note("method", "noise averaged over time where nothing moves, edges sharpened; nothing is invented")
	return nil
}

// calmer averages frames over time. A pixel that changes little is taken for the
// same thing with noise; one that changes more has moved and is left alone.
type calmer struct {
	past   *film.Samples
	keep   [256]int32 // how much of the past stays, by difference, in 256ths
	primed bool
}

func newCalmer(w, h int) *calmer {
	c := &calmer{past: film.NewSamples(w, h)}
	for d := range c.keep {
		c.keep[d] = int32(190 * (1 - ease((float64(d)-5)/12)))
	}
	return c
}

// frame is the frame without its noise. It is used again for the next.
func (c *calmer) frame(s *film.Samples) *film.Samples {
	if !c.primed {
		c.primed = true
		c.past = s.Copy(c.past)
		return c.past
	}
	b := s.Bounds()
	mix := func(past []uint8, pastStride int, now []uint8, stride, w, h int) {
		rows(h, func(y int) {
			p, n := past[y*pastStride:][:w], now[y*stride:][:w]
			for x := range p {
				d := int32(p[x]) - int32(n[x])
				p[x] = uint8(int32(n[x]) + (d*c.keep[abs(int(d))])/256)
			}
		})
	}
	mix(c.past.Y, c.past.YStride, s.Y, s.YStride, b.Dx(), b.Dy())
	mix(c.past.Cb, c.past.CStride, s.Cb, s.CStride, b.Dx()/2, b.Dy()/2)
	mix(c.past.Cr, c.past.CStride, s.Cr, s.CStride, b.Dx()/2, b.Dy()/2)
	return c.past
}
