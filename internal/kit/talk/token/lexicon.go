package token

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed data/word.txt data/verb.txt data/noun.txt data/style.txt data/slot.txt data/talk.txt
var dataFiles embed.FS

// Entry is one meaning of a phrase: a key in a group, with attributes.
type Entry struct {
	Group, Key string
	attrs      map[string]string
	Base       string // the first phrase of its line piece: the singular of a noun
	Len        int    // tokens of the phrase
}

// Attr returns an attribute, empty when there is none.
func (e *Entry) Attr(name string) string { return e.attrs[name] }

// Number returns an attribute that is a number.
func (e *Entry) Number(name string) float64 {
	f, _ := strconv.ParseFloat(e.attrs[name], 64)
	return f
}

// Lexicon holds every phrase that the model knows. It is read-only once it is loaded.
type Lexicon struct {
	root       *trieNode
	vocabulary map[string]bool // single words of verbs and nouns, to correct spelling by
}

type trieNode struct {
	next    map[string]*trieNode
	entries []*Entry
}

// LoadLexicon reads the embedded files of phrases.
func LoadLexicon() (*Lexicon, error) {
	l := &Lexicon{root: new(trieNode), vocabulary: map[string]bool{}}
	for _, name := range []string{"word", "verb", "noun", "style", "slot", "talk"} {
		text, err := dataFiles.ReadFile("data/" + name + ".txt")
		if err != nil {
			return nil, err
		}
		if err := l.readFile(name+".txt", string(text)); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// readFile reads one file: group names in brackets, and under them lines of a key, attributes, a colon and phrases.
func (l *Lexicon) readFile(name, text string) error {
	group := ""
	for n, row := range strings.Split(text, "\n") {
		row = strings.TrimSpace(row)
		if row == "" || strings.HasPrefix(row, "//") {
			continue
		}
		if heading, found := strings.CutPrefix(row, "["); found {
			group = strings.TrimSuffix(heading, "]")
			continue
		}
		head, phrases, found := strings.Cut(row, ": ")
		fields := strings.Fields(head)
		if !found || group == "" || len(fields) == 0 {
			return fmt.Errorf("%s:%d: want a key, a colon and phrases under a heading", name, n+1)
		}
		attrs := map[string]string{}
		for _, f := range fields[1:] {
			key, value, ok := strings.Cut(f, "=")
			if !ok {
				return fmt.Errorf("%s:%d: %q is not an attribute", name, n+1, f)
			}
			attrs[key] = value
		}
		for phrase := range strings.SplitSeq(phrases, ",") {
			if phrase = strings.TrimSpace(phrase); phrase == "" {
				return fmt.Errorf("%s:%d: an empty phrase", name, n+1)
			}
			forms := expandAlternatives(phrase)
			for _, form := range forms {
				l.Add(&Entry{Group: group, Key: fields[0], attrs: attrs, Base: forms[0]}, form)
			}
		}
	}
	return nil
}

// expandAlternatives writes out the alternatives in parentheses: "(s)" is nothing or s.
func expandAlternatives(phrase string) []string {
	before, rest, found := strings.Cut(phrase, "(")
	if !found {
		return []string{phrase}
	}
	inner, after, _ := strings.Cut(rest, ")")
	choices := strings.Split(inner, "|")
	if len(choices) == 1 {
		choices = []string{"", inner}
	}
	var out []string
	for _, c := range choices {
		out = append(out, expandAlternatives(before+c+after)...)
	}
	return out
}

func (l *Lexicon) Add(e *Entry, phrase string) {
	at := l.root
	tokens := Tokenize(phrase)
	e.Len = len(tokens)
	for _, t := range tokens {
		if at.next == nil {
			at.next = map[string]*trieNode{}
		}
		if at.next[t.Text] == nil {
			at.next[t.Text] = new(trieNode)
		}
		at = at.next[t.Text]
	}
	at.entries = append(at.entries, e)
	if (e.Group == "verb" || e.Group == "noun") && len(tokens) == 1 {
		l.vocabulary[tokens[0].Text] = true
	}
}

// EntriesAt lists the entries whose phrase begins at a token, the longest phrase first.
func (l *Lexicon) EntriesAt(tokens []Token, i int) []*Entry {
	var out []*Entry
	at := l.root
	for ; i < len(tokens) && at != nil; i++ {
		if tokens[i].Kind == Quotation || tokens[i].Kind == URL {
			break
		}
		if at = at.next[tokens[i].Text]; at != nil && at.entries != nil {
			out = append(at.entries[:len(at.entries):len(at.entries)], out...)
		}
	}
	return out
}
