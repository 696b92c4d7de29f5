package write

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
)

// songbook is the song lines of a language.
type songbook struct {
	Name    string            `yaml:"name"`
	Names   []string          `yaml:"names"`
	Rhymes  []*rhyme          `yaml:"rhymes"`
	Hooks   []string          `yaml:"hooks"`
	Openers []string          `yaml:"openers"`
	Bridges []string          `yaml:"bridges"`
	Tags    map[string]string `yaml:"tags"`
	// Nominative are the articles of a topic as a song addresses it.
	Nominative map[string]string `yaml:"nominative"`
}

// rhyme is a set of lines that rhyme with each other.
type rhyme struct {
	Sound string     `yaml:"sound"`
	Ends  []string   `yaml:"ends"`
	Lines []songLine `yaml:"lines"`
}

// songLine is one line, for a mood or for all.
type songLine struct {
	Text string `yaml:"text"`
	Mood string `yaml:"mood"` // bright or low
}

// forms are the orders of sections, by how many there is time for.
var forms = [][]string{
	{"verse"}, {"verse", "chorus"}, {"verse", "verse", "chorus"}, {"verse", "chorus", "verse", "chorus"}, {"verse", "chorus", "verse", "bridge", "chorus"},
	{"verse", "chorus", "verse", "chorus", "bridge", "chorus"}, {"verse", "chorus", "verse", "chorus", "bridge", "verse", "chorus"},
	{"verse", "chorus", "verse", "chorus", "bridge", "verse", "chorus", "chorus"},
}

// barsOfSection is how many bars four sung lines take.
const barsOfSection = 8

// WriteLyrics writes a song.
func (rules *Rules) WriteLyrics(a draft.Arguments) draft.Song {
	s := rules.setup(a.Text("prompt"), a.Text("music_prompt"))
	book, ok := rules.book(a)
	if !ok {
		var names []string
		for _, s := range rules.words.songs {
			names = append(names, s.Name)
		}
		slices.Sort(names)
		reason := fmt.Sprintf("arguments.language is %q. Without a language model, lyrics are written in %s.", prose.Cut(a.Text("language"), 40), prose.List(names))
		return draft.Song{Setting: s.Setting, Refusal: &draft.Refusal{Kind: draft.ModelUnavailable, Reason: reason, Next: "correct:language"}}
	}
	form, length := songForm(s, a.Number("duration_seconds"))
	w := &songwriter{book: book, dice: dice(a), low: s.low || s.Mood == "sad" || s.Mood == "dark", used: map[string]bool{}}
	w.about(a.Text("prompt"))
	var out []string
	verse := 0
	if s.bar()*4 < length/4 {
		out = append(out, "[intro]\n"+book.Tags["intro"])
	}
	for _, name := range form {
		switch name {
		case "verse":
			verse++
			out = append(out, "[verse]\n"+strings.Join(w.verse(verse), "\n"))
		case "chorus":
			out = append(out, "[chorus]\n"+strings.Join(w.chorus(), "\n"))
		case "bridge":
			out = append(out, "[bridge]\n"+strings.Join(w.bridge(), "\n"))
		default:
			out = append(out, "["+name+"]")
		}
	}
	if length >= 60 {
		out = append(out, "[outro]\n"+w.hook+"\n"+book.Tags["outro"])
	}
	return draft.Song{Setting: s.Setting, Lyrics: strings.Join(out, "\n\n"), Language: book.Name, Seconds: length}
}

// songForm is the sections that fit a length, and the length.
func songForm(s setup, length float64) ([]string, float64) {
	each := s.bar() * barsOfSection
	if length == 0 {
		length = min(max(math.Round(6.5*each), 10), 600)
	}
	n := int(math.Round((length - 2*s.bar()) / each))
	if n <= len(forms) {
		return forms[max(n, 1)-1], length
	}
	// A long song has instrumental sections.
	form := slices.Clone(forms[len(forms)-1])
	form = slices.Insert(form, 4, "solo")
	for i := 0; len(form) < min(n, 16); i++ {
		form = append(form, []string{"instrumental", "chorus"}[i%2])
	}
	return form, length
}

// book finds the songbook of a language; without one, that of the prompt's
// language.
func (rules *Rules) book(a draft.Arguments) (*songbook, bool) {
	asked := strings.ToLower(a.Text("language"))
	if asked == "" || asked == "auto" {
		words := tokens(a.Text("prompt"))
		guess, most := "english", 1
		for name, small := range map[string][]string{
			"german": {"ein", "eine", "einen", "der", "die", "das", "über", "und", "mit", "lied", "ich", "für"}, "french": {"une", "le", "la", "les", "sur", "et", "chanson", "je", "pour", "des", "du"},
			"spanish": {"una", "el", "los", "las", "sobre", "y", "canción", "para", "del", "con", "mi"},
		} {
			n := 0
			for _, w := range words {
				if slices.Contains(small, w) {
					n++
				}
			}
			if n > most {
				guess, most = name, n
			}
		}
		asked = guess
	}
	asked, _, _ = strings.Cut(asked, "-") // en-GB is English
	asked, _, _ = strings.Cut(asked, "_")
	for _, s := range rules.words.songs {
		if slices.Contains(s.Names, strings.TrimSpace(asked)) {
			return s, true
		}
	}
	return nil, false
}

