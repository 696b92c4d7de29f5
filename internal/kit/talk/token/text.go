package token

import (
	"slices"
	"strings"
)

// Text is a tokenized string with the lexicon entries that begin at each token.
type Text struct {
	Lexicon *Lexicon
	Source  string
	Tokens  []Token
	Entries [][]*Entry
	Used    []bool // tokens that have been understood
}

// MaxText is how many bytes of a message are read.
const MaxText = 16 << 10

func (l *Lexicon) Parse(src string) *Text {
	t := &Text{Lexicon: l, Source: src, Tokens: Tokenize(src)}
	t.Entries = make([][]*Entry, len(t.Tokens))
	t.Used = make([]bool, len(t.Tokens))
	for i := range t.Tokens {
		t.Entries[i] = l.EntriesAt(t.Tokens, i)
	}
	return t
}

// Match returns the longest entry of a group that begins at a token and ends before the limit, with one of the keys if
// any are given.
func (t *Text) Match(i, limit int, group string, keys ...string) *Entry {
	if i < 0 || i >= limit {
		return nil
	}
	for _, e := range t.Entries[i] {
		if e.Group == group && i+e.Len <= limit && (len(keys) == 0 || slices.Contains(keys, e.Key)) {
			return e
		}
	}
	return nil
}

// Matches reports whether an entry of one of the groups begins at a token.
func (t *Text) Matches(i, limit int, groups ...string) bool {
	return slices.ContainsFunc(groups, func(g string) bool { return t.Match(i, limit, g) != nil })
}

// MatchNoun returns the longest name of media that begins at a token, unless the words around it change its meaning.
func (t *Text) MatchNoun(i, limit int) *Entry {
	e := t.Match(i, limit, "noun")
	if e == nil {
		return nil
	}
	for back := max(0, i-2); back <= i; back++ {
		if o := t.Match(back, limit, "not-media"); o != nil && back+o.Len > i && o.Len > e.Len {
			return nil
		}
	}
	return e
}

// MatchNumber returns the number that begins at a token, and how many tokens it has.
func (t *Text) MatchNumber(i, limit int) (float64, int) {
	if i >= limit || i < 0 {
		return 0, 0
	}
	if t.Tokens[i].Kind == Number {
		return t.Tokens[i].Value, 1
	}
	if e := t.Match(i, limit, "number"); e != nil {
		return e.Number("value"), e.Len
	}
	return 0, 0
}

// Excerpt returns the source of some tokens as it was written.
func (t *Text) Excerpt(from, to int) string {
	if from >= to {
		return ""
	}
	return t.Source[t.Tokens[from].Start:t.Tokens[to-1].End]
}

// Use marks tokens as used.
func (t *Text) Use(from, to int) {
	for i := max(0, from); i < to && i < len(t.Used); i++ {
		t.Used[i] = true
	}
}

// Unused returns the source of the unused tokens, joined into a description.
func (t *Text) Unused(from, to int) string {
	var b strings.Builder
	last, end := -1, -1
	for i := from; i < to; i++ {
		if t.Used[i] {
			continue
		}
		tok := t.Tokens[i]
		switch {
		case b.Len() == 0:
		case last == i-1:
			b.WriteString(t.Source[t.Tokens[last].End:tok.Start])
		case tok.Kind != Punct:
			b.WriteByte(' ')
		}
		b.WriteString(t.Source[tok.Start:tok.End])
		last = i
		if tok.Kind != Punct {
			end = i
		}
	}
	out := b.String()
	if end >= 0 && end+1 < to && t.Tokens[end+1].Kind != Punct { // what followed has been taken out
		out = trimDangling(out)
	}
	return Tidy(out)
}
