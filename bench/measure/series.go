package measure

import (
	"encoding/json"
	"math"
	"slices"
)

// Series is a figure a turn.
type Series []float64

// Median is the middle of the turns: one that another process disturbed does not count.
func (s Series) Median() float64 { return s.quantile(0.5) }

// Low and High are the quartiles: half of the turns are between them.
func (s Series) Low() float64  { return s.quantile(0.25) }
func (s Series) High() float64 { return s.quantile(0.75) }

// Spread is the interquartile range.
func (s Series) Spread() float64 { return s.High() - s.Low() }

// quantile interpolates between the two turns that it lies between.
func (s Series) quantile(q float64) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	at := q * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}

// MarshalJSON writes six digits, more than any clock here has.
func (s Series) MarshalJSON() ([]byte, error) {
	rounded := make([]float64, len(s))
	for i, v := range s {
		rounded[i] = v
		if v != 0 && !math.IsInf(v, 0) {
			scale := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(v))))
			rounded[i] = math.Round(v*scale) / scale
		}
	}
	return json.Marshal(rounded)
}

// Two series are combined turn by turn: what disturbs both sides of a turn is not in its result.

// quotients leave turns out in which the divisor was lost in noise.
func quotients(a, b Series) Series {
	out := Series{}
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			out = append(out, a[i]/b[i])
		}
	}
	return out
}

func differences(a, b Series) Series {
	out := make(Series, min(len(a), len(b)))
	for i := range out {
		out[i] = a[i] - b[i]
	}
	return out
}

// Percentile is the smallest value that p of a hundred do not exceed.
func Percentile(values []float64, p int) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max((len(sorted)*p+99)/100, 1)-1]
}
