package schema

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// Filler fills a schema from the numbers, quotations, places, names and enum values in a text.
type Filler struct {
	*token.Text
	forced bool   // give every required property a value
	Reply  string // the answer, for properties that ask for one
	taken  []bool
	budget int // how many values may still be filled
}

// Limits on what a schema can ask for.
const (
	maxValues = 2000
	maxItems  = 64
	maxString = 4000
)

func NewFiller(l *token.Lexicon, said string, forced bool) *Filler {
	t := l.Parse(said)
	return &Filler{Text: t, forced: forced, taken: make([]bool, len(t.Tokens)), budget: maxValues}
}

// FillObject fills an object. Without a value for a required property it fails.
func (f *Filler) FillObject(s *Schema) (map[string]any, bool) {
	out := map[string]any{}
	for _, required := range []bool{true, false} { // required properties choose first
		for _, p := range s.Fields {
			if s.Required[p.Name] != required {
				continue
			}
			v, ok := f.FillValue(p.Name, p.Schema, required)
			switch {
			case ok:
				out[p.Name] = v
			case required:
				return nil, false
			}
		}
	}
	return out, true
}

// FillValue fills one property.
func (f *Filler) FillValue(name string, s *Schema, required bool) (any, bool) {
	if f.budget--; f.budget < 0 {
		return nil, false
	}
	if s.constant != nil {
		return s.constant, true
	}
	if s.Enum != nil {
		return f.fillEnum(s, required)
	}
	must := required && f.forced
	switch s.Kind {
	case "number", "integer":
		v, ok := f.fillNumber(name, s)
		if !ok && must {
			if s.fallback != nil {
				return s.fallback, true
			}
			v, ok = 0, true
			if s.min != nil {
				v = math.Ceil(*s.min)
			} else if s.max != nil {
				v = min(0, math.Floor(*s.max))
			}
		}
		return v, ok
	case "boolean":
		return f.fillBoolean(name, s, required)
	case "array":
		return f.fillArray(name, s, required)
	case "object":
		if !required && !f.forced {
			return nil, false
		}
		return f.FillObject(s)
	case "null":
		return nil, must
	}
	v, ok := f.fillString(name, s, required)
	if !ok && must {
		if d, given := s.fallback.(string); given {
			return d, true
		}
		v, ok = truncate(phrase.Truncate(f.Reply, maxString), s), true
		if short := min(s.minLen, maxString) - utf8.RuneCountInString(v); short > 0 {
			v += strings.Repeat("-", short)
		}
	}
	return v, ok
}

// fillEnum finds the value of an enum that the text names.
func (f *Filler) fillEnum(s *Schema, required bool) (any, bool) {
	for _, v := range s.Enum {
		name, ok := v.(string)
		if !ok {
			continue
		}
		words := token.Tokenize(strings.ToLower(token.SplitName(name)))
		for i := range f.Tokens {
			if len(words) > 0 && f.matchWords(i, words) {
				return v, true
			}
		}
	}
	for _, v := range s.Enum {
		if n, ok := v.(float64); ok {
			for i, t := range f.Tokens {
				if t.Kind == token.Number && t.Value == n && !f.taken[i] {
					f.taken[i] = true
					return v, true
				}
			}
		}
	}
	switch {
	case s.fallback != nil && required:
		return s.fallback, true
	case required && f.forced && len(s.Enum) > 0:
		return s.Enum[0], true
	}
	return nil, false
}

// matchWords reports whether words stand at a position, ignoring plural endings.
func (f *Filler) matchWords(i int, words []token.Token) bool {
	if i+len(words) > len(f.Tokens) {
		return false
	}
	for k, w := range words {
		if token.Stem(f.Tokens[i+k].Text) != token.Stem(w.Text) {
			return false
		}
	}
	return true
}

