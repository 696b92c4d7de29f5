package song

import (
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/tonality"
)

// What is written is right in every genre, metre and mode; playing it all would
// take too long.
func TestWritingKeepsToTheKeyAndTheBars(t *testing.T) {
	t.Parallel()
	keys := []string{"C major", "A minor", "F# dorian", "Bb mixolydian", "E phrygian", "Ab lydian"}
	for i, g := range genres {
		for _, time := range []int{2, 3, 4, 6} {
			for _, seconds := range []float64{10, 33, 240} {
				key := keys[(i+time)%len(keys)]
				r, err := Request{Prompt: g.Name, Key: key, TimeSig: time, Seconds: seconds, Lyrics: strings.Repeat("sing a song of silver stars\n", i%3)}.checked()
				if err != nil {
					t.Fatal(err)
				}
				w := composeNotes(r)
				end := w.grid.bars * w.grid.barTicks
				if left := seconds - w.grid.at(end); left < 1.4 || left > 4+2*float64(w.grid.barTicks)*w.grid.tick() {
					t.Errorf("%s in %d, %v s: the last chord has %.2f s", g.Name, time, seconds, left)
				}
				bars := 0
				for _, p := range w.parts {
					if p.bar != bars || p.bars < 1 {
						t.Errorf("%s: %+v begins after %d bars", g.Name, p, bars)
					}
					bars += p.bars
				}
				if bars != w.grid.bars {
					t.Errorf("%s: %d bars of %d", g.Name, bars, w.grid.bars)
				}
				for name, notes := range map[string][]note{"chords": w.comp, "bass": w.bass, "lead": w.lead, "second": w.second, "pad": w.pad} {
					for _, n := range notes {
						if !w.style.key.Has(n.pitch) {
							t.Fatalf("%s in %s: %s plays %d", g.Name, key, name, n.pitch)
						}
						if n.tick < 0 || n.tick > end || n.ticks <= 0 || n.pitch < 24 || n.pitch > 108 {
							t.Fatalf("%s in %d: %s plays %+v of %d ticks", g.Name, time, name, n, end)
						}
					}
				}
				for _, p := range w.phrases {
					if len(p.notes) != len(p.words) {
						t.Fatalf("%s: %d notes for %d syllables", g.Name, len(p.notes), len(p.words))
					}
					for _, n := range p.notes {
						if !w.style.key.Has(n.pitch) {
							t.Fatalf("%s: the singer sings %d", g.Name, n.pitch)
						}
					}
				}
				if last := w.chords[len(w.chords)-1]; last.degree != 0 || last.tick != end {
					t.Errorf("%s: ends on %+v", g.Name, last)
				}
			}
		}
	}
}

// A melody moves mostly by steps, repeats its motif and is not one note.
func TestMelodiesAreMelodies(t *testing.T) {
	t.Parallel()
	for seed := range int64(20) {
		r, _ := Request{Prompt: "pop", Seconds: 60, Seed: seed}.checked()
		w := composeNotes(r)
		pitches := map[int]bool{}
		leaps := 0
		for i, n := range w.lead {
			pitches[n.pitch] = true
			if i > 0 && dist(n.pitch, w.lead[i-1].pitch) > 9 {
				leaps++
			}
		}
		if len(pitches) < 5 || leaps > len(w.lead)/10 {
			t.Errorf("seed %d: %d pitches, %d leaps in %d notes", seed, len(pitches), leaps, len(w.lead))
		}
	}
}

