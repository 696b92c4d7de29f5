package offline

// clause is a part of a text that asks for one thing, says one thing about
// what was asked, or asks a question.
type clause struct {
	*text
	lead, end int  // its tokens
	start     int  // the first one behind a polite opening
	then      bool // comes after what stands before it: "… and then …"
	question  bool // ends with a question mark
	bullet    bool // an entry of a list
}

// maxClauses bounds what one message can ask for.
const maxClauses = 40

// splitClauses cuts a text into clauses: at the ends of sentences, and where a new
// request begins inside one.
func (t *text) splitClauses() []*clause {
	var out []*clause
	from, n := 0, len(t.tokens)
	for i := 0; i <= n && len(out) < maxClauses; i++ {
		if i < n && !t.endsSentence(i) {
			continue
		}
		if i > from {
			out = append(out, t.splitSentence(from, i, i < n && t.tokens[i].is("?"))...)
		}
		from = i + 1
	}
	return out
}

// abbreviations end with a full stop that ends no sentence.
var abbreviations = map[string]bool{"mr": true, "mrs": true, "ms": true, "dr": true, "st": true, "vs": true, "e.g": true, "etc": true, "no": false}

// endsSentence reports whether a sentence ends with a token.
func (t *text) endsSentence(i int) bool {
	tok := t.tokens[i]
	if tok.kind != punct {
		return false
	}
	switch tok.text {
	case "\n", "!", "?", ";", "…":
		return true
	case ".":
		if i+1 < len(t.tokens) && t.tokens[i+1].adjacent {
			return false // a file name, a version
		}
		if i > 0 && (abbreviations[t.tokens[i-1].text] || t.startsListItem(i-1)) {
			return false
		}
		return true
	}
	return false
}

// startsListItem reports whether a number or letter begins an entry of a list: "1." at
// the beginning of a line.
func (t *text) startsListItem(i int) bool {
	return t.tokens[i].kind == number && (i == 0 || t.tokens[i-1].is("\n")) && i+1 < len(t.tokens) && t.tokens[i+1].is(".", ")", ":")
}

