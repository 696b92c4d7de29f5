package sound

import (
	"math"
	"math/cmplx"
	"slices"
)

// textureSize is the length of the pieces that a texture is made of.
const textureSize = 4096

// Texture continues a sound without repeating it, by noise with the spectrum of
// its quieter moments. It returns n samples.
func Texture(x []float32, n int, seed uint64) []float32 {
	out := make([]float32, max(n, 0))
	if len(x) == 0 || n <= 0 {
		return out
	}
	colour := quietSpectrum(x)
	chance := NewNoise(seed + 11)
	buf := make([]complex128, textureSize)
	const hop = textureSize / 4
	for at := -textureSize + hop; at < n; at += hop {
		clear(buf)
		for k, v := range colour {
			if k == 0 {
				continue
			}
			buf[k] = cmplx.Rect(v, math.Pi*float64(chance.Next()))
			buf[textureSize-k] = cmplx.Conj(buf[k])
		}
		FFT(buf) // the phases are random, so the direction does not matter
		for i, c := range buf {
			if p := at + i; p >= 0 && p < n {
				window := 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/textureSize)
				out[p] += float32(real(c) * window)
			}
		}
	}
	// Four windows overlap, and their squares add up to one and a half.
	Gain(out, float32(1/math.Sqrt(1.5)))
	return out
}

// quietSpectrum returns the usual spectrum of a sound in its quieter moments:
// of each frequency the lower third over time. It is scaled so that random
// phases keep the level.
func quietSpectrum(x []float32) []float64 {
	var all [][]float64
	for at := 0; at == 0 || at+textureSize <= len(x); at += textureSize / 2 {
		all = append(all, Spectrum(x, at, textureSize))
	}
	out := make([]float64, textureSize/2)
	column := make([]float64, len(all))
	for k := range out {
		for i, s := range all {
			column[i] = s[k]
		}
		slices.Sort(column)
		// A Hann window lets three eighths of the power through.
		out[k] = column[len(column)/3] / math.Sqrt(0.375) / textureSize
	}
	return out
}
