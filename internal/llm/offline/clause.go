package offline

// clause is a part of a text that asks for one thing, says one thing about
// what was asked, or asks a question.
type clause struct {
	*text
	from, to int  // its tokens
	start    int  // the first one behind a polite opening
	then     bool // comes after what stands before it: "… and then …"
	question bool // ends with a question mark
	bullet   bool // an entry of a list
}

// maxClauses bounds what one message can ask for.
const maxClauses = 40

// clauses cuts a text into clauses: at the ends of sentences, and where a new
// request begins inside one.
func (t *text) clauses() []*clause {
	var out []*clause
	from, n := 0, len(t.tokens)
	for i := 0; i <= n && len(out) < maxClauses; i++ {
		if i < n && !t.ends(i) {
			continue
		}
		if i > from {
			out = append(out, t.sentence(from, i, i < n && t.tokens[i].is("?"))...)
		}
		from = i + 1
	}
	return out
}

// abbreviations end with a full stop that ends no sentence.
var abbreviations = map[string]bool{"mr": true, "mrs": true, "ms": true, "dr": true, "st": true, "vs": true, "e.g": true, "etc": true, "no": false}

// ends reports whether a sentence ends with a token.
func (t *text) ends(i int) bool {
	tok := t.tokens[i]
	if tok.kind != mark {
		return false
	}
	switch tok.low {
	case "\n", "!", "?", ";", "…":
		return true
	case ".":
		if i+1 < len(t.tokens) && t.tokens[i+1].glued {
			return false // a file name, a version
		}
		if i > 0 && (abbreviations[t.tokens[i-1].low] || t.listed(i-1)) {
			return false
		}
		return true
	}
	return false
}

// listed reports whether a number or letter begins an entry of a list: "1." at
// the beginning of a line.
func (t *text) listed(i int) bool {
	return t.tokens[i].kind == number && (i == 0 || t.tokens[i-1].is("\n")) && i+1 < len(t.tokens) && t.tokens[i+1].is(".", ")", ":")
}

// sentence cuts one sentence where new requests begin.
func (t *text) sentence(from, to int, question bool) []*clause {
	var out []*clause
	bullet := false
	if t.listed(from) && from+2 <= to {
		bullet, from = true, from+2
	} else if t.tokens[from].is("-", "*", "•", "–") {
		bullet, from = true, from+1
	}
	begin, then := from, false
	cut := func(at int) {
		if c := t.clause(begin, at); c != nil {
			c.then, c.bullet, c.question = then, bullet, false
			out = append(out, c)
		}
	}
	for i := from; i < to; i++ {
		if !t.joins(i) {
			continue
		}
		next, later := t.skip(i, to)
		if next >= to || next <= begin || !t.begins(begin, i, next, to) {
			continue
		}
		cut(i)
		begin, then = next, later
		i = next
	}
	cut(to)
	if len(out) > 0 {
		out[len(out)-1].question = question
	}
	return out
}

// clause makes a clause of tokens and finds where it really begins.
func (t *text) clause(from, to int) *clause {
	for from < to && t.tokens[from].kind == mark && !t.tokens[from].is("#", "(") {
		from++
	}
	for to > from && t.tokens[to-1].kind == mark && !t.tokens[to-1].is(")", "°", "%") {
		to--
	}
	if from >= to {
		return nil
	}
	c := &clause{text: t, from: from, to: to}
	c.start, c.then = t.skip(from, to)
	if c.start >= to {
		c.start = from
	}
	return c
}

// joins reports whether a token can stand between two requests.
func (t *text) joins(i int) bool {
	tok := t.tokens[i]
	if tok.glued && tok.kind == word {
		return false // black-and-white
	}
	return tok.is(",", "and", "then", "&", "plus", "also", "but", "—", "–", "-", "+", "afterwards", "finally", "or", ":") || t.entry(i, len(t.tokens),
		"lead", "then") != nil
}

// skip passes over polite openings, and reports whether one of them says that
// something comes later.
func (t *text) skip(i, limit int) (int, bool) {
	then := false
	for i < limit {
		e := t.entry(i, limit, "lead")
		switch {
		case t.tokens[i].kind == mark && t.tokens[i].is(",", "&", "+", "—", "–", "-", ":", "!"):
			i++
		case e != nil && t.entry(i, limit, "wish") != nil && t.entry(i, limit, "wish").words > e.words:
			return i, then
		case e != nil:
			if e.key == "then" {
				then = true
			}
			i += e.words
		default:
			return i, then
		}
	}
	return i, then
}

// begins reports whether a new request begins at a token, after one that began
// earlier in the same sentence.
func (t *text) begins(begin, at, i, limit int) bool {
	if t.entry(i, limit, "strong") != nil {
		return true
	}
	if e := t.entry(i, limit, "wish"); e != nil {
		return true
	}
	if e := t.entry(i, limit, "verb"); e != nil {
		return t.object(i+e.words, limit) || e.key == "learn" && t.has(i+e.words, limit, "wh")
	}
	if t.tokens[at].is("or", ":", "-", "—", "–") {
		return false
	}
	return t.nominal(i, limit, true) && t.level(begin, at)
}

// object reports whether a token begins the object of a verb.
func (t *text) object(i, limit int) bool {
	if i >= limit {
		return false
	}
	tok := t.tokens[i]
	for k := i; k < min(limit, i+3) && t.tokens[k].kind == word && !t.has(k, limit, "prep"); k++ {
		if t.noun(k, limit) != nil {
			return true // calm piano music
		}
	}
	return tok.kind == quote || tok.kind == number || tok.kind == link || t.has(i, limit, "det", "pronoun", "you", "number") || t.noun(i, limit) != nil ||
		t.has(i, limit, "lettering") && i+1 < limit || tok.is("subtitles", "captions", "background", "to")
}

// nominal reports whether media is named at a token: "two pictures of …". Inside
// a sentence it has to begin with an article or a number.
func (t *text) nominal(i, limit int, inside bool) bool {
	end := min(limit, i+8)
	if i < limit && (t.entry(i, limit, "det", "the", "her", "both") != nil || t.has(i, limit, "wh", "pronoun", "sent")) {
		return false
	}
	if i < limit && inside && !t.has(i, limit, "det", "number") && t.tokens[i].kind != number {
		return false
	}
	for j := i; j < end; j++ {
		if e := t.noun(j, limit); e != nil && t.headed(j+e.words, limit) {
			return j > i || e.attr("generic") != "" || e.key != "art" || !inside
		}
		tok := t.tokens[j]
		if tok.kind == quote || tok.kind == link || tok.kind == mark && !tok.glued || tok.kind == word && t.has(j, limit, "prep", "wh") && !tok.is("by") {
			return false
		}
		if !inside && j > i && t.has(j, limit, "det") {
			return false
		}
	}
	return false
}

// headed reports whether a noun that ends before a token is what a phrase is
// about, rather than a part of a compound: a video of …, not a video game.
func (t *text) headed(i, limit int) bool {
	if i >= limit {
		return true
	}
	tok := t.tokens[i]
	if tok.kind != word {
		return true
	}
	return t.has(i, limit, "prep", "tail", "lead", "shape", "sent", "not", "vocal", "silence") || tok.is("from", "again", "right", "just", "only",
		"here", "there", "at", "looping", "playing", "i", "you", "we")
}

// level reports whether what stands before is not inside a description whose
// own parts could be named like media: "a wall with a photo and a painting".
func (t *text) level(begin, at int) bool {
	for i := begin; i < at; i++ {
		if t.tokens[i].is("with", "beside", "containing", "between", "holding", "wearing", "next") {
			return false
		}
	}
	return true
}
