package footage

import "github.com/atelier-project/atelier/internal/kit/studio/film"

// TemporalDenoiser removes noise by averaging frames over time. A pixel that
// changes little is noise; one that changes more has moved and is left alone.
type TemporalDenoiser struct {
	past   *film.Samples
	keep   [256]int32 // how much of the past stays, by difference, in 256ths
	primed bool
}

// NewTemporalDenoiser returns a TemporalDenoiser for frames of w by h.
func NewTemporalDenoiser(w, h int) *TemporalDenoiser {
	c := &TemporalDenoiser{past: film.NewSamples(w, h)}
	for d := range c.keep {
		c.keep[d] = int32(190 * (1 - Ease((float64(d)-5)/12)))
	}
	return c
}

// Frame returns the frame without its noise. The next call overwrites it.
func (c *TemporalDenoiser) Frame(s *film.Samples) *film.Samples {
	if !c.primed {
		c.primed = true
		c.past = s.Copy(c.past)
		return c.past
	}
	b := s.Bounds()
	mix := func(past []uint8, pastStride int, now []uint8, stride, w, h int) {
		Rows(h, func(y int) {
			p, n := past[y*pastStride:][:w], now[y*stride:][:w]
			for x := range p {
				d := int32(p[x]) - int32(n[x])
				p[x] = uint8(int32(n[x]) + (d*c.keep[Abs(int(d))])/256)
			}
		})
	}
	mix(c.past.Y, c.past.YStride, s.Y, s.YStride, b.Dx(), b.Dy())
	mix(c.past.Cb, c.past.CStride, s.Cb, s.CStride, b.Dx()/2, b.Dy()/2)
	mix(c.past.Cr, c.past.CStride, s.Cr, s.CStride, b.Dx()/2, b.Dy()/2)
	return c.past
}
