package wire

import (
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Schema is a JSON Schema (2020-12), as OpenAPI 3.1 embeds it.
type Schema = map[string]any

// Enumerated is a type with a fixed set of values; the schema of a reply lists them.
type Enumerated interface{ Values() []string }

// Described is a type that writes its own schema.
type Described interface{ WireSchema() Schema }

// Describer writes the schemas of requests and replies. Named struct types of replies are
// collected in Definitions and referenced.
type Describer struct {
	Prefix      string // of a reference, such as #/components/schemas/
	Definitions map[string]Schema
	Schemas     map[reflect.Type]Schema // of types that write their own JSON and are not Described
	Unions      map[reflect.Type]Union  // of structs of replies with a member whose type depends on another
	Requests    map[reflect.Type]Union  // the same of requests

	types map[string]reflect.Type // whose definition a name is
}

// Union says how members of a struct depend on the value of another.
type Union struct {
	Name     string   // of the definition
	Tag      string   // the member that decides
	Members  []string // those that depend on it
	Variants []Variant
}

// Variant is what the members of a union are for a value of the tag.
type Variant struct {
	Value  string
	Name   string // of the definition
	Doc    string
	Type   reflect.Type
	Schema Schema // in place of the type
}

// Request describes the JSON body that a shape reads.
func (d *Describer) Request(s *Shape) Schema {
	props, required, either := Schema{}, []string{}, []any{}
	for _, f := range s.fields {
		schema := d.field(f, s.policy)
		props[f.name] = schema
		others := s.otherNames(f)
		for _, other := range others {
			props[other] = Schema{"allOf": []any{schema}, "description": fmt.Sprintf("Another spelling of `%s`.", f.name)}
		}
		switch {
		case f.required && len(others) == 0:
			required = append(required, f.name)
		case f.required:
			var any1 []any
			for _, name := range append([]string{f.name}, others...) {
				any1 = append(any1, Schema{"required": []string{name}})
			}
			either = append(either, Schema{"anyOf": any1})
		}
	}
	out := Schema{"type": "object", "properties": props}
	if known, ok := s.describeExtra(); ok {
		maps.Copy(props, known["properties"].(Schema))
		names, _ := known["required"].([]string)
		required = append(required, names...)
	} else if s.extra != nil {
		out["additionalProperties"] = Schema{}
	}
	if len(required) > 0 {
		out["required"] = required
	}
	if len(either) > 0 {
		out["allOf"] = either
	}
	if s.policy != Lenient {
		out["additionalProperties"] = false
	}
	return out
}

// describeExtra describes the names that the extra field of a shape knows, if its type is Described.
func (s *Shape) describeExtra() (Schema, bool) {
	if s.extra == nil {
		return nil, false
	}
	known, ok := reflect.Zero(s.extra.typ).Interface().(Described)
	if !ok {
		return nil, false
	}
	return known.WireSchema(), true
}

// otherNames lists the accepted spellings of a field besides its name.
func (s *Shape) otherNames(f *field) []string {
	var others []string
	for name, owner := range s.names {
		if owner == f && name != f.name {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	return others
}

// Parameters describes the query parameters that a shape reads.
func (d *Describer) Parameters(s *Shape) []Schema {
	var out []Schema
	for _, f := range s.fields {
		p := Schema{"name": f.name, "in": "query", "required": f.required, "schema": d.rules(d.requestType(f.typ, s.policy), &f.tag)}
		if f.doc != "" {
			p["description"] = f.doc
		}
		if f.example != "" {
			p["example"] = f.example
			if kind := f.typ.Kind(); kind == reflect.Int64 || kind == reflect.Bool {
				p["example"] = Raw(f.example)
			}
		}
		if f.typ == listType {
			p["style"], p["explode"] = "form", false
			if f.example != "" {
				p["example"] = strings.Split(f.example, ",")
			}
		}
		out = append(out, p)
	}
	return out
}

func (d *Describer) field(f *field, m NamePolicy) Schema {
	if f.hasPolicy {
		m = f.policy
	}
	schema := d.rules(d.requestType(f.typ, m), &f.tag)
	if f.doc != "" {
		schema["description"] = f.doc
	}
	return schema
}

// rules adds a tag's bounds to a schema.
func (d *Describer) rules(s Schema, t *tag) Schema {
	if t.enum != nil && !t.fallback {
		s["enum"] = t.enum
	}
	if !t.clamp {
		if t.min != nil {
			s["minimum"] = *t.min
		}
		if t.max != nil {
			s["maximum"] = *t.max
		}
	}
	least, most := "minLength", "maxLength"
	if s["type"] == "array" {
		least, most = "minItems", "maxItems"
	}
	if t.minLen > 0 {
		s[least] = t.minLen
	}
	if t.maxLen > 0 {
		s[most] = t.maxLen
	}
	if t.def != nil {
		s["default"] = literal(*t.def, s["type"])
	}
	return s
}

func literal(text string, kind any) any {
	switch kind {
	case "integer", "number":
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f
		}
	case "boolean":
		return text == "true"
	}
	return text
}

func (d *Describer) requestType(t reflect.Type, m NamePolicy) Schema {
	if s, ok := d.special(t); ok {
		return s
	}
	switch {
	case t.Implements(optInterface):
		return nullable(d.requestType(t.Field(0).Type, m))
	case reflect.PointerTo(t).Implements(readerType):
		return Schema{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.requestType(t.Elem(), m)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return Schema{"type": "string", "contentEncoding": "base64"}
		}
		return Schema{"type": "array", "items": d.requestType(t.Elem(), m)}
	case reflect.Map:
		return Schema{"type": "object", "additionalProperties": d.requestType(t.Elem(), m)}
	case reflect.Struct:
		if u, ok := d.Requests[t]; ok {
			if d.Definitions[u.Name] == nil {
				d.Definitions[u.Name] = d.union(d.Request(ShapeOf(t, m)), u)
			}
			return Schema{"$ref": d.Prefix + u.Name}
		}
		return d.Request(ShapeOf(t, m))
	}
	return scalar(t)
}

// Reply describes the JSON of a value of type t.
func (d *Describer) Reply(t reflect.Type) Schema {
	if s, ok := d.special(t); ok {
		return s
	}
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(d.Reply(t.Elem()))
	case reflect.Slice, reflect.Array:
		return Schema{"type": "array", "items": d.present(t.Elem())}
	case reflect.Map:
		return Schema{"type": "object", "additionalProperties": d.Reply(t.Elem())}
	case reflect.Struct:
		return d.structure(t)
	}
	return scalar(t)
}

// present describes the JSON of a value that is never nil: a list holds no nil pointers, and a member that is left out
// when it is nil is not null when it is there.
func (d *Describer) present(t reflect.Type) Schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return d.Reply(t)
}

