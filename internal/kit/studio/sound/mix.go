package sound

import "math"

// Decibel turns decibels into a factor.
func Decibel(db float64) float32 { return float32(math.Pow(10, db/20)) }

// Add mixes src into dst with a gain, as far as both reach.
func Add(dst, src []float32, gain float32) {
	n := min(len(dst), len(src))
	dst, src = dst[:n], src[:n]
	for i, s := range src {
		dst[i] += s * gain
	}
}

// Gain scales a plane in place.
func Gain(x []float32, gain float32) {
	for i := range x {
		x[i] *= gain
	}
}

// Pan gives the gains of left and right for a place from -1 to 1, with the same
// power everywhere.
func Pan(place float64) (left, right float32) {
	place = min(max(place, -1), 1)
	sin, cos := math.Sincos((place + 1) * math.Pi / 4)
	return float32(cos), float32(sin)
}

// Fade raises the first in frames and lowers the last out frames of a plane
// along half a cosine, so that neither end clicks.
func Fade(x []float32, in, out int) {
	n := len(x)
	in, out = min(in, n), min(out, n)
	for i := range in {
		x[i] *= rise(i, in)
	}
	for i := range out {
		x[n-1-i] *= rise(i, out)
	}
}

// rise goes from 0 at step 0 towards 1 at step n.
func rise(i, n int) float32 {
	return float32(0.5 - 0.5*math.Cos(math.Pi*float64(i)/float64(n)))
}

// Trim drops the silence at both ends: all that stays below the level (1 is full
// scale), except margin frames.
func (c *Clip) Trim(level float64, margin int) *Clip {
	top := int(level * 32768)
	first, last := -1, -1
	for i, s := range c.PCM {
		if int(s) > top || int(s) < -top {
			if first < 0 {
				first = i / c.Channels
			}
			last = i / c.Channels
		}
	}
	if first < 0 {
		return c.Cut(0, 0)
	}
	return c.Cut(first-margin, last+1+margin)
}
