package picture

import (
	"math"
	"strconv"
)

// rgb is a colour with gamma, each part from 0 to 1. Painting mixes in gamma
// space on purpose: it is how pigments on a palette look to mix.
type rgb struct{ r, g, b float32 }

func hex(s string) (rgb, bool) {
	if len(s) == 7 && s[0] == '#' {
		s = s[1:]
	}
	n, err := strconv.ParseUint(s, 16, 32)
	if err != nil || len(s) != 6 {
		return rgb{}, false
	}
	return rgb{float32(n>>16) / 255, float32(n>>8&255) / 255, float32(n&255) / 255}, true
}

// ink is hex for the constants of this package, which the tests paint.
func ink(s string) rgb {
	c, _ := hex(s)
	return c
}

func mix(a, b rgb, t float32) rgb {
	return rgb{a.r + (b.r-a.r)*t, a.g + (b.g-a.g)*t, a.b + (b.b-a.b)*t}
}

func (c rgb) times(o rgb) rgb      { return rgb{c.r * o.r, c.g * o.g, c.b * o.b} }
func (c rgb) scaled(k float32) rgb { return rgb{c.r * k, c.g * k, c.b * k} }
func (c rgb) plus(o rgb) rgb       { return rgb{c.r + o.r, c.g + o.g, c.b + o.b} }
func (c rgb) luma() float32        { return 0.299*c.r + 0.587*c.g + 0.114*c.b }
func (c rgb) bounded() rgb         { return rgb{unit(c.r), unit(c.g), unit(c.b)} }
func (c rgb) distance(o rgb) float32 {
	dr, dg, db := c.r-o.r, c.g-o.g, c.b-o.b
	return float32(math.Sqrt(float64(0.3*dr*dr + 0.5*dg*dg + 0.2*db*db)))
}

// saturated moves a colour away from its grey (k above 1) or towards it.
func (c rgb) saturated(k float32) rgb {
	l := c.luma()
	return rgb{l + (c.r-l)*k, l + (c.g-l)*k, l + (c.b-l)*k}
}

// shifted lightens by a number of hundredths, or darkens when it is negative.
// A darker pigment leans to blue and a lighter one to yellow, as in daylight.
func (c rgb) shifted(hundredths float32) rgb {
	t := hundredths / 100
	if t >= 0 {
		return mix(c, rgb{1, 0.98, 0.92}, min(t, 1))
	}
	return mix(c, rgb{0.04, 0.03, 0.09}, min(-t, 1))
}

// turned moves the hue by a part of the circle.
func (c rgb) turned(by float32) rgb {
	h, s, l := c.hsl()
	return fromHSL(h+by, s, l)
}

func (c rgb) hsl() (h, s, l float32) {
	hi, lo := max(c.r, c.g, c.b), min(c.r, c.g, c.b)
	l = (hi + lo) / 2
	d := hi - lo
	if d < 1e-5 {
		return 0, 0, l
	}
	s = d / (1 - abs32(2*l-1) + 1e-6)
	switch hi {
	case c.r:
		h = (c.g - c.b) / d
	case c.g:
		h = (c.b-c.r)/d + 2
	default:
		h = (c.r-c.g)/d + 4
	}
	if h /= 6; h < 0 {
		h++
	}
	return h, min(s, 1), l
}

func fromHSL(h, s, l float32) rgb {
	h -= float32(math.Floor(float64(h)))
	q := s * min(l, 1-l)
	part := func(n float32) float32 {
		k := n + h*12
		if k >= 12 {
			k -= 12
		}
		return l - q*max(-1, min(k-3, 9-k, 1))
	}
	return rgb{part(0), part(8), part(4)}
}

func unit(v float32) float32 {
	if v < 0 {
		return 0
	}
	if v > 1 {
		return 1
	}
	return v
}

func abs32(v float32) float32 {
	if v < 0 {
		return -v
	}
	return v
}

// smooth eases v from 0 at lo to 1 at hi.
func smooth(lo, hi, v float32) float32 {
	t := unit((v - lo) / (hi - lo))
	return t * t * (3 - 2*t)
}

// ramp is a row of colours at places from 0 to 1.
type ramp []stop

type stop struct {
	at float32
	c  rgb
}

func (r ramp) at(t float32) rgb {
	if t <= r[0].at {
		return r[0].c
	}
	for i := 1; i < len(r); i++ {
		if t <= r[i].at {
			return mix(r[i-1].c, r[i].c, (t-r[i-1].at)/(r[i].at-r[i-1].at))
		}
	}
	return r[len(r)-1].c
}
