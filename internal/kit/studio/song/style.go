package song

import (
	"embed"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/tonality"
)

//go:embed data/*.json
var data embed.FS

// genre is a row of data/genres.json.
type genre struct {
	Name     string   `json:"name"`
	Words    []string `json:"words"`
	BPM      [2]int   `json:"bpm"`
	Time     int      `json:"time"`
	Modes    []string `json:"modes"`
	Swing    float64  `json:"swing"`
	Chords   string   `json:"chords"`
	Comp     string   `json:"comp"`
	Bass     string   `json:"bass"`
	Line     string   `json:"line"`
	Lead     string   `json:"lead"`
	Pad      string   `json:"pad"`
	Drums    string   `json:"drums"`
	Kit      string   `json:"kit"`
	Sevenths bool     `json:"sevenths"`
	Density  float64  `json:"density"`
	Room     float64  `json:"room"`
	Duck     float64  `json:"duck"`
	Echo     float64  `json:"echo"`
	Dust     float64  `json:"dust"`
	Dark     float64  `json:"dark"`
	Slow     bool     `json:"slow"` // chords last two bars
	Verse    []string `json:"verse"`
	Chorus   []string `json:"chorus"`
	Minor    []string `json:"minor"`
}

type mood struct {
	Name    string   `json:"name"`
	Words   []string `json:"words"`
	Mode    string   `json:"mode"`
	Tempo   float64  `json:"tempo"`
	Density float64  `json:"density"`
	Bright  float64  `json:"bright"`
	Room    float64  `json:"room"`
	Soft    float64  `json:"soft"`
}

// meters maps a time signature to a pattern.
type meters map[string]string

func load[T any](name string) T {
	var v T
	text, err := data.ReadFile("data/" + name)
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		panic(err) // the files are part of the program
	}
	return v
}

var (
	genres   = load[[]genre]("genres.json")
	drumBook = load[map[string]map[string]map[string]string]("drums.json")
	patterns = load[struct{ Comp, Bass map[string]meters }]("patterns.json")
	lexicon  = load[struct {
		Moods  []mood
		Tempos []struct {
			Words []string
			BPM   float64
		}
		Instruments []struct {
			Words       []string
			Role, Patch string
		}
		Roles map[string][]string
	}]("words.json")
)

// style is everything that a request decides.
type style struct {
	genre
	moods    []string
	bpm      float64
	key      tonality.Key
	time     int
	bright   float64 // dB of treble
	soft     float64 // 0 to 1: how quietly the instruments play
	leadNone bool
	answer   string // a second instrument named for the melody
	profile  profile
	seed     uint64
}

// profile is the character of a model.
type profile struct {
	name   string
	room   float64 // times the reverb
	bright float64 // dB
	layers bool    // a second voice under the melody and a pad in choruses
	human  float64 // looseness of timing
	press  float64 // ratio of the compressor on the mix
}

// profileOf returns the profile of a model by its name without the version.
func profileOf(model string) profile {
	switch m := strings.ToLower(model); {
	case strings.Contains(m, "turbo"):
		return profile{name: "turbo", room: 0.7, bright: 1, human: 0.5, press: 2.5}
	case strings.Contains(m, "sft"):
		return profile{name: "sft", room: 1, bright: -1.5, human: 1.3, press: 1.6, layers: true}
	}
	return profile{name: "music3", room: 1.15, bright: 0.5, human: 1, press: 2, layers: true}
}

// normalizeText returns a text in lower case with single spaces around words,
// so that whole phrases can be found in it.
func normalizeText(text string) string {
	f := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '#' || r == '♯' || r == '♭' || r == '.')
	})
	for i := range f {
		f[i] = strings.Trim(f[i], ".")
	}
	return " " + strings.Join(f, " ") + " "
}

func hasPhrase(text, phrase string) bool { return strings.Contains(text, " "+phrase+" ") }

// excludes reports whether the prompt excludes something.
func excludes(text, phrase string) bool {
	for _, no := range []string{"no", "without", "minus", "not", "without any"} {
		if hasPhrase(text, no+" "+phrase) {
			return true
		}
	}
	return false
}

// genreOf finds the genre with the longest phrase in the prompt; of equals, the
// one that is named first.
func genreOf(text string) genre {
	best, size, at := -1, 0, 0
	for i, g := range genres {
		for _, w := range append([]string{g.Name}, g.Words...) {
			where := strings.Index(text, " "+w+" ")
			if where < 0 || excludes(text, w) {
				continue
			}
			// Weak words such as "summer" point to pop but decide nothing.
			weight := 2 * len(strings.Fields(w))
			if g.Name == "pop" && w != "pop" {
				weight = 1
			}
			if weight > size || weight == size && where < at {
				best, size, at = i, weight, where
			}
		}
	}
	if best >= 0 {
		return genres[best]
	}
	fallback := "pop"
	for _, hint := range [][2]string{{"calm", "ambient"}, {"sad", "ballad"}, {"dark", "cinematic"}, {"dreamy", "ambient"}, {"tense", "cinematic"}, {"romantic", "ballad"}, {"energetic", "rock"}} {
		for _, m := range moodsOf(text) {
			if m.Name == hint[0] {
				fallback = hint[1]
			}
		}
	}
	return genres[slices.IndexFunc(genres, func(g genre) bool { return g.Name == fallback })]
}

