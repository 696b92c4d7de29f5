package talk

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/wire"
)

// Limits on what the schema of a function can ask for.
const (
	maxSchemaDepth  = 8
	maxSchemaValues = 200
	maxSchemaItems  = 16
	maxSchemaText   = 4000
)

// leastArguments are the required arguments of a function with the plainest values that its schema accepts: texts are
// what the user said.
func leastArguments(schema wire.Raw, said string) map[string]any {
	l := least{root: schema, said: said, left: maxSchemaValues}
	if args, ok := l.value(schema, 0).(map[string]any); ok {
		return args
	}
	return map[string]any{}
}

// least makes the value for a schema.
type least struct {
	root wire.Raw
	said string
	left int // how many values may still be made
}

func (l *least) value(raw wire.Raw, depth int) any {
	var s struct {
		Type       any                 `json:"type"`
		Properties map[string]wire.Raw `json:"properties"`
		Required   []string            `json:"required"`
		Items      wire.Raw            `json:"items"`
		Enum       []any               `json:"enum"`
		Const      any                 `json:"const"`
		Default    any                 `json:"default"`
		Minimum    *float64            `json:"minimum"`
		Maximum    *float64            `json:"maximum"`
		MinItems   int                 `json:"minItems"`
		MinLength  int                 `json:"minLength"`
		MaxLength  int                 `json:"maxLength"`
		Ref        string              `json:"$ref"`
		AnyOf      []wire.Raw          `json:"anyOf"`
		OneOf      []wire.Raw          `json:"oneOf"`
		AllOf      []wire.Raw          `json:"allOf"`
	}
	if l.left--; l.left < 0 || depth > maxSchemaDepth || wire.Unmarshal(raw, &s) != nil {
		return map[string]any{}
	}
	parts := slices.Concat(s.AnyOf, s.OneOf, s.AllOf)
	switch {
	case s.Const != nil:
		return s.Const
	case s.Default != nil:
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Ref != "":
		return l.value(l.find(s.Ref), depth+1)
	case len(parts) > 0:
		return l.value(parts[0], depth+1)
	}
	if types, ok := s.Type.([]any); ok && len(types) > 0 {
		s.Type = types[0]
	}
	switch s.Type {
	case "number", "integer":
		v := 0.0
		if s.Minimum != nil {
			v = max(v, math.Ceil(*s.Minimum))
		}
		if s.Maximum != nil {
			v = min(v, math.Floor(*s.Maximum))
		}
		return v
	case "boolean":
		return false
	case "null":
		return nil
	case "array":
		list := []any{}
		for len(list) < min(s.MinItems, maxSchemaItems) {
			list = append(list, l.value(s.Items, depth+1))
		}
		return list
	case "string":
		text := phrase.Truncate(l.said, maxSchemaText)
		if s.MaxLength > 0 {
			text = phrase.Truncate(text, s.MaxLength)
		}
		return text + strings.Repeat("-", max(0, min(s.MinLength, maxSchemaText)-utf8.RuneCountInString(text)))
	}
	object := map[string]any{}
	for _, name := range s.Required {
		object[name] = l.value(s.Properties[name], depth+1)
	}
	return object
}

// find resolves a reference inside the document: #/$defs/name.
func (l *least) find(ref string) wire.Raw {
	path, found := strings.CutPrefix(ref, "#/")
	if !found {
		return nil
	}
	at := l.root
	for part := range strings.SplitSeq(path, "/") {
		var object map[string]wire.Raw
		if wire.Unmarshal(at, &object) != nil {
			return nil
		}
		at = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
	}
	return at
}
