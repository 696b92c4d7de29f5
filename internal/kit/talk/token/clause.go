package token

// Clause is a part of a text that makes one request, adds a detail to one, or asks a question.
type Clause struct {
	*Text
	Lead, End int  // its tokens
	Start     int  // the first one behind a polite opening
	Then      bool // comes after what stands before it: "… and then …"
	Question  bool // ends with a question mark
	Bullet    bool // an entry of a list
}

const maxClauses = 40

// SplitClauses splits a text at the ends of sentences, and where a new request begins inside one.
func (t *Text) SplitClauses() []*Clause {
	var out []*Clause
	from, n := 0, len(t.Tokens)
	for i := 0; i <= n && len(out) < maxClauses; i++ {
		if i < n && !t.endsSentence(i) {
			continue
		}
		if i > from {
			out = append(out, t.splitSentence(from, i, i < n && t.Tokens[i].Is("?"))...)
		}
		from = i + 1
	}
	return out
}

// abbreviations are words whose full stop does not end a sentence.
var abbreviations = map[string]bool{"mr": true, "mrs": true, "ms": true, "dr": true, "st": true, "vs": true, "e.g": true, "etc": true, "no": false}

func (t *Text) endsSentence(i int) bool {
	tok := t.Tokens[i]
	if tok.Kind != Punct {
		return false
	}
	switch tok.Text {
	case "\n", "!", "?", ";", "…":
		return true
	case ".":
		if i+1 < len(t.Tokens) && t.Tokens[i+1].Adjacent {
			return false // a file name, a version
		}
		if i > 0 && (abbreviations[t.Tokens[i-1].Text] || t.startsListItem(i-1)) {
			return false
		}
		return true
	}
	return false
}

// startsListItem reports whether a number begins a list item: "1." at the beginning of a line.
func (t *Text) startsListItem(i int) bool {
	return t.Tokens[i].Kind == Number && (i == 0 || t.Tokens[i-1].Is("\n")) && i+1 < len(t.Tokens) && t.Tokens[i+1].Is(".", ")", ":")
}

