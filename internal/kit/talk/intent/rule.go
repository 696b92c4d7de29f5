package intent

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// Act is what a clause asks for.
type Act string

// Rule is a pattern and the act that it stands for.
type Rule struct {
	act      Act
	anywhere bool
	elements []element
}

// element is one position in a pattern.
type element struct {
	symbol   byte // the first character of a symbol, 0 for alternatives
	choices  []alternative
	optional bool
}

// alternative is a word, or an entry of a group with one of the keys. Nouns match by kind too.
type alternative struct {
	word  string
	group string
	keys  []string
}

// maxGap is how many words "..." skips, maxFiller how many "~" skips.
const (
	maxGap    = 14
	maxFiller = 8
)

//go:embed data/intent.txt
var ruleFile string

// LoadRules reads the embedded patterns.
func LoadRules() ([]Rule, error) {
	var rules []Rule
	for n, row := range strings.Split(ruleFile, "\n") {
		row = strings.TrimSpace(row)
		if row == "" || strings.HasPrefix(row, "//") {
			continue
		}
		name, patterns, found := strings.Cut(row, ":")
		if !found {
			return nil, fmt.Errorf("data/intent.txt:%d: want an act, a colon and patterns", n+1)
		}
		for pattern := range strings.SplitSeq(patterns, ";") {
			r, err := parseRule(Act(name), pattern)
			if err != nil {
				return nil, fmt.Errorf("data/intent.txt:%d: %w", n+1, err)
			}
			rules = append(rules, r)
		}
	}
	return rules, nil
}

func parseRule(name Act, pattern string) (Rule, error) {
	r := Rule{act: name}
	for i, part := range strings.Fields(pattern) {
		switch part {
		case "*":
			r.anywhere = i == 0
			if i > 0 {
				return r, fmt.Errorf("a star inside %q", pattern)
			}
			continue
		case "~", "...", "$", `"`, "#":
			r.elements = append(r.elements, element{symbol: part[0]})
			continue
		}
		e := element{}
		part, e.optional = strings.CutSuffix(part, "?")
		for _, one := range splitAlternatives(part) {
			c, err := parseAlternative(one)
			if err != nil {
				return r, fmt.Errorf("%w in %q", err, pattern)
			}
			e.choices = append(e.choices, c)
		}
		r.elements = append(r.elements, e)
	}
	if len(r.elements) == 0 {
		return r, fmt.Errorf("an empty pattern")
	}
	return r, nil
}

func splitAlternatives(s string) (out []string) {
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '<', '[', '{':
			depth++
		case '>', ']', '}':
			depth--
		case '|':
			if depth == 0 {
				out = append(out, s[from:i])
				from = i + 1
			}
		}
	}
	return append(out, s[from:])
}

func parseAlternative(s string) (alternative, error) {
	inner := strings.Trim(s, "<>[]{}")
	switch {
	case s == "":
		return alternative{}, fmt.Errorf("an empty alternative")
	case s[0] == '<':
		return alternative{group: "verb", keys: strings.Split(inner, "|")}, nil
	case s[0] == '[':
		return alternative{group: "noun", keys: strings.Split(inner, "|")}, nil
	case s[0] == '{':
		return alternative{group: inner}, nil
	case len(token.Tokenize(s)) != 1:
		return alternative{}, fmt.Errorf("%q is more than a word", s)
	}
	return alternative{word: s}, nil
}

// Recognize returns the act of the first rule that matches a clause, and how many tokens its first element has.
func Recognize(rules []Rule, c *token.Clause) (Act, int) {
	for i := range rules {
		r := &rules[i]
		last := c.Start
		if r.anywhere {
			last = c.End - 1
		}
		for at := c.Start; at <= last; at++ {
			if n, ok := r.matchAt(c, at); ok {
				if r.anywhere {
					n = c.VerbLength()
				}
				return r.act, n
			}
		}
	}
	return "", 0
}

// matchAt reports whether the pattern matches at a token, and how many tokens its first element has.
func (r *Rule) matchAt(c *token.Clause, at int) (int, bool) {
	for _, n := range r.elements[0].matchLengths(c, at) {
		if r.matchFrom(c, 1, at+n) {
			return n, true
		}
	}
	return 0, false
}

func (r *Rule) matchFrom(c *token.Clause, i, at int) bool {
	if i == len(r.elements) {
		return true
	}
	if e := r.elements[i]; e.symbol == '.' && i == len(r.elements)-1 {
		return true
	}
	for _, n := range r.elements[i].matchLengths(c, at) {
		if r.matchFrom(c, i+1, at+n) {
			return true
		}
	}
	return false
}

// matchLengths lists how many tokens an element can have at a position, the most likely first.
func (e *element) matchLengths(c *token.Clause, at int) (out []int) {
	switch e.symbol {
	case '.':
		for n := 0; n <= maxGap && at+n <= c.End; n++ {
			out = append(out, n)
		}
		return out
	case '~':
		return fillerLengths(c, at)
	case '$':
		if at >= c.End || c.Tokens[at].Kind != token.Word || c.Matches(at, c.End, "prep", "closing") || c.Tokens[at].Is("and", "so") {
			return []int{0}
		}
		return nil
	case '"':
		if at < c.End && c.Tokens[at].Kind == token.Quotation {
			return []int{1}
		}
		return nil
	case '#':
		if _, n := c.MatchNumber(at, c.End); n > 0 {
			return []int{n}
		}
		return nil
	}
	for _, ch := range e.choices {
		if n := ch.matchLength(c, at); n > 0 {
			out = append(out, n)
		}
	}
	if e.optional {
		out = append(out, 0)
	}
	return out
}

// matchLength returns how many tokens an alternative has at a position, 0 when it does not match.
func (ch *alternative) matchLength(c *token.Clause, at int) int {
	if at >= c.End {
		return 0
	}
	switch {
	case ch.word != "":
		if c.Tokens[at].Is(ch.word) {
			return 1
		}
	case ch.group == "span":
		if _, n := slot.ReadSpan(c, at, c.End); n > 0 {
			return n
		}
	case ch.group == "noun":
		if e := c.MatchNoun(at, c.End); e != nil {
			for _, k := range ch.keys {
				if e.Key == k || e.Attr("kind") == k {
					return e.Len
				}
			}
		}
	case ch.group == "verb":
		if e := c.Match(at, c.End, "verb", ch.keys...); e != nil {
			return e.Len
		}
		for _, k := range ch.keys {
			if k == "wish" {
				if e := c.Match(at, c.End, "wish"); e != nil {
					return e.Len
				}
			}
		}
	default:
		if e := c.Match(at, c.End, ch.group); e != nil {
			return e.Len
		}
	}
	return 0
}

// fillerLengths lists how many tokens of articles, numbers and adjectives can be skipped.
func fillerLengths(c *token.Clause, at int) []int {
	out := []int{0}
	for n := 0; n < maxFiller && at+n < c.End; {
		step := 0
		for _, g := range []string{"you", "det", "ordinal", "adjective", "style", "upload", "number", "unit", "shape", "resolution", "empty",
			"manner", "gender"} {
			if e := c.Match(at+n, c.End, g); e != nil {
				step = max(step, e.Len)
			}
		}
		if tok := c.Tokens[at+n]; step == 0 && (tok.Kind == token.Number || tok.Adjacent && tok.Kind == token.Punct || tok.Is("of", ":")) {
			step = 1
		}
		if step == 0 {
			break
		}
		n += step
		out = append(out, n)
	}
	return out
}
