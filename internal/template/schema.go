package template

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/atelier-project/atelier/internal/schema"
)

// An input may carry a JSON Schema for language models and forms. Values are
// checked against the keywords that limit a single value; saving the template warns
// of the others.

// annotations are the keywords of a schema that limit nothing.
var annotations = []string{"$schema", "$id", "$comment", "title", "description", "examples", "default", "type", "format", "deprecated", "readOnly", "writeOnly"}

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
			if !slices.Contains(annotations, word) {
				o.issues.warn("schema_not_checked", o.path(word), "is kept for clients, but values are not held against it.")
			}
		}
	}
}

// constraints are the keywords of a schema that limit a single value.
var constraints = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "enum", "const", "pattern"}

// compileBounds is the part of an input's schema that values are checked against;
// nil when the schema has no such part. A stored schema that cannot be read limits nothing.
func compileBounds(document map[string]any) *schema.Schema {
	bounds := map[string]any{}
	for _, word := range constraints {
		if bound, ok := document[word]; ok {
			bounds[word] = bound
		}
	}
	if len(bounds) == 0 {
		return nil
	}
	s, err := schema.Compile(bounds)
	if err != nil {
		return nil
	}
	return s
}

// violation says how a value violates the schema of its input, or is empty.
func violation(bounds *schema.Schema, v any) string {
	if bounds == nil {
		return ""
	}
	faults, _ := bounds.Check(v)
	if len(faults) == 0 {
		return ""
	}
	switch f := faults[0]; f.Keyword {
	case "enum":
		return "is not one of the values that its schema allows."
	case "const":
		return "is not the value that its schema allows."
	case "minimum":
		return fmt.Sprintf("must be at least %g.", f.Limit)
	case "maximum":
		return fmt.Sprintf("must be at most %g.", f.Limit)
	case "exclusiveMinimum":
		return fmt.Sprintf("must be greater than %g.", f.Limit)
	case "exclusiveMaximum":
		return fmt.Sprintf("must be less than %g.", f.Limit)
	case "minLength":
		return fmt.Sprintf("must be at least %g characters long.", f.Limit)
	case "maxLength":
		return fmt.Sprintf("must be at most %g characters long.", f.Limit)
	}
	return "does not have the form that its schema asks for."
}
