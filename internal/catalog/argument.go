package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Argument is one argument of a tool, or one field of an object inside one.
// The JSON Schema that validates and the shorter ones that chat models read are
// made from it, and the API lists it.
type Argument struct {
	Name string `json:"name,omitzero" yaml:"name"`
	// Use takes all missing fields from the shared argument of that name.
	Use string `json:"-" yaml:"use"`

	Type     string `json:"type" yaml:"type"`                 // string, integer, number, boolean, array or object
	Text     string `json:"description,omitzero" yaml:"text"` // what a language model needs to know to set it
	Help     string `json:"-" yaml:"help"`                    // what a person needs to know, where that is something else
	Required bool   `json:"required,omitzero" yaml:"required"`
	Default  any    `json:"default,omitzero" yaml:"default"`
	Enum     []any  `json:"enum,omitzero" yaml:"enum"`

	Min  *float64 `json:"minimum,omitzero" yaml:"min"`
	Max  *float64 `json:"maximum,omitzero" yaml:"max"`
	Unit string   `json:"unit,omitzero" yaml:"unit"` // of the bounds, for messages: seconds, pixels

	MinLength int    `json:"minLength,omitzero" yaml:"minLength"`
	MaxLength int    `json:"maxLength,omitzero" yaml:"maxLength"`
	Pattern   string `json:"pattern,omitzero" yaml:"pattern"`
	Format    string `json:"format,omitzero" yaml:"format"` // of a string: key, a musical key
	Hint      string `json:"hint,omitzero" yaml:"hint"`     // what the pattern means, such as "a ratio such as 16:9"

	MinItems int         `json:"minItems,omitzero" yaml:"minItems"`
	MaxItems int         `json:"maxItems,omitzero" yaml:"maxItems"`
	Items    *Argument   `json:"items,omitzero" yaml:"items"`
	Fields   []*Argument `json:"fields,omitzero" yaml:"fields"`
	Open     bool        `json:"open,omitzero" yaml:"open"` // an object of any shape

	// Media is the kind of media the argument addresses, by index unless URL
	// is set. A url of any kind has the kind "any".
	Media Kind `json:"media,omitzero" yaml:"media"`
	URL   bool `json:"url,omitzero" yaml:"url"`
	// Aside media, such as a mask, does not count among the inputs of a model.
	Aside bool `json:"aside,omitzero" yaml:"aside"`
	// FanOut lists one entry for each output: each render gets one of them.
	FanOut bool `json:"fanOut,omitzero" yaml:"fanOut"`

	// Every schema is part of each message of a chat and costs tokens, so models see only
	// what they need. An advanced argument is accepted and left out of their schemas; an
	// obvious one is listed without its description.
	Advanced bool `json:"advanced,omitzero" yaml:"advanced"`
	Obvious  bool `json:"-" yaml:"obvious"`
}

// IsArray reports whether the argument takes a list.
func (a *Argument) IsArray() bool { return a.Type == "array" }

