package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/api"
)

// typesDocument is what the console knows about the API: the schemas of the OpenAPI document
// as TypeScript, and what each endpoint takes and answers.
func typesDocument() (string, error) {
	var doc struct {
		Paths      map[string]map[string]operation
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(api.OpenAPI(), &doc); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("// Written by \"make generate\" from the OpenAPI document. Do not edit.\n\n/* eslint-disable */\n")
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		s := doc.Components.Schemas[name]
		if s.Description != "" {
			fmt.Fprintf(&b, "\n/** %s */", s.Description)
		}
		if s.Properties != nil && s.OneOf == nil {
			fmt.Fprintf(&b, "\nexport interface %s %s\n", name, s.text(""))
		} else {
			fmt.Fprintf(&b, "\nexport type %s = %s;\n", name, s.text(""))
		}
	}
	b.WriteString("\n/** The data of each event of the account's stream. */\nexport interface AccountEvents {\n")
	for _, kind := range apitype.AccountEventKinds {
		fmt.Fprintf(&b, "  %s: %s;\n", kind.Type, reflect.TypeOf(kind.Payload).Name())
	}
	b.WriteString("}\n")
	endpoints := func(about, name string, part func(operation) (schema, bool)) {
		fmt.Fprintf(&b, "\n/** %s */\nexport interface %s {\n", about, name)
		for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
			for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
				if s, ok := part(doc.Paths[path][method]); ok {
					fmt.Fprintf(&b, "  %q: %s;\n", strings.ToUpper(method)+" "+path, s.text("  "))
				}
			}
		}
		b.WriteString("}\n")
	}
	endpoints("The JSON that each endpoint takes.", "Bodies", operation.body)
	endpoints("The data that each endpoint answers with.", "Answers", operation.answer)
	return b.String(), nil
}

type content map[string]struct{ Schema schema }

// operation is an endpoint of the OpenAPI document.
type operation struct {
	RequestBody struct{ Content content }
	Responses   map[string]struct{ Content content }
}

// body is the JSON of a request.
func (o operation) body() (schema, bool) {
	s, ok := o.RequestBody.Content["application/json"]
	return s.Schema, ok
}

// answer is the data of a success.
func (o operation) answer() (schema, bool) {
	for _, status := range []string{"200", "201", "202"} {
		if r, ok := o.Responses[status]; ok {
			s, ok := r.Content["application/json"]
			if data, enveloped := s.Schema.Properties["data"]; enveloped {
				return data, true
			}
			return s.Schema, ok
		}
	}
	return schema{}, false
}

// schema is the part of JSON Schema that the OpenAPI document uses.
type schema struct {
	Ref                  string `json:"$ref"`
	Type                 any    // a name, or a list of names
	Description          string
	Const                any
	Enum                 []any
	Properties           map[string]schema
	Required             []string
	AdditionalProperties *schema
	Items                *schema
	AnyOf, OneOf, AllOf  []schema

	never bool // nothing is valid
}

// UnmarshalJSON reads a schema, which may be true or false.
func (s *schema) UnmarshalJSON(raw []byte) error {
	if raw[0] != '{' {
		s.never = string(raw) == "false"
		return nil
	}
	type plain schema
	return json.Unmarshal(raw, (*plain)(s))
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// text is the TypeScript type of a schema.
func (s schema) text(indent string) string {
	if names, ok := s.Type.([]any); ok {
		return join(names, func(name any) string { one := s; one.Type = name; return one.text(indent) }, " | ")
	}
	switch {
	case s.Ref != "":
		return s.Ref[strings.LastIndex(s.Ref, "/")+1:]
	case s.Const != nil:
		return literal(s.Const)
	case s.Enum != nil:
		return join(s.Enum, literal, " | ")
	case s.AnyOf != nil || s.OneOf != nil:
		return join(append(s.AnyOf, s.OneOf...), func(o schema) string { return o.text(indent) }, " | ")
	case s.Type == "array" && s.Items == nil:
		return "unknown[]"
	case s.Type == "array":
		inner := s.Items.text(indent)
		if strings.Contains(inner, " | ") || strings.Contains(inner, " & ") {
			inner = "(" + inner + ")"
		}
		return inner + "[]"
	case s.Properties != nil:
		return s.members(indent)
	case len(s.AllOf) > 0:
		return join(s.AllOf, func(o schema) string { return o.text(indent) }, " & ")
	case s.Type == "object" && s.AdditionalProperties != nil:
		return "Record<string, " + s.AdditionalProperties.text(indent) + ">"
	case s.Type == "object":
		return "Record<string, unknown>"
	case s.Type == "integer" || s.Type == "number":
		return "number"
	case s.Type == "string", s.Type == "boolean", s.Type == "null":
		return s.Type.(string)
	}
	return "unknown"
}

// members are the members of an object, each by its first spelling: a request takes others too.
func (s schema) members(indent string) string {
	required := s.Required
	for _, part := range s.AllOf {
		if len(part.AnyOf) > 0 { // one of the spellings
			required = append(required, part.AnyOf[0].Required...)
		}
	}
	var b strings.Builder
	b.WriteString("{\n")
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if strings.HasPrefix(s.Properties[name].Description, "Another spelling of ") {
			continue
		}
		mark, quoted := "?", name
		if slices.Contains(required, name) {
			mark = ""
		}
		if !identifier.MatchString(name) {
			quoted = literal(name)
		}
		fmt.Fprintf(&b, "%s  %s%s: %s;\n", indent, quoted, mark, s.Properties[name].text(indent+"  "))
	}
	if more := s.AdditionalProperties; more != nil && !more.never {
		fmt.Fprintf(&b, "%s  [name: string]: %s;\n", indent, more.text(indent+"  "))
	}
	b.WriteString(indent + "}")
	return b.String()
}

func literal(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

func join[T any](list []T, text func(T) string, by string) string {
	var out []string
	for _, v := range list {
		if t := text(v); !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	if slices.Contains(out, "unknown") { // which includes all others
		return "unknown"
	}
	return strings.Join(out, by)
}
