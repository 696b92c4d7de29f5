package offline

import (
	"strings"
	"unicode"
)

// chats answers a clause that is nothing but small talk.
func (r *reading) chats(c *clause) bool {
	key := ""
	for i := c.from; i < c.to; {
		e := c.entry(i, c.to, "talk")
		switch {
		case e != nil:
			if key == "" || key == "hello" {
				key = e.key
			}
			i += e.words
		case c.tokens[i].kind == mark:
			i++
		case key != "" && c.entry(i, c.to, "tail") != nil:
			i += c.entry(i, c.to, "tail").words
		case key != "" && c.tokens[i].is("atelier", "everyone", "all", "friend", "my", "you", "there", "so", "much", "and", "it", "that", "very", "again",
			"for", "the", "picture", "help", "today"):
			i++
		default:
			return false
		}
	}
	if key == "" || key == "how" && r.s.pending != nil {
		return false
	}
	if key == "no" {
		r.s.pending = nil
	}
	if key == "yes" && r.s.pending != nil {
		return false
	}
	r.talk = key
	return true
}

// parrots answers a request for certain words with them: reply with OK, repeat
// after me: hello.
func (r *reading) parrots(c *clause) bool {
	at := c.start
	switch {
	case c.tokens[at].is("reply", "respond", "answer", "output", "print", "echo", "return") && at+1 < c.to:
		at++
		for at < c.to && c.tokens[at].is("with", "only", "exactly", "just", "the", "word", "words", "text", ":", "following", "a", "single", "phrase") {
			at++
		}
		if at == c.start+1 && !c.tokens[c.start].is("echo", "print", "output") {
			return false
		}
	case c.tokens[at].is("repeat") && at+2 < c.to && c.tokens[at+1].is("after") && c.tokens[at+2].is("me"):
		at += 3
		for at < c.to && c.tokens[at].is(":", ",") {
			at++
		}
	default:
		return false
	}
	if at >= c.to {
		return false
	}
	text := c.words(at, c.to)
	if c.tokens[at].kind == quote {
		text = c.tokens[at].low
	}
	r.say(strings.Trim(text, " ."))
	return true
}

// undoable finds something that is asked for and not made here: an essay, a
// program. Media words win: a picture of a letter is a picture.
func (c *clause) undoable(from int, h head) *entry {
	if h.noun != nil {
		return nil
	}
	for i := from; i < min(c.to, from+9); i++ {
		if e := c.entry(i, c.to, "undoable"); e != nil && c.headed(i+e.words, c.to) {
			return e
		}
		if i > h.from && c.has(i, c.to, "prep") {
			return nil
		}
	}
	return nil
}

// undoable says what cannot be done.
func (r *reading) undoable(e *entry) { r.say(r.m.phrases.not[e.key]) }

// foreign reports whether a text is mostly not in Latin letters, or has small
// words of other languages.
func (l *lexicon) foreign(s string) bool {
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
	text := l.text(s)
	for i := range text.tokens {
		if text.has(i, len(text.tokens), "abroad") {
			hits++
		}
	}
	return hits >= 2
}

// bewildered is the answer when nothing was understood.
func (r *reading) bewildered(said string) string {
	switch {
	case strings.TrimSpace(said) == "" && r.attached("image")+r.attached("video")+r.attached("audio") > 0:
		return r.m.phrases.not["shown"]
	case strings.TrimSpace(said) == "":
		return r.m.phrases.talk["hello"]
	case r.m.lexicon.foreign(said):
		return r.m.phrases.not["language"]
	case r.lost:
		return r.m.phrases.not["general"]
	}
	return r.m.phrases.not["unclear"]
}
