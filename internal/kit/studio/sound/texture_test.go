package sound_test

import (
	"math"
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// A texture of noise is about as loud and as dark as the noise, and no copy.
func TestTexture(t *testing.T) {
	t.Parallel()
	x := make([]float32, 48000)
	noise, low := sound.NewNoise(5), sound.Lowpass(48000, 800, 0.7)
	for i := range x {
		x[i] = 0.3 * low.Next(noise.Next())
	}
	y := sound.Texture(x, 96000, 1)
	if len(y) != 96000 || !slices.Equal(y, sound.Texture(x, 96000, 1)) {
		t.Fatalf("%d samples, or others the second time", len(y))
	}
	power := func(x []float32) (sum float64) {
		for _, v := range x {
			sum += float64(v) * float64(v)
		}
		return 10 * math.Log10(sum/float64(len(x)))
	}
	if d := power(y) - power(x); d < -6 || d > 3 {
		t.Errorf("it is %.1f dB louder than the noise", d)
	}
	high := sound.Highpass(48000, 4000, 0.7)
	h := slices.Clone(y)
	high.Process(h)
	if d := power(h) - power(y); d > -20 {
		t.Errorf("above 4 kHz there is %.1f dB", d)
	}
	if got := sound.Texture(nil, 10, 1); len(got) != 10 || got[3] != 0 {
		t.Errorf("nothing goes on as %v", got)
	}
}
