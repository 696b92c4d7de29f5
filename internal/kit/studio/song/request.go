package song

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/tonality"
)

// Rate is the sample rate of all songs.
const Rate = 44100

// The lengths that are accepted, in seconds.
const (
	MinSeconds    = 10
	MaxSeconds    = 600
	MaxMusic3     = 300
	maxPromptRead = 4000 // bytes of a prompt that are read
	maxLyricsRead = 20000
)

// Request is what is asked for. Zero values leave the choice to the prompt.
type Request struct {
	Prompt  string
	Lyrics  string
	Seconds float64 // 0 is 30
	BPM     float64 // 30 to 300
	Key     string  // "C major", "F# minor", "Bb dorian"
	TimeSig int     // 2, 3, 4 or 6
	Model   string  // gives the sound its character
	Seed    int64
}

// ErrRequest is wrapped by every error about a request.
var ErrRequest = errors.New("the song cannot be made as asked")

// checked fills in defaults and refuses what cannot be played.
func (r Request) checked() (Request, error) {
	if r.Seconds == 0 {
		r.Seconds = 30
	}
	top := float64(MaxSeconds)
	if profileOf(r.Model).name == "music3" {
		top = MaxMusic3
	}
	if !(r.Seconds >= MinSeconds && r.Seconds <= top) {
		return r, fmt.Errorf("%w: its length of %g s is outside %d to %g s", ErrRequest, r.Seconds, MinSeconds, top)
	}
	if r.BPM != 0 && !(r.BPM >= 30 && r.BPM <= 300) {
		return r, fmt.Errorf("%w: its tempo of %g is outside 30 to 300 beats a minute", ErrRequest, r.BPM)
	}
	switch r.TimeSig {
	case 0, 2, 3, 4, 6:
	default:
		return r, fmt.Errorf("%w: its time signature %d is none of 2, 3, 4 and 6", ErrRequest, r.TimeSig)
	}
	if r.Key = strings.TrimSpace(r.Key); r.Key != "" {
		if _, ok := tonality.Parse(r.Key); !ok {
			return r, fmt.Errorf("%w: its key %q is not known; write it like \"C major\" or \"F# minor\"", ErrRequest, r.Key)
		}
	}
	r.Prompt = r.Prompt[:min(len(r.Prompt), maxPromptRead)]
	r.Lyrics = r.Lyrics[:min(len(r.Lyrics), maxLyricsRead)]
	return r, nil
}

// frames returns the exact length.
func (r Request) frames() int { return int(math.Round(r.Seconds * Rate)) }

// Section is a part of the form.
type Section struct {
	Name  string  `json:"name"` // intro, verse, chorus, bridge, outro or ending
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	Bars  int     `json:"bars"`
}

// Score sums up what was played.
type Score struct {
	Genre       string    `json:"genre"`
	Moods       []string  `json:"moods,omitempty"`
	BPM         float64   `json:"bpm"`
	Key         string    `json:"key"`
	TimeSig     int       `json:"timesig"`
	Seconds     float64   `json:"seconds"`
	Sections    []Section `json:"sections"`
	Instruments []string  `json:"instruments"`
	Chords      []string  `json:"chords"` // of the first verse
	Notes       int       `json:"notes"`
	Sung        bool      `json:"sung"`
}

// Measures says which of tempo, key and time a prompt names.
type Measures struct{ Tempo, Key, Time bool }

// ReadMeasures reads which of them a prompt names: a tempo as a number or a
// word, a key or a mood that implies one, a time such as 6/8 or a waltz.
func ReadMeasures(prompt string) Measures {
	text := normalizeText(prompt[:min(len(prompt), maxPromptRead)])
	m := Measures{Tempo: bpmIn(text) > 0, Time: timeIn(text, -1) > 0}
	_, m.Key = keyIn(text)
	m.Key = m.Key || slices.ContainsFunc(moodsOf(text), func(m mood) bool { return m.Mode != "" && m.Mode != "major" })
	for _, t := range lexicon.Tempos {
		m.Tempo = m.Tempo || slices.ContainsFunc(t.Words, func(w string) bool { return hasPhrase(text, w) })
	}
	return m
}
