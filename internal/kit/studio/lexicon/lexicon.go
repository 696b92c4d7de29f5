package lexicon

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Meaning is what a word stands for: a key in a group, with the attributes of
// its line in the lexicon.
type Meaning struct {
	Group, Key string
	Attributes map[string]string
}

// Number returns an attribute that is a number.
func (m *Meaning) Number(name string, otherwise float64) float64 {
	if v, err := strconv.ParseFloat(m.Attributes[name], 64); err == nil {
		return v
	}
	return otherwise
}

// Text returns an attribute that is a text.
func (m *Meaning) Text(name, otherwise string) string {
	if v := m.Attributes[name]; v != "" {
		return v
	}
	return otherwise
}

// Lexicon holds words, and phrases of up to MaxPhrase words.
type Lexicon struct {
	Words map[string]*Meaning
	Keys  map[string]*Meaning // by "group key"
	near  map[string]bool     // words marked ~, whose meaning is only similar
}

func newLexicon() *Lexicon {
	return &Lexicon{Words: map[string]*Meaning{}, Keys: map[string]*Meaning{}, near: map[string]bool{}}
}

// MaxPhrase is how many words a phrase has at most.
const MaxPhrase = 4

//go:embed data/word
var wordFiles embed.FS

// Words is the lexicon of the files under data/word. The first file to use a
// word keeps it.
var Words = sync.OnceValue(func() *Lexicon {
	l := newLexicon()
	files, err := wordFiles.ReadDir("data/word")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		text, err := wordFiles.ReadFile(path.Join("data/word", f.Name()))
		if err == nil {
			err = l.read(string(text))
		}
		if err != nil {
			// The files are compiled in and a test reads them all.
			panic(f.Name() + ": " + err.Error())
		}
	}
	return l
})

func (l *Lexicon) read(text string) error {
	group := ""
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			group = strings.TrimSuffix(name, "]")
			continue
		}
		head, tail, ok := strings.Cut(line, ":")
		names := strings.Fields(head)
		if !ok || len(names) == 0 || group == "" {
			return fmt.Errorf("line %d: want key attributes : words in a [group]", i+1)
		}
		m := &Meaning{Group: group, Key: names[0], Attributes: map[string]string{}}
		for _, a := range names[1:] {
			name, value, _ := strings.Cut(a, "=")
			m.Attributes[name] = value
		}
		l.Keys[group+" "+m.Key] = m
		for _, w := range strings.Split(tail, ",") {
			w, near := strings.CutPrefix(strings.TrimSpace(w), "~")
			if _, taken := l.Words[w]; w != "" && !taken {
				l.Words[w], l.near[w] = m, near
			}
		}
	}
	return nil
}

// Subject returns the meaning of a subject; one without a key when the lexicon
// does not have it.
func (l *Lexicon) Subject(key string) *Meaning {
	if m := l.Keys["subject "+key]; m != nil {
		return m
	}
	return &Meaning{}
}

// Setting returns the meaning of a place.
func (l *Lexicon) Setting(key string) *Meaning { return l.Keys["setting "+key] }

// Find returns what a word or phrase means, trying its singular when the word
// itself is not known.
func (l *Lexicon) Find(phrase string) (m *Meaning, plural bool) {
	word, plural := l.entry(phrase)
	return l.Words[word], plural
}

// Loose reports whether the meaning of a word is only similar: a sofa is
// painted as a chair.
func (l *Lexicon) Loose(phrase string) bool {
	word, _ := l.entry(phrase)
	return l.near[word]
}

// entry returns the word of the lexicon for a word or phrase, empty when there is none.
func (l *Lexicon) entry(phrase string) (word string, plural bool) {
	if l.Words[phrase] != nil {
		return phrase, strings.HasSuffix(phrase, "men") || phrase == "people" || phrase == "children" || phrase == "mice" || phrase == "geese" || phrase == "cacti" || phrase == "wolves"
	}
	for _, e := range [...]struct{ cut, add string }{{"ies", "y"}, {"ves", "f"}, {"ves", "fe"}, {"es", ""}, {"s", ""}} {
		if stem, ok := strings.CutSuffix(phrase, e.cut); ok {
			if m := l.Words[stem+e.add]; m != nil && m.Group != "ignore" && m.Group != "relation" {
				return stem + e.add, true
			}
		}
	}
	return "", false
}

// Parse reads a lexicon that is compiled in; a test reads each of them.
func Parse(name, text string) *Lexicon {
	l := newLexicon()
	if err := l.read(text); err != nil {
		panic(name + ": " + err.Error())
	}
	return l
}

// Tokenise returns lower-case words, and "," where the prompt pauses.
func Tokenise(s string) (out []string) {
	s = strings.ReplaceAll(strings.ToLower(s), "'s", "")
	word := func(from, to int) {
		if from < to {
			out = append(out, s[from:to])
		}
	}
	start := 0
	for i, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			continue
		}
		word(start, i)
		start = i + len(string(r))
		if r == unicode.ReplacementChar {
			start = i + 1
		}
		if strings.ContainsRune(",.;:!?()\n|", r) && len(out) > 0 && out[len(out)-1] != "," {
			out = append(out, ",")
		}
	}
	word(min(start, len(s)), len(s))
	return out
}

// SortedKeys returns the keys of a map in order, so that a picture does not
// depend on map order.
func SortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
