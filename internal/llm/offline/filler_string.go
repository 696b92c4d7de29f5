package offline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What the names of text fields tell about them.
var (
	placeNames = []string{"location", "city", "place", "country", "address", "destination", "town", "region", "where", "area", "origin", "state",
		"venue", "station", "airport"}
	wholeNames = []string{"query", "q", "text", "message", "prompt", "input", "question", "content", "body", "topic", "search", "keywords", "term",
		"expression", "sentence", "request", "task", "note", "description", "instruction", "comment", "command", "subject", "title"}
	answerNames = []string{"answer", "reply", "response", "summary", "explanation", "result", "output", "reason", "final", "statement"}
	personNames = []string{"name", "person", "user", "username", "recipient", "contact", "who", "author", "customer", "to"}
	timeNames   = []string{"date", "day", "time", "when", "datetime", "start", "deadline"}
)

// fillString finds the text of a field.
func (f *filler) fillString(name string, s *schema, required bool) (string, bool) {
	words := strings.Fields(splitName(name))
	is := func(names []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(names, w) })
	}
	if is(answerNames) && f.reply != "" {
		return f.truncate(f.reply, s), true
	}
	if s.format == "uri" || s.format == "url" || is([]string{"url", "uri", "link"}) {
		return f.takeFirst(func(t token) bool { return t.kind == webURL })
	}
	if s.format == "email" || is([]string{"email", "mail"}) {
		return f.findEmail()
	}
	if v, ok := f.takeFirst(func(t token) bool { return t.kind == quotation }); ok {
		return f.truncate(v, s), true
	}
	if is(timeNames) || s.format == "date" || s.format == "date-time" {
		return f.findDate()
	}
	if is([]string{"language", "lang"}) {
		for i := range f.tokens {
			if e := f.match(i, len(f.tokens), "language"); e != nil {
				return strings.TrimPrefix(e.key, "other-"), true
			}
		}
		return "", false
	}
	if v, ok := f.findLabelled(words); ok {
		return f.truncate(v, s), true
	}
	if is(placeNames) {
		lead := []string{"in", "at", "near", "for", "of", "around", "to", "from"}
		switch {
		case is([]string{"origin"}):
			lead = []string{"from"}
		case is([]string{"destination"}):
			lead = []string{"to", "for", "in"}
		}
		return f.findAfter(lead)
	}
	if is(personNames) {
		if v, ok := f.findAfter([]string{"to", "for", "called", "named", "is", "with", "user", "from"}); ok && unicode.IsUpper(firstRune(v)) {
			return f.truncate(v, s), true
		}
		return f.findProperNoun()
	}
	if is(wholeNames) && required {
		return f.truncate(strings.TrimSpace(f.source), s), strings.TrimSpace(f.source) != ""
	}
	if !required {
		return "", false
	}
	if v, ok := f.findAfter([]string{"of", "for", "about", "on", "in", "to", "from"}); ok {
		return f.truncate(v, s), true
	}
	return f.findProperNoun()
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func (f *filler) truncate(s string, by *schema) string {
	if by.maxLen > 0 {
		return truncate(s, by.maxLen)
	}
	return s
}

// takeFirst takes the first token of a sort that nobody has taken.
func (f *filler) takeFirst(is func(token) bool) (string, bool) {
	for i, t := range f.tokens {
		if !f.taken[i] && is(t) {
			f.taken[i] = true
			return t.text, true
		}
	}
	return "", false
}

// findEmail finds an address: a word with an at sign inside.
func (f *filler) findEmail() (string, bool) {
	for _, w := range strings.Fields(f.source) {
		w = strings.Trim(w, ".,;:!?<>()\"'")
		if at := strings.IndexByte(w, '@'); at > 0 && strings.IndexByte(w[at:], '.') > 1 {
			return w, true
		}
	}
	return "", false
}

// dayWords are words for dates.
var dayWords = []string{"today", "tomorrow", "yesterday", "tonight", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "now",
	"noon", "midnight"}