// fillNumber finds the number beside the property's name, else the next one.
func (f *Filler) fillNumber(name string, s *Schema) (float64, bool) {
	fits := func(i int) bool {
		t := f.Tokens[i]
		return t.Kind == token.Number && !f.taken[i] && (s.min == nil || t.Value >= *s.min) && (s.max == nil || t.Value <= *s.max) &&
			(s.Kind != "integer" || t.Value == math.Trunc(t.Value))
	}
	for _, w := range strings.Fields(token.SplitName(name)) {
		for i := range f.Tokens {
			if token.Stem(f.Tokens[i].Text) != token.Stem(w) || len(w) < 2 {
				continue
			}
			for _, k := range []int{i + 1, i + 2, i + 3, i - 1} {
				if k >= 0 && k < len(f.Tokens) && fits(k) {
					f.taken[k] = true
					return f.readSigned(k), true
				}
			}
		}
	}
	for i := range f.Tokens {
		if fits(i) {
			f.taken[i] = true
			return f.readSigned(i), true
		}
	}
	for i := range f.Tokens { // in words
		if e := f.Match(i, len(f.Tokens), "number"); e != nil && !f.taken[i] && !f.Tokens[i].Is("some", "few", "many", "both", "a") {
			if v := e.Number("value"); (s.min == nil || v >= *s.min) && (s.max == nil || v <= *s.max) && (s.Kind != "integer" || v == math.Trunc(v)) {
				f.taken[i] = true
				return v, true
			}
		}
	}
	return 0, false
}

func (f *Filler) readSigned(i int) float64 {
	if i > 0 && f.Tokens[i-1].Is("-") && f.Tokens[i].Adjacent && !f.Tokens[i-1].Adjacent {
		return -f.Tokens[i].Value
	}
	return f.Tokens[i].Value
}

func (f *Filler) fillBoolean(name string, s *Schema, required bool) (any, bool) {
	for _, w := range strings.Fields(token.SplitName(name)) {
		for i := range f.Tokens {
			if len(w) > 3 && token.Stem(f.Tokens[i].Text) == token.Stem(w) {
				negated := i > 0 && f.Tokens[i-1].Is("no", "not", "without", "don't") || i > 1 && f.Tokens[i-2].Is("no", "not", "without", "don't")
				return !negated, true
			}
		}
	}
	if s.fallback != nil && required {
		return s.fallback, true
	}
	return false, required && f.forced
}

// fillArray finds a list: all quotations, all numbers, or the items after a colon.
func (f *Filler) fillArray(name string, s *Schema, required bool) (any, bool) {
	item := s.items
	if item == nil {
		item = &Schema{}
	}
	most := s.maxItems
	if most <= 0 || most > maxItems {
		most = maxItems
	}
	list := []any{}
	switch item.Kind {
	case "number", "integer":
		for len(list) < most {
			v, ok := f.fillNumber(name, item)
			if !ok {
				break
			}
			list = append(list, v)
		}
	case "string", "":
		if item.Enum != nil {
			for _, v := range item.Enum {
				if name, ok := v.(string); ok &&
					slices.ContainsFunc(f.Tokens, func(t token.Token) bool { return token.Stem(t.Text) == token.Stem(strings.ToLower(name)) }) && len(list) < most {
					list = append(list, v)
				}
			}
			break
		}
		for i, t := range f.Tokens {
			if t.Kind == token.Quotation && !f.taken[i] && len(list) < most {
				f.taken[i] = true
				list = append(list, t.Text)
			}
		}
		if len(list) == 0 {
			for _, part := range f.splitList() {
				if len(list) < most {
					list = append(list, part)
				}
			}
		}
	}
	for f.forced && required && len(list) < min(s.minItems, maxItems) {
		v, ok := f.FillValue(name, item, true)
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
	return list, len(list) > 0 || required && f.forced
}

// splitList returns the items after a colon, separated by commas and "and".
func (f *Filler) splitList() (out []string) {
	for i, t := range f.Tokens {
		if !t.Is(":") || i+1 >= len(f.Tokens) {
			continue
		}
		for _, piece := range strings.Split(f.Source[t.End:], ",") {
			for _, one := range token.SplitAtWords(piece, "and") {
				if one = token.Tidy(one); one != "" {
					out = append(out, one)
				}
			}
		}
		return out
	}
	return nil
}
