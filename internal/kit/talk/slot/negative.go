package slot

import (
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// TakeNegativePrompt finds what should not be shown: without people, no text, avoid clouds, negative prompt: blur.
func TakeNegativePrompt(c *token.Clause) string {
	var out []string
	for i := c.Start; i < c.End; i++ {
		if c.Used[i] {
			continue
		}
		n := negationLength(c, i)
		if n == 0 {
			continue
		}
		from, list := i, false
		if c.Tokens[i].Is("negative") {
			list = true
		}
		i += n
		begin := i
		for i < c.End && !c.Used[i] && isExcluded(c, i, begin, list) {
			i++
		}
		if i == begin {
			continue
		}
		for _, part := range strings.FieldsFunc(c.Source[c.Tokens[begin].Start:c.Tokens[i-1].End], func(r rune) bool { return r == ',' }) {
			for _, one := range token.SplitAtWords(part, "or", "and", "nor") {
				if one = token.Tidy(token.TrimFirstWords(one, "any", "the", "a", "an", "no", "some")); one != "" {
					out = append(out, one)
				}
			}
		}
		c.Use(from, i)
		c.UseBefore(from, "and", "but", "with", "please")
		i--
	}
	return strings.Join(out, ", ")
}

// negations lead to what should not be shown. They are tried in order.
var negations = [][]string{
	{"negative", "prompt"}, {"with", "no"}, {"but", "no"}, {"and", "no"}, {"don't", "include"}, {"do", "not", "include"}, {"don't", "show"},
	{"do", "not", "show"},
	{"don't", "add"}, {"do", "not", "add"}, {"don't", "use"}, {"do", "not", "use"}, {"leave", "out"}, {"free", "of"}, {"there", "should", "be", "no"},
	{"must", "not", "contain"},
	{"should", "not", "contain"}, {"shouldn't", "contain"}, {"no"}, {"without"}, {"avoid"}, {"avoiding"}, {"exclude"}, {"excluding"}, {"minus"},
}

// negationLength returns how many tokens a negation has that begins at a token, 0 for none.
func negationLength(c *token.Clause, i int) int {
	for _, d := range negations {
		if i+len(d) >= c.End {
			continue
		}
		fits := true
		for k, w := range d {
			fits = fits && c.Tokens[i+k].Is(w)
		}
		if !fits {
			continue
		}
		n := len(d)
		if d[0] == "no" {
			first := i == c.Start || i > 0 && (c.Tokens[i-1].Kind == token.Punct || c.Tokens[i-1].Is("and", "but", "with", "or", "no"))
			if !first || c.Tokens[i+1].Is("one", "longer", "matter", "idea", "problem", "need", "way", "more", ",") {
				continue
			}
		}
		for i+n < c.End && c.Tokens[i+n].Is(":", "=", "is") {
			n++
		}
		return n
	}
	return 0
}

// isExcluded reports whether a token still belongs to what should not be shown.
func isExcluded(c *token.Clause, i, begin int, list bool) bool {
	tok := c.Tokens[i]
	switch {
	case list:
		return true
	case tok.Kind == token.Punct:
		return false
	case tok.Is("or", "and", "nor"):
		return i+1 < c.End && !c.Matches(i+1, c.End, "det", "prep", "verb") && !c.Tokens[i+1].Is("with", "at", "in")
	case i > begin && (c.Matches(i, c.End, "prep", "closing", "shape") || c.Match(i, c.End, "verb") != nil && i > begin+1):
		return false
	}
	return true
}
