package voice

import (
	"math"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// hold makes half a second of one sound at a steady pitch.
func hold(name string, t Timbre, hz float64) []float32 {
	frames := track(targetsOf([]segment{{phoneme: phonemes[name], seconds: 0.5}}))
	for i := range frames {
		frames[i].hz = hz
	}
	return newTract(SpeechRate, t, 1).render(frames, nil)
}

// envelope returns the spectrum smoothed over the overtones, in dB.
func envelope(x []float32) func(hz float64) float64 {
	const n = 8192
	s := sound.Spectrum(x, len(x)/4, n)
	return func(hz float64) float64 {
		var sum float64
		for k := int((hz - 60) * n / SpeechRate); k <= int((hz+60)*n/SpeechRate); k++ {
			if k >= 0 && k < len(s) {
				sum += s[k] * s[k]
			}
		}
		return 10 * math.Log10(sum+1e-9)
	}
}

// A vowel has peaks where its formants are: louder than halfway to the next.
func TestVowelsHaveTheirFormants(t *testing.T) {
	t.Parallel()
	voice := Timbre{Size: 1, Tilt: 1}
	for _, name := range []string{"IY", "IH", "EH", "AE", "AA", "UH", "ER"} {
		p := phonemes[name]
		at := envelope(hold(name, voice, 100))
		for k := range 2 {
			between := (p.f[k] + p.f[k+1]) / 2
			if p.f[k+1]-p.f[k] < 550 {
				continue // close formants melt into one
			}
			if at(p.f[k]) < at(between)+3 {
				t.Errorf("%s: F%d at %.0f Hz has %.1f dB, %.0f Hz has %.1f dB", name, k+1, p.f[k], at(p.f[k]), between, at(between))
			}
		}
	}
}

// Every two sounds that are held differ in their spectra.
func TestSoundsAreDistinct(t *testing.T) {
	t.Parallel()
	voice := Timbre{Size: 1, Tilt: 1}
	shapes := map[string][]float64{}
	for _, name := range []string{"IY", "IH", "EH", "AE", "AA", "AO", "UW", "ER", "S", "SH", "F", "M", "N", "L", "R", "Z", "V"} {
		at := envelope(hold(name, voice, 100))
		var shape []float64
		for hz := 200.0; hz < 8000; hz *= 1.12 {
			shape = append(shape, at(hz))
		}
		shapes[name] = shape
	}
	for a, x := range shapes {
		for b, y := range shapes {
			if a >= b {
				continue
			}
			var sum, mx, my float64
			for i := range x {
				mx += x[i] / float64(len(x))
				my += y[i] / float64(len(y))
			}
			for i := range x {
				d := (x[i] - mx) - (y[i] - my)
				sum += d * d
			}
			if rms := math.Sqrt(sum / float64(len(x))); rms < 1.5 {
				t.Errorf("%s and %s differ by %.2f dB only", a, b, rms)
			}
		}
	}
}

// Hissing sounds have their weight where ears expect it.
func TestFricativesHissInTheirBands(t *testing.T) {
	t.Parallel()
	voice := Timbre{Size: 1, Tilt: 1}
	s, sh := envelope(hold("S", voice, 100)), envelope(hold("SH", voice, 100))
	if s(6500) < s(2500)+10 {
		t.Errorf("S: %.1f dB at 6.5 kHz, %.1f at 2.5 kHz", s(6500), s(2500))
	}
	if sh(2800) < sh(8500)+4 {
		t.Errorf("SH: %.1f dB at 2.8 kHz, %.1f at 8.5 kHz", sh(2800), sh(8500))
	}
}

// Notes are sung at their pitch and their vowels begin in time.
func TestSingingIsInTuneAndInTime(t *testing.T) {
	t.Parallel()
	words := Syllables("la me no")
	var notes []Note
	for i, hz := range []float64{220, 277.2, 329.6} {
		notes = append(notes, Note{Syllable: words[i], Start: 0.4 + 0.7*float64(i), Seconds: 0.7, Hz: hz})
	}
	x, err := Sing(t.Context(), notes, cast.Voices["serena"], SpeechRate, 1, 2.8)
	if err != nil {
		t.Fatal(err)
	}
	if len(x) != int(2.8*SpeechRate) {
		t.Errorf("%d samples", len(x))
	}
	for _, n := range notes {
		from := int((n.Start + 0.15) * SpeechRate)
		median, _, _ := sound.PitchRange(sound.Pitches(x[from:from+SpeechRate*2/5], SpeechRate, 100, 500))
		if cents := 1200 * math.Log2(median/n.Hz); math.Abs(cents) > 30 {
			t.Errorf("%v Hz is sung at %.1f", n.Hz, median)
		}
	}
	for i, l := range sound.FromPlanes(SpeechRate, x).Loudness(20) {
		if i < 5 && l > 0.001 {
			t.Errorf("heard before the first note: %.4f", l)
		}
	}
}
