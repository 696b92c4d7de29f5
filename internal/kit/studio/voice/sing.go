package voice

import (
	"context"
	"math"
	"slices"
	"strings"
)

// Syllable is the part of a word that is sung on one note.
type Syllable struct {
	Text   string // the word, on its first syllable
	phones []phone
	nuclei int // the place of the vowel
}

// Syllables splits a line of lyrics.
func Syllables(line string) []Syllable {
	var out []Syllable
	for _, c := range clauses(line) {
		for _, w := range c.words {
			parts := syllabify(pronounce(w))
			if len(parts) > 0 {
				parts[0].Text = w
			}
			out = append(out, parts...)
		}
	}
	return out
}

// syllabify gives each vowel the consonants around it, as many of them to the
// syllable that follows as can begin an English word.
func syllabify(p []phone) []Syllable {
	var vowels []int
	for i := range p {
		if p[i].kind.vocalic() {
			vowels = append(vowels, i)
		}
	}
	var out []Syllable
	start := 0
	for k, v := range vowels {
		end := len(p)
		if k+1 < len(vowels) {
			end = vowels[k+1]
			for end > v+1 && canBeginWord(p[end-1:vowels[k+1]]) {
				end--
			}
		}
		out = append(out, Syllable{phones: slices.Clone(p[start:end]), nuclei: v - start})
		start = end
	}
	return out
}

// canBeginWord reports whether consonants can stand at the beginning of a word.
func canBeginWord(c []phone) bool {
	switch len(c) {
	case 1:
		return c[0].name != "NG"
	case 2:
		if c[0].name == "S" {
			return strings.Contains(" P T K M N L W ", " "+c[1].name+" ")
		}
		return c[1].kind == glide && (c[0].kind == stop || c[0].kind == fricative) && c[1].name != "Y"
	case 3:
		return c[0].name == "S" && c[1].kind == stop && c[2].kind == glide
	}
	return false
}

// Note is a syllable at its place in a melody.
type Note struct {
	Syllable       Syllable
	Start, Seconds float64
	Hz             float64
}

// Sing sings notes that follow each other and returns seconds of sound at a
// rate of samples. The vowel of each syllable begins with its note; the
// consonants before it shorten the note before.
func Sing(ctx context.Context, notes []Note, t Timbre, rate int, seed int64, seconds float64) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	segs := score(notes, seconds)
	frames := track(targetsOf(segs))
	tune(frames, notes, t)
	out := newTract(rate, t.clamped(), uint64(seed)).render(frames, make([]float32, 0, int(seconds*float64(rate))+rate/frameRate))
	want := int(seconds * float64(rate))
	for len(out) < want {
		out = append(out, 0)
	}
	return out[:want], nil
}

// score sets the lengths of the segments so that each vowel begins with its
// note.
func score(notes []Note, seconds float64) []segment {
	var segs []segment
	var at float64 // where the segments so far end
	rest := func(until float64) {
		if until > at {
			segs = append(segs, segment{phoneme: silence, seconds: until - at})
			at = until
		}
	}
	for i, n := range notes {
		onset := consonants(n.Syllable.phones[:n.Syllable.nuclei], true)
		coda := consonants(n.Syllable.phones[min(n.Syllable.nuclei+1, len(n.Syllable.phones)):], false)
		end := n.Start + n.Seconds
		if i+1 < len(notes) {
			next := notes[i+1]
			head := length(consonants(next.Syllable.phones[:next.Syllable.nuclei], true))
			if next.Start-head-end < 0.06 {
				end = next.Start - head // legato up to the next consonant
			}
		}
		rest(n.Start - length(onset))
		segs = append(segs, onset...)
		at += length(onset)
		hold := end - length(coda) - at
		if hold < 0.06 {
			hold = max(0.06, end-at)
			coda = nil
		}
		if n.Syllable.nuclei < len(n.Syllable.phones) {
			v := n.Syllable.phones[n.Syllable.nuclei].phoneme
			if v.name == "AX" {
				v = phonemes["AH"] // a reduced vowel cannot be held
			}
			segs = append(segs, segment{phoneme: v, stress: 1, seconds: hold})
			at += hold
		}
		segs = append(segs, coda...)
		at += length(coda)
	}
	rest(seconds)
	return segs
}

// consonants makes segments that are a little slower than spoken.
func consonants(p []phone, before bool) []segment {
	var out []segment
	for i := range p {
		s := segment{phoneme: p[i].phoneme, first: i == 0 && before, seconds: 0.8 * p[i].usual}
		if s.name == "L" && !before {
			s.phoneme = phonemes["LL"]
		}
		out = append(out, s)
	}
	return out
}

// length returns the duration of segments, with plosives split.
func length(segs []segment) float64 {
	var sum float64
	for _, p := range targetsOf(slices.Clone(segs)) {
		sum += p.seconds
	}
	return sum
}

// tune sets the pitch of the frames: a short slide to each pitch, and vibrato
// on long notes.
func tune(frames []frame, notes []Note, t Timbre) {
	if len(notes) == 0 {
		return
	}
	k := 0
	hz := notes[0].Hz
	for n := range frames {
		at := float64(n) / frameRate
		for k+1 < len(notes) && at >= notes[k+1].Start-0.05 {
			k++
		}
		hz += (notes[k].Hz - hz) * 0.07
		swing := ease((at - notes[k].Start - 0.22) / 0.4)
		frames[n].hz = hz * (1 + 0.011*swing*math.Sin(2*math.Pi*5.4*at))
		if t.Machine {
			frames[n].hz = notes[k].Hz
		}
	}
}
