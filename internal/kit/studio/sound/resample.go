package sound

import "math"

// Resample changes the rate of a plane with a windowed sinc. For a lower rate
// it also removes what would alias.
func Resample(x []float32, from, to int) []float32 {
	if from == to || len(x) == 0 || from <= 0 || to <= 0 {
		return append([]float32(nil), x...)
	}
	return Stretch(x, float64(from)/float64(to))
}

// Stretch reads a plane at a speed: 2 gives half as many samples and, at the
// same rate, all pitches doubled.
func Stretch(x []float32, speed float64) []float32 {
	const lobes, fine = 16, 512
	cut := 0.97 * min(1, 1/speed)
	reach := int(math.Ceil(lobes / cut))
	// The kernel is tabulated once, finely enough to read the nearest entry.
	table := make([]float32, reach*fine+2)
	for i := range table {
		t := float64(i) / fine
		w := 0.0
		if t < float64(reach) {
			w = math.Cos(math.Pi / 2 * t / float64(reach))
			w *= w
		}
		s := 1.0
		if a := math.Pi * t * cut; a > 1e-9 {
			s = math.Sin(a) / a
		}
		table[i] = float32(s * w * cut)
	}
	out := make([]float32, int(float64(len(x))/speed))
	for i := range out {
		at := float64(i) * speed
		mid := int(at)
		var sum float32
		for k := max(0, mid-reach+1); k <= min(len(x)-1, mid+reach); k++ {
			sum += x[k] * table[int(math.Abs(at-float64(k))*fine+0.5)]
		}
		out[i] = sum
	}
	return out
}
