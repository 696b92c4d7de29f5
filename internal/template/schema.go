package template

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"unicode/utf8"
)

// An input may carry a JSON Schema for language models and forms. The words
// that bound a single value are kept to; others are told of when the template
// is saved.

// silent are the words of a schema that bound nothing.
var silent = []string{"$schema", "$id", "$comment", "title", "description", "examples", "default", "type", "format", "deprecated", "readOnly", "writeOnly"}

// schema checks the schema of an input.
func (o object) schema() {
	for _, word := range slices.Sorted(maps.Keys(o.members)) {
		switch word {
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
			o.number(word, 0)
		case "minLength", "maxLength":
			o.whole(word, 0, 0, 1<<30)
		case "enum":
			o.list(word)
		case "const":
		case "pattern":
			if _, err := regexp.Compile(o.text(word, 1000)); err != nil {
				o.issues.fail("invalid_value", o.path(word), "is not a regular expression that this service reads.")
			}
		default:
			if !slices.Contains(silent, word) {
				o.issues.warn("schema_not_checked", o.path(word), "is kept for clients, but values are not held against it.")
			}
		}
	}
}

// breaks says how a value breaks the schema of its input, or nothing.
func breaks(schema map[string]any, v any) string {
	bound := func(word string) (float64, bool) { f, ok := schema[word].(float64); return f, ok }
	if list, ok := schema["enum"].([]any); ok && !slices.ContainsFunc(list, func(e any) bool { return plain(e) && e == v }) {
		return "is not one of the values that its schema allows."
	}
	if want, ok := schema["const"]; ok && (!plain(want) || want != v) {
		return "is not the value that its schema allows."
	}
	if f, ok := v.(float64); ok {
		if least, ok := bound("minimum"); ok && f < least {
			return fmt.Sprintf("must be at least %g.", least)
		}
		if most, ok := bound("maximum"); ok && f > most {
			return fmt.Sprintf("must be at most %g.", most)
		}
		if least, ok := bound("exclusiveMinimum"); ok && f <= least {
			return fmt.Sprintf("must be greater than %g.", least)
		}
		if most, ok := bound("exclusiveMaximum"); ok && f >= most {
			return fmt.Sprintf("must be less than %g.", most)
		}
	}
	s, ok := v.(string)
	if !ok {
		return ""
	}
	n := float64(utf8.RuneCountInString(s))
	if least, ok := bound("minLength"); ok && n < least {
		return fmt.Sprintf("must be at least %g characters long.", least)
	}
	if most, ok := bound("maxLength"); ok && n > most {
		return fmt.Sprintf("must be at most %g characters long.", most)
	}
	if pattern, ok := schema["pattern"].(string); ok {
		if form, err := regexp.Compile(pattern); err == nil && !form.MatchString(s) {
			return "does not have the form that its schema asks for."
		}
	}
	return ""
}

// plain reports whether a value can be compared: lists and objects cannot.
func plain(v any) bool {
	switch v.(type) {
	case string, float64, bool, nil:
		return true
	}
	return false
}
