package offline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/atelier-project/atelier/internal/catalog"
)

// naming knows the generation models by the names that people use: selectors,
// catalog ids, titles, and parts of them.
type naming struct {
	names  []*alias
	whole  map[string][]*alias // by a name without spaces and marks
	vocab  map[string]bool     // every word of every name
	common map[string]bool     // those that say nothing alone
}

// alias is one model in one tool, by all its names.
type alias struct {
	tool, selector string
	model          *catalog.Model
	words          map[string]bool // the words of its names
}

// newNaming collects the names of a catalog.
func newNaming(c *catalog.Catalog, l *lexicon) *naming {
	n := &naming{whole: map[string][]*alias{}, vocab: map[string]bool{}, common: map[string]bool{}}
	for _, t := range c.Tools() {
		for _, selector := range t.Selectors() {
			for _, m := range c.Models() {
				if slices.Contains(m.Selectors[t.Name], selector) {
					n.add(t.Name, selector, m)
				}
			}
		}
	}
	for w := range n.vocab {
		at := l.at(lex(w), 0)
		n.common[w] = slices.ContainsFunc(at, func(e *entry) bool { return e.group == "commonplace" })
	}
	return n
}

// modes end the titles of models that belong to one family.
var modes = []string{" Text to Video", " Image to Video", " Image and Audio to Video", " Audio to Video", " Video to Video", " Reference to Video",
	" Sound to Video", " First and Last Frame"}

func (n *naming) add(tool, selector string, m *catalog.Model) {
	a := &alias{tool: tool, selector: selector, model: m, words: map[string]bool{}}
	names := []string{selector, m.Name, m.ID}
	for _, mode := range modes {
		if family, found := strings.CutSuffix(m.Name, mode); found {
			names = append(names, family)
		}
	}
	names = append(names, m.Legacy[tool]...)
	for i, name := range names {
		n.whole[joined(name)] = append(n.whole[joined(name)], a)
		if i == 2 {
			continue // ids are known as a whole only
		}
		for _, w := range lex(strings.NewReplacer("_", " ", ".", ". ").Replace(name)) {
			if w.kind != mark {
				a.words[w.low] = true
				n.vocab[w.low] = true
			}
		}
		for _, w := range append(lex(name), lex(parted(name))...) {
			if w.kind != mark {
				a.words[w.low] = true
				n.vocab[w.low] = true
			}
		}
	}
	n.names = append(n.names, a)
}

// parted is a name with spaces between letters and digits: chroma1 is chroma 1.
func parted(name string) string {
	var b strings.Builder
	last := ' '
	for _, r := range name {
		if unicode.IsDigit(r) && unicode.IsLetter(last) || unicode.IsLetter(r) && unicode.IsDigit(last) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// joined is a name without anything but letters and digits.
func joined(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// maxNameWords is the longest name that is looked for.
const maxNameWords = 12

// at finds the model that is named at a token, for a tool or, with none, for
// any. eager takes a part of a name too.
func (n *naming) at(t *text, i, limit int, tool string, eager bool) (*alias, int) {
	end := i
	for end < limit && end-i < maxNameWords && (n.vocab[t.tokens[end].low] || t.tokens[end].is(".") && t.tokens[end].glued) {
		end++
	}
	if end == i {
		end = i + 1
	}
	for to := end; to > i; to-- {
		if a := n.exact(joined(t.words(i, to)), tool, to-i > 1 || eager); a != nil {
			return a, to - i
		}
	}
	if end > limit {
		return nil, 0
	}
	least := 1 // words of a part of a name; alone, one word may mean anything
	if !eager {
		least = 2
	}
	for to := end; to >= i+least; to-- {
		if a := n.partial(t.tokens[i:to], tool); a != nil {
			return a, to - i
		}
	}
	return nil, 0
}

// exact finds a name as a whole. Names that are words of every day, such as
// voice, count only where a model is expected.
func (n *naming) exact(name, tool string, expected bool) *alias {
	if name == "" || !expected && (n.common[name] || !strings.ContainsAny(name, "0123456789")) {
		return nil
	}
	for _, a := range n.whole[name] {
		if tool == "" || a.tool == tool {
			return a
		}
	}
	return nil
}

// partial finds the model whose names have all the words, and the fewest
// besides.
func (n *naming) partial(words []token, tool string) *alias {
	telling := false
	for _, w := range words {
		telling = telling || n.telling(w)
	}
	if !telling {
		return nil
	}
	var best *alias
	for _, a := range n.names {
		if tool != "" && a.tool != tool || best != nil && len(best.words) <= len(a.words) {
			continue
		}
		if !slices.ContainsFunc(words, func(w token) bool { return w.kind != mark && !a.words[w.low] }) {
			best = a
		}
	}
	return best
}

// takeModel finds the model that a clause wants for a tool. The third result is
// a name that is known but no model of this tool.
func (n *naming) takeModel(c *clause, tool string) (found *alias, elsewhere string) {
	for i := c.from; i < c.to; i++ {
		if c.used[i] || c.tokens[i].kind == quote {
			continue
		}
		cue := c.cue(i)
		at := i + cue
		if at >= c.to {
			continue
		}
		eager := cue > 0 && !c.tokens[i].is("with", "by", "on", "in")
		if cue > 0 && !eager {
			eager = slices.ContainsFunc(c.tokens[at:min(c.to, at+5)], func(t token) bool { return t.is("model") }) || n.telling(c.tokens[at])
		}
		if f := c.entry(at, c.to, "foreign"); f != nil && cue > 0 {
			c.takeName(i, at+f.words)
			return nil, c.words(at, at+f.words)
		}
		if a, k := n.at(c.text, at, c.to, tool, eager); a != nil {
			c.takeName(i, at+k)
			return a, ""
		}
		if a, k := n.at(c.text, at, c.to, "", eager); a != nil && cue > 0 {
			c.takeName(i, at+k)
			return nil, a.model.Name
		}
	}
	return nil, ""
}

// telling reports whether a word alone stands for a family of models.
func (n *naming) telling(t token) bool {
	return t.kind == word && len(t.low) > 1 && n.vocab[t.low] && !n.common[t.low]
}

// cue is how many tokens lead to the name of a model: using the …, with model.
func (c *clause) cue(i int) int {
	n := 0
	if c.tokens[i].is("using", "use", "via", "with", "by", "on", "in", "model", "through") {
		n = 1
	} else if c.tokens[i].is("used") {
		return 0
	}
	for n > 0 && i+n < c.to && c.tokens[i+n].is("the", "a", "model", ":", "=", "is", "of") {
		n++
	}
	return n
}

// takeName takes out the name of a model and what leads to it.
func (c *clause) takeName(from, to int) {
	for to < c.to && c.tokens[to].is("model", "instead", "this", "time", "please") {
		to++
	}
	c.use(from, to)
	c.absorb(from, "and", "but", "please", "with", "using", "the", "model", "use")
}
