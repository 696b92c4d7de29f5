package sound

import (
	"math"
	"slices"
)

// Pitch is the fundamental frequency at one time, 0 when nothing is voiced, and
// the level.
type Pitch struct {
	Hz, Level float64
}

// pitchRate is enough for voices and makes the search cheap.
const pitchRate = 8000

// Pitches tracks the fundamental of a single voice between low and high Hz, 100
// times a second, with the YIN algorithm.
func Pitches(x []float32, rate int, low, high float64) []Pitch {
	x = Resample(x, rate, pitchRate)
	const hop = pitchRate / 100
	longest := int(pitchRate / low)
	shortest := max(2, int(pitchRate/high))
	window := max(longest, pitchRate/40)
	out := make([]Pitch, 0, len(x)/hop)
	diff := make([]float64, longest+2)
	for start := 0; start+window+longest+1 < len(x); start += hop {
		w := x[start : start+window+longest+2]
		var power float64
		for _, s := range w[:window] {
			power += float64(s) * float64(s)
		}
		p := Pitch{Level: math.Sqrt(power / float64(window))}
		if p.Level > 1e-3 {
			p.Hz = yin(w, diff, window, shortest, longest)
		}
		out = append(out, p)
	}
	return out
}

func yin(w []float32, diff []float64, window, shortest, longest int) float64 {
	var run float64
	for lag := 1; lag <= longest+1 && lag < len(diff); lag++ {
		var sum float32
		for i := range window {
			d := w[i] - w[i+lag]
			sum += d * d
		}
		run += float64(sum)
		diff[lag] = float64(sum) * float64(lag) / (run + 1e-12)
	}
	for lag := shortest; lag <= longest; lag++ {
		if diff[lag] > 0.18 {
			continue
		}
		for lag < longest && diff[lag+1] < diff[lag] {
			lag++
		}
		// A parabola through three points finds the dip between samples.
		a, b, c := diff[lag-1], diff[lag], diff[lag+1]
		shift := 0.0
		if d := a - 2*b + c; d > 1e-12 {
			shift = 0.5 * (a - c) / d
		}
		return pitchRate / (float64(lag) + shift)
	}
	return 0
}

// PitchRange returns the median, the 10th and the 90th percentile of a track of
// pitches. All are 0 when nothing was voiced.
func PitchRange(track []Pitch) (median, low, high float64) {
	var voiced []float64
	for _, p := range track {
		if p.Hz > 0 {
			voiced = append(voiced, p.Hz)
		}
	}
	if len(voiced) == 0 {
		return 0, 0, 0
	}
	slices.Sort(voiced)
	n := len(voiced)
	return voiced[n/2], voiced[n/10], voiced[n*9/10]
}
