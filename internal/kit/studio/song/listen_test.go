package song_test

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/song"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// tempoNear listens for the beat: the tempo within a tenth of the one expected
// at whose distance, and whose multiples, beginnings repeat most.
func tempoNear(c *sound.Clip, expected float64) float64 {
	const perSecond = 200
	on := sound.Onsets(c.Mono(), song.Rate/perSecond)
	var mean float64
	for _, v := range on {
		mean += v / float64(len(on))
	}
	for i := range on {
		on[i] -= mean
	}
	// Correlations are tabulated for whole lags and read between them.
	longest := min(len(on)/2, int(20*60/expected*perSecond))
	table := make([]float64, longest+2)
	for lag := range table {
		for i := 0; i+lag < len(on); i++ {
			table[lag] += on[i] * on[i+lag]
		}
		table[lag] /= float64(len(on) - lag)
	}
	best, score := 0.0, math.Inf(-1)
	for bpm := expected * 0.9; bpm <= expected*1.1; bpm += expected * 0.0005 {
		period := 60 / bpm * perSecond
		var sum float64
		n := 0
		for k := 1; float64(k)*period < float64(longest); k++ {
			at := float64(k) * period
			i := int(at)
			sum += table[i] + (table[i+1]-table[i])*(at-float64(i))
			n++
		}
		if sum /= float64(n); sum > score {
			best, score = bpm, sum
		}
	}
	return best
}

// chroma returns how much of each of the twelve notes is heard.
func chroma(c *sound.Clip) (out [12]float64) {
	const n = 16384
	x := c.Mono()
	for at := 0; at+n <= len(x); at += n {
		s := sound.Spectrum(x, at, n)
		for k := 4; k < len(s)-1; k++ {
			hz := float64(k) * song.Rate / n
			if hz < 60 || hz > 1000 || s[k] < s[k-1] || s[k] < s[k+1] {
				continue
			}
			// A parabola finds the peak between bins.
			a, b, d := math.Log(s[k-1]+1e-12), math.Log(s[k]+1e-12), math.Log(s[k+1]+1e-12)
			hz = (float64(k) + 0.5*(a-d)/(a-2*b+d)) * song.Rate / n
			p := 69 + 12*math.Log2(hz/440)
			if off := math.Abs(p - math.Round(p)); off < 0.3 {
				out[(int(math.Round(p))%12+12)%12] += s[k]
			}
		}
	}
	return out
}

// How well each note fits a major and a minor key, after Krumhansl and Kessler.
var (
	majorFit = [12]float64{6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88}
	minorFit = [12]float64{6.33, 2.68, 3.52, 5.38, 2.60, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17}
)

// keyHeard returns the key whose profile the chroma resembles most.
func keyHeard(ch [12]float64) (tonic int, minor bool) {
	best := math.Inf(-1)
	for t := range 12 {
		for m, fit := range [][12]float64{majorFit, minorFit} {
			var turned [12]float64
			for i := range 12 {
				turned[(i+t)%12] = fit[i]
			}
			if r := correlation(ch[:], turned[:]); r > best {
				best, tonic, minor = r, t, m == 1
			}
		}
	}
	return tonic, minor
}

func correlation(a, b []float64) float64 {
	var ma, mb float64
	for i := range a {
		ma += a[i] / float64(len(a))
		mb += b[i] / float64(len(b))
	}
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	return ab / math.Sqrt(aa*bb+1e-12)
}

// brightness returns the middle of the spectrum in Hz.
func brightness(c *sound.Clip) float64 {
	const n = 4096
	x := c.Mono()
	var sum, weighed float64
	for at := 0; at+n <= len(x); at += 4 * n {
		for k, v := range sound.Spectrum(x, at, n) {
			sum += v
			weighed += v * float64(k) * song.Rate / n
		}
	}
	return weighed / (sum + 1e-12)
}
