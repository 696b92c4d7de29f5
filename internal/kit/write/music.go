package write

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
)

// musicbook is the rules' data about music.
type musicbook struct {
	Genres []*genre             `yaml:"genres"`
	Moods  map[string]moodMusic `yaml:"moods"`
	Parts  []*part              `yaml:"parts"`
}

// genre is a kind of music and what suits it.
type genre struct {
	Name        string   `yaml:"name"`
	Words       []string `yaml:"words"`
	BPM         int      `yaml:"bpm"`
	Key         string   `yaml:"key"`
	Minor       string   `yaml:"minor"`
	Timesig     int      `yaml:"timesig"`
	Instruments []string `yaml:"instruments"`
	Feel        string   `yaml:"feel"`
}

// moodMusic is what a mood sounds like when no genre is named.
type moodMusic struct {
	Genre string `yaml:"genre"`
	Minor bool   `yaml:"minor"`
}

// part is a part of an instrumental piece.
type part struct {
	Name     string  `yaml:"name"`
	Weight   float64 `yaml:"weight"`
	Need     float64 `yaml:"need"`
	Players  int     `yaml:"players"`
	Dynamics string  `yaml:"dynamics"`
	Text     string  `yaml:"text"`
	Solo     string  `yaml:"solo"`
}

// setup is the music that texts ask for.
type setup struct {
	draft.Setting
	low   bool // in a minor key
	named bool // the genre was
}

var (
	bpmForm   = regexp.MustCompile(`(?i)\b(\d{2,3})\s*(?:bpm|beats)`)
	keyForm   = regexp.MustCompile(`\b([A-Ga-g])\s?(#|♯|b|♭|sharp|flat)?[ -]?(major|minor)\b`)
	meterForm = regexp.MustCompile(`\b([2346])/([48])\b`)
)

// instruments are those that a prompt may name.
var instruments = []string{
	"piano", "guitar", "acoustic guitar", "electric guitar", "violin", "cello", "strings", "flute", "clarinet", "saxophone", "trumpet", "brass", "horns", "drums", "percussion", "bass", "synth", "organ",
	"harp", "harmonica", "accordion", "banjo", "ukulele", "choir", "marimba", "sitar", "oud", "koto", "bells", "celesta", "music box", "handpan", "double bass", "oboe", "bagpipes", "mandolin", "kalimba",
}

// setup chooses tempo, key and players by words in the texts. Explicit numbers are
// used as they are.
func (rules *Rules) setup(texts ...string) setup {
	all := strings.Join(texts, " . ")
	words := tokens(all)
	s := setup{Setting: draft.Setting{Mood: "none"}}
	if m := rules.words.read(all).mood; m != nil {
		s.Mood = m.Name
	}
	var genre *genre
	first := len(words) + 1
	for _, g := range rules.words.music.Genres {
		if at := findPhrase(words, g.Words); at >= 0 && (at < first || genre == nil) {
			first, genre, s.named = at, g, true
		}
	}
	by := rules.words.music.Moods[s.Mood]
	s.low = by.Minor
	if genre == nil {
		for _, g := range rules.words.music.Genres {
			if g.Name == by.Genre {
				genre = g
			}
		}
	}
	s.Genre, s.Feel, s.BPM, s.Key, s.Timesig = genre.Name, genre.Feel, genre.BPM, genre.Key, genre.Timesig
	if findPhrase(words, []string{"slow", "slowly"}) >= 0 {
		s.BPM = max(50, s.BPM*4/5)
		s.low = s.low || s.Mood == "none"
	} else if findPhrase(words, []string{"fast", "uptempo", "up-tempo", "driving"}) >= 0 {
		s.BPM = min(180, s.BPM*6/5)
	}
	if s.low {
		s.Key = genre.Minor
	}
	s.exactly(all)
	for _, name := range instruments {
		if findPhrase(words, []string{name}) >= 0 {
			s.Players = append(s.Players, name)
		}
	}
	if s.Solo = len(s.Players) == 1 && findPhrase(words, []string{"solo", "alone", "unaccompanied"}) >= 0; !s.Solo {
		s.Players = distinct(append(s.Players, genre.Instruments...))
	}
	return s
}

// exactly reads explicit tempo, key and metre.
func (s *setup) exactly(text string) {
	if m := bpmForm.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n >= 30 && n <= 300 {
			s.BPM = n
		}
	}
	if m := keyForm.FindStringSubmatch(text); m != nil {
		sign := map[string]string{"#": "#", "♯": "#", "sharp": "#", "b": "b", "♭": "b", "flat": "b"}[m[2]]
		s.Key = strings.ToUpper(m[1]) + sign + " " + m[3]
		s.low = m[3] == "minor"
	}
	if m := meterForm.FindStringSubmatch(text); m != nil {
		s.Timesig, _ = strconv.Atoi(m[1])
	}
}

// bar is how long a bar lasts. Six beats in a bar are eighths.
func (s setup) bar() float64 {
	beats := float64(s.Timesig)
	if s.Timesig == 6 {
		beats = 3
	}
	return beats * 60 / float64(s.BPM)
}

// distinct removes instruments that another name includes: "piano" when there is
// "soft piano".
func distinct(list []string) (out []string) {
next:
	for _, s := range list {
		for _, t := range out {
			if strings.Contains(s, t) || strings.Contains(t, s) {
				if len(s) > len(t) && strings.HasSuffix(s, " "+t) {
					continue next
				}
				if strings.Contains(t, s) {
					continue next
				}
			}
		}
		out = append(out, s)
	}
	return out
}

// scored is the prompt for a music model.
func (c *commission) scored() string {
	s := c.rules.setup(c.wish, c.args.Text("style_prompt"))
	line := prose.Unstopped(bare(c.wish))
	if style := c.args.Text("style_prompt"); style != "" {
		line += ", " + style
	}
	return prose.Paragraph(append([]string{line, s.Describe()}, c.additions()...)...)
}
