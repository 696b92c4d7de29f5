package token

import "strings"

// CorrectSpelling corrects misspelt verbs and names of media: two letters swapped, one missing, one too many.
func (l *Lexicon) CorrectSpelling(s string) string {
	var b strings.Builder
	last, changed := 0, false
	for _, t := range Tokenize(s) {
		if t.Kind != Word || len(t.Text) < 4 || len(t.Text) > 16 || l.vocabulary[t.Text] || len(l.EntriesAt([]Token{t}, 0)) > 0 {
			continue
		}
		if better := l.closestWord(t.Text); better != "" {
			b.WriteString(s[last:t.Start])
			b.WriteString(better)
			last, changed = t.End, true
		}
	}
	if !changed {
		return s
	}
	b.WriteString(s[last:])
	return b.String()
}

// closestWord returns the known word that differs by one such mistake, empty for none. The first letter is taken as
// correct, unless the first two are swapped.
func (l *Lexicon) closestWord(w string) string {
	for i := range len(w) - 1 { // swapped
		if try := w[:i] + w[i+1:i+2] + w[i:i+1] + w[i+2:]; l.vocabulary[try] {
			return try
		}
	}
	for i := 1; i < len(w)-1; i++ { // one too many
		if try := w[:i] + w[i+1:]; len(try) > 3 && l.vocabulary[try] {
			return try
		}
	}
	for i := 1; i <= len(w); i++ { // one missing
		for c := 'a'; c <= 'z'; c++ {
			if try := w[:i] + string(c) + w[i:]; len(try) > 4 && l.vocabulary[try] {
				return try
			}
		}
	}
	return ""
}
