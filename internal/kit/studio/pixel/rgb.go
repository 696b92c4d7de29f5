package pixel

import (
	"math"
	"strconv"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
)

// RGB is a colour with gamma, each part from 0 to 1. Painting mixes in gamma
// space on purpose: the result looks like mixed paint.
type RGB struct{ R, G, B float32 }

// Hex reads a colour such as #rrggbb.
func Hex(s string) (RGB, bool) {
	if len(s) == 7 && s[0] == '#' {
		s = s[1:]
	}
	n, err := strconv.ParseUint(s, 16, 32)
	if err != nil || len(s) != 6 {
		return RGB{}, false
	}
	return RGB{float32(n>>16) / 255, float32(n>>8&255) / 255, float32(n&255) / 255}, true
}

// MustHex is Hex for constants; it panics on a wrong one.
func MustHex(s string) RGB {
	c, _ := Hex(s)
	return c
}

// Mix returns the colour a part of the way from a to b.
func Mix(a, b RGB, t float32) RGB {
	return RGB{a.R + (b.R-a.R)*t, a.G + (b.G-a.G)*t, a.B + (b.B-a.B)*t}
}

// Times returns the product, as of light and surface.
func (c RGB) Times(o RGB) RGB { return RGB{c.R * o.R, c.G * o.G, c.B * o.B} }

// Scaled returns a multiple.
func (c RGB) Scaled(k float32) RGB { return RGB{c.R * k, c.G * k, c.B * k} }

// Plus returns the sum.
func (c RGB) Plus(o RGB) RGB { return RGB{c.R + o.R, c.G + o.G, c.B + o.B} }

// Luma returns the lightness.
func (c RGB) Luma() float32 { return 0.299*c.R + 0.587*c.G + 0.114*c.B }

// Bounded clamps a colour to the displayable range.
func (c RGB) Bounded() RGB { return RGB{Unit(c.R), Unit(c.G), Unit(c.B)} }

// Distance returns how far two colours are apart.
func (c RGB) Distance(o RGB) float32 {
	dr, dg, db := c.R-o.R, c.G-o.G, c.B-o.B
	return float32(math.Sqrt(float64(0.3*dr*dr + 0.5*dg*dg + 0.2*db*db)))
}

// Saturated moves a colour away from its grey (k above 1) or towards it.
func (c RGB) Saturated(k float32) RGB {
	l := c.Luma()
	return RGB{l + (c.R-l)*k, l + (c.G-l)*k, l + (c.B-l)*k}
}

// Shifted lightens by a number of hundredths, or darkens when it is negative.
// A darker pigment leans to blue and a lighter one to yellow, as in daylight.
func (c RGB) Shifted(hundredths float32) RGB {
	t := hundredths / 100
	if t >= 0 {
		return Mix(c, RGB{1, 0.98, 0.92}, min(t, 1))
	}
	return Mix(c, RGB{0.04, 0.03, 0.09}, min(-t, 1))
}

// Turned rotates the hue by a part of the circle.
func (c RGB) Turned(by float32) RGB {
	h, s, l := c.HSL()
	return FromHSL(h+by, s, l)
}

// HSL returns the hue, the saturation and the lightness.
func (c RGB) HSL() (h, s, l float32) {
	hi, lo := max(c.R, c.G, c.B), min(c.R, c.G, c.B)
	l = (hi + lo) / 2
	d := hi - lo
	if d < 1e-5 {
		return 0, 0, l
	}
	s = d / (1 - chance.Abs32(2*l-1) + 1e-6)
	switch hi {
	case c.R:
		h = (c.G - c.B) / d
	case c.G:
		h = (c.B-c.R)/d + 2
	default:
		h = (c.R-c.G)/d + 4
	}
	if h /= 6; h < 0 {
		h++
	}
	return h, min(s, 1), l
}

// FromHSL returns the colour of a hue, a saturation and a lightness.
func FromHSL(h, s, l float32) RGB {
	h -= float32(math.Floor(float64(h)))
	q := s * min(l, 1-l)
	part := func(n float32) float32 {
		k := n + h*12
		if k >= 12 {
			k -= 12
		}
		return l - q*max(-1, min(k-3, 9-k, 1))
	}
	return RGB{part(0), part(8), part(4)}
}

// Unit clamps a value to 0 to 1.
func Unit(v float32) float32 {
	if v < 0 {
		return 0
	}
	if v > 1 {
		return 1
	}
	return v
}

// Smooth eases v from 0 at lo to 1 at hi.
func Smooth(lo, hi, v float32) float32 {
	t := Unit((v - lo) / (hi - lo))
	return t * t * (3 - 2*t)
}

// Ramp is a row of colours at places from 0 to 1.
type Ramp []Stop

// Stop is a colour at a place of a ramp.
type Stop struct {
	At float32
	C  RGB
}

// At returns the colour at a place.
func (r Ramp) At(t float32) RGB {
	if t <= r[0].At {
		return r[0].C
	}
	for i := 1; i < len(r); i++ {
		if t <= r[i].At {
			return Mix(r[i-1].C, r[i].C, (t-r[i-1].At)/(r[i].At-r[i-1].At))
		}
	}
	return r[len(r)-1].C
}
