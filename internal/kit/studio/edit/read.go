package edit

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/selection"
)

//go:embed data/edit.txt
var editText string

// editWords is the lexicon of data/edit.txt.
var editWords = sync.OnceValue(func() *lexicon.Lexicon { return lexicon.Parse("edit.txt", editText) })

// token is a word or phrase of an edit and what it means there, if anything.
type token struct {
	text string
	*lexicon.Meaning
}

func (t token) is(group string, keys ...string) bool {
	return t.Meaning != nil && t.Group == group && (len(keys) == 0 || slices.Contains(keys, t.Key))
}

// ReadEdits parses a prompt into edits, in its order, and returns the clauses
// and words that were not understood.
func ReadEdits(prompt string) (edits []Edit, unknown []string) {
	if len(prompt) > paint.MaxPrompt {
		prompt = prompt[:paint.MaxPrompt]
	}
	rest, quoted := paint.CutQuotes(prompt)
	rest = strings.NewReplacer("%", " percent ", "°", " degrees ", "b&w", "black and white", "B&W", "black and white").Replace(rest)
	for _, c := range splitClauses(lexicon.Tokenise(splitRatios(rest))) {
		if c.find("verb", "keep") == 0 {
			continue // everything that no edit names is kept
		}
		found := c.read()
		if len(found) == 0 {
			if words := c.plain(); words != "" && (len(quoted) == 0 || !c.isCaption()) {
				unknown = append(unknown, words)
			}
			continue
		}
		for _, e := range found {
			if n := len(edits); n > 0 && e.Kind == EditEnhance && edits[n-1].Kind == EditEnhance {
				continue // "improve the quality" is two words for one edit
			}
			edits = append(edits, e)
		}
	}
	if len(quoted) > 0 {
		// Quoted words are written, by the edit that adds something or by an edit
		// of their own; an empty first line puts them at the bottom.
		at := slices.IndexFunc(edits, func(e Edit) bool { return e.Kind == EditAdd })
		if at < 0 {
			edits = append(edits, Edit{Kind: EditAdd, Amount: 1})
			at = len(edits) - 1
		}
		if slices.ContainsFunc(lexicon.Tokenise(rest), func(w string) bool { return w == "bottom" || w == "below" || w == "under" }) {
			quoted = append([]string{""}, quoted...)
		}
		edits[at].Scene.Text = quoted
	}
	dropExtraMoons(edits)
	for _, e := range edits {
		for _, w := range e.Scene.NotUnderstood() {
			unknown = paint.AppendOnce(unknown, w)
		}
	}
	return edits, unknown
}

// dropExtraMoons removes the moon or sun that comes with a time of day when another
// edit adds one.
func dropExtraMoons(edits []Edit) {
	added := slices.ContainsFunc(edits, func(e Edit) bool {
		return e.Kind == EditAdd && (e.Scene.SkyThing("moon") != nil || e.Scene.SkyThing("sun") != nil)
	})
	for i := range edits {
		if added && edits[i].Kind == EditLight {
			edits[i].Scene.Without = append(edits[i].Scene.Without, "moon", "sun")
		}
	}
}

