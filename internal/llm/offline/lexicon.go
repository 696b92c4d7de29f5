package offline

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed data/word.txt data/verb.txt data/noun.txt data/style.txt data/slot.txt data/talk.txt
var dataFiles embed.FS

// entry is a meaning of a phrase: a key in a group, with attributes.
type entry struct {
	group, key string
	attrs      map[string]string
	base       string // the first phrase of its line piece: the singular of a noun
	len        int    // tokens of the phrase
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
	root       *trieNode
	vocabulary map[string]bool // single words of verbs and nouns, to correct spelling by
}

// trieNode is a place in the trie of phrases.
type trieNode struct {
	next    map[string]*trieNode
	entries []*entry
}

// loadLexicon reads the files of phrases.
func loadLexicon() (*lexicon, error) {
	l := &lexicon{root: new(trieNode), vocabulary: map[string]bool{}}
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

// readFile reads one file: headings in brackets that name a group, and under them
// lines of a key, attributes, a colon and phrases.
func (l *lexicon) readFile(name, text string) error {
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
				l.add(&entry{group: group, key: fields[0], attrs: attrs, base: forms[0]}, form)
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

func (l *lexicon) add(e *entry, phrase string) {
	at := l.root
	tokens := tokenize(phrase)
	e.len = len(tokens)
	for _, t := range tokens {
		if at.next == nil {
			at.next = map[string]*trieNode{}
		}
		if at.next[t.text] == nil {
			at.next[t.text] = new(trieNode)
		}
		at = at.next[t.text]
	}
	at.entries = append(at.entries, e)
	if (e.group == "verb" || e.group == "noun") && len(tokens) == 1 {
		l.vocabulary[tokens[0].text] = true
	}
}

// entriesAt lists the meanings of the phrases that begin at a token, the longest of
// each group and key first.
func (l *lexicon) entriesAt(tokens []token, i int) []*entry {
	var out []*entry
	at := l.root
	for ; i < len(tokens) && at != nil; i++ {
		if tokens[i].kind == quotation || tokens[i].kind == webURL {
			break
		}
		if at = at.next[tokens[i].text]; at != nil && at.entries != nil {
			out = append(at.entries[:len(at.entries):len(at.entries)], out...)
		}
	}
	return out
}