// findDate finds a date or a time: 2026-01-31, tomorrow, 5pm, 17:30.
func (f *filler) findDate() (string, bool) {
	for i, t := range f.tokens {
		if f.taken[i] {
			continue
		}
		n := len(f.tokens)
		switch {
		case t.kind == number && len(t.text) == 4 && i+2 < n && f.tokens[i+1].adjacent && f.tokens[i+1].kind == number:
			end := i + 2
			for end < n && f.tokens[end].adjacent && end < i+12 {
				end++
			}
			return f.excerpt(i, end), true
		case t.kind == number && i+2 < n && f.tokens[i+1].is(":") && f.tokens[i+2].kind == number:
			return f.excerpt(i, i+3), true
		case t.kind == number && i+1 < n && f.tokens[i+1].is("am", "pm", "o'clock"):
			return f.excerpt(i, i+2), true
		case t.is(dayWords...):
			if i > 0 && f.tokens[i-1].is("next", "this", "last") {
				return f.excerpt(i-1, i+1), true
			}
			return f.excerpt(i, i+1), true
		}
	}
	return "", false
}

// findLabelled finds what stands behind the name of a field: colour blue, name: Ann.
func (f *filler) findLabelled(names []string) (string, bool) {
	for i, t := range f.tokens {
		if t.kind != word || !slices.Contains(names, t.text) || len(t.text) < 3 {
			continue
		}
		at := i + 1
		for at < len(f.tokens) && f.tokens[at].is("is", ":", "=", "of", "to", "called", "named", "should", "be") {
			at++
		}
		if at == i+1 || at >= len(f.tokens) || f.tokens[at].kind == punct {
			continue
		}
		return f.takePhrase(at), true
	}
	return "", false
}

// findAfter finds the phrase behind one of some small words: in Paris.
func (f *filler) findAfter(lead []string) (string, bool) {
	best := -1
	for i, t := range f.tokens {
		if i+1 >= len(f.tokens) || !t.is(lead...) || f.tokens[i+1].kind == punct || f.taken[i+1] {
			continue
		}
		if best < 0 || unicode.IsUpper(f.firstLetter(i+1)) && !unicode.IsUpper(f.firstLetter(best)) {
			best = i + 1
		}
	}
	if best < 0 || f.tokens[best].is("the", "me", "a", "you", "my", "do", "be") && best+1 >= len(f.tokens) {
		return "", false
	}
	v := f.takePhrase(best)
	return v, v != ""
}

func (f *filler) firstLetter(i int) rune { return firstRune(f.source[f.tokens[i].start:]) }

// takePhrase is the words from a place to the next mark or small word. Words with
// capitals stay together: New York, Ann Lee.
func (f *filler) takePhrase(at int) string {
	end := at
	capital := unicode.IsUpper(f.firstLetter(at))
	for end < len(f.tokens) && end < at+6 {
		t := f.tokens[end]
		if t.kind == punct && !t.is("'") || end > at && f.matches(end, len(f.tokens), "prep", "tail") || t.is(dayWords...) {
			break
		}
		if capital && end > at && !unicode.IsUpper(f.firstLetter(end)) && t.kind == word {
			break
		}
		end++
	}
	if end+1 < len(f.tokens) && capital && f.tokens[end].is(",") && unicode.IsUpper(f.firstLetter(end+1)) {
		end += 2 // Paris, France
	}
	for i := at; i < end; i++ {
		f.taken[i] = true
	}
	return tidy(f.excerpt(at, end))
}

// findProperNoun finds words with capitals that do not begin a sentence.
func (f *filler) findProperNoun() (string, bool) {
	for i := 1; i < len(f.tokens); i++ {
		t := f.tokens[i]
		if t.kind == word && !f.taken[i] && unicode.IsUpper(f.firstLetter(i)) && f.tokens[i-1].kind != punct && !t.is("i", "i'm") {
			return f.takePhrase(i), true
		}
	}
	return "", false
}