func (t *Text) splitSentence(from, to int, question bool) []*Clause {
	var out []*Clause
	bullet := false
	if t.startsListItem(from) && from+2 <= to {
		bullet, from = true, from+2
	} else if t.Tokens[from].Is("-", "*", "•", "–") {
		bullet, from = true, from+1
	}
	begin, then := from, false
	cut := func(at int) {
		if c := t.NewClause(begin, at); c != nil {
			c.Then, c.Bullet, c.Question = then, bullet, false
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
		out[len(out)-1].Question = question
	}
	return out
}

// NewClause makes a clause of tokens, without the punctuation around it.
func (t *Text) NewClause(from, to int) *Clause {
	for from < to && t.Tokens[from].Kind == Punct && !t.Tokens[from].Is("#", "(") {
		from++
	}
	for to > from && t.Tokens[to-1].Kind == Punct && !t.Tokens[to-1].Is(")", "°", "%") {
		to--
	}
	if from >= to {
		return nil
	}
	c := &Clause{Text: t, Lead: from, End: to}
	c.Start, c.Then = t.skipOpening(from, to)
	if c.Start >= to {
		c.Start = from
	}
	return c
}

// canJoin reports whether a token can stand between two requests.
func (t *Text) canJoin(i int) bool {
	tok := t.Tokens[i]
	if tok.Adjacent && tok.Kind == Word {
		return false // black-and-white
	}
	return tok.Is(",", "and", "then", "&", "plus", "also", "but", "—", "–", "-", "+", "afterwards", "finally", "or", ":") || t.Match(i, len(t.Tokens),
		"lead", "then") != nil
}

// skipOpening skips polite openings, and reports whether one of them orders the clause after the one before it.
func (t *Text) skipOpening(i, limit int) (int, bool) {
	then := false
	for i < limit {
		e := t.Match(i, limit, "lead")
		switch {
		case t.Tokens[i].Kind == Punct && t.Tokens[i].Is(",", "&", "+", "—", "–", "-", ":", "!"):
			i++
		case e != nil && t.Match(i, limit, "wish") != nil && t.Match(i, limit, "wish").Len > e.Len:
			return i, then
		case e != nil:
			if e.Key == "then" {
				then = true
			}
			i += e.Len
		default:
			return i, then
		}
	}
	return i, then
}

// beginsRequest reports whether a new request begins at token i, after the one that began at token begin.
func (t *Text) beginsRequest(begin, at, i, limit int) bool {
	if t.Match(i, limit, "strong-verb") != nil {
		return true
	}
	if e := t.Match(i, limit, "wish"); e != nil {
		return true
	}
	if e := t.Match(i, limit, "verb"); e != nil {
		return t.beginsObject(i+e.Len, limit) || e.Key == "learn" && t.Matches(i+e.Len, limit, "wh")
	}
	if t.Tokens[at].Is("or", ":", "-", "—", "–") {
		return false
	}
	return t.NamesMedia(i, limit, true) && t.isOutsideDescription(begin, at)
}

// beginsObject reports whether a token begins the object of a verb.
func (t *Text) beginsObject(i, limit int) bool {
	if i >= limit {
		return false
	}
	tok := t.Tokens[i]
	for k := i; k < min(limit, i+3) && t.Tokens[k].Kind == Word && !t.Matches(k, limit, "prep"); k++ {
		if t.MatchNoun(k, limit) != nil {
			return true // calm piano music
		}
	}
	return tok.Kind == Quotation || tok.Kind == Number || tok.Kind == URL || t.Matches(i, limit, "det", "pronoun", "you", "number") ||
		t.MatchNoun(i, limit) != nil || t.Matches(i, limit, "lettering") && i+1 < limit || tok.Is("subtitles", "captions", "background", "to")
}

// NamesMedia reports whether media is named at a token: "two pictures of …". Inside a sentence the name has to begin
// with an article or a number.
func (t *Text) NamesMedia(i, limit int, inside bool) bool {
	end := min(limit, i+8)
	if i < limit && (t.Match(i, limit, "det", "the", "her", "both") != nil || t.Matches(i, limit, "wh", "pronoun", "upload")) {
		return false
	}
	if i < limit && inside && !t.Matches(i, limit, "det", "number") && t.Tokens[i].Kind != Number {
		return false
	}
	for j := i; j < end; j++ {
		if e := t.MatchNoun(j, limit); e != nil && t.IsHeadNoun(j+e.Len, limit) {
			return j > i || e.Attr("generic") != "" || e.Key != "art" || !inside
		}
		tok := t.Tokens[j]
		if tok.Kind == Quotation || tok.Kind == URL || tok.Kind == Punct && !tok.Adjacent || tok.Kind == Word &&
			t.Matches(j, limit, "prep", "wh") && !tok.Is("by") {
			return false
		}
		if !inside && j > i && t.Matches(j, limit, "det") {
			return false
		}
	}
	return false
}

// IsHeadNoun reports whether the noun before a token is the head of its phrase, not part of a compound: a video of …,
// but not a video game.
func (t *Text) IsHeadNoun(i, limit int) bool {
	if i >= limit {
		return true
	}
	tok := t.Tokens[i]
	if tok.Kind != Word {
		return true
	}
	return t.Matches(i, limit, "prep", "closing", "lead", "shape", "upload", "not", "vocal", "silence") || tok.Is("from", "again", "right", "just", "only",
		"here", "there", "at", "looping", "playing", "i", "you", "we")
}

// isOutsideDescription reports whether no description begins before a token. The parts of a description can be named
// like media: "a wall with a photo and a painting".
func (t *Text) isOutsideDescription(begin, at int) bool {
	for i := begin; i < at; i++ {
		if t.Tokens[i].Is("with", "beside", "containing", "between", "holding", "wearing", "next") {
			return false
		}
	}
	return true
}
