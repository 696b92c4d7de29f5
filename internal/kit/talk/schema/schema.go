package schema

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/atelier-project/atelier/internal/wire"
)

// Schema is the part of JSON Schema that can be filled.
type Schema struct {
	Kind     string // string, number, integer, boolean, array, object; empty for any
	Fields   []Field
	Required map[string]bool
	items    *Schema
	Enum     []any
	constant any
	fallback any
	format   string
	min, max *float64
	minItems int
	maxItems int
	maxLen   int
	minLen   int
}

// Field is a property of an object, in the order of the schema.
type Field struct {
	Name   string
	Schema *Schema
}

const maxSchemaDepth = 8

// Parse reads a schema. An unreadable one accepts anything.
func Parse(raw wire.Raw) *Schema { return parsePart(raw, raw, 0) }

func parsePart(raw, root wire.Raw, depth int) *Schema {
	s := &Schema{Required: map[string]bool{}}
	var said struct {
		Type       wire.Raw   `json:"type"`
		Properties wire.Raw   `json:"properties"`
		Required   []string   `json:"required"`
		Items      wire.Raw   `json:"items"`
		Enum       []any      `json:"enum"`
		Const      any        `json:"const"`
		Default    any        `json:"default"`
		Format     string     `json:"format"`
		Minimum    *float64   `json:"minimum"`
		Maximum    *float64   `json:"maximum"`
		MinItems   int        `json:"minItems"`
		MaxItems   int        `json:"maxItems"`
		MaxLength  int        `json:"maxLength"`
		MinLength  int        `json:"minLength"`
		AnyOf      []wire.Raw `json:"anyOf"`
		OneOf      []wire.Raw `json:"oneOf"`
		AllOf      []wire.Raw `json:"allOf"`
		Ref        string     `json:"$ref"`
	}
	if len(raw) == 0 || depth > maxSchemaDepth || json.Unmarshal(raw, &said) != nil {
		return s
	}
	if said.Ref != "" {
		return parsePart(resolveReference(root, said.Ref), root, depth+1)
	}
	for _, options := range [][]wire.Raw{said.AnyOf, said.OneOf, said.AllOf} {
		for _, o := range options {
			if part := parsePart(o, root, depth+1); part.Kind != "null" {
				return part
			}
		}
	}
	*s = Schema{
		Kind: readType(said.Type), Required: s.Required, Enum: said.Enum, constant: said.Const, fallback: said.Default, format: said.Format,
		min: said.Minimum, max: said.Maximum, minItems: said.MinItems, maxItems: said.MaxItems, maxLen: said.MaxLength, minLen: said.MinLength,
	}
	for _, name := range said.Required {
		s.Required[name] = true
	}
	for _, f := range listMembers(said.Properties) {
		s.Fields = append(s.Fields, Field{f.name, parsePart(f.value, root, depth+1)})
	}
	if s.Kind == "" && s.Fields != nil {
		s.Kind = "object"
	}
	if len(said.Items) > 0 {
		s.items = parsePart(said.Items, root, depth+1)
	}
	return s
}

// readType returns a type: the only one, or the first of several that is not null.
func readType(raw wire.Raw) string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return one
	}
	var several []string
	_ = json.Unmarshal(raw, &several) // anything else has no type
	for _, s := range several {
		if s != "null" {
			return s
		}
	}
	return ""
}

// resolveReference resolves a reference inside the document: #/$defs/name.
func resolveReference(root wire.Raw, ref string) wire.Raw {
	path, found := strings.CutPrefix(ref, "#/")
	if !found {
		return nil
	}
	at := root
	for part := range strings.SplitSeq(path, "/") {
		var object map[string]json.RawMessage
		if json.Unmarshal(at, &object) != nil {
			return nil
		}
		at = wire.Raw(object[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)])
	}
	return at
}

// member is a member of an object as it was written.
type member struct {
	name  string
	value wire.Raw
}

// listMembers lists the members of an object in their order, which a map loses.
func listMembers(raw wire.Raw) (out []member) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return out
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return out
		}
		if s, ok := name.(string); ok {
			out = append(out, member{s, wire.Raw(value)})
		}
	}
	return out
}
