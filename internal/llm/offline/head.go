package offline

import "strings"

// nounPhrase is what a request is about: the media that is named and what stands
// before it.
type nounPhrase struct {
	start  int    // the first token behind the verb
	noun   *entry // nil when no media is named
	nounAt int    // where it is
	count  int    // how many are wanted; 0 when nobody says
}

// findNounPhrase finds the media that is named behind a verb.
func (c *clause) findNounPhrase(from int) nounPhrase {
	for from < c.end {
		e := c.match(from, c.end, "you", "me")
		if e == nil || c.tokens[from].is("me", "us") && from+1 < c.end && c.tokens[from+1].is("in", "and", "as", "into", "look", "smile", "younger", "older",
			"wear", "hold", "fly", "sit", "stand", "laugh", "taller", "thinner") {
			break
		}
		from += e.len
	}
	h := nounPhrase{start: from}
	content := 0
	for i := from; i < c.end && i < from+18; i++ {
		tok := c.tokens[i]
		if e := c.matchNoun(i, c.end); e != nil && c.isHeadNoun(i+e.len, c.end) {
			h.noun, h.nounAt = e, i
			h.count = c.countBefore(from, i, e)
			return h
		}
		switch {
		case tok.kind == quotation || tok.kind == webURL:
			return h
		case tok.kind == punct && !tok.is(",", ":", "-", "/") && !tok.adjacent:
			return h
		case tok.kind == punct && tok.is(":") && !tok.adjacent:
			return h
		case tok.kind == word && c.matches(i, c.end, "prep") && !tok.is("like", "by") && !c.joinsNumbers(i):
			return h
		case c.matches(i, c.end, "det") && content > 0 && !tok.is("her"):
			return h
		case tok.kind == word && !c.matches(i, c.end, "det", "number"):
			content++
		}
	}
	return h
}

// joinsNumbers reports whether a word joins numbers, as in 16 by 9.
func (c *clause) joinsNumbers(i int) bool {
	return i > c.lead && i+1 < c.end && c.tokens[i-1].kind == number && c.tokens[i+1].kind == number
}

// countBefore is how many of a noun are wanted: the number before it that measures
// nothing else.
func (c *clause) countBefore(from, at int, noun *entry) int {
	for i := from; i < at; i++ {
		v, n := c.matchNumber(i, at)
		if n == 0 || v < 1 || v > 1000 || v != float64(int(v)) {
			continue
		}
		next := i + n
		if next < at && (c.matches(next, at, "unit") || c.tokens[next].adjacent || c.tokens[next].is(":", "x", "by", "px", "bpm")) || i > from &&
			c.tokens[i-1].is(":", "x", "by") {
			continue
		}
		if c.tokens[i].is("many") && i > c.lead && c.tokens[i-1].is("how", "as", "so") {
			continue
		}
		if c.tokens[i].is("one", "a") {
			return 1
		}
		c.use(i, next)
		return int(v)
	}
	if c.excerpt(at, at+noun.len) != "" && !strings.EqualFold(c.excerpt(at, at+noun.len), noun.base) && strings.HasSuffix(strings.ToLower(c.excerpt(at,
		at+noun.len)), "s") && noun.attr("kind") == "image" {
		return 2 // several, and nobody says how many
	}
	return 0
}

// description is what a request says about the media that it names.
type description struct {
	modifiers string // adjectives
	noun      string
	link      string // the word between noun and rest, when it means something
	rest      string
}

// readDescription puts a request's words together once its particulars have been
// taken out.
func (c *clause) readDescription(h nounPhrase) description {
	c.use(c.start, h.start)
	if h.noun == nil {
		return description{rest: c.unused(h.start, c.end)}
	}
	for i := h.start; i < h.nounAt; i++ {
		for _, g := range []string{"det", "empty", "you"} {
			if e := c.match(i, h.nounAt, g); e != nil {
				c.use(i, i+e.len)
			}
		}
	}
	d := description{modifiers: c.unused(h.start, h.nounAt), noun: h.noun.base}
	at := h.nounAt + h.noun.len
	for at < c.end && (c.used[at] || c.tokens[at].kind == punct && !c.tokens[at].is("(")) {
		if c.tokens[at].is(":") {
			d.link = ":"
		}
		at++
	}
	if at < c.end && d.link == "" {
		if e := c.match(at, c.end, "prep"); e != nil && at+e.len < c.end {
			switch e.key {
			case "of", "about":
				at += e.len
				if e.key == "of" {
					d.link = "of"
				} else {
					d.link = c.excerpt(at-e.len, at)
				}
			case "where", "with":
				d.link = c.excerpt(at, at+e.len)
				at += e.len
			}
		}
	}
	d.rest = c.unused(at, c.end)
	return d
}

// join is the description in one line. A generic noun, such as picture, says
// nothing and is left out.
func (d description) join(generic bool) string {
	switch {
	case generic && d.rest == "":
		return d.modifiers
	case generic && d.modifiers == "":
		return d.rest
	case generic:
		return d.rest + ", " + d.modifiers
	case d.noun == "":
		return d.rest
	}
	return tidy(strings.ReplaceAll(strings.Join(strings.Fields(d.modifiers+" "+d.noun+" "+d.link+" "+d.rest), " "), " : ", ": "))
}

// readPrompt is the description of what a head names, in one line.
func (c *clause) readPrompt(h nounPhrase) string {
	d := c.readDescription(h)
	return d.join(h.noun == nil || h.noun.attr("generic") != "")
}
