package paint

import (
	"slices"

	"github.com/atelier-project/atelier/internal/studio/pixel"
)

// Scene is a prompt as it was understood. It holds words of the lexicon only, so
// that what is painted can be explained, and what was not understood is listed.
type Scene struct {
	Subjects  []Thing  // what the picture is of, in the order of the prompt
	Settings  []Thing  // where it is
	Sky       []Thing  // what the sky holds besides air
	Time      string   // dawn, day, sunset or night; empty when not said
	Weather   []string // rain, storm, snow, fog, wind
	Season    string   // spring, summer or autumn
	Moods     []string
	Styles    []string
	Palette   []pixel.Colour // colours of the whole picture
	Framing   string         // close, wide, above, below, bust
	Symmetric bool
	Text      []string // what stood in quotes, to be written
	Without   []string // keys that must not appear
	Unknown   []string // words that mean nothing here

	mentions []mention // the words behind what it holds
	Lost     []string  // words that mean something here of which nothing is seen
	things   int       // how many things were given a number
}

// Thing is a noun of the prompt with what was said about it.
type Thing struct {
	Key     string // the lexicon's name for it
	Word    string // the prompt's word for it
	Count   int
	Colours []pixel.Colour
	Parts   map[string]pixel.Colour // colours of its hair, roof, sail
	Size    float64                 // 1 unless said
	Place   string                  // left, right, back, front, middle
	Action  string                  // fly, jump, run, sleep, swim, sail, walk
	On      int                     // the subject it rests on, or -1
	HeldBy  int                     // the subject that holds it, or -1

	id int // by which mentions know it; 0 when it was made by hand
}

// Empty says that nothing was understood that could be painted.
func (s *Scene) Empty() bool {
	return len(s.Subjects) == 0 && len(s.Settings) == 0 && len(s.Sky) == 0
}

func (s *Scene) weather(kind string) bool { return slices.Contains(s.Weather, kind) }

func (s *Scene) mood(kind string) bool { return slices.Contains(s.Moods, kind) }

func (s *Scene) styled(kind string) bool { return slices.Contains(s.Styles, kind) }

func (s *Scene) without(key string) bool { return slices.Contains(s.Without, key) }

// foul says that the weather keeps birds on the ground.
func (s *Scene) foul() bool {
	return s.weather("rain") || s.weather("storm") || s.weather("snow") || s.weather("fog")
}

func (s *Scene) setting(key string) *Thing { return find(s.Settings, key) }

// SkyThing is what the sky has under a key, or nil.
func (s *Scene) SkyThing(key string) *Thing { return find(s.Sky, key) }

func find(in []Thing, key string) *Thing {
	for i := range in {
		if in[i].Key == key {
			return &in[i]
		}
	}
	return nil
}

// own answers a copy that can be changed while others paint the same scene, with
// the defaults that a scene made by hand may have left out.
func (s Scene) own() Scene {
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

// Exclude removes what a negative prompt names. Subjects keep their links: an
// index that pointed behind a removed one moves with it.
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
