package song

import (
	"math"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// Every instrument plays the note that is written, and neither blows up nor
// stays silent.
func TestInstrumentsAreInTune(t *testing.T) {
	t.Parallel()
	for name, p := range patches {
		for _, pitch := range []int{p.centre - 5, p.centre, p.centre + 7} {
			x := make([]float32, Rate)
			p.maker.play(hertz(pitch), 1, 0.8, 5).render(x)
			var top float64
			for _, s := range x {
				top = max(top, math.Abs(float64(s)))
			}
			if !(top > 0.05 && top < 4) {
				t.Errorf("%s at %d: peak %.3f", name, pitch, top)
				continue
			}
			want := hertz(pitch)
			got := strongest(x[Rate/8:], want)
			// Choirs of detuned voices swim around the note, and the spectrum
			// tells low notes apart only so far.
			allowed := 8 + 1200*math.Log2(1+1.4/want)
			if w, ok := p.maker.(subtractive); ok {
				allowed += w.detune + w.vibrato
			}
			if cents := 1200 * math.Log2(got/want); math.Abs(cents) > allowed {
				t.Errorf("%s at %d: %.1f cents off (%.2f Hz, want %.2f)", name, pitch, cents, got, want)
			}
		}
	}
}

// strongest returns the frequency near a note at which the spectrum has its peak.
func strongest(x []float32, near float64) float64 {
	const n = 32768
	s := sound.Spectrum(x, 0, n)
	best := 0
	for k := int(near * 0.94 * n / Rate); k <= int(near*1.06*n/Rate)+1; k++ {
		if s[k] > s[best] || best == 0 {
			best = k
		}
	}
	a, b, c := math.Log(s[best-1]+1e-12), math.Log(s[best]+1e-12), math.Log(s[best+1]+1e-12)
	return (float64(best) + 0.5*(a-c)/(a-2*b+c)) * Rate / n
}

// Notes end: a player that goes on forever would slow a long song down.
func TestInstrumentsStop(t *testing.T) {
	t.Parallel()
	for name, p := range patches {
		v := p.maker.play(hertz(p.centre), 0.3, 0.8, 5)
		seconds := 0
		for x := make([]float32, Rate); v.render(x) && seconds < 30; seconds++ {
			clear(x)
		}
		if seconds > 12 {
			t.Errorf("%s still sounds after %d s", name, seconds)
		}
	}
}

func TestDrumsSound(t *testing.T) {
	t.Parallel()
	for _, kit := range []string{"", "rock", "electronic", "gated", "soft", "brush", "chip", "orchestral", "tight"} {
		for _, d := range drumNames {
			x := drumOf(kit, d).sample(3)
			var top, sum float64
			for _, s := range x {
				top = max(top, math.Abs(float64(s)))
				sum += float64(s)
			}
			if !(top > 0.02 && top < 2) {
				t.Errorf("%s of kit %q: peak %.3f", d, kit, top)
			}
			if mean := sum / float64(len(x)); math.Abs(mean) > 0.02 {
				t.Errorf("%s of kit %q: offset %.4f", d, kit, mean)
			}
		}
	}
}
