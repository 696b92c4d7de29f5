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

// string finds the text of a field.
func (f *filler) string(name string, s *schema, required bool) (string, bool) {
	words := strings.Fields(spaced(name))
	is := func(names []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(names, w) })
	}
	if is(answerNames) && f.reply != "" {
		return f.clip(f.reply, s), true
	}
	if s.format == "uri" || s.format == "url" || is([]string{"url", "uri", "link"}) {
		return f.first(func(t token) bool { return t.kind == link })
	}
	if s.format == "email" || is([]string{"email", "mail"}) {
		return f.email()
	}
	if v, ok := f.first(func(t token) bool { return t.kind == quote }); ok {
		return f.clip(v, s), true
	}
	if is(timeNames) || s.format == "date" || s.format == "date-time" {
		return f.date()
	}
	if is([]string{"language", "lang"}) {
		for i := range f.tokens {
			if e := f.entry(i, len(f.tokens), "language"); e != nil {
				return strings.TrimPrefix(e.key, "other-"), true
			}
		}
		return "", false
	}
	if v, ok := f.behind(words); ok {
		return f.clip(v, s), true
	}
	if is(placeNames) {
		lead := []string{"in", "at", "near", "for", "of", "around", "to", "from"}
		switch {
		case is([]string{"origin"}):
			lead = []string{"from"}
		case is([]string{"destination"}):
			lead = []string{"to", "for", "in"}
		}
		return f.after(lead)
	}
	if is(personNames) {
		if v, ok := f.after([]string{"to", "for", "called", "named", "is", "with", "user", "from"}); ok && unicode.IsUpper(firstRune(v)) {
			return f.clip(v, s), true
		}
		return f.proper()
	}
	if is(wholeNames) && required {
		return f.clip(strings.TrimSpace(f.src), s), strings.TrimSpace(f.src) != ""
	}
	if !required {
		return "", false
	}
	if v, ok := f.after([]string{"of", "for", "about", "on", "in", "to", "from"}); ok {
		return f.clip(v, s), true
	}
	return f.proper()
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func (f *filler) clip(s string, by *schema) string {
	if by.maxLen > 0 {
		return cut(s, by.maxLen)
	}
	return s
}

// first takes the first token of a sort that nobody has taken.
func (f *filler) first(is func(token) bool) (string, bool) {
	for i, t := range f.tokens {
		if !f.taken[i] && is(t) {
			f.taken[i] = true
			return t.low, true
		}
	}
	return "", false
}

// email finds an address: a word with an at sign inside.
func (f *filler) email() (string, bool) {
	for _, w := range strings.Fields(f.src) {
		w = strings.Trim(w, ".,;:!?<>()\"'")
		if at := strings.IndexByte(w, '@'); at > 0 && strings.IndexByte(w[at:], '.') > 1 {
			return w, true
		}
	}
	return "", false
}

// days are words for dates.
var days = []string{"today", "tomorrow", "yesterday", "tonight", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "now",
	"noon", "midnight"}

// date finds a date or a time: 2026-01-31, tomorrow, 5pm, 17:30.
func (f *filler) date() (string, bool) {
	for i, t := range f.tokens {
		if f.taken[i] {
			continue
		}
		n := len(f.tokens)
		switch {
		case t.kind == number && len(t.low) == 4 && i+2 < n && f.tokens[i+1].glued && f.tokens[i+1].kind == number:
			end := i + 2
			for end < n && f.tokens[end].glued && end < i+12 {
				end++
			}
			return f.words(i, end), true
		case t.kind == number && i+2 < n && f.tokens[i+1].is(":") && f.tokens[i+2].kind == number:
			return f.words(i, i+3), true
		case t.kind == number && i+1 < n && f.tokens[i+1].is("am", "pm", "o'clock"):
			return f.words(i, i+2), true
		case t.is(days...):
			if i > 0 && f.tokens[i-1].is("next", "this", "last") {
				return f.words(i-1, i+1), true
			}
			return f.words(i, i+1), true
		}
	}
	return "", false
}

// behind finds what stands behind the name of a field: colour blue, name: Ann.
func (f *filler) behind(names []string) (string, bool) {
	for i, t := range f.tokens {
		if t.kind != word || !slices.Contains(names, t.low) || len(t.low) < 3 {
			continue
		}
		at := i + 1
		for at < len(f.tokens) && f.tokens[at].is("is", ":", "=", "of", "to", "called", "named", "should", "be") {
			at++
		}
		if at == i+1 || at >= len(f.tokens) || f.tokens[at].kind == mark {
			continue
		}
		return f.phrase(at), true
	}
	return "", false
}

// after finds the phrase behind one of some small words: in Paris.
func (f *filler) after(lead []string) (string, bool) {
	best := -1
	for i, t := range f.tokens {
		if i+1 >= len(f.tokens) || !t.is(lead...) || f.tokens[i+1].kind == mark || f.taken[i+1] {
			continue
		}
		if best < 0 || unicode.IsUpper(f.initial(i+1)) && !unicode.IsUpper(f.initial(best)) {
			best = i + 1
		}
	}
	if best < 0 || f.tokens[best].is("the", "me", "a", "you", "my", "do", "be") && best+1 >= len(f.tokens) {
		return "", false
	}
	v := f.phrase(best)
	return v, v != ""
}

func (f *filler) initial(i int) rune { return firstRune(f.src[f.tokens[i].from:]) }

// phrase is the words from a place to the next mark or small word. Words with
// capitals stay together: New York, Ann Lee.
func (f *filler) phrase(at int) string {
	end := at
	capital := unicode.IsUpper(f.initial(at))
	for end < len(f.tokens) && end < at+6 {
		t := f.tokens[end]
		if t.kind == mark && !t.is("'") || end > at && f.has(end, len(f.tokens), "prep", "tail") || t.is(days...) {
			break
		}
		if capital && end > at && !unicode.IsUpper(f.initial(end)) && t.kind == word {
			break
		}
		end++
	}
	if end+1 < len(f.tokens) && capital && f.tokens[end].is(",") && unicode.IsUpper(f.initial(end+1)) {
		end += 2 // Paris, France
	}
	for i := at; i < end; i++ {
		f.taken[i] = true
	}
	return tidy(f.words(at, end))
}

// proper finds words with capitals that do not begin a sentence.
func (f *filler) proper() (string, bool) {
	for i := 1; i < len(f.tokens); i++ {
		t := f.tokens[i]
		if t.kind == word && !f.taken[i] && unicode.IsUpper(f.initial(i)) && f.tokens[i-1].kind != mark && !t.is("i", "i'm") {
			return f.phrase(i), true
		}
	}
	return "", false
}
