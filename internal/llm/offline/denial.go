package offline

import "strings"

// takeNegativePrompt finds what is to be kept out: without people, no text, avoid
// clouds, negative prompt: blur.
func (c *clause) takeNegativePrompt() string {
	var out []string
	for i := c.start; i < c.end; i++ {
		if c.used[i] {
			continue
		}
		n := c.negationLength(i)
		if n == 0 {
			continue
		}
		from, list := i, false
		if c.tokens[i].is("negative") {
			list = true
		}
		i += n
		begin := i
		for i < c.end && !c.used[i] && c.isExcluded(i, begin, list) {
			i++
		}
		if i == begin {
			continue
		}
		for _, part := range strings.FieldsFunc(c.source[c.tokens[begin].start:c.tokens[i-1].end], func(r rune) bool { return r == ',' }) {
			for _, one := range splitAtWords(part, "or", "and", "nor") {
				if one = tidy(trimFirstWords(one, "any", "the", "a", "an", "no", "some")); one != "" {
					out = append(out, one)
				}
			}
		}
		c.use(from, i)
		c.useBefore(from, "and", "but", "with", "please")
		i--
	}
	return strings.Join(out, ", ")
}

// negations lead to what is kept out. They are tried in order.
var negations = [][]string{
	{"negative", "prompt"}, {"with", "no"}, {"but", "no"}, {"and", "no"}, {"don't", "include"}, {"do", "not", "include"}, {"don't", "show"}, {"do", "not", "show"},
	{"don't", "add"}, {"do", "not", "add"}, {"don't", "use"}, {"do", "not", "use"}, {"leave", "out"}, {"free", "of"}, {"there", "should", "be", "no"},
	{"must", "not", "contain"},
	{"should", "not", "contain"}, {"shouldn't", "contain"}, {"no"}, {"without"}, {"avoid"}, {"avoiding"}, {"exclude"}, {"excluding"}, {"minus"},
}

// negationLength is how many tokens of a denial begin here.
func (c *clause) negationLength(i int) int {
	for _, d := range negations {
		if i+len(d) >= c.end {
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
			first := i == c.start || i > 0 && (c.tokens[i-1].kind == punct || c.tokens[i-1].is("and", "but", "with", "or", "no"))
			if !first || c.tokens[i+1].is("one", "longer", "matter", "idea", "problem", "need", "way", "more", ",") {
				continue
			}
		}
		for i+n < c.end && c.tokens[i+n].is(":", "=", "is") {
			n++
		}
		return n
	}
	return 0
}

// isExcluded reports whether a token still belongs to what is kept out.
func (c *clause) isExcluded(i, begin int, list bool) bool {
	tok := c.tokens[i]
	switch {
	case list:
		return true
	case tok.kind == punct:
		return false
	case tok.is("or", "and", "nor"):
		return i+1 < c.end && !c.matches(i+1, c.end, "det", "prep", "verb") && !c.tokens[i+1].is("with", "at", "in")
	case i > begin && (c.matches(i, c.end, "prep", "tail", "shape") || c.match(i, c.end, "verb") != nil && i > begin+1):
		return false
	}
	return true
}
