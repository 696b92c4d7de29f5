package tonality

import (
	"slices"
	"strings"
)

// Key is a tonic and a scale. Keys that sound the same are equal, however they are spelled.
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

// ParseMode reads the name of a scale, such as major, min or dorian.
func ParseMode(s string) (mode string, ok bool) {
	mode, ok = modeNames[s]
	return mode, ok
}

// Parse reads a key such as "C major", "f sharp minor", "Bbm", "F♯ min" or "A".
func Parse(s string) (Key, bool) {
	k, _, ok := parse(s)
	return k, ok
}

// Find finds a key in a list of keys: in its own spelling where the list has it, else under
// the name of a key that sounds the same, such as Bb minor for A# minor.
func Find(list []string, s string) (string, bool) {
	wanted, note, ok := parse(s)
	if !ok {
		return "", false
	}
	found := ""
	for _, entry := range list {
		k, spelled, ok := parse(entry)
		switch {
		case !ok || k != wanted:
		case spelled == note:
			return entry, true
		case found == "":
			found = entry
		}
	}
	return found, found != ""
}

// parse reads a key, and how its tonic is spelled: a small letter with # or b.
func parse(s string) (k Key, note string, ok bool) {
	s = strings.NewReplacer("♯", "#", "♭", "b", "-", " ", "_", " ").Replace(strings.TrimSpace(s))
	if m, is := strings.CutSuffix(s, "M"); is && len(m) <= len("Bb") { // a capital M is major, a small one minor
		s = m
	}
	words := strings.Fields(strings.ToLower(s))
	if len(words) == 0 || len(words) > 4 {
		return Key{}, "", false
	}
	tonic, rest, ok := parseNote(words[0])
	if !ok {
		return Key{}, "", false
	}
	note = words[0][:len(words[0])-len(rest)]
	words = words[1:]
	if rest != "" {
		words = append([]string{rest}, words...)
	}
	if len(words) > 0 && len(note) == 1 {
		switch words[0] {
		case "sharp":
			tonic, note, words = tonic+1, note+"#", words[1:]
		case "flat":
			tonic, note, words = tonic+11, note+"b", words[1:]
		}
	}
	mode := "major"
	if len(words) > 0 && (words[0] == "natural" || words[0] == "harmonic" || words[0] == "melodic") {
		words = words[1:] // the scale is the natural one whatever the form
	}
	if len(words) > 0 {
		if mode, ok = ParseMode(strings.TrimSuffix(words[0], ".")); !ok || len(words) > 2 {
			return Key{}, "", false
		}
	}
	return Key{tonic % 12, mode}, note, true
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

// IsMinor reports whether the scale has a minor third.
func (k Key) IsMinor() bool { return modes[k.Mode][2] == 3 }

// Note returns the pitch (60 is middle C) of a step of the scale; step 0 is the tonic
// of the octave that begins at C 60, and steps go on in both directions.
func (k Key) Note(step int) int {
	within := (step%7 + 7) % 7
	return 60 + k.Tonic + 12*((step-within)/7) + modes[k.Mode][within]
}

// Has reports whether a pitch is in the scale.
func (k Key) Has(pitch int) bool {
	m := modes[k.Mode]
	return slices.Contains(m[:], ((pitch-k.Tonic)%12+12)%12)
}
