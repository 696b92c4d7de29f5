package offline

import "strings"

// head is what a request is about: the media that is named and what stands
// before it.
type head struct {
	from  int    // the first token behind the verb
	noun  *entry // nil when no media is named
	at    int    // where it is
	count int    // how many are wanted; 0 when nobody says
}

// head finds the media that is named behind a verb.
func (c *clause) head(from int) head {
	for from < c.to {
		e := c.entry(from, c.to, "you", "me")
		if e == nil || c.tokens[from].is("me", "us") && from+1 < c.to && c.tokens[from+1].is("in", "and", "as", "into", "look", "smile", "younger", "older",
			"wear", "hold", "fly", "sit", "stand", "laugh", "taller", "thinner") {
			break
		}
		from += e.words
	}
	h := head{from: from}
	content := 0
	for i := from; i < c.to && i < from+18; i++ {
		tok := c.tokens[i]
		if e := c.noun(i, c.to); e != nil && c.headed(i+e.words, c.to) {
			h.noun, h.at = e, i
			h.count = c.counted(from, i, e)
			return h
		}
		switch {
		case tok.kind == quote || tok.kind == link:
			return h
		case tok.kind == mark && !tok.is(",", ":", "-", "/") && !tok.glued:
			return h
		case tok.kind == mark && tok.is(":") && !tok.glued:
			return h
		case tok.kind == word && c.has(i, c.to, "prep") && !tok.is("like", "by") && !c.numeric(i):
			return h
		case c.has(i, c.to, "det") && content > 0 && !tok.is("her"):
			return h
		case tok.kind == word && !c.has(i, c.to, "det", "number"):
			content++
		}
	}
	return h
}

// numeric reports whether a word joins numbers, as in 16 by 9.
func (c *clause) numeric(i int) bool {
	return i > c.from && i+1 < c.to && c.tokens[i-1].kind == number && c.tokens[i+1].kind == number
}

// counted is how many of a noun are wanted: the number before it that measures
// nothing else.
func (c *clause) counted(from, at int, noun *entry) int {
	for i := from; i < at; i++ {
		v, n := c.amount(i, at)
		if n == 0 || v < 1 || v > 1000 || v != float64(int(v)) {
			continue
		}
		next := i + n
		if next < at && (c.has(next, at, "unit") || c.tokens[next].glued || c.tokens[next].is(":", "x", "by", "px", "bpm")) || i > from &&
			c.tokens[i-1].is(":", "x", "by") {
			continue
		}
		if c.tokens[i].is("many") && i > c.from && c.tokens[i-1].is("how", "as", "so") {
			continue
		}
		if c.tokens[i].is("one", "a") {
			return 1
		}
		c.use(i, next)
		return int(v)
	}
	if c.words(at, at+noun.words) != "" && !strings.EqualFold(c.words(at, at+noun.words), noun.one) && strings.HasSuffix(strings.ToLower(c.words(at,
		at+noun.words)), "s") && noun.attr("kind") == "image" {
		return 2 // several, and nobody says how many
	}
	return 0
}

// description is what a request says about the media that it names.
type description struct {
	before string // adjectives
	noun   string
	link   string // the word between noun and rest, when it means something
	rest   string
}

// description puts a request's words together once its particulars have been
// taken out.
func (c *clause) description(h head) description {
	c.use(c.start, h.from)
	if h.noun == nil {
		return description{rest: c.rest(h.from, c.to)}
	}
	for i := h.from; i < h.at; i++ {
		for _, g := range []string{"det", "empty", "you"} {
			if e := c.entry(i, h.at, g); e != nil {
				c.use(i, i+e.words)
			}
		}
	}
	d := description{before: c.rest(h.from, h.at), noun: h.noun.one}
	at := h.at + h.noun.words
	for at < c.to && (c.used[at] || c.tokens[at].kind == mark && !c.tokens[at].is("(")) {
		if c.tokens[at].is(":") {
			d.link = ":"
		}
		at++
	}
	if at < c.to && d.link == "" {
		if e := c.entry(at, c.to, "prep"); e != nil && at+e.words < c.to {
			switch e.key {
			case "of", "about":
				at += e.words
				if e.key == "of" {
					d.link = "of"
				} else {
					d.link = c.words(at-e.words, at)
				}
			case "where", "with":
				d.link = c.words(at, at+e.words)
				at += e.words
			}
		}
	}
	d.rest = c.rest(at, c.to)
	return d
}

// words is the description in one line. A generic noun, such as picture, says
// nothing and is left out.
func (d description) words(generic bool) string {
	switch {
	case generic && d.rest == "":
		return d.before
	case generic && d.before == "":
		return d.rest
	case generic:
		return d.rest + ", " + d.before
	case d.noun == "":
		return d.rest
	}
	return tidy(strings.ReplaceAll(strings.Join(strings.Fields(d.before+" "+d.noun+" "+d.link+" "+d.rest), " "), " : ", ": "))
}

// describe is the description of what a head names, in one line.
func (c *clause) describe(h head) string {
	d := c.description(h)
	return d.words(h.noun == nil || h.noun.attr("generic") != "")
}
