package schema

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// Names of properties, by what they ask for.
var (
	placeNames = []string{"location", "city", "place", "country", "address", "destination", "town", "region", "where", "area", "origin", "state",
		"venue", "station", "airport"}
	wholeNames = []string{"query", "q", "text", "message", "prompt", "input", "question", "content", "body", "topic", "search", "keywords", "term",
		"expression", "sentence", "request", "task", "note", "description", "instruction", "comment", "command", "subject", "title"}
	answerNames = []string{"answer", "reply", "response", "summary", "explanation", "result", "output", "reason", "final", "statement"}
	personNames = []string{"name", "person", "user", "username", "recipient", "contact", "who", "author", "customer", "to"}
	timeNames   = []string{"date", "day", "time", "when", "datetime", "start", "deadline"}
)

func (f *Filler) fillString(name string, s *Schema, required bool) (string, bool) {
	words := strings.Fields(token.SplitName(name))
	is := func(names []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(names, w) })
	}
	if is(answerNames) && f.Reply != "" {
		return truncate(f.Reply, s), true
	}
	if s.format == "uri" || s.format == "url" || is([]string{"url", "uri", "link"}) {
		return f.takeFirst(func(t token.Token) bool { return t.Kind == token.URL })
	}
	if s.format == "email" || is([]string{"email", "mail"}) {
		return f.findEmail()
	}
	if v, ok := f.takeFirst(func(t token.Token) bool { return t.Kind == token.Quotation }); ok {
		return truncate(v, s), true
	}
	if is(timeNames) || s.format == "date" || s.format == "date-time" {
		return f.findDate()
	}
	if is([]string{"language", "lang"}) {
		for i := range f.Tokens {
			if e := f.Match(i, len(f.Tokens), "language"); e != nil {
				return strings.TrimPrefix(e.Key, "other-"), true
			}
		}
		return "", false
	}
	if v, ok := f.findLabelled(words); ok {
		return truncate(v, s), true
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
			return truncate(v, s), true
		}
		return f.findProperNoun()
	}
	if is(wholeNames) && required {
		return truncate(strings.TrimSpace(f.Source), s), strings.TrimSpace(f.Source) != ""
	}
	if !required {
		return "", false
	}
	if v, ok := f.findAfter([]string{"of", "for", "about", "on", "in", "to", "from"}); ok {
		return truncate(v, s), true
	}
	return f.findProperNoun()
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func truncate(s string, by *Schema) string {
	if by.maxLen > 0 {
		return phrase.Truncate(s, by.maxLen)
	}
	return s
}

// takeFirst takes the first unused token of a kind.
func (f *Filler) takeFirst(is func(token.Token) bool) (string, bool) {
	for i, t := range f.Tokens {
		if !f.taken[i] && is(t) {
			f.taken[i] = true
			return t.Text, true
		}
	}
	return "", false
}

// findEmail finds an address: a word with an at sign inside.
func (f *Filler) findEmail() (string, bool) {
	for _, w := range strings.Fields(f.Source) {
		w = strings.Trim(w, ".,;:!?<>()\"'")
		if at := strings.IndexByte(w, '@'); at > 0 && strings.IndexByte(w[at:], '.') > 1 {
			return w, true
		}
	}
	return "", false
}

var dayWords = []string{"today", "tomorrow", "yesterday", "tonight", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
	"sunday", "now", "noon", "midnight"}

// findDate finds a date or a time: 2026-01-31, tomorrow, 5pm, 17:30.
func (f *Filler) findDate() (string, bool) {
	for i, t := range f.Tokens {
		if f.taken[i] {
			continue
		}
		n := len(f.Tokens)
		switch {
		case t.Kind == token.Number && len(t.Text) == 4 && i+2 < n && f.Tokens[i+1].Adjacent && f.Tokens[i+1].Kind == token.Number:
			end := i + 2
			for end < n && f.Tokens[end].Adjacent && end < i+12 {
				end++
			}
			return f.Excerpt(i, end), true
		case t.Kind == token.Number && i+2 < n && f.Tokens[i+1].Is(":") && f.Tokens[i+2].Kind == token.Number:
			return f.Excerpt(i, i+3), true
		case t.Kind == token.Number && i+1 < n && f.Tokens[i+1].Is("am", "pm", "o'clock"):
			return f.Excerpt(i, i+2), true
		case t.Is(dayWords...):
			if i > 0 && f.Tokens[i-1].Is("next", "this", "last") {
				return f.Excerpt(i-1, i+1), true
			}
			return f.Excerpt(i, i+1), true
		}
	}
	return "", false
}

// findLabelled finds what follows the name of a property: colour blue, name: Ann.
func (f *Filler) findLabelled(names []string) (string, bool) {
	for i, t := range f.Tokens {
		if t.Kind != token.Word || !slices.Contains(names, t.Text) || len(t.Text) < 3 {
			continue
		}
		at := i + 1
		for at < len(f.Tokens) && f.Tokens[at].Is("is", ":", "=", "of", "to", "called", "named", "should", "be") {
			at++
		}
		if at == i+1 || at >= len(f.Tokens) || f.Tokens[at].Kind == token.Punct {
			continue
		}
		return f.takePhrase(at), true
	}
	return "", false
}

// findAfter finds the phrase after one of some prepositions: in Paris.
func (f *Filler) findAfter(lead []string) (string, bool) {
	best := -1
	for i, t := range f.Tokens {
		if i+1 >= len(f.Tokens) || !t.Is(lead...) || f.Tokens[i+1].Kind == token.Punct || f.taken[i+1] {
			continue
		}
		if best < 0 || unicode.IsUpper(f.firstLetter(i+1)) && !unicode.IsUpper(f.firstLetter(best)) {
			best = i + 1
		}
	}
	if best < 0 || f.Tokens[best].Is("the", "me", "a", "you", "my", "do", "be") && best+1 >= len(f.Tokens) {
		return "", false
	}
	v := f.takePhrase(best)
	return v, v != ""
}

func (f *Filler) firstLetter(i int) rune { return firstRune(f.Source[f.Tokens[i].Start:]) }

// takePhrase returns the words up to the next punctuation or preposition. Capitalized words stay together: New York, Ann Lee.
func (f *Filler) takePhrase(at int) string {
	end := at
	capital := unicode.IsUpper(f.firstLetter(at))
	for end < len(f.Tokens) && end < at+6 {
		t := f.Tokens[end]
		if t.Kind == token.Punct && !t.Is("'") || end > at && f.Matches(end, len(f.Tokens), "prep", "closing") || t.Is(dayWords...) {
			break
		}
		if capital && end > at && !unicode.IsUpper(f.firstLetter(end)) && t.Kind == token.Word {
			break
		}
		end++
	}
	if end+1 < len(f.Tokens) && capital && f.Tokens[end].Is(",") && unicode.IsUpper(f.firstLetter(end+1)) {
		end += 2 // Paris, France
	}
	for i := at; i < end; i++ {
		f.taken[i] = true
	}
	return token.Tidy(f.Excerpt(at, end))
}

// findProperNoun finds capitalized words that do not begin a sentence.
func (f *Filler) findProperNoun() (string, bool) {
	for i := 1; i < len(f.Tokens); i++ {
		t := f.Tokens[i]
		if t.Kind == token.Word && !f.taken[i] && unicode.IsUpper(f.firstLetter(i)) && f.Tokens[i-1].Kind != token.Punct && !t.Is("i", "i'm") {
			return f.takePhrase(i), true
		}
	}
	return "", false
}
