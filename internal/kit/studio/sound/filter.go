package sound

import "math"

// Biquad is a filter of second order. It computes in double precision, since
// low corners lose their shape otherwise.
type Biquad struct {
	b0, b1, b2, a1, a2 float64
	z1, z2             float64
}

type corner struct{ cos, alpha float64 }

func cornerAt(rate int, hz, q float64) corner {
	hz = min(max(hz, 1), 0.49*float64(rate))
	sin, cos := math.Sincos(2 * math.Pi * hz / float64(rate))
	return corner{cos, sin / (2 * q)}
}

func biquad(b0, b1, b2, a0, a1, a2 float64) *Biquad {
	return &Biquad{b0: b0 / a0, b1: b1 / a0, b2: b2 / a0, a1: a1 / a0, a2: a2 / a0}
}

// Lowpass keeps what is below hz.
func Lowpass(rate int, hz, q float64) *Biquad {
	c := cornerAt(rate, hz, q)
	return biquad((1-c.cos)/2, 1-c.cos, (1-c.cos)/2, 1+c.alpha, -2*c.cos, 1-c.alpha)
}

// Highpass keeps what is above hz.
func Highpass(rate int, hz, q float64) *Biquad {
	c := cornerAt(rate, hz, q)
	return biquad((1+c.cos)/2, -1-c.cos, (1+c.cos)/2, 1+c.alpha, -2*c.cos, 1-c.alpha)
}

// Bandpass keeps what is around hz, at most at its own level.
func Bandpass(rate int, hz, q float64) *Biquad {
	c := cornerAt(rate, hz, q)
	return biquad(c.alpha, 0, -c.alpha, 1+c.alpha, -2*c.cos, 1-c.alpha)
}

// Bell raises or lowers what is around hz by some decibels.
func Bell(rate int, hz, q, db float64) *Biquad {
	c, a := cornerAt(rate, hz, q), math.Pow(10, db/40)
	return biquad(1+c.alpha*a, -2*c.cos, 1-c.alpha*a, 1+c.alpha/a, -2*c.cos, 1-c.alpha/a)
}

// HighShelf raises or lowers what is above hz by some decibels.
func HighShelf(rate int, hz, db float64) *Biquad {
	c, a := cornerAt(rate, hz, math.Sqrt2/2), math.Pow(10, db/40)
	s := 2 * math.Sqrt(a) * c.alpha
	return biquad(a*(a+1+(a-1)*c.cos+s), -2*a*(a-1+(a+1)*c.cos), a*(a+1+(a-1)*c.cos-s),
		a+1-(a-1)*c.cos+s, 2*(a-1-(a+1)*c.cos), a+1-(a-1)*c.cos-s)
}

// Next filters one sample.
func (f *Biquad) Next(x float32) float32 {
	in := float64(x) + 1e-20 // keeps the state out of the slow denormal range
	y := f.b0*in + f.z1
	f.z1 = f.b1*in - f.a1*y + f.z2
	f.z2 = f.b2*in - f.a2*y
	return float32(y)
}

// Process filters a plane in place.
func (f *Biquad) Process(x []float32) {
	for i, s := range x {
		x[i] = f.Next(s)
	}
}

// SVF is a lowpass whose corner can move at every sample without clicks or
// blowing up: a state-variable filter with trapezoidal integrators.
type SVF struct {
	a1, a2, a3, k float32
	s1, s2        float32
}

// Set moves the corner. It costs a tangent, so callers move it every few
// samples only.
func (f *SVF) Set(rate int, hz, q float64) {
	g := math.Tan(math.Pi * min(max(hz, 10), 0.45*float64(rate)) / float64(rate))
	k := 1 / q
	a1 := 1 / (1 + g*(g+k))
	f.a1, f.a2, f.a3, f.k = float32(a1), float32(g*a1), float32(g*g*a1), float32(k)
}

// Next gives the lowpass and the bandpass of one sample.
func (f *SVF) Next(x float32) (low, band float32) {
	v3 := x + 1e-18 - f.s2
	band = f.a1*f.s1 + f.a2*v3
	low = f.s2 + f.a2*f.s1 + f.a3*v3
	f.s1 = 2*band - f.s1
	f.s2 = 2*low - f.s2
	return low, band * f.k
}
