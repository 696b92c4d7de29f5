package paint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// Scene is the meaning of a prompt. It holds words of the lexicon only, so that
// what is painted can be explained, and lists what was not understood.
type Scene struct {
	Subjects  []Thing  // the subjects, in the order of the prompt
	Settings  []Thing  // where it is
	Sky       []Thing  // what is in the sky
	Time      string   // dawn, day, sunset or night; empty when the prompt names none
	Weather   []string // rain, storm, snow, fog, wind
	Season    string   // spring, summer or autumn
	Moods     []string
	Styles    []string
	Palette   []pixel.Colour // colours of the whole picture
	Framing   string         // close, wide, above, below, bust
	Symmetric bool
	Text      []string // quoted texts, to be written
	Without   []string // keys that must not appear
	Unknown   []string // unknown words

	mentions []mention // the words of its traits
	Lost     []string  // known words that had no effect
	things   int       // the last id
}

// Thing is a noun of the prompt with its attributes.
type Thing struct {
	Key     string // the lexicon's name for it
	Word    string // the prompt's word for it
	Count   int
	Colours []pixel.Colour
	Parts   map[string]pixel.Colour // colours of its hair, roof, sail
	Size    float64                 // 1 by default
	Place   string                  // left, right, back, front, middle
	Action  string                  // fly, jump, run, sleep, swim, sail, walk
	On      int                     // the subject it rests on, or -1
	HeldBy  int                     // the subject that holds it, or -1

	id int // the id in mentions; 0 when the caller made it
}

// Empty reports whether nothing was understood that could be painted.
func (s *Scene) Empty() bool {
	return len(s.Subjects) == 0 && len(s.Settings) == 0 && len(s.Sky) == 0
}

func (s *Scene) weather(kind string) bool { return slices.Contains(s.Weather, kind) }

func (s *Scene) mood(kind string) bool { return slices.Contains(s.Moods, kind) }

func (s *Scene) styled(kind string) bool { return slices.Contains(s.Styles, kind) }

func (s *Scene) without(key string) bool { return slices.Contains(s.Without, key) }

// isFoulWeather reports whether it rains, snows or storms.
func (s *Scene) isFoulWeather() bool {
	return s.weather("rain") || s.weather("storm") || s.weather("snow") || s.weather("fog")
}

func (s *Scene) setting(key string) *Thing { return find(s.Settings, key) }

// SkyThing returns what the sky has under a key, or nil.
func (s *Scene) SkyThing(key string) *Thing { return find(s.Sky, key) }

func find(in []Thing, key string) *Thing {
	for i := range in {
		if in[i].Key == key {
			return &in[i]
		}
	}
	return nil
}

// clone returns a copy that can be changed while the same scene is painted
// elsewhere, with defaults for what the caller left out.
func (s Scene) clone() Scene {
	s.Subjects, s.Settings, s.Sky = slices.Clone(s.Subjects), slices.Clone(s.Settings), slices.Clone(s.Sky)
	s.Without, s.Text = slices.Clone(s.Without), slices.Clone(s.Text)
	for _, things := range [][]Thing{s.Subjects, s.Settings, s.Sky} {
		for i := range things {
			t := &things[i]
			t.Count = min(max(t.Count, 1), maxCount)
			if !(t.Size > 0) {
				t.Size = 1
			}
			t.Size = min(t.Size, 4)
			if t.HeldBy == i || t.HeldBy >= len(things) {
				t.HeldBy = -1
			}
		}
	}
	if len(s.Subjects) > maxSubjects {
		s.Subjects = s.Subjects[:maxSubjects]
	}
	return s
}

// Exclude removes what a negative prompt names, and adjusts the indices between
// subjects.
func (s *Scene) Exclude(keys ...string) {
	s.Without = append(s.Without, keys...)
	gone := func(key string) bool { return slices.Contains(keys, key) }
	drop := func(t Thing) bool { return gone(t.Key) }
	moved := make([]int, len(s.Subjects))
	kept := 0
	for i, t := range s.Subjects {
		if moved[i] = kept; gone(t.Key) {
			moved[i] = -1
			continue
		}
		kept++
	}
	s.Subjects = slices.DeleteFunc(slices.Clone(s.Subjects), drop)
	link := func(at *int) {
		if *at >= 0 && *at < len(moved) {
			*at = moved[*at]
		}
	}
	for i := range s.Subjects {
		link(&s.Subjects[i].On)
		link(&s.Subjects[i].HeldBy)
	}
	s.Settings = slices.DeleteFunc(slices.Clone(s.Settings), drop)
	s.Sky = slices.DeleteFunc(slices.Clone(s.Sky), drop)
	s.Weather = slices.DeleteFunc(slices.Clone(s.Weather), gone)
	s.Styles = slices.DeleteFunc(slices.Clone(s.Styles), gone)
	s.Moods = slices.DeleteFunc(slices.Clone(s.Moods), gone)
	s.Palette = slices.DeleteFunc(slices.Clone(s.Palette), func(c pixel.Colour) bool { return gone(c.Name) })
	if gone(s.Time) {
		s.Time = ""
	}
	if gone(s.Season) {
		s.Season = ""
	}
	if gone("text") {
		s.Text = nil
	}
}

// Describe says in one line what was understood of a prompt.
func Describe(s Scene) string {
	var parts []string
	var nouns []string
	for _, t := range s.Subjects {
		if t.Key != "" {
			nouns = append(nouns, t.describe())
		}
	}
	if len(nouns) > 0 {
		parts = append(parts, strings.Join(nouns, " and "))
	}
	if where := keysOf(s.Settings); where != "" {
		parts = append(parts, "in: "+where)
	}
	if above := keysOf(s.Sky); above != "" {
		parts = append(parts, "sky: "+above)
	}
	say := func(name string, values ...string) {
		if text := strings.Join(values, ", "); text != "" {
			parts = append(parts, name+": "+text)
		}
	}
	say("time", s.Time)
	say("weather", s.Weather...)
	say("season", s.Season)
	say("mood", s.Moods...)
	say("style", s.Styles...)
	say("framing", s.Framing)
	for _, c := range s.Palette {
		say("colour", c.Name)
	}
	for _, t := range s.Text {
		say("text", fmt.Sprintf("%q", t))
	}
	say("without", s.Without...)
	say("not understood", s.Unknown...)
	if len(parts) == 0 {
		return "an emblem of the words"
	}
	return strings.Join(parts, "; ")
}

func (t Thing) describe() string {
	var w []string
	if t.Count > 1 {
		w = append(w, fmt.Sprint(t.Count))
	}
	if t.Size > 1.1 {
		w = append(w, "large")
	} else if t.Size < 0.9 {
		w = append(w, "small")
	}
	for _, c := range t.Colours {
		w = append(w, c.Name)
	}
	w = append(w, t.name())
	if t.Action != "" {
		w = append(w, "("+t.Action+")")
	}
	if t.Place != "" {
		w = append(w, "at "+t.Place)
	}
	return strings.Join(w, " ")
}

// name returns what is painted, and the word of the prompt if that means only
// something similar.
func (t Thing) name() string {
	if lexicon.Words().Loose(t.Word) {
		return t.Key + " (nearest to " + t.Word + ")"
	}
	return t.Key
}

func keysOf(things []Thing) string {
	var keys []string
	for _, t := range things {
		if t.Key != "" {
			keys = append(keys, t.name())
		}
	}
	return strings.Join(keys, ", ")
}