// songwriter writes one song. Only lines of the chorus are repeated.
type songwriter struct {
	book    *songbook
	dice    *rand.Rand
	low     bool
	topics  []string
	used    map[string]bool
	hook    string
	refrain []string
}

var determined = regexp.MustCompile(`(?i)\b(?:the|my|our|your|his|her|their) \p{L}+\b`)

// about finds what the song is about: the thing itself, and what else the prompt
// names.
func (w *songwriter) about(prompt string) {
	s := topic(prompt)
	for _, joint := range []string{" über ", " sur ", " sobre ", " à propos de "} {
		if i := strings.Index(strings.ToLower(s), joint); i >= 0 && i < 40 {
			s = s[i+len(joint):]
			break
		}
	}
	main := s
	for _, mark := range []string{". ", ", ", "; ", ": ", " - ", " who ", " that ", " which ", " where ", " when ", " while ", " and ", " in the style", " with ", " after ", " from "} {
		if i := strings.Index(main, mark); i > 2 {
			main = main[:i]
		}
	}
	if words := strings.Fields(main); len(words) > 6 {
		main = strings.Join(words[:6], " ")
		main = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(main, " the"), " a"), " of")
	}
	words := strings.Fields(lower(prose.Unstopped(main)))
	if len(words) > 2 && slices.Contains(colourless, words[1]) {
		words = slices.Delete(words, 1, 2) // the music expresses it
	}
	if len(words) > 1 && w.book.Nominative[words[0]] != "" {
		words[0] = w.book.Nominative[words[0]]
	}
	w.topics = []string{cmp.Or(prose.Cut(strings.Join(words, " "), 60), "you")}
	for _, other := range determined.FindAllString(s[min(len(main), len(s)):], 2) {
		if w.topics = append(w.topics, strings.ToLower(other[:1])+other[1:]); len(w.topics) == 3 {
			break
		}
	}
}

// colourless are adjectives that the lyrics leave out.
var colourless = []string{"happy", "sad", "epic", "beautiful", "calm", "romantic", "funny", "short", "slow", "upbeat", "nice", "emotional"}

// verse is four lines that rhyme crosswise. The first two verses begin with what
// the song is about.
func (w *songwriter) verse(n int) []string {
	a, b := w.pair(), w.pair()
	lines := []string{a[0], b[0], a[1], b[1]}
	if n <= 2 {
		topic := w.topics[(n-1)%len(w.topics)]
		lines = append([]string{prose.Upper(strings.ReplaceAll(w.fresh(w.book.Openers), "{topic}", topic))}, lines...)
	}
	return lines
}

// chorus is the same each time: the hook, two lines that rhyme, and the hook.
func (w *songwriter) chorus() []string {
	if w.refrain == nil {
		p := w.pair()
		w.refrain = []string{w.theHook(), p[0], p[1], w.theHook()}
	}
	return w.refrain
}

func (w *songwriter) theHook() string {
	if w.hook == "" {
		w.hook = prose.Upper(strings.ReplaceAll(pick(w.dice, w.book.Hooks), "{topic}", w.topics[0]))
	}
	return w.hook
}

func (w *songwriter) bridge() []string {
	p := w.pair()
	return []string{w.expand(w.fresh(w.book.Bridges)), p[0], w.expand(w.fresh(w.book.Bridges)), p[1]}
}

// fresh picks an unused item, while there is any.
func (w *songwriter) fresh(list []string) string {
	left := slices.DeleteFunc(slices.Clone(list), func(s string) bool { return w.used[s] })
	if len(left) == 0 {
		left = list
	}
	s := pick(w.dice, left)
	w.used[s] = true
	return s
}

// pair is two lines that rhyme, of a sound that has lines left.
func (w *songwriter) pair() [2]string {
	mood := "bright"
	if w.low {
		mood = "low"
	}
	// Prefer new lines of a new sound, then new lines of any sound, then used
	// lines.
	for _, reuse := range []bool{false, true} {
		var able []*rhyme
		for _, r := range w.book.Rhymes {
			if len(w.unusedLines(r, mood, true)) >= 2 && (reuse || !w.used["sound "+r.Sound]) {
				able = append(able, r)
			}
		}
		if len(able) > 0 {
			return w.two(pick(w.dice, able), mood)
		}
	}
	return w.two(pick(w.dice, w.book.Rhymes), mood)
}

func (w *songwriter) unusedLines(r *rhyme, mood string, fresh bool) (out []songLine) {
	for _, l := range r.Lines {
		if (l.Mood == "" || l.Mood == mood) && (!fresh || !w.used[l.Text]) {
			out = append(out, l)
		}
	}
	return out
}

func (w *songwriter) two(r *rhyme, mood string) (p [2]string) {
	lines := w.unusedLines(r, mood, true)
	if len(lines) < 2 {
		lines = w.unusedLines(r, mood, false)
	}
	w.dice.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	w.used["sound "+r.Sound] = true
	for i := range p {
		w.used[lines[i].Text] = true
		p[i] = w.expand(lines[i].Text)
	}
	return p
}

var choice = regexp.MustCompile(`\{([^{}]*\|[^{}]*)\}`)

// expand makes the choices of a line. The same choice twice in a line is made
// once.
func (w *songwriter) expand(line string) string {
	made := map[string]string{}
	return choice.ReplaceAllStringFunc(line, func(s string) string {
		if made[s] == "" {
			made[s] = pick(w.dice, strings.Split(strings.Trim(s, "{}"), "|"))
		}
		return made[s]
	})
}
