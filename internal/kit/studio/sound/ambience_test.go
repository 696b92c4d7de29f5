package sound_test

import (
	"math"
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
	"github.com/atelier-project/atelier/internal/worktest"
)

// Every surrounding is heard, in two ears, without clipping and without clicks
// at its ends, and is the same again for the same seed.
func TestAmbiences(t *testing.T) {
	t.Parallel()
	const rate, frames = 22050, 2 * 22050
	ambiences := sound.Ambiences()
	if !worktest.Exhaustive() {
		ambiences = ambiences[:1]
	}
	for _, name := range ambiences {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, r := sound.Ambience(name, rate, frames, 3)
			again, _ := sound.Ambience(name, rate, frames, 3)
			other, _ := sound.Ambience(name, rate, frames, 4)
			if len(l) != frames || len(r) != frames {
				t.Fatalf("%d and %d frames, want %d", len(l), len(r), frames)
			}
			if !slices.Equal(l, again) || slices.Equal(l, other) {
				t.Error("it does not depend on the seed alone")
			}
			var sum, top float64
			for i := range l {
				sum += float64(l[i]*l[i] + r[i]*r[i])
				top = max(top, math.Abs(float64(l[i])), math.Abs(float64(r[i])))
			}
			level := 20 * math.Log10(math.Sqrt(sum/frames/2))
			t.Logf("%.1f dB, peak %.2f", level, top)
			if level < -46 || level > -12 || top > 1 {
				t.Errorf("its level is %.1f dB and its peak %.2f", level, top)
			}
			if l[0] != 0 || math.Abs(float64(l[frames-1])) > 0.001 {
				t.Errorf("it begins at %v and ends at %v", l[0], l[frames-1])
			}
		})
	}
	if l, _ := sound.Ambience("opera", rate, 100, 1); slices.ContainsFunc(l, func(x float32) bool { return x != 0 }) {
		t.Error("an unknown surrounding is heard")
	}
}

// The sea is deeper than the rain.
func TestAmbiencesDiffer(t *testing.T) {
	t.Parallel()
	centre := func(name string) float64 {
		l, _ := sound.Ambience(name, 22050, 22050, 1)
		var sum, weight float64
		for k, v := range sound.Spectrum(l, 4000, 8192) {
			sum, weight = sum+v*float64(k), weight+v
		}
		return sum / weight * 22050 / 8192
	}
	if sea, rain, wind := centre("sea"), centre("rain"), centre("wind"); rain < 2*wind || rain < sea {
		t.Errorf("centres: sea %.0f Hz, rain %.0f Hz, wind %.0f Hz", sea, rain, wind)
	}
}
