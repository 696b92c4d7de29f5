package offline

import "strings"

// text is what somebody wrote, cut into tokens, with the meanings of the
// phrases that begin at each.
type text struct {
	lexicon *lexicon
	source  string
	tokens  []token
	entries [][]*entry
	used    []bool // tokens that have been made sense of
}

// maxText is how much of a message is read: a page or four.
const maxText = 16 << 10

func (l *lexicon) parse(src string) *text {
	t := &text{lexicon: l, source: src, tokens: tokenize(src)}
	t.entries = make([][]*entry, len(t.tokens))
	t.used = make([]bool, len(t.tokens))
	for i := range t.tokens {
		t.entries[i] = l.entriesAt(t.tokens, i)
	}
	return t
}

// match is the longest phrase of a group that begins at a token and ends before
// the limit, with one of the keys if any are given.
func (t *text) match(i, limit int, group string, keys ...string) *entry {
	if i < 0 || i >= limit {
		return nil
	}
	for _, e := range t.entries[i] {
		if e.group != group || i+e.len > limit {
			continue
		}
		if len(keys) == 0 {
			return e
		}
		for _, k := range keys {
			if e.key == k {
				return e
			}
		}
	}
	return nil
}

// matches reports whether any phrase of a group begins at a token.
func (t *text) matches(i, limit int, groups ...string) bool {
	for _, g := range groups {
		if t.match(i, limit, g) != nil {
			return true
		}
	}
	return false
}

// matchNoun is the longest name of media that begins at a token, unless the words
// around it make it something else.
func (t *text) matchNoun(i, limit int) *entry {
	e := t.match(i, limit, "noun")
	if e == nil {
		return nil
	}
	for back := max(0, i-2); back <= i; back++ {
		if o := t.match(back, limit, "elsewhere"); o != nil && back+o.len > i && o.len > e.len {
			return nil
		}
	}
	return e
}

// matchNumber is the number that begins at a token, and how many tokens it takes.
func (t *text) matchNumber(i, limit int) (float64, int) {
	if i >= limit || i < 0 {
		return 0, 0
	}
	if t.tokens[i].kind == number {
		return t.tokens[i].value, 1
	}
	if e := t.match(i, limit, "number"); e != nil {
		return e.number("value"), e.len
	}
	return 0, 0
}

// excerpt is the source of some tokens as it was written.
func (t *text) excerpt(from, to int) string {
	if from >= to {
		return ""
	}
	return t.source[t.tokens[from].start:t.tokens[to-1].end]
}

// use marks tokens as made sense of.
func (t *text) use(from, to int) {
	for i := max(0, from); i < to && i < len(t.used); i++ {
		t.used[i] = true
	}
}

// unused is the source of the tokens that have not been made sense of, put
// together as a description.
func (t *text) unused(from, to int) string {
	var b strings.Builder
	last, end := -1, -1
	for i := from; i < to; i++ {
		if t.used[i] {
			continue
		}
		tok := t.tokens[i]
		switch {
		case b.Len() == 0:
		case last == i-1:
			b.WriteString(t.source[t.tokens[last].end:tok.start])
		case tok.kind != punct:
			b.WriteByte(' ')
		}
		b.WriteString(t.source[tok.start:tok.end])
		last = i
		if tok.kind != punct {
			end = i
		}
	}
	out := b.String()
	if end >= 0 && end+1 < to && t.tokens[end+1].kind != punct { // what followed has been taken out
		out = trimDangling(out)
	}
	return tidy(out)
}

// trimDangling takes off words at the end that only led to something.
func trimDangling(s string) string {
	for {
		s = strings.TrimRight(s, " ,;:.!?-–—+&/\n")
		i := strings.LastIndexByte(s, ' ')
		if i < 0 || !danglingWords[strings.ToLower(s[i+1:])] {
			return s
		}
		s = s[:i]
	}
}

// danglingWords are words that mean nothing at an end of a description.
var danglingWords = map[string]bool{
	"and": true, "with": true, "in": true, "at": true, "of": true, "for": true, "using": true, "but": true, "or": true, "by": true, "a": true,
	"an": true, "the": true, "as": true, "on": true, "to": true, "that": true, "which": true, "is": true, "from": true, "then": true, "also": true, "please": true,
	"into": true, "like": true,
}

// tidy removes what is left over at the ends of a description and between its
// parts when other parts have been taken out.
func tidy(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	for _, pair := range [][2]string{{" ,", ","}, {",,", ","}, {", .", "."}, {",.", "."}, {"( ", "("}, {" )", ")"}, {"()", ""}, {" .", "."}, {" :", ":"}, {"  ", " "}} {
		for strings.Contains(s, pair[0]) {
			s = strings.ReplaceAll(s, pair[0], pair[1])
		}
	}
	for {
		before := s
		s = strings.TrimRight(s, " ,;:.!?-–—+&/\n")
		s = strings.TrimLeft(s, " ,;:.!?-–—+&/\n)*•")
		if i := strings.IndexByte(s, ' '); i > 0 && leadingWords[strings.ToLower(s[:i])] {
			s = s[i+1:]
		}
		if s == before {
			return s
		}
	}
}

// leadingWords are words that mean nothing at the beginning of a description.
var leadingWords = map[string]bool{"and": true, "but": true, "or": true, "then": true, "also": true, "please": true, "of": true, "about": true}