// field finds a field of an object argument.
func (a *Argument) field(name string) *Argument {
	if a.Items != nil {
		return a.Items.field(name)
	}
	for _, f := range a.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// inherit takes missing fields from a shared argument.
func (a *Argument) inherit(from *Argument) {
	name, text, help, required, def := a.Name, a.Text, a.Help, a.Required, a.Default
	lo, hi, enum, length, aside := a.Min, a.Max, a.Enum, a.MaxLength, a.Aside
	advanced, obvious := a.Advanced, a.Obvious
	*a = *from
	a.Use = ""
	if name != "" {
		a.Name = name
	}
	if text != "" {
		a.Text, a.Help, a.Obvious = text, "", false
	}
	if help != "" {
		a.Help = help
	}
	a.Advanced, a.Obvious = a.Advanced || advanced, a.Obvious || obvious
	a.Required = required
	if def != nil {
		a.Default = def
	}
	if lo != nil {
		a.Min = lo
	}
	if hi != nil {
		a.Max = hi
	}
	if enum != nil {
		a.Enum = enum
	}
	if length > 0 {
		a.MaxLength = length
	}
	a.Aside = a.Aside || aside
}

// schema returns the argument as JSON Schema. The enum of a model argument is not written
// here: it is the list of models, and a catalog id is valid too.
func (a *Argument) schema() map[string]any {
	s := map[string]any{"type": a.Type}
	set := func(key string, value any, ok bool) {
		if ok {
			s[key] = value
		}
	}
	set("description", a.Text, a.Text != "")
	set("default", a.Default, a.Default != nil)
	set("enum", a.Enum, a.Enum != nil)
	if a.Min != nil {
		s["minimum"] = *a.Min
	}
	if a.Max != nil {
		s["maximum"] = *a.Max
	}
	set("minLength", float64(a.MinLength), a.MinLength > 0)
	set("maxLength", float64(a.MaxLength), a.MaxLength > 0)
	set("pattern", a.Pattern, a.Pattern != "")
	set("minItems", float64(a.MinItems), a.MinItems > 0)
	set("maxItems", float64(a.MaxItems), a.MaxItems > 0)
	if a.Items != nil {
		s["items"] = a.Items.schema()
	}
	if a.Type == "object" && !a.Open {
		closed(s, a.Fields)
	}
	return s
}

// closed sets the properties of an object schema and allows no others.
func closed(s map[string]any, fields []*Argument) {
	props := make(map[string]any, len(fields))
	var required []any
	for _, f := range fields {
		props[f.Name] = f.schema()
		if f.Required {
			required = append(required, f.Name)
		}
	}
	s["properties"] = props
	if required != nil {
		s["required"] = required
	}
	s["additionalProperties"] = false
}

// kindOf names the type, to complete "must be …".
func (a *Argument) kindOf() string {
	switch a.Type {
	case "string":
		return "a string"
	case "integer":
		return "a whole number"
	case "number":
		return "a number"
	case "boolean":
		return "true or false"
	case "array":
		return "a list"
	}
	return "an object"
}

// outside reports whether a number is outside the numeric range.
func (a *Argument) outside(f float64) bool {
	return a.Min != nil && f < *a.Min || a.Max != nil && f > *a.Max
}

// bounds describes the numeric range, to complete "must be …".
func (a *Argument) bounds() string {
	unit := ""
	if a.Unit != "" {
		unit = " " + a.Unit
	}
	switch {
	case a.Min != nil && a.Max != nil:
		return fmt.Sprintf("between %s and %s%s", formatNumber(*a.Min), formatNumber(*a.Max), unit)
	case a.Min != nil:
		return fmt.Sprintf("at least %s%s", formatNumber(*a.Min), unit)
	}
	return fmt.Sprintf("at most %s%s", formatNumber(*a.Max), unit)
}

// choices lists the enum as text.
func (a *Argument) choices() string {
	list := make([]string, len(a.Enum))
	for i, v := range a.Enum {
		list[i] = formatValue(v)
	}
	return strings.Join(list, ", ")
}

// Kind names the type for readers.
func (a *Argument) Kind() string {
	if a.IsArray() && a.Items != nil {
		return "list of " + a.Items.Type
	}
	return a.Type
}

// Values says for readers which values the argument takes. It is empty where any will do.
func (a *Argument) Values() string {
	var parts []string
	if a.Enum != nil {
		parts = append(parts, a.choices())
	} else if a.Items != nil && a.Items.Enum != nil {
		parts = append(parts, a.Items.choices())
	}
	if a.Min != nil || a.Max != nil {
		parts = append(parts, a.bounds())
	}
	if a.MaxLength > 0 {
		parts = append(parts, fmt.Sprintf("up to %d characters", a.MaxLength))
	}
	if a.MaxItems > 0 {
		parts = append(parts, "up to "+items(a.MaxItems))
	}
	if a.Hint != "" {
		parts = append(parts, a.Hint)
	}
	return strings.Join(parts, "; ")
}

// coerce reads a number that was sent as text where only certain numbers are allowed:
// callers often write timesig "4".
func (a *Argument) coerce(v any) any {
	s, ok := v.(string)
	if !ok || a.Enum == nil || a.Type != "number" && a.Type != "integer" {
		return v
	}
	if f, err := strconv.ParseFloat(strings.TrimSuffix(s, "p"), 64); err == nil && slices.Contains(a.Enum, any(f)) {
		return f
	}
	return v
}

// formatValue writes an argument's value as conditions and factors in the data spell
// it.
func formatValue(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return formatNumber(v)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}
