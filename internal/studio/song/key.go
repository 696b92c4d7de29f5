package song

import (
	"slices"
	"strings"
)

// Key is a tonic and a scale.
type Key struct {
	Tonic int    // 0 is C
	Mode  string // a name in modes
}

// modes are the scales in semitones above the tonic.
var modes = map[string][7]int{
	"major":      {0, 2, 4, 5, 7, 9, 11},
	"minor":      {0, 2, 3, 5, 7, 8, 10},
	"dorian":     {0, 2, 3, 5, 7, 9, 10},
	"phrygian":   {0, 1, 3, 5, 7, 8, 10},
	"lydian":     {0, 2, 4, 6, 7, 9, 11},
	"mixolydian": {0, 2, 4, 5, 7, 9, 10},
}

var modeNames = map[string]string{
	"maj": "major", "major": "major", "ionian": "major", "min": "minor", "minor": "minor", "aeolian": "minor", "moll": "minor", "dur": "major",
	"dorian": "dorian", "phrygian": "phrygian", "lydian": "lydian", "mixolydian": "mixolydian", "m": "minor",
}

var noteNames = [12]string{"C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B"}

// ParseKey reads a key such as "C major", "f sharp minor", "Bbm" or "A".
func ParseKey(s string) (Key, bool) {
	s = strings.NewReplacer("♯", "#", "♭", "b", "-", " ", "_", " ").Replace(strings.ToLower(strings.TrimSpace(s)))
	words := strings.Fields(s)
	if len(words) == 0 || len(words) > 4 {
		return Key{}, false
	}
	tonic, rest, ok := parseNote(words[0])
	if !ok {
		return Key{}, false
	}
	words = words[1:]
	if rest != "" {
		words = append([]string{rest}, words...)
	}
	if len(words) > 0 && (words[0] == "sharp" || words[0] == "flat") {
		tonic += map[string]int{"sharp": 1, "flat": 11}[words[0]]
		words = words[1:]
	}
	mode := "major"
	if len(words) > 0 && (words[0] == "natural" || words[0] == "harmonic" || words[0] == "melodic") {
		words = words[1:] // the scale is the natural one whatever the form
	}
	if len(words) > 0 {
		if mode = modeNames[words[0]]; mode == "" || len(words) > 2 {
			return Key{}, false
		}
	}
	return Key{tonic % 12, mode}, true
}

func parseNote(s string) (tonic int, rest string, ok bool) {
	at := strings.IndexByte("c d ef g a b", s[0])
	if at < 0 || s[0] == ' ' {
		return 0, "", false
	}
	tonic, rest = at, s[1:]
	switch {
	case strings.HasPrefix(rest, "#"):
		tonic, rest = tonic+1, rest[1:]
	case strings.HasPrefix(rest, "b"):
		tonic, rest = tonic+11, rest[1:]
	}
	return tonic % 12, rest, true
}

func (k Key) String() string { return noteNames[k.Tonic] + " " + k.Mode }

// isMinor reports whether the scale has a minor third.
func (k Key) isMinor() bool { return modes[k.Mode][2] == 3 }

// Note returns the pitch (60 is middle C) of a step of the scale; step 0 is the tonic
// of the octave that begins at C 60, and steps go on in both directions.
func (k Key) Note(step int) int {
	octave := floorDiv(step, 7)
	return 60 + k.Tonic + 12*octave + modes[k.Mode][step-7*octave]
}

// Has reports whether a pitch is in the scale.
func (k Key) Has(pitch int) bool {
	m := modes[k.Mode]
	return slices.Contains(m[:], ((pitch-k.Tonic)%12+12)%12)
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