// splitRatios writes 16:9 as two numbers, since a colon is a pause.
func splitRatios(s string) string {
	digit := func(i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	b := []byte(s)
	for i := range b {
		if (b[i] == ':' || b[i] == 'x') && digit(i-1) && digit(i+1) {
			b[i] = ' '
		}
	}
	return string(b)
}

// isCaption reports whether a clause only says where something is written.
func (c clause) isCaption() bool {
	for _, t := range c {
		switch t.text {
		case "text", "caption", "title", "words", "word", "sign", "saying", "says", "reading", "top", "bottom", "below", "under", "above", "middle", "centre", "center", "letters", "label":
		default:
			if t.Meaning == nil {
				return false
			}
		}
	}
	return true
}

// clause is the tokens of one request.
type clause []token

// splitClauses splits words at pauses, and at "and" or "then" when a new request
// follows.
func splitClauses(words []string) (out []clause) {
	var now clause
	end := func() {
		if len(now) > 0 {
			out = append(out, now)
		}
		now = nil
	}
	for len(words) > 0 {
		if words[0] == "," {
			end()
			words = words[1:]
			continue
		}
		t, n := editToken(words)
		if t.text == "and" || t.text == "then" || t.text == "but" || t.text == "plus" || t.text == "while" {
			if next, _ := editToken(words[min(n, len(words)-1):]); len(words) > n && (next.is("verb") || next.is("form") || next.is("touch") || next.is("tone") || next.is("pronoun")) && !now.endsWithColour() {
				end()
				words = words[n:]
				continue
			}
		}
		// "Make the blue car red and the red car blue": the verb holds for both.
		if t.text == "and" && len(words) > n && words[n] == "the" && now.find("verb", "change") == 0 && lastColour(now).Name != "" {
			verb := now[0]
			end()
			now = clause{verb}
			words = words[n:]
			continue
		}
		// "Make it brighter, add a moon": a second verb begins a second request.
		if t.is("verb") && len(now) > 1 && slices.ContainsFunc(now, func(o token) bool { return o.is("verb") }) && !t.is("verb", "change") {
			end()
		}
		now = append(now, t)
		words = words[n:]
	}
	end()
	return out
}

// endsWithColour reports whether a clause is naming colours, as in "black and white".
func (c clause) endsWithColour() bool { return len(c) > 0 && c[len(c)-1].is("join") }

func editToken(words []string) (token, int) {
	for n := min(lexicon.MaxPhrase, len(words)); n > 0; n-- {
		if n > 1 && slices.Contains(words[:n], ",") {
			continue
		}
		phrase := strings.Join(words[:n], " ")
		if m := editWords().Words[phrase]; m != nil {
			return token{phrase, m}, n
		}
	}
	return token{text: words[0]}, 1
}

// plain returns the clause in its own words, without those that say nothing.
func (c clause) plain() string {
	var out []string
	for _, t := range c {
		if !t.is("ignore") && !t.is("pronoun") {
			out = append(out, t.text)
		}
	}
	return strings.Join(out, " ")
}

func (c clause) text() string {
	var out []string
	for _, t := range c {
		out = append(out, t.text)
	}
	return strings.Join(out, " ")
}

func (c clause) find(group string, keys ...string) int {
	return slices.IndexFunc(c, func(t token) bool { return t.is(group, keys...) })
}

// amount returns the strength of a change: by a word, or by percent; 50 percent
// is the default strength.
func (c clause) amount() float64 {
	for i, t := range c {
		if i+1 < len(c) && c[i+1].text == "percent" {
			if v, err := strconv.ParseFloat(t.text, 64); err == nil {
				return min(max(v/50, 0.05), 2)
			}
		}
	}
	if i := c.find("amount"); i >= 0 {
		return c[i].Number("value", 1)
	}
	return 1
}

// target returns what remains of a clause as the words for a part of the picture.
func (c clause) target() string {
	var out []string
	for i, t := range c {
		number := false
		if _, err := strconv.ParseFloat(t.text, 64); err == nil {
			number = true
		}
		switch {
		case t.Meaning == nil && !number, t.is("way", "left", "right"):
			out = append(out, t.text)
		case t.text == "of" && i > 0:
		}
	}
	return strings.Join(out, " ")
}

// number returns the first number of a clause, or NaN.
func (c clause) number() float64 {
	for _, t := range c {
		if v, err := strconv.ParseFloat(t.text, 64); err == nil {
			return v
		}
	}
	return math.NaN()
}

// read turns a clause into changes.
func (c clause) read() []Edit {
	verb := c.find("verb")
	switch {
	case c.changesClothes():
		return nil
	case c.find("form") >= 0 && (verb < 0 || c[verb].is("verb", "change")):
		return c.readShape()
	case verb >= 0 && c[verb].is("verb", "remove"):
		return c.readRemoval(c[verb+1:])
	case verb >= 0 && c[verb].is("verb", "replace"):
		return c.readReplacement(c[verb+1:])
	case verb >= 0 && c[verb].is("verb", "put") && len(c) > verb+1 && (c[verb+1].is("pronoun") || c.hasSelectWord(verb+1, "subject")):
		scene := paint.Read(c[verb+2:].text())
		scene.Subjects = nil
		return backdropOr(scene, freeColour(scene))
	}
	if e := c.readBackground(); e != nil {
		return e
	}
	if e := c.readTones(); e != nil {
		return e
	}
	if verb >= 0 && c[verb].is("verb", "add", "put") {
		if e := c.readAddition(c[verb+1:]); e != nil {
			return e
		}
	}
	return c.readChange(verb)
}

// hasSelectWord reports whether the words from i on begin with a word of data/select.txt.
func (c clause) hasSelectWord(i int, key string) bool {
	for ; i < len(c); i++ {
		if c[i].is("ignore") {
			continue
		}
		m, _ := selection.SelectWords().Find(c[i].text)
		return m != nil && m.Key == key
	}
	return false
}