func moodsOf(text string) []mood {
	var out []mood
	for _, m := range lexicon.Moods {
		if slices.ContainsFunc(m.Words, func(w string) bool { return hasPhrase(text, w) && !excludes(text, w) }) {
			out = append(out, m)
		}
	}
	return out
}

// styleOf reads a request.
func styleOf(r Request, chance *rand.Rand) style {
	text := normalizeText(r.Prompt)
	s := style{genre: genreOf(text), profile: profileOf(r.Model)}
	mode := s.Modes[chance.IntN(len(s.Modes))]
	tempo := 1.0
	for _, m := range moodsOf(text) {
		s.moods = append(s.moods, m.Name)
		if m.Mode != "" {
			mode = m.Mode
		}
		tempo *= m.Tempo
		s.Density *= m.Density
		s.bright += m.Bright
		s.soft = max(s.soft, m.Soft)
		if m.Room > 0 {
			s.Room *= m.Room
		}
	}
	s.bright += s.profile.bright
	s.Room *= s.profile.room
	s.bpm = math.Round(float64(s.BPM[0]+chance.IntN(s.BPM[1]-s.BPM[0]+1)) * min(max(tempo, 0.8), 1.25))
	for _, t := range lexicon.Tempos {
		if slices.ContainsFunc(t.Words, func(w string) bool { return hasPhrase(text, w) }) {
			s.bpm = t.BPM
			break
		}
	}
	if bpm := bpmIn(text); bpm > 0 {
		s.bpm = bpm
	}
	if r.BPM > 0 {
		s.bpm = r.BPM
	}
	s.key = tonality.Key{Tonic: chance.IntN(12), Mode: mode}
	if k, ok := keyIn(text); ok {
		s.key = k
	}
	if k, ok := tonality.Parse(r.Key); ok {
		s.key = k
	}
	s.time = timeIn(text, max(s.Time, 0))
	if r.TimeSig > 0 {
		s.time = r.TimeSig
	}
	s.instruments(text)
	return s
}

// instruments assigns parts to the instruments that the prompt names, and
// removes those that it excludes.
func (s *style) instruments(text string) {
	taken := map[string]int{}
	for _, in := range lexicon.Instruments {
		for _, w := range in.Words {
			if !hasPhrase(text, w) || excludes(text, w) {
				continue
			}
			if in.Role == "lead" && taken["lead"] > 0 && s.Lead != in.Patch {
				s.answer = in.Patch
				continue
			}
			if len(w) < taken[in.Role] {
				continue
			}
			taken[in.Role] = len(w)
			switch in.Role {
			case "chords":
				s.Chords = in.Patch
			case "lead":
				s.Lead = in.Patch
			case "pad":
				s.Pad = in.Patch
			case "bass":
				s.Bass = in.Patch
			case "drums":
				if s.Drums == "none" {
					s.Drums, s.Kit = "generic", "tight"
				}
			}
		}
	}
	for role, words := range lexicon.Roles {
		if !slices.ContainsFunc(words, func(w string) bool { return excludes(text, w) }) {
			continue
		}
		switch role {
		case "drums":
			s.Drums = "none"
		case "bass":
			s.Bass = ""
		case "lead":
			s.leadNone = true
		case "pad":
			s.Pad = ""
		}
	}
	// Guitars are strummed, keys are not.
	switch {
	case (s.Chords == "steel" || s.Chords == "nylon") && (s.Comp == "block" || s.Comp == "pulse"):
		s.Comp = "strum"
	case s.Comp == "power" && s.Chords != "crunch" && s.Chords != "metal":
		s.Comp = "pulse"
	}
}

// bpmIn finds "120 bpm".
func bpmIn(text string) float64 {
	f := strings.Fields(strings.ReplaceAll(text, "bpm ", " bpm "))
	for i := 1; i < len(f); i++ {
		if f[i] != "bpm" {
			continue
		}
		for _, j := range []int{i - 1, i + 1} {
			if j < len(f) {
				if v, err := strconv.ParseFloat(f[j], 64); err == nil && v >= 30 && v <= 300 {
					return v
				}
			}
		}
	}
	return 0
}

// keyIn finds "in F# minor".
func keyIn(text string) (tonality.Key, bool) {
	f := strings.Fields(text)
	for i := range f {
		for n := 3; n >= 2; n-- {
			if i+n > len(f) || len(f[i+n-1]) < 3 {
				continue
			}
			if _, ok := tonality.ParseMode(f[i+n-1]); !ok {
				continue
			}
			// In "a major chord" the a is an article, not a key.
			if f[i] == "a" && (i == 0 || f[i-1] != "in" && f[i-1] != "key" && f[i-1] != "of") {
				continue
			}
			if k, ok := tonality.Parse(strings.Join(f[i:i+n], " ")); ok {
				return k, true
			}
		}
	}
	return tonality.Key{}, false
}

func timeIn(text string, usual int) int {
	for _, t := range []struct {
		phrase string
		time   int
	}{{"3 4", 3}, {"6 8", 6}, {"2 4", 2}, {"4 4", 4}, {"three four", 3}, {"six eight", 6}, {"waltz", 3}, {"jig", 6}} {
		if hasPhrase(text, t.phrase) {
			return t.time
		}
	}
	if usual == 0 {
		return 4
	}
	return usual
}
