package offline

import (
	"strings"
	"unicode"
)

// takeSmallTalk answers a clause that is nothing but small talk.
func (r *interpretation) takeSmallTalk(c *clause) bool {
	key := ""
	for i := c.lead; i < c.end; {
		e := c.match(i, c.end, "talk")
		switch {
		case e != nil:
			if key == "" || key == "hello" {
				key = e.key
			}
			i += e.len
		case c.tokens[i].kind == punct:
			i++
		case key != "" && c.match(i, c.end, "tail") != nil:
			i += c.match(i, c.end, "tail").len
		case key != "" && c.tokens[i].is("atelier", "everyone", "all", "friend", "my", "you", "there", "so", "much", "and", "it", "that", "very", "again",
			"for", "the", "picture", "help", "today"):
			i++
		default:
			return false
		}
	}
	if key == "" || key == "how" && r.state.pending != nil {
		return false
	}
	if key == "no" {
		r.state.pending = nil
	}
	if key == "yes" && r.state.pending != nil {
		return false
	}
	r.smallTalk = key
	return true
}

// repeatWords answers a request for certain words with them: reply with OK, repeat
// after me: hello.
func (r *interpretation) repeatWords(c *clause) bool {
	at := c.start
	switch {
	case c.tokens[at].is("reply", "respond", "answer", "output", "print", "echo", "return") && at+1 < c.end:
		at++
		for at < c.end && c.tokens[at].is("with", "only", "exactly", "just", "the", "word", "words", "text", ":", "following", "a", "single", "phrase") {
			at++
		}
		if at == c.start+1 && !c.tokens[c.start].is("echo", "print", "output") {
			return false
		}
	case c.tokens[at].is("repeat") && at+2 < c.end && c.tokens[at+1].is("after") && c.tokens[at+2].is("me"):
		at += 3
		for at < c.end && c.tokens[at].is(":", ",") {
			at++
		}
	default:
		return false
	}
	if at >= c.end {
		return false
	}
	text := c.excerpt(at, c.end)
	if c.tokens[at].kind == quotation {
		text = c.tokens[at].text
	}
	r.say(strings.Trim(text, " ."))
	return true
}

// findUnsupported finds something that is asked for and not made here: an essay, a
// program. Media words win: a picture of a letter is a picture.
func (c *clause) findUnsupported(from int, h nounPhrase) *entry {
	if h.noun != nil {
		return nil
	}
	for i := from; i < min(c.end, from+9); i++ {
		if e := c.match(i, c.end, "undoable"); e != nil && c.isHeadNoun(i+e.len, c.end) {
			return e
		}
		if i > h.start && c.matches(i, c.end, "prep") {
			return nil
		}
	}
	return nil
}

// refuse says what cannot be done.
func (r *interpretation) refuse(e *entry) { r.say(r.planner.templates.refusals[e.key]) }

// isForeignLanguage reports whether a text is mostly not in Latin letters, or has small
// words of other languages.
func (l *lexicon) isForeignLanguage(s string) bool {
	letters, other := 0, 0
	for _, c := range s {
		if !unicode.IsLetter(c) {
			continue
		}
		letters++
		if !unicode.Is(unicode.Latin, c) {
			other++
		}
	}
	if letters > 1 && other*2 > letters {
		return true
	}
	hits := 0
	text := l.parse(s)
	for i := range text.tokens {
		if text.matches(i, len(text.tokens), "abroad") {
			hits++
		}
	}
	return hits >= 2
}

// explainNotUnderstood is the answer when nothing was understood.
func (r *interpretation) explainNotUnderstood(said string) string {
	switch {
	case strings.TrimSpace(said) == "" && r.countAttached("image")+r.countAttached("video")+r.countAttached("audio") > 0:
		return r.planner.templates.refusals["shown"]
	case strings.TrimSpace(said) == "":
		return r.planner.templates.smallTalk["hello"]
	case r.planner.lexicon.isForeignLanguage(said):
		return r.planner.templates.refusals["language"]
	case r.notUnderstood:
		return r.planner.templates.refusals["general"]
	}
	return r.planner.templates.refusals["unclear"]
}
