package offline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/atelier-project/atelier/internal/catalog"
)

// modelNames knows the generation models by the names that people use: selectors,
// catalog ids, titles, and parts of them.
type modelNames struct {
	list       []*modelName
	byName     map[string][]*modelName // by a name without spaces and marks
	vocabulary map[string]bool         // every word of every name
	common     map[string]bool         // those that say nothing alone
}

// modelName is one model in one tool, by all its names.
type modelName struct {
	tool, selector string
	model          *catalog.Model
	words          map[string]bool // the words of its names
}

// newModelNames collects the names of a catalog.
func newModelNames(c *catalog.Catalog, l *lexicon) *modelNames {
	n := &modelNames{byName: map[string][]*modelName{}, vocabulary: map[string]bool{}, common: map[string]bool{}}
	for _, t := range c.Tools() {
		for _, selector := range t.Selectors() {
			for _, m := range c.Models() {
				if slices.Contains(m.Selectors[t.Name], selector) {
					n.add(t.Name, selector, m)
				}
			}
		}
	}
	for w := range n.vocabulary {
		at := l.entriesAt(tokenize(w), 0)
		n.common[w] = slices.ContainsFunc(at, func(e *entry) bool { return e.group == "commonplace" })
	}
	return n
}

// modeSuffixes end the titles of models that belong to one family.
var modeSuffixes = []string{" Text to Video", " Image to Video", " Image and Audio to Video", " Audio to Video", " Video to Video", " Reference to Video",
	" Sound to Video", " First and Last Frame"}

func (n *modelNames) add(tool, selector string, m *catalog.Model) {
	a := &modelName{tool: tool, selector: selector, model: m, words: map[string]bool{}}
	names := []string{selector, m.Name, m.ID}
	for _, mode := range modeSuffixes {
		if family, found := strings.CutSuffix(m.Name, mode); found {
			names = append(names, family)
		}
	}
	names = append(names, m.Legacy[tool]...)
	for i, name := range names {
		n.byName[normalizeName(name)] = append(n.byName[normalizeName(name)], a)
		if i == 2 {
			continue // ids are known as a whole only
		}
		for _, w := range tokenize(strings.NewReplacer("_", " ", ".", ". ").Replace(name)) {
			if w.kind != punct {
				a.words[w.text] = true
				n.vocabulary[w.text] = true
			}
		}
		for _, w := range append(tokenize(name), tokenize(splitDigits(name))...) {
			if w.kind != punct {
				a.words[w.text] = true
				n.vocabulary[w.text] = true
			}
		}
	}
	n.list = append(n.list, a)
}

// splitDigits is a name with spaces between letters and digits: chroma1 is chroma 1.
func splitDigits(name string) string {
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

// normalizeName is a name without anything but letters and digits.
func normalizeName(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// maxNameWords is the longest name that is looked for.
const maxNameWords = 12

// findAt finds the model that is named at a token, for a tool or, with none, for
// any. eager takes a part of a name too.
func (n *modelNames) findAt(t *text, i, limit int, tool string, eager bool) (*modelName, int) {
	end := i
	for end < limit && end-i < maxNameWords && (n.vocabulary[t.tokens[end].text] || t.tokens[end].is(".") && t.tokens[end].adjacent) {
		end++
	}
	if end == i {
		end = i + 1
	}
	for to := end; to > i; to-- {
		if a := n.findExact(normalizeName(t.excerpt(i, to)), tool, to-i > 1 || eager); a != nil {
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
		if a := n.findPartial(t.tokens[i:to], tool); a != nil {
			return a, to - i
		}
	}
	return nil, 0
}

// findExact finds a name as a whole. Names that are words of every day, such as
// voice, count only where a model is expected.
func (n *modelNames) findExact(name, tool string, expected bool) *modelName {
	if name == "" || !expected && (n.common[name] || !strings.ContainsAny(name, "0123456789")) {
		return nil
	}
	for _, a := range n.byName[name] {
		if tool == "" || a.tool == tool {
			return a
		}
	}
	return nil
}

// findPartial finds the model whose names have all the words, and the fewest
// besides.
func (n *modelNames) findPartial(words []token, tool string) *modelName {
	telling := false
	for _, w := range words {
		telling = telling || n.isDistinctive(w)
	}
	if !telling {
		return nil
	}
	var best *modelName
	for _, a := range n.list {
		if tool != "" && a.tool != tool || best != nil && len(best.words) <= len(a.words) {
			continue
		}
		if !slices.ContainsFunc(words, func(w token) bool { return w.kind != punct && !a.words[w.text] }) {
			best = a
		}
	}
	return best
}

// take finds the model that a clause wants for a tool. The third result is
// a name that is known but no model of this tool.
func (n *modelNames) take(c *clause, tool string) (found *modelName, elsewhere string) {
	for i := c.lead; i < c.end; i++ {
		if c.used[i] || c.tokens[i].kind == quotation {
			continue
		}
		cue := c.leadLength(i)
		at := i + cue
		if at >= c.end {
			continue
		}
		eager := cue > 0 && !c.tokens[i].is("with", "by", "on", "in")
		if cue > 0 && !eager {
			eager = slices.ContainsFunc(c.tokens[at:min(c.end, at+5)], func(t token) bool { return t.is("model") }) || n.isDistinctive(c.tokens[at])
		}
		if f := c.match(at, c.end, "foreign"); f != nil && cue > 0 {
			c.useModelName(i, at+f.len)
			return nil, c.excerpt(at, at+f.len)
		}
		if a, k := n.findAt(c.text, at, c.end, tool, eager); a != nil {
			c.useModelName(i, at+k)
			return a, ""
		}
		if a, k := n.findAt(c.text, at, c.end, "", eager); a != nil && cue > 0 {
			c.useModelName(i, at+k)
			return nil, a.model.Name
		}
	}
	return nil, ""
}

// isDistinctive reports whether a word alone stands for a family of models.
func (n *modelNames) isDistinctive(t token) bool {
	return t.kind == word && len(t.text) > 1 && n.vocabulary[t.text] && !n.common[t.text]
}

// leadLength is how many tokens lead to the name of a model: using the …, with model.
func (c *clause) leadLength(i int) int {
	n := 0
	if c.tokens[i].is("using", "use", "via", "with", "by", "on", "in", "model", "through") {
		n = 1
	} else if c.tokens[i].is("used") {
		return 0
	}
	for n > 0 && i+n < c.end && c.tokens[i+n].is("the", "a", "model", ":", "=", "is", "of") {
		n++
	}
	return n
}

// useModelName takes out the name of a model and what leads to it.
func (c *clause) useModelName(from, to int) {
	for to < c.end && c.tokens[to].is("model", "instead", "this", "time", "please") {
		to++
	}
	c.use(from, to)
	c.useBefore(from, "and", "but", "please", "with", "using", "the", "model", "use")
}
