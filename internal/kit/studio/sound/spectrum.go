package sound

import (
	"math"
	"math/bits"
	"math/cmplx"
)

// FFT transforms in place. The length is a power of two.
func FFT(x []complex128) {
	n := len(x)
	if n < 2 {
		return
	}
	shift := 64 - bits.Len(uint(n-1))
	for i := range x {
		if j := int(bits.Reverse64(uint64(i)) >> shift); j > i {
			x[i], x[j] = x[j], x[i]
		}
	}
	for size := 2; size <= n; size *= 2 {
		turn := cmplx.Rect(1, -2*math.Pi/float64(size))
		for start := 0; start < n; start += size {
			w := complex(1, 0)
			for k := start; k < start+size/2; k++ {
				a, b := x[k], x[k+size/2]*w
				x[k], x[k+size/2] = a+b, a-b
				w *= turn
			}
		}
	}
}

// Spectrum returns the magnitude of the n/2 lower bins of n samples from start
// on, with a Hann window. Samples outside of x are silence.
func Spectrum(x []float32, start, n int) []float64 {
	buf := make([]complex128, n)
	for i := range buf {
		if at := start + i; at >= 0 && at < len(x) {
			buf[i] = complex(float64(x[at])*(0.5-0.5*math.Cos(2*math.Pi*float64(i)/float64(n))), 0)
		}
	}
	FFT(buf)
	out := make([]float64, n/2)
	for i := range out {
		out[i] = cmplx.Abs(buf[i])
	}
	return out
}

// Onsets returns the onset strength at each hop of a plane: the rise of the
// logarithmic spectrum since the hop before.
func Onsets(x []float32, hop int) []float64 {
	const n = 1024
	out := make([]float64, len(x)/hop)
	var before []float64
	for i := range out {
		now := Spectrum(x, i*hop-n/2, n)
		for k, v := range now {
			now[k] = math.Log1p(100 * v)
			if before != nil {
				out[i] += max(0, now[k]-before[k])
			}
		}
		before = now
	}
	return out
}
