package compose

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/tonality"
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

// setup is the tempo, key and players of a piece.
type setup struct {
	genre   *genre
	mood    string
	low     bool // in a minor key
	named   bool // the genre was
	bpm     int
	key     string
	timesig int
	players []string
	solo    bool // one player alone
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
func (e *Engine) setup(texts ...string) setup {
	all := strings.Join(texts, " . ")
	words := tokens(all)
	s := setup{mood: "none"}
	if m := e.words.read(all).mood; m != nil {
		s.mood = m.Name
	}
	first := len(words) + 1
	for _, g := range e.words.music.Genres {
		if at := findPhrase(words, g.Words); at >= 0 && (at < first || s.genre == nil) {
			first, s.genre, s.named = at, g, true
		}
	}
	by := e.words.music.Moods[s.mood]
	s.low = by.Minor
	if s.genre == nil {
		for _, g := range e.words.music.Genres {
			if g.Name == by.Genre {
				s.genre = g
			}
		}
	}
	s.bpm, s.key, s.timesig = s.genre.BPM, s.genre.Key, s.genre.Timesig
	if findPhrase(words, []string{"slow", "slowly"}) >= 0 {
		s.bpm = max(50, s.bpm*4/5)
		s.low = s.low || s.mood == "none"
	} else if findPhrase(words, []string{"fast", "uptempo", "up-tempo", "driving"}) >= 0 {
		s.bpm = min(180, s.bpm*6/5)
	}
	if s.low {
		s.key = s.genre.Minor
	}
	s.exactly(all)
	for _, name := range instruments {
		if findPhrase(words, []string{name}) >= 0 {
			s.players = append(s.players, name)
		}
	}
	if s.solo = len(s.players) == 1 && findPhrase(words, []string{"solo", "alone", "unaccompanied"}) >= 0; !s.solo {
		s.players = distinct(append(s.players, s.genre.Instruments...))
	}
	return s
}

// exactly reads explicit tempo, key and metre.
func (s *setup) exactly(text string) {
	if m := bpmForm.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n >= 30 && n <= 300 {
			s.bpm = n
		}
	}
	if m := keyForm.FindStringSubmatch(text); m != nil {
		sign := map[string]string{"#": "#", "♯": "#", "sharp": "#", "b": "b", "♭": "b", "flat": "b"}[m[2]]
		s.key = strings.ToUpper(m[1]) + sign + " " + m[3]
		s.low = m[3] == "minor"
	}
	if m := meterForm.FindStringSubmatch(text); m != nil {
		s.timesig, _ = strconv.Atoi(m[1])
	}
}

// readKey takes the key of a model's answer. The tools that make music refuse what is none.
func (s *setup) readKey(x answer) error {
	key := x.text("keyscale")
	if key == "" {
		return nil
	}
	if _, ok := tonality.Parse(key); !ok {
		return improve("keyscale must be a key such as A minor or F# major")
	}
	s.key = key
	return nil
}

// bar is how long a bar lasts. Six beats in a bar are eighths.
func (s setup) bar() float64 {
	beats := float64(s.timesig)
	if s.timesig == 6 {
		beats = 3
	}
	return beats * 60 / float64(s.bpm)
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

// describe is the music in the words that music models read.
func (s setup) describe() string {
	name, players := s.genre.Name, listed(s.players[:min(4, len(s.players))])
	if name == s.players[0] {
		name = ""
	}
	if s.solo {
		players = "solo " + players
	}
	parts := []string{name, players, s.genre.Feel, strconv.Itoa(s.bpm) + " BPM", s.key}
	if s.timesig != 4 {
		parts = append(parts, map[int]string{2: "2/4", 3: "3/4", 6: "6/8"}[s.timesig]+" time")
	}
	return strings.TrimPrefix(strings.Join(parts, ", "), ", ")
}

// scored is the prompt for a music model.
func (c *commission) scored() string {
	s := c.engine.setup(c.wish, c.args.text("style_prompt"))
	line := unstopped(bare(c.wish))
	if style := c.args.text("style_prompt"); style != "" {
		line += ", " + style
	}
	return paragraph(append([]string{line, s.describe()}, c.additions()...)...)
}
