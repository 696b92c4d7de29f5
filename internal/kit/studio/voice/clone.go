package voice

import (
	"errors"
	"fmt"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// ErrNoVoice is returned for a reference without a voice.
var ErrNoVoice = errors.New("clone: no voice is heard in the reference: give one second or more of clear speech")

// referenceSeconds is the part of a reference that is analysed.
const referenceSeconds = 60

// MeasureTimbre makes a timbre that resembles a recording in what can be
// measured: pitch, how far the melody goes, pace and brightness. It also
// returns what was matched and what was not.
func MeasureTimbre(c *sound.Clip, text string) (Timbre, []string, []string, error) {
	if err := c.Check(); err != nil {
		return Timbre{}, nil, nil, fmt.Errorf("clone: %w", err)
	}
	c = c.Cut(0, referenceSeconds*c.Rate).Trim(0.01, 0)
	mono := c.Mono()
	pitches := sound.Pitches(mono, c.Rate, 60, 450)
	middle, low, high := sound.PitchRange(pitches)
	voiced := 0
	for _, p := range pitches {
		if p.Hz > 0 {
			voiced++
		}
	}
	if middle == 0 || voiced < 30 {
		return Timbre{}, nil, nil, ErrNoVoice
	}
	t := cast.Neutral
	t.Pitch = middle
	spread := 12 * math.Log2(high/low)
	t.Range = spread / neutralSpread
	// Taller people have lower voices and longer vocal tracts, so the size is
	// estimated from the pitch.
	t.Size = 1 + 0.17*min(max(math.Log2(middle/115), -0.35), 1.3)
	t.Tilt = cast.Neutral.Tilt + (neutralBright - brightness(mono, c.Rate))
	matched := []string{
		fmt.Sprintf("pitch: %.0f Hz", middle),
		fmt.Sprintf("melody: %.1f semitones", spread),
		"brightness of the spectrum",
	}
	notes := []string{"the length of the throat is guessed from the pitch; accent and articulation are not copied"}
	if pace := paceOf(c, text); pace > 0 {
		t.Pace = pace
		matched = append(matched, fmt.Sprintf("pace: %.2f of usual", pace))
	} else {
		notes = append(notes, "the pace could not be measured")
	}
	return t.clamped(), matched, notes, nil
}

// Measurements of the neutral voice reading a plain paragraph.
const (
	neutralSpread = 6.5  // semitones between the lowest and highest tenth
	neutralBright = -17. // dB
	neutralRate   = 3.7  // syllables a second
)

// brightness returns the level of 2 to 5 kHz against 200 to 1000 Hz, in dB.
func brightness(x []float32, rate int) float64 {
	const n = 2048
	var low, high float64
	for at := 0; at+n <= len(x); at += n {
		for k, v := range sound.Spectrum(x, at, n) {
			switch hz := float64(k) * float64(rate) / n; {
			case hz >= 200 && hz < 1000:
				low += v * v
			case hz >= 2000 && hz < 5000:
				high += v * v
			}
		}
	}
	return 10 * math.Log10((high+1e-9)/(low+1e-9))
}

// paceOf compares the length of a recording with that of the same text from
// this synthesiser or, when the text is not known, counts syllables.
func paceOf(c *sound.Clip, text string) float64 {
	levels := c.Loudness(100)
	var top float64
	for _, l := range levels {
		top = max(top, l)
	}
	spoken := 0
	for _, l := range levels {
		if l > top*0.03 {
			spoken++
		}
	}
	if spoken < 50 {
		return 0
	}
	seconds := float64(spoken) / 100
	if cs := clauses(text); len(cs) > 0 {
		var usual float64
		for _, cl := range cs {
			segs := segmentsOf(cl)
			timing(segs, 1)
			for _, p := range targetsOf(segs) {
				usual += p.seconds
			}
		}
		if usual > 0.5 {
			return usual / seconds
		}
	}
	return float64(countSyllables(levels, top)) / seconds / neutralRate
}

// countSyllables counts the peaks of a level curve.
func countSyllables(levels []float64, top float64) int {
	smooth := make([]float64, len(levels))
	for i := range levels {
		var sum float64
		n := 0
		for k := max(0, i-4); k <= min(len(levels)-1, i+4); k++ {
			sum, n = sum+levels[k], n+1
		}
		smooth[i] = sum / float64(n)
	}
	count := 0
	valley, hill := smooth[0], smooth[0]
	rising := true
	for _, v := range smooth {
		if rising {
			hill = max(hill, v)
			if v < 0.75*hill && hill > 0.1*top {
				count, rising, valley = count+1, false, v
			}
		} else {
			valley = min(valley, v)
			if v > 1.33*valley && v > 0.08*top {
				rising, hill = true, v
			}
		}
	}
	return count
}