// splitSentence cuts one sentence where new requests begin.
func (t *text) splitSentence(from, to int, question bool) []*clause {
	var out []*clause
	bullet := false
	if t.startsListItem(from) && from+2 <= to {
		bullet, from = true, from+2
	} else if t.tokens[from].is("-", "*", "•", "–") {
		bullet, from = true, from+1
	}
	begin, then := from, false
	cut := func(at int) {
		if c := t.newClause(begin, at); c != nil {
			c.then, c.bullet, c.question = then, bullet, false
			out = append(out, c)
		}
	}
	for i := from; i < to; i++ {
		if !t.canJoin(i) {
			continue
		}
		next, later := t.skipOpening(i, to)
		if next >= to || next <= begin || !t.beginsRequest(begin, i, next, to) {
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

// newClause makes a clause of tokens and finds where it really begins.
func (t *text) newClause(from, to int) *clause {
	for from < to && t.tokens[from].kind == punct && !t.tokens[from].is("#", "(") {
		from++
	}
	for to > from && t.tokens[to-1].kind == punct && !t.tokens[to-1].is(")", "°", "%") {
		to--
	}
	if from >= to {
		return nil
	}
	c := &clause{text: t, lead: from, end: to}
	c.start, c.then = t.skipOpening(from, to)
	if c.start >= to {
		c.start = from
	}
	return c
}

// canJoin reports whether a token can stand between two requests.
func (t *text) canJoin(i int) bool {
	tok := t.tokens[i]
	if tok.adjacent && tok.kind == word {
		return false // black-and-white
	}
	return tok.is(",", "and", "then", "&", "plus", "also", "but", "—", "–", "-", "+", "afterwards", "finally", "or", ":") || t.match(i, len(t.tokens),
		"lead", "then") != nil
}

// skipOpening passes over polite openings, and reports whether one of them says that
// something comes later.
func (t *text) skipOpening(i, limit int) (int, bool) {
	then := false
	for i < limit {
		e := t.match(i, limit, "lead")
		switch {
		case t.tokens[i].kind == punct && t.tokens[i].is(",", "&", "+", "—", "–", "-", ":", "!"):
			i++
		case e != nil && t.match(i, limit, "wish") != nil && t.match(i, limit, "wish").len > e.len:
			return i, then
		case e != nil:
			if e.key == "then" {
				then = true
			}
			i += e.len
		default:
			return i, then
		}
	}
	return i, then
}

// beginsRequest reports whether a new request begins at a token, after one that began
// earlier in the same sentence.
func (t *text) beginsRequest(begin, at, i, limit int) bool {
	if t.match(i, limit, "strong") != nil {
		return true
	}
	if e := t.match(i, limit, "wish"); e != nil {
		return true
	}
	if e := t.match(i, limit, "verb"); e != nil {
		return t.beginsObject(i+e.len, limit) || e.key == "learn" && t.matches(i+e.len, limit, "wh")
	}
	if t.tokens[at].is("or", ":", "-", "—", "–") {
		return false
	}
	return t.namesMedia(i, limit, true) && t.isOutsideDescription(begin, at)
}

// beginsObject reports whether a token begins the object of a verb.
func (t *text) beginsObject(i, limit int) bool {
	if i >= limit {
		return false
	}
	tok := t.tokens[i]
	for k := i; k < min(limit, i+3) && t.tokens[k].kind == word && !t.matches(k, limit, "prep"); k++ {
		if t.matchNoun(k, limit) != nil {
			return true // calm piano music
		}
	}
	return tok.kind == quotation || tok.kind == number || tok.kind == webURL || t.matches(i, limit, "det", "pronoun", "you", "number") || t.matchNoun(i, limit) != nil ||
		t.matches(i, limit, "lettering") && i+1 < limit || tok.is("subtitles", "captions", "background", "to")
}

// namesMedia reports whether media is named at a token: "two pictures of …". Inside
// a sentence it has to begin with an article or a number.
func (t *text) namesMedia(i, limit int, inside bool) bool {
	end := min(limit, i+8)
	if i < limit && (t.match(i, limit, "det", "the", "her", "both") != nil || t.matches(i, limit, "wh", "pronoun", "sent")) {
		return false
	}
	if i < limit && inside && !t.matches(i, limit, "det", "number") && t.tokens[i].kind != number {
		return false
	}
	for j := i; j < end; j++ {
		if e := t.matchNoun(j, limit); e != nil && t.isHeadNoun(j+e.len, limit) {
			return j > i || e.attr("generic") != "" || e.key != "art" || !inside
		}
		tok := t.tokens[j]
		if tok.kind == quotation || tok.kind == webURL || tok.kind == punct && !tok.adjacent || tok.kind == word && t.matches(j, limit, "prep", "wh") && !tok.is("by") {
			return false
		}
		if !inside && j > i && t.matches(j, limit, "det") {
			return false
		}
	}
	return false
}

// isHeadNoun reports whether a noun that ends before a token is what a phrase is
// about, rather than a part of a compound: a video of …, not a video game.
func (t *text) isHeadNoun(i, limit int) bool {
	if i >= limit {
		return true
	}
	tok := t.tokens[i]
	if tok.kind != word {
		return true
	}
	return t.matches(i, limit, "prep", "tail", "lead", "shape", "sent", "not", "vocal", "silence") || tok.is("from", "again", "right", "just", "only",
		"here", "there", "at", "looping", "playing", "i", "you", "we")
}

// isOutsideDescription reports whether what stands before is not inside a description whose
// own parts could be named like media: "a wall with a photo and a painting".
func (t *text) isOutsideDescription(begin, at int) bool {
	for i := begin; i < at; i++ {
		if t.tokens[i].is("with", "beside", "containing", "between", "holding", "wearing", "next") {
			return false
		}
	}
	return true
}
