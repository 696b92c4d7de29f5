package slot

import (
	"slices"
	"strings"
	"unicode"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// ModelNames finds generation models by the names that users write: selectors, catalog ids, titles, and parts of them.
type ModelNames struct {
	list       []*ModelName
	byName     map[string][]*ModelName // by normalized name
	vocabulary map[string]bool         // every word of every name
	common     map[string]bool         // everyday words
}

// ModelName is one model in one tool, with all its names.
type ModelName struct {
	Tool, Selector string
	Model          *catalog.Model
	words          map[string]bool // the words of its names
}

// NewModelNames collects the names of a catalog.
func NewModelNames(c *catalog.Catalog, l *token.Lexicon) *ModelNames {
	n := &ModelNames{byName: map[string][]*ModelName{}, vocabulary: map[string]bool{}, common: map[string]bool{}}
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
		at := l.EntriesAt(token.Tokenize(w), 0)
		n.common[w] = slices.ContainsFunc(at, func(e *token.Entry) bool { return e.Group == "everyday-word" })
	}
	return n
}

// ModeSuffixes end the titles of models that belong to one family.
var ModeSuffixes = []string{" Text to Video", " Image to Video", " Image and Audio to Video", " Audio to Video", " Video to Video",
	" Reference to Video", " Sound to Video", " First and Last Frame"}

func (n *ModelNames) add(tool, selector string, m *catalog.Model) {
	a := &ModelName{Tool: tool, Selector: selector, Model: m, words: map[string]bool{}}
	names := []string{selector, m.Name, m.ID}
	for _, mode := range ModeSuffixes {
		if family, found := strings.CutSuffix(m.Name, mode); found {
			names = append(names, family)
		}
	}
	names = append(names, m.Legacy[tool]...)
	for i, name := range names {
		n.byName[normalizeName(name)] = append(n.byName[normalizeName(name)], a)
		if i == 2 {
			continue // ids count only as a whole
		}
		for _, w := range token.Tokenize(strings.NewReplacer("_", " ", ".", ". ").Replace(name)) {
			if w.Kind != token.Punct {
				a.words[w.Text] = true
				n.vocabulary[w.Text] = true
			}
		}
		for _, w := range append(token.Tokenize(name), token.Tokenize(splitDigits(name))...) {
			if w.Kind != token.Punct {
				a.words[w.Text] = true
				n.vocabulary[w.Text] = true
			}
		}
	}
	n.list = append(n.list, a)
}

// splitDigits puts spaces between letters and digits: chroma1 is chroma 1.
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

// normalizeName keeps only the letters and digits of a name.
func normalizeName(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// maxNameWords is the length of the longest name that is looked for.
const maxNameWords = 12

// FindAt finds the model that is named at a token, for one tool or, if tool is empty, for any. With eager, a part of a
// name is enough.
func (n *ModelNames) FindAt(t *token.Text, i, limit int, tool string, eager bool) (*ModelName, int) {
	end := i
	for end < limit && end-i < maxNameWords && (n.vocabulary[t.Tokens[end].Text] || t.Tokens[end].Is(".") && t.Tokens[end].Adjacent) {
		end++
	}
	if end == i {
		end = i + 1
	}
	for to := end; to > i; to-- {
		if a := n.findExact(normalizeName(t.Excerpt(i, to)), tool, to-i > 1 || eager); a != nil {
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
		if a := n.findPartial(t.Tokens[i:to], tool); a != nil {
			return a, to - i
		}
	}
	return nil, 0
}

// findExact finds a whole name. Names that are everyday words, such as voice, count only where a model is expected.
func (n *ModelNames) findExact(name, tool string, expected bool) *ModelName {
	if name == "" || !expected && (n.common[name] || !strings.ContainsAny(name, "0123456789")) {
		return nil
	}
	for _, a := range n.byName[name] {
		if tool == "" || a.Tool == tool {
			return a
		}
	}
	return nil
}

// findPartial finds the model whose names have all the words, and the fewest others.
func (n *ModelNames) findPartial(words []token.Token, tool string) *ModelName {
	telling := false
	for _, w := range words {
		telling = telling || n.IsDistinctive(w)
	}
	if !telling {
		return nil
	}
	var best *ModelName
	for _, a := range n.list {
		if tool != "" && a.Tool != tool || best != nil && len(best.words) <= len(a.words) {
			continue
		}
		if !slices.ContainsFunc(words, func(w token.Token) bool { return w.Kind != token.Punct && !a.words[w.Text] }) {
			best = a
		}
	}
	return best
}

// Take finds the model that a clause wants for a tool. The second result is a name that is known but is no model of
// this tool.
func (n *ModelNames) Take(c *token.Clause, tool string) (found *ModelName, elsewhere string) {
	for i := c.Lead; i < c.End; i++ {
		if c.Used[i] || c.Tokens[i].Kind == token.Quotation {
			continue
		}
		cue := leadLength(c, i)
		at := i + cue
		if at >= c.End {
			continue
		}
		eager := cue > 0 && !c.Tokens[i].Is("with", "by", "on", "in")
		if cue > 0 && !eager {
			eager = slices.ContainsFunc(c.Tokens[at:min(c.End, at+5)], func(t token.Token) bool { return t.Is("model") }) || n.IsDistinctive(c.Tokens[at])
		}
		if f := c.Match(at, c.End, "other-model"); f != nil && cue > 0 {
			UseModelName(c, i, at+f.Len)
			return nil, c.Excerpt(at, at+f.Len)
		}
		if a, k := n.FindAt(c.Text, at, c.End, tool, eager); a != nil {
			UseModelName(c, i, at+k)
			return a, ""
		}
		if a, k := n.FindAt(c.Text, at, c.End, "", eager); a != nil && cue > 0 {
			UseModelName(c, i, at+k)
			return nil, a.Model.Name
		}
	}
	return nil, ""
}

// IsDistinctive reports whether a word alone identifies a family of models.
func (n *ModelNames) IsDistinctive(t token.Token) bool {
	return t.Kind == token.Word && len(t.Text) > 1 && n.vocabulary[t.Text] && !n.common[t.Text]
}

// leadLength returns how many tokens lead to the name of a model: using the …, with model.
func leadLength(c *token.Clause, i int) int {
	n := 0
	if c.Tokens[i].Is("using", "use", "via", "with", "by", "on", "in", "model", "through") {
		n = 1
	} else if c.Tokens[i].Is("used") {
		return 0
	}
	for n > 0 && i+n < c.End && c.Tokens[i+n].Is("the", "a", "model", ":", "=", "is", "of") {
		n++
	}
	return n
}

// UseModelName marks the name of a model and the words that lead to it as used.
func UseModelName(c *token.Clause, from, to int) {
	for to < c.End && c.Tokens[to].Is("model", "instead", "this", "time", "please") {
		to++
	}
	c.Use(from, to)
	c.UseBefore(from, "and", "but", "please", "with", "using", "the", "model", "use")
}

// Find finds the first model that a clause names.
func (n *ModelNames) Find(c *token.Clause) *ModelName {
	for i := c.Start; i < c.End; i++ {
		if a, _ := n.FindAt(c.Text, i, c.End, "", n.IsDistinctive(c.Tokens[i])); a != nil {
			return a
		}
	}
	return nil
}
