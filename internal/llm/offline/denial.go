package offline

import "strings"

// takeNegative finds what is to be kept out: without people, no text, avoid
// clouds, negative prompt: blur.
func (c *clause) takeNegative() string {
	var out []string
	for i := c.start; i < c.to; i++ {
		if c.used[i] {
			continue
		}
		n := c.denies(i)
		if n == 0 {
			continue
		}
		from, list := i, false
		if c.tokens[i].is("negative") {
			list = true
		}
		i += n
		begin := i
		for i < c.to && !c.used[i] && c.keptOut(i, begin, list) {
			i++
		}
		if i == begin {
			continue
		}
		for _, part := range strings.FieldsFunc(c.src[c.tokens[begin].from:c.tokens[i-1].to], func(r rune) bool { return r == ',' }) {
			for _, one := range splitWords(part, "or", "and", "nor") {
				if one = tidy(dropFirst(one, "any", "the", "a", "an", "no", "some")); one != "" {
					out = append(out, one)
				}
			}
		}
		c.use(from, i)
		c.absorb(from, "and", "but", "with", "please")
		i--
	}
	return strings.Join(out, ", ")
}

// denials lead to what is kept out. They are tried in order.
var denials = [][]string{
	{"negative", "prompt"}, {"with", "no"}, {"but", "no"}, {"and", "no"}, {"don't", "include"}, {"do", "not", "include"}, {"don't", "show"}, {"do", "not", "show"},
	{"don't", "add"}, {"do", "not", "add"}, {"don't", "use"}, {"do", "not", "use"}, {"leave", "out"}, {"free", "of"}, {"there", "should", "be", "no"},
	{"must", "not", "contain"},
	{"should", "not", "contain"}, {"shouldn't", "contain"}, {"no"}, {"without"}, {"avoid"}, {"avoiding"}, {"exclude"}, {"excluding"}, {"minus"},
}

// denies is how many tokens of a denial begin here.
func (c *clause) denies(i int) int {
	for _, d := range denials {
		if i+len(d) >= c.to {
			continue
		}
		fits := true
		for k, w := range d {
			fits = fits && c.tokens[i+k].is(w)
		}
		if !fits {
			continue
		}
		n := len(d)
		if d[0] == "no" {
			first := i == c.start || i > 0 && (c.tokens[i-1].kind == mark || c.tokens[i-1].is("and", "but", "with", "or", "no"))
			if !first || c.tokens[i+1].is("one", "longer", "matter", "idea", "problem", "need", "way", "more", ",") {
				continue
			}
		}
		for i+n < c.to && c.tokens[i+n].is(":", "=", "is") {
			n++
		}
		return n
	}
	return 0
}

// keptOut reports whether a token still belongs to what is kept out.
func (c *clause) keptOut(i, begin int, list bool) bool {
	tok := c.tokens[i]
	switch {
	case list:
		return true
	case tok.kind == mark:
		return false
	case tok.is("or", "and", "nor"):
		return i+1 < c.to && !c.has(i+1, c.to, "det", "prep", "verb") && !c.tokens[i+1].is("with", "at", "in")
	case i > begin && (c.has(i, c.to, "prep", "tail", "shape") || c.entry(i, c.to, "verb") != nil && i > begin+1):
		return false
	}
	return true
}
