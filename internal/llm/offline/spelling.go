package offline

import "strings"

// correct mends misspelt verbs and names of media: letters that changed places,
// one that is missing, one too many. It is tried only when a text was not
// understood, because correct words of one topic are misspelt ones of another.
func (l *lexicon) correct(s string) string {
	var b strings.Builder
	last, changed := 0, false
	for _, t := range lex(s) {
		if t.kind != word || len(t.low) < 4 || len(t.low) > 16 || l.words[t.low] || len(l.at([]token{t}, 0)) > 0 {
			continue
		}
		if better := l.near(t.low); better != "" {
			b.WriteString(s[last:t.from])
			b.WriteString(better)
			last, changed = t.to, true
		}
	}
	if !changed {
		return s
	}
	b.WriteString(s[last:])
	return b.String()
}

// near is a known word that a word is a slip of, empty for none. The first
// letter is taken to be right, unless the first two changed places.
func (l *lexicon) near(w string) string {
	for i := range len(w) - 1 { // changed places
		if try := w[:i] + w[i+1:i+2] + w[i:i+1] + w[i+2:]; l.words[try] {
			return try
		}
	}
	for i := 1; i < len(w)-1; i++ { // one too many
		if try := w[:i] + w[i+1:]; len(try) > 3 && l.words[try] {
			return try
		}
	}
	for i := 1; i <= len(w); i++ { // one missing
		for c := 'a'; c <= 'z'; c++ {
			if try := w[:i] + string(c) + w[i:]; len(try) > 4 && l.words[try] {
				return try
			}
		}
	}
	return ""
}