func (d *Describer) structure(t reflect.Type) Schema {
	name := t.Name()
	if name == "" || strings.Contains(name, "[") {
		return d.members(t)
	}
	name = capital(name)
	if d.types[name] != nil && d.types[name] != t { // two packages have a type of this name
		from := strings.TrimSuffix(t.PkgPath(), "/snapshot")
		name = capital(from[strings.LastIndex(from, "/")+1:]) + name
	}
	if _, ok := d.Definitions[name]; !ok {
		if d.types == nil {
			d.types = map[string]reflect.Type{}
		}
		d.types[name] = t
		d.Definitions[name] = Schema{} // for a recursive type
		d.Definitions[name] = d.members(t)
		if u, ok := d.Unions[t]; ok {
			d.Definitions[name] = d.union(d.Definitions[name], u)
		}
	}
	return Schema{"$ref": d.Prefix + name}
}

// union describes a struct by its variants.
func (d *Describer) union(s Schema, u Union) Schema {
	var refs []any
	mapping := Schema{}
	for _, v := range u.Variants {
		one, props := maps.Clone(s), maps.Clone(s["properties"].(Schema))
		props[u.Tag] = Schema{"type": "string", "enum": []string{v.Value}}
		for _, member := range u.Members {
			if props[member] = v.Schema; v.Schema == nil {
				props[member] = d.Reply(v.Type)
			}
		}
		one["properties"], one["description"] = props, v.Doc
		d.Definitions[v.Name] = one
		refs, mapping[v.Value] = append(refs, Schema{"$ref": d.Prefix + v.Name}), d.Prefix+v.Name
	}
	return Schema{"oneOf": refs, "discriminator": Schema{"propertyName": u.Tag, "mapping": mapping}}
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

func (d *Describer) members(t reflect.Type) Schema {
	props, required := Schema{}, []string{}
	d.collect(t, props, &required)
	out := Schema{"type": "object", "properties": props}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func (d *Describer) collect(t reflect.Type, props Schema, required *[]string) {
	for i := range t.NumField() {
		sf := t.Field(i)
		name, opts, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if sf.Anonymous && name == "" {
			inner := sf.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			d.collect(inner, props, required)
			continue
		}
		if !sf.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = sf.Name
		}
		describe := d.Reply
		if strings.Contains(opts, "omit") {
			describe = d.present
		}
		schema := describe(sf.Type)
		switch doc := sf.Tag.Get("doc"); {
		case doc == "":
		case len(schema) == 0:
			schema = Schema{"description": doc}
		default:
			schema = Schema{"allOf": []any{schema}, "description": doc}
		}
		props[name] = schema
		if !strings.Contains(opts, "omit") {
			*required = append(*required, name)
		}
	}
}

// special returns the schemas of types for which it does not follow from their structure.
func (d *Describer) special(t reflect.Type) (Schema, bool) {
	if s, ok := d.Schemas[t]; ok {
		return s, true
	}
	if t.Kind() == reflect.Pointer {
		return nil, false // what it points to may be
	}
	zero := reflect.New(t).Elem().Interface()
	switch v := zero.(type) {
	case Described:
		return v.WireSchema(), true
	case Enumerated:
		return Schema{"type": "string", "enum": v.Values()}, true
	case interface{ Nullable() any }:
		return nullable(d.Reply(reflect.TypeOf(v.Nullable()))), true
	case time.Time:
		return Schema{"type": "string", "format": "date-time"}, true
	case Raw:
		return Schema{}, true
	case List:
		return Schema{"type": "array", "items": Schema{"type": "string"}}, true
	}
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return Schema{"type": "string"}, true
	}
	return nil, false
}

func scalar(t reflect.Type) Schema {
	switch t.Kind() {
	case reflect.String:
		return Schema{"type": "string"}
	case reflect.Bool:
		return Schema{"type": "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Schema{"type": "integer"}
	case reflect.Float32, reflect.Float64:
		return Schema{"type": "number"}
	}
	return Schema{} // an interface: anything
}

func nullable(s Schema) Schema {
	if len(s) == 0 {
		return s // null is among anything
	}
	return Schema{"anyOf": []any{s, Schema{"type": "null"}}}
}
