package plan

import (
	"strings"
	"unicode"

	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// takeSmallTalk answers a clause that is only small talk.
func (r *Interpretation) takeSmallTalk(c *token.Clause) bool {
	key := ""
	for i := c.Lead; i < c.End; {
		e := c.Match(i, c.End, "talk")
		switch {
		case e != nil:
			if key == "" || key == "hello" {
				key = e.Key
			}
			i += e.Len
		case c.Tokens[i].Kind == token.Punct:
			i++
		case key != "" && c.Match(i, c.End, "closing") != nil:
			i += c.Match(i, c.End, "closing").Len
		case key != "" && c.Tokens[i].Is("atelier", "everyone", "all", "friend", "my", "you", "there", "so", "much", "and", "it", "that", "very", "again",
			"for", "the", "picture", "help", "today"):
			i++
		default:
			return false
		}
	}
	if key == "" || key == "how" && r.state.Pending != nil {
		return false
	}
	if key == "no" {
		r.state.Pending = nil
	}
	if key == "yes" && r.state.Pending != nil {
		return false
	}
	r.SmallTalk = key
	return true
}

// repeatWords answers a request for certain words with them: reply with OK, repeat after me: hello.
func (r *Interpretation) repeatWords(c *token.Clause) bool {
	at := c.Start
	switch {
	case c.Tokens[at].Is("reply", "respond", "answer", "output", "print", "echo", "return") && at+1 < c.End:
		at++
		for at < c.End && c.Tokens[at].Is("with", "only", "exactly", "just", "the", "word", "words", "text", ":", "following", "a", "single", "phrase") {
			at++
		}
		if at == c.Start+1 && !c.Tokens[c.Start].Is("echo", "print", "output") {
			return false
		}
	case c.Tokens[at].Is("repeat") && at+2 < c.End && c.Tokens[at+1].Is("after") && c.Tokens[at+2].Is("me"):
		at += 3
		for at < c.End && c.Tokens[at].Is(":", ",") {
			at++
		}
	default:
		return false
	}
	if at >= c.End {
		return false
	}
	text := c.Excerpt(at, c.End)
	if c.Tokens[at].Kind == token.Quotation {
		text = c.Tokens[at].Text
	}
	r.say(strings.Trim(text, " ."))
	return true
}

// findUnsupported finds something that the service cannot make: an essay, a program. A picture of a letter is a
// picture.
func findUnsupported(c *token.Clause, from int, h slot.NounPhrase) *token.Entry {
	if h.Noun != nil {
		return nil
	}
	for i := from; i < min(c.End, from+9); i++ {
		if e := c.Match(i, c.End, "unsupported"); e != nil && c.IsHeadNoun(i+e.Len, c.End) {
			return e
		}
		if i > h.Start && c.Matches(i, c.End, "prep") {
			return nil
		}
	}
	return nil
}

func (r *Interpretation) refuse(e *token.Entry) { r.say(r.planner.Templates.Refusals[e.Key]) }

// isForeignLanguage reports whether a text is mostly not in Latin letters, or has common words of other languages.
func isForeignLanguage(l *token.Lexicon, s string) bool {
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
	text := l.Parse(s)
	for i := range text.Tokens {
		if text.Matches(i, len(text.Tokens), "foreign-word") {
			hits++
		}
	}
	return hits >= 2
}

// ExplainNotUnderstood returns the answer when nothing was understood.
func (r *Interpretation) ExplainNotUnderstood(said string) string {
	switch {
	case strings.TrimSpace(said) == "" && r.countAttached("image")+r.countAttached("video")+r.countAttached("audio") > 0:
		return r.planner.Templates.Refusals["shown"]
	case strings.TrimSpace(said) == "":
		return r.planner.Templates.SmallTalk["hello"]
	case isForeignLanguage(r.planner.Lexicon, said):
		return r.planner.Templates.Refusals["language"]
	case r.notUnderstood:
		return r.planner.Templates.Refusals["general"]
	}
	return r.planner.Templates.Refusals["unclear"]
}
