package picture

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"
)

// meaning is what a word stands for: a key in a group, with the attributes of
// its line in the lexicon.
type meaning struct {
	group, key string
	attributes map[string]string
}

func (m *meaning) number(name string, otherwise float64) float64 {
	if v, err := strconv.ParseFloat(m.attributes[name], 64); err == nil {
		return v
	}
	return otherwise
}

func (m *meaning) text(name, otherwise string) string {
	if v := m.attributes[name]; v != "" {
		return v
	}
	return otherwise
}

// lexicon knows words and phrases of up to maxPhrase words.
type lexicon struct {
	words map[string]*meaning
	keys  map[string]*meaning // by "group key"
	near  map[string]bool     // words marked ~, whose meaning is only the nearest there is
}

func newLexicon() *lexicon {
	return &lexicon{words: map[string]*meaning{}, keys: map[string]*meaning{}, near: map[string]bool{}}
}

const maxPhrase = 4

// words is the lexicon of the files under data/word. The first file to use a
// word keeps it.
var words = sync.OnceValue(func() *lexicon {
	l := newLexicon()
	files, err := data.ReadDir("data/word")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		text, err := data.ReadFile(path.Join("data/word", f.Name()))
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

func (l *lexicon) read(text string) error {
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
		m := &meaning{group: group, key: names[0], attributes: map[string]string{}}
		for _, a := range names[1:] {
			name, value, _ := strings.Cut(a, "=")
			m.attributes[name] = value
		}
		l.keys[group+" "+m.key] = m
		for _, w := range strings.Split(tail, ",") {
			w, near := strings.CutPrefix(strings.TrimSpace(w), "~")
			if _, taken := l.words[w]; w != "" && !taken {
				l.words[w], l.near[w] = m, near
			}
		}
	}
	return nil
}

// subject answers what is known of a subject: a meaning without a key when a
// scene from elsewhere names one that the lexicon does not have.
func (l *lexicon) subject(key string) *meaning {
	if m := l.keys["subject "+key]; m != nil {
		return m
	}
	return &meaning{}
}

func (l *lexicon) setting(key string) *meaning { return l.keys["setting "+key] }

// find answers what a word or phrase means, trying its singular when the word
// itself is not known.
func (l *lexicon) find(phrase string) (m *meaning, plural bool) {
	word, plural := l.entry(phrase)
	return l.words[word], plural
}

// loose says that what a word or phrase means here is only near to it: a sofa is
// painted as a chair.
func (l *lexicon) loose(phrase string) bool {
	word, _ := l.entry(phrase)
	return l.near[word]
}

// entry is the word of the lexicon for a word or phrase, empty when there is none.
func (l *lexicon) entry(phrase string) (word string, plural bool) {
	if l.words[phrase] != nil {
		return phrase, strings.HasSuffix(phrase, "men") || phrase == "people" || phrase == "children" || phrase == "mice" || phrase == "geese" || phrase == "cacti" || phrase == "wolves"
	}
	for _, e := range [...]struct{ cut, add string }{{"ies", "y"}, {"ves", "f"}, {"ves", "fe"}, {"es", ""}, {"s", ""}} {
		if stem, ok := strings.CutSuffix(phrase, e.cut); ok {
			if m := l.words[stem+e.add]; m != nil && m.group != "ignore" && m.group != "relation" {
				return stem + e.add, true
			}
		}
	}
	return "", false
}

// colour is the named colour of a meaning in the group colour.
func (m *meaning) colour() Colour {
	c, _ := hex(m.attributes["value"])
	return Colour{m.key, byteOf(c.r), byteOf(c.g), byteOf(c.b)}
}