// The data files name only what exists.
func TestDataIsWhole(t *testing.T) {
	t.Parallel()
	for _, g := range genres {
		for _, p := range []string{g.Chords, g.Bass, g.Lead, g.Pad} {
			if _, ok := patches[p]; !ok && p != "" {
				t.Errorf("%s: no instrument %q", g.Name, p)
			}
		}
		if patterns.Comp[g.Comp] == nil || patterns.Bass[g.Line] == nil || drumBook[g.Drums] == nil {
			t.Errorf("%s: a pattern is missing: %s, %s, %s", g.Name, g.Comp, g.Line, g.Drums)
		}
		for _, m := range g.Modes {
			if mode, ok := tonality.ParseMode(m); !ok || mode != m {
				t.Errorf("%s: no mode %q", g.Name, m)
			}
		}
		if g.BPM[0] >= g.BPM[1] || len(g.Verse)*len(g.Chorus)*len(g.Minor) == 0 {
			t.Errorf("%s: tempo %v, progressions %v %v %v", g.Name, g.BPM, g.Verse, g.Chorus, g.Minor)
		}
		for _, prog := range append(append(append([]string{}, g.Verse...), g.Chorus...), g.Minor...) {
			for _, d := range degrees(prog) {
				if d < 0 || d > 6 {
					t.Errorf("%s: degree %d", g.Name, d+1)
				}
			}
		}
	}
	for _, in := range lexicon.Instruments {
		if _, ok := patches[in.Patch]; !ok && in.Role != "drums" {
			t.Errorf("no instrument %q", in.Patch)
		}
	}
	for kind, set := range map[string]map[string]meters{"comp": patterns.Comp, "bass": patterns.Bass} {
		for name, m := range set {
			if len(m["4"]) != 16 || len(m["3"]) != 12 || len(m["6"]) != 12 {
				t.Errorf("%s %s: patterns of %d, %d and %d signs", kind, name, len(m["4"]), len(m["3"]), len(m["6"]))
			}
		}
	}
	for name, book := range drumBook {
		for time, lines := range book {
			for drum, line := range lines {
				if want := map[string]int{"4": 16, "3": 12, "6": 12}[time]; len(line) != want || basicKit[drum].gain == 0 {
					t.Errorf("drums %s, %s in %s: %d signs", name, drum, time, len(line))
				}
			}
		}
	}
}

func scoreOf(t *testing.T, prompt string) Score {
	t.Helper()
	r, err := Request{Prompt: prompt}.checked()
	if err != nil {
		t.Fatal(err)
	}
	w := composeNotes(r)
	_, s := w.arrange(t.Context(), r)
	return s
}

func TestPromptsAreTold(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]Score{
		"lo-fi hip hop beats to study to":              {Genre: "lofi"},
		"An epic orchestral trailer":                   {Genre: "epic"},
		"drum and bass, 174 bpm":                       {Genre: "dnb", BPM: 174},
		"sad piano ballad in F# minor":                 {Genre: "ballad", Key: "F# minor"},
		"8-bit chiptune boss fight":                    {Genre: "chiptune"},
		"a gentle waltz in 3/4":                        {Genre: "waltz", TimeSig: 3},
		"slow blues in E flat major":                   {Genre: "blues", Key: "Eb major", BPM: 70},
		"jazz, 6/8, key of G minor, 90BPM":             {Genre: "jazz", TimeSig: 6, Key: "G minor", BPM: 90},
		"":                                             {Genre: "pop", TimeSig: 4},
		"calm":                                         {Genre: "ambient"},
		"techno but no drums":                          {Genre: "techno"},
		"not rock, funky bass line with brass section": {Genre: "funk"},
	} {
		s := scoreOf(t, prompt)
		if s.Genre != want.Genre || want.BPM != 0 && s.BPM != want.BPM || want.Key != "" && s.Key != want.Key || want.TimeSig != 0 && s.TimeSig != want.TimeSig {
			t.Errorf("%q: got %s, %v, %s, %d; want %+v", prompt, s.Genre, s.BPM, s.Key, s.TimeSig, want)
		}
		if prompt == "techno but no drums" && slices.Contains(s.Instruments, "drums") {
			t.Errorf("%q: drums play", prompt)
		}
	}
	s := scoreOf(t, "folk with flute and harp")
	if !slices.Contains(s.Instruments, "flute") || !slices.Contains(s.Instruments, "harp") {
		t.Errorf("flute and harp: %v play", s.Instruments)
	}
}
