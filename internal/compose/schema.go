package compose

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// schema is the part of JSON Schema that the answers of models are held to.
type schema struct {
	Type        string             `json:"type"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Additional  *bool              `json:"additionalProperties"`
	Items       *schema            `json:"items"`
	Enum        []any              `json:"enum"`
	MinItems    int                `json:"minItems"`
	MaxItems    int                `json:"maxItems"`
	MinLength   int                `json:"minLength"`
	MaxLength   int                `json:"maxLength"`
	Minimum     *float64           `json:"minimum"`
	Maximum     *float64           `json:"maximum"`
	Description string             `json:"description"`
}

// maxProblems bounds what a model is told at once.
const maxProblems = 8

// problems are everything that is wrong with a value, by its path.
func (s *schema) problems(at string, v any) (out []string) {
	bad := func(format string, args ...any) []string { return []string{at + " " + fmt.Sprintf(format, args...)} }
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		return bad("must be one of %v", s.Enum)
	}
	switch s.Type {
	case "object":
		m, ok := v.(map[string]any)
		if !ok {
			return bad("must be an object")
		}
		return s.object(at, m)
	case "array":
		list, ok := v.([]any)
		switch {
		case !ok:
			return bad("must be a list")
		case len(list) < s.MinItems, s.MaxItems > 0 && len(list) > s.MaxItems:
			return bad("must hold %d to %d items, not %d", s.MinItems, s.MaxItems, len(list))
		}
		for i, e := range list {
			if s.Items != nil && len(out) < maxProblems {
				out = append(out, s.Items.problems(fmt.Sprintf("%s[%d]", at, i), e)...)
			}
		}
	case "string":
		text, ok := v.(string)
		n := utf8.RuneCountInString(strings.TrimSpace(text))
		switch {
		case !ok:
			return bad("must be a text")
		case n < s.MinLength, s.MaxLength > 0 && n > s.MaxLength:
			return bad("must have %d to %d characters, not %d", s.MinLength, s.MaxLength, n)
		}
	case "number", "integer":
		f, ok := v.(float64)
		switch {
		case !ok || s.Type == "integer" && f != math.Trunc(f):
			return bad("must be a %s", s.Type)
		case s.Minimum != nil && f < *s.Minimum, s.Maximum != nil && f > *s.Maximum:
			return bad("must lie between %s and %s", bound(s.Minimum), bound(s.Maximum))
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			return bad("must be true or false")
		}
	}
	return out
}

func (s *schema) object(at string, m map[string]any) (out []string) {
	under := func(name string) string {
		if at == "" {
			return name
		}
		return at + "." + name
	}
	for _, name := range s.Required {
		if m[name] == nil {
			out = append(out, under(name)+" is required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		inner, known := s.Properties[name]
		switch {
		case len(out) >= maxProblems:
			return out
		case known && m[name] != nil:
			out = append(out, inner.problems(under(name), m[name])...)
		case !known && s.Additional != nil && !*s.Additional:
			out = append(out, under(cut(name, 60))+" is not asked for")
		}
	}
	return out
}

func bound(f *float64) string {
	if f == nil {
		return "any number"
	}
	return plain(*f)
}
