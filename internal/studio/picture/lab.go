package picture

import "math"

// lab is a colour as the eye tells colours apart: lightness from 0 to 1, green to
// red and blue to yellow (Björn Ottosson's OKLab). The two hues count double, so
// that the plain distance weighs them as they are seen.
type lab struct{ l, a, b float32 }

// lightOf is the light of a byte with gamma.
var lightOf = func() (t [256]float64) {
	for i := range t {
		v := float64(i) / 255
		if v <= 0.04045 {
			t[i] = v / 12.92
		} else {
			t[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return t
}()

func labOf(red, green, blue uint8) lab {
	r, g, b := lightOf[red], lightOf[green], lightOf[blue]
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return lab{
		float32(0.2104542553*l + 0.7936177850*m - 0.0040720468*s),
		float32(2 * (1.9779984951*l - 2.4285922050*m + 0.4505937099*s)),
		float32(2 * (0.0259040371*l + 0.7827717662*m - 0.8086757660*s)),
	}
}

// rgb is the way back, with gamma and within bounds.
func (c lab) rgb() rgb {
	a, b := c.a/2, c.b/2
	l := c.l + 0.3963377774*a + 0.2158037573*b
	m := c.l - 0.1055613458*a - 0.0638541728*b
	s := c.l - 0.0894841775*a - 1.2914855480*b
	l, m, s = l*l*l, m*m*m, s*s*s
	return rgb{
		gamma(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		gamma(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		gamma(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
	}
}

func gamma(v float32) float32 {
	if v <= 0.0031308 {
		return max(v, 0) * 12.92
	}
	return min(1.055*float32(math.Pow(float64(v), 1/2.4))-0.055, 1)
}

// lab of a colour of the lexicon.
func (c Colour) lab() lab { return labOf(c.R, c.G, c.B) }

func (c lab) minus(o lab) lab        { return lab{c.l - o.l, c.a - o.a, c.b - o.b} }
func (c lab) plus(o lab) lab         { return lab{c.l + o.l, c.a + o.a, c.b + o.b} }
func (c lab) scaled(k float32) lab   { return lab{c.l * k, c.a * k, c.b * k} }
func (c lab) square() float32        { return c.l*c.l + c.a*c.a + c.b*c.b }
func (c lab) distance(o lab) float32 { return float32(math.Sqrt(float64(c.minus(o).square()))) }
func (c lab) chroma() float32        { return float32(math.Hypot(float64(c.a), float64(c.b))) }
func (c lab) hue() float64           { return math.Atan2(float64(c.b), float64(c.a)) }
func turnOf(a, b float64) float64    { return math.Abs(math.Remainder(a-b, 2*math.Pi)) }
