package intent

import "github.com/atelier-project/atelier/internal/kit/talk/token"

// FindRequest returns where the request begins in a clause that first says what to use: use krea to draw a fox.
func FindRequest(c *token.Clause) int {
	if !c.Tokens[c.Start].Is("use", "using", "with", "via") {
		return c.Start
	}
	for i := c.Start + 1; i+1 < c.End; i++ {
		if c.Tokens[i].Is("to", "and") && c.Matches(i+1, c.End, "verb") {
			return i + 1
		}
	}
	return c.Start
}

// IsProhibition reports whether a clause says what not to do.
func IsProhibition(c *token.Clause) bool {
	e := c.Match(c.Start, c.End, "not")
	return e != nil && !c.Tokens[c.Start].Is("without", "stop") && c.Matches(c.Start+e.Len, c.End, "verb")
}

// IsQuestion reports whether a clause is a question rather than a request.
func IsQuestion(c *token.Clause) bool {
	if c.Matches(c.Start, c.End, "wish") {
		return false
	}
	if c.Match(c.Start, c.End, "wh", "wh") != nil {
		return true
	}
	if c.Match(c.Start, c.End, "wh", "aux") != nil {
		return c.Question || c.End-c.Start > 2 && !c.Tokens[c.Start].Is("do", "have") && c.Tokens[c.Start+1].Is("there", "you", "i", "it", "this", "that",
			"the", "we", "any")
	}
	return c.Question && c.Start == c.Lead && c.Match(c.Start, c.End, "verb") == nil && !c.NamesMedia(c.Start, c.End, false)
}

// IsDetail reports whether a clause without a verb begins like a detail of the request before it: in watercolour,
// without people, 16:9.
func IsDetail(c *token.Clause) bool {
	tok := c.Tokens[c.Start]
	return tok.Is("in", "with", "without", "no", "at", "on", "using", "as", "style", "size", "format", "aspect", "resolution", "negative", "seed",
		"duration", "length", "tempo", "avoid", "preferably", "ideally", "like", "under", "near",
		"during", "while", "under", "against", "for", "from", "quality", "model", "voice", "language", "key", "bpm", "not", "also") ||
		tok.Kind == token.Number || c.Matches(c.Start, c.End, "style", "shape", "resolution", "quality", "vocal", "silence")
}

// IsGeneralKnowledge reports whether a clause is about general knowledge.
func IsGeneralKnowledge(c *token.Clause) bool {
	for i := c.Lead; i < c.End; i++ {
		if c.Matches(i, c.End, "general-knowledge") {
			return true
		}
	}
	return IsQuestion(c) || c.Match(c.Start, c.End, "verb", "learn") != nil
}

// AsksForFileFacts reports whether a question is about a file, not about what it shows: how long is this video, what
// format is it.
func AsksForFileFacts(c *token.Clause) bool {
	if c.Peek("property") != nil && !c.Contains("people", "colour", "color") {
		return true
	}
	return c.Tokens[c.Start].Is("how") && c.Start+1 < c.End && c.Tokens[c.Start+1].Is("long", "big", "large")
}

// HowToLength returns how many tokens "how do I" has at the start of a clause, 0 for none.
func HowToLength(c *token.Clause) int {
	switch {
	case c.Start+1 >= c.End || !c.Tokens[c.Start].Is("how"):
		return 0
	case c.Tokens[c.Start+1].Is("to"):
		return 2
	case c.Start+2 < c.End && c.Tokens[c.Start+1].Is("do", "can", "could", "would", "should") && c.Tokens[c.Start+2].Is("i", "you", "we", "one"):
		return 3
	}
	return 0
}
