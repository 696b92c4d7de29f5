package pixel

import "math"

// Lab is a colour in a perceptual colour space: lightness from 0 to 1, green to
// red and blue to yellow (Björn Ottosson's OKLab). The two hue axes are
// doubled, so that the Euclidean distance is perceptual.
type Lab struct{ L, A, B float32 }

// lightOf maps an sRGB byte to linear light.
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

// LabOf returns the colour of three bytes.
func LabOf(red, green, blue uint8) Lab {
	r, g, b := lightOf[red], lightOf[green], lightOf[blue]
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return Lab{
		float32(0.2104542553*l + 0.7936177850*m - 0.0040720468*s),
		float32(2 * (1.9779984951*l - 2.4285922050*m + 0.4505937099*s)),
		float32(2 * (0.0259040371*l + 0.7827717662*m - 0.8086757660*s)),
	}
}

// RGB converts back, with gamma and within bounds.
func (c Lab) RGB() RGB {
	a, b := c.A/2, c.B/2
	l := c.L + 0.3963377774*a + 0.2158037573*b
	m := c.L - 0.1055613458*a - 0.0638541728*b
	s := c.L - 0.0894841775*a - 1.2914855480*b
	l, m, s = l*l*l, m*m*m, s*s*s
	return RGB{
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
func (c Colour) lab() Lab { return LabOf(c.R, c.G, c.B) }

// Minus returns the difference.
func (c Lab) Minus(o Lab) Lab { return Lab{c.L - o.L, c.A - o.A, c.B - o.B} }

// Plus returns the sum.
func (c Lab) Plus(o Lab) Lab { return Lab{c.L + o.L, c.A + o.A, c.B + o.B} }

// Scaled returns a multiple.
func (c Lab) Scaled(k float32) Lab { return Lab{c.L * k, c.A * k, c.B * k} }

func (c Lab) square() float32 { return c.L*c.L + c.A*c.A + c.B*c.B }

func (c Lab) distance(o Lab) float32 { return float32(math.Sqrt(float64(c.Minus(o).square()))) }

func (c Lab) chroma() float32 { return float32(math.Hypot(float64(c.A), float64(c.B))) }

func (c Lab) hue() float64 { return math.Atan2(float64(c.B), float64(c.A)) }

func hueDistance(a, b float64) float64 { return math.Abs(math.Remainder(a-b, 2*math.Pi)) }
