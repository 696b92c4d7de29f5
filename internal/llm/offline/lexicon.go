package offline

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed data/word.txt data/verb.txt data/noun.txt data/style.txt data/slot.txt data/talk.txt
var embedded embed.FS

// entry is a meaning of a phrase: a key in a group, with attributes.
type entry struct {
	group, key string
	attrs      map[string]string
	one        string // the first phrase of its line piece: the singular of a noun
	words      int    // tokens of the phrase
}

// attr is an attribute, empty when there is none.
func (e *entry) attr(name string) string { return e.attrs[name] }

// number is an attribute that is a number.
func (e *entry) number(name string) float64 {
	f, _ := strconv.ParseFloat(e.attrs[name], 64)
	return f
}

// lexicon is every phrase that the model knows. It does not change.
type lexicon struct {
	root  *node
	words map[string]bool // single words of verbs and nouns, to correct spelling by
}

// node is a place in the trie of phrases.
type node struct {
	next    map[string]*node
	entries []*entry
}

// readLexicon reads the files of phrases.
func readLexicon() (*lexicon, error) {
	l := &lexicon{root: new(node), words: map[string]bool{}}
	for _, name := range []string{"word", "verb", "noun", "style", "slot", "talk"} {
		text, err := embedded.ReadFile("data/" + name + ".txt")
		if err != nil {
			return nil, err
		}
		if err := l.read(name+".txt", string(text)); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// read reads one file: headings in brackets that name a group, and under them
// lines of a key, attributes, a colon and phrases.
func (l *lexicon) read(name, text string) error {
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
			forms := expand(phrase)
			for _, form := range forms {
				l.add(&entry{group: group, key: fields[0], attrs: attrs, one: forms[0]}, form)
			}
		}
	}
	return nil
}

// expand writes out the alternatives in parentheses: "(s)" is nothing or s.
func expand(phrase string) []string {
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
		out = append(out, expand(before+c+after)...)
	}
	return out
}

func (l *lexicon) add(e *entry, phrase string) {
	at := l.root
	tokens := lex(phrase)
	e.words = len(tokens)
	for _, t := range tokens {
		if at.next == nil {
			at.next = map[string]*node{}
		}
		if at.next[t.low] == nil {
			at.next[t.low] = new(node)
		}
		at = at.next[t.low]
	}
	at.entries = append(at.entries, e)
	if (e.group == "verb" || e.group == "noun") && len(tokens) == 1 {
		l.words[tokens[0].low] = true
	}
}

// at lists the meanings of the phrases that begin at a token, the longest of
// each group and key first.
func (l *lexicon) at(tokens []token, i int) []*entry {
	var out []*entry
	at := l.root
	for ; i < len(tokens) && at != nil; i++ {
		if tokens[i].kind == quote || tokens[i].kind == link {
			break
		}
		if at = at.next[tokens[i].low]; at != nil && at.entries != nil {
			out = append(at.entries[:len(at.entries):len(at.entries)], out...)
		}
	}
	return out
}
