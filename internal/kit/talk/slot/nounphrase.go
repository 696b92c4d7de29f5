package slot

import (
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// NounPhrase is what a request is about: the media that is named, and what stands before it.
type NounPhrase struct {
	Start  int          // the first token behind the verb
	Noun   *token.Entry // nil when no media is named
	NounAt int          // where it is
	Count  int          // how many are wanted; 0 when the clause gives no number
}

// FindNounPhrase finds the media that is named after a verb.
func FindNounPhrase(c *token.Clause, from int) NounPhrase {
	for from < c.End {
		e := c.Match(from, c.End, "you", "me")
		if e == nil || c.Tokens[from].Is("me", "us") && from+1 < c.End && c.Tokens[from+1].Is("in", "and", "as", "into", "look", "smile", "younger",
			"older", "wear", "hold", "fly", "sit", "stand", "laugh", "taller", "thinner") {
			break
		}
		from += e.Len
	}
	h := NounPhrase{Start: from}
	content := 0
	for i := from; i < c.End && i < from+18; i++ {
		tok := c.Tokens[i]
		if e := c.MatchNoun(i, c.End); e != nil && c.IsHeadNoun(i+e.Len, c.End) {
			h.Noun, h.NounAt = e, i
			h.Count = CountBefore(c, from, i, e)
			return h
		}
		switch {
		case tok.Kind == token.Quotation || tok.Kind == token.URL:
			return h
		case tok.Kind == token.Punct && !tok.Is(",", ":", "-", "/") && !tok.Adjacent:
			return h
		case tok.Kind == token.Punct && tok.Is(":") && !tok.Adjacent:
			return h
		case tok.Kind == token.Word && c.Matches(i, c.End, "prep") && !tok.Is("like", "by") && !joinsNumbers(c, i):
			return h
		case c.Matches(i, c.End, "det") && content > 0 && !tok.Is("her"):
			return h
		case tok.Kind == token.Word && !c.Matches(i, c.End, "det", "number"):
			content++
		}
	}
	return h
}

func joinsNumbers(c *token.Clause, i int) bool {
	return i > c.Lead && i+1 < c.End && c.Tokens[i-1].Kind == token.Number && c.Tokens[i+1].Kind == token.Number
}

// CountBefore returns how many of a noun are wanted: the number before it that measures nothing else.
func CountBefore(c *token.Clause, from, at int, noun *token.Entry) int {
	for i := from; i < at; i++ {
		v, n := c.MatchNumber(i, at)
		if n == 0 || v < 1 || v > 1000 || v != float64(int(v)) {
			continue
		}
		next := i + n
		if next < at && (c.Matches(next, at, "unit") || c.Tokens[next].Adjacent || c.Tokens[next].Is(":", "x", "by", "px", "bpm")) || i > from &&
			c.Tokens[i-1].Is(":", "x", "by") {
			continue
		}
		if c.Tokens[i].Is("many") && i > c.Lead && c.Tokens[i-1].Is("how", "as", "so") {
			continue
		}
		if c.Tokens[i].Is("one", "a") {
			return 1
		}
		c.Use(i, next)
		return int(v)
	}
	if c.Excerpt(at, at+noun.Len) != "" && !strings.EqualFold(c.Excerpt(at, at+noun.Len), noun.Base) && strings.HasSuffix(strings.ToLower(c.Excerpt(at,
		at+noun.Len)), "s") && noun.Attr("kind") == "image" {
		return 2 // a plural without a number
	}
	return 0
}

// Description is what a request says about the media that it names.
type Description struct {
	Modifiers string // adjectives
	noun      string
	link      string // the word between noun and rest, when it means something
	Rest      string
}

// ReadDescription puts together what a request says, once other values were taken out.
func ReadDescription(c *token.Clause, h NounPhrase) Description {
	c.Use(c.Start, h.Start)
	if h.Noun == nil {
		return Description{Rest: c.Unused(h.Start, c.End)}
	}
	for i := h.Start; i < h.NounAt; i++ {
		for _, g := range []string{"det", "empty", "you"} {
			if e := c.Match(i, h.NounAt, g); e != nil {
				c.Use(i, i+e.Len)
			}
		}
	}
	d := Description{Modifiers: c.Unused(h.Start, h.NounAt), noun: h.Noun.Base}
	at := h.NounAt + h.Noun.Len
	for at < c.End && (c.Used[at] || c.Tokens[at].Kind == token.Punct && !c.Tokens[at].Is("(")) {
		if c.Tokens[at].Is(":") {
			d.link = ":"
		}
		at++
	}
	if at < c.End && d.link == "" {
		if e := c.Match(at, c.End, "prep"); e != nil && at+e.Len < c.End {
			switch e.Key {
			case "of", "about":
				at += e.Len
				if e.Key == "of" {
					d.link = "of"
				} else {
					d.link = c.Excerpt(at-e.Len, at)
				}
			case "where", "with":
				d.link = c.Excerpt(at, at+e.Len)
				at += e.Len
			}
		}
	}
	d.Rest = c.Unused(at, c.End)
	return d
}

// join writes the description in one line. A generic noun, such as picture, says nothing and is left out.
func (d Description) join(generic bool) string {
	switch {
	case generic && d.Rest == "":
		return d.Modifiers
	case generic && d.Modifiers == "":
		return d.Rest
	case generic:
		return d.Rest + ", " + d.Modifiers
	case d.noun == "":
		return d.Rest
	}
	return token.Tidy(strings.ReplaceAll(strings.Join(strings.Fields(d.Modifiers+" "+d.noun+" "+d.link+" "+d.Rest), " "), " : ", ": "))
}

// ReadPrompt returns the description of what a noun phrase names, in one line.
func ReadPrompt(c *token.Clause, h NounPhrase) string {
	d := ReadDescription(c, h)
	return d.join(h.Noun == nil || h.Noun.Attr("generic") != "")
}
