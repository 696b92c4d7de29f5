package template

import (
	"slices"

	"github.com/atelier-project/atelier"
)

// Limits of inputs and their values.
const (
	maxOptions = 200
	maxValues  = 64     // of one input
	maxText    = 32_768 // characters of one text
)

// inputs reads the inputs of a template.
func (o object) inputs(f Fields) []atelier.TemplateInput {
	list, raw := o.items("inputs", f)
	if len(list) > maxInputs {
		o.issues.fail("too_many_inputs", "inputs", "must have at most %d items.", maxInputs)
		return nil
	}
	var out []atelier.TemplateInput
	for i, v := range list {
		in, ok := o.issues.object(v, index("inputs", i))
		if !ok {
			continue
		}
		read := in.input()
		if slices.ContainsFunc(out, func(x atelier.TemplateInput) bool { return x.Name == read.Name && read.Name != "" }) {
			o.issues.fail("duplicate_input", in.path("name"), "is %q, which another input has already.", read.Name)
		}
		read.Raw = atelier.Verbatim(raw[i])
		out = append(out, read)
	}
	return out
}

// input reads one input.
func (o object) input() atelier.TemplateInput {
	o.others([]string{"name", "type", "required", "description", "default", "options", "multiple", "internal", "jsonSchema"})
	in := atelier.TemplateInput{
		Name: o.text("name", 0), Required: o.flag("required", false), Description: o.text("description", 0), Internal: o.flag("internal", false),
		Default: o.members["default"],
	}
	if !nameForm.MatchString(in.Name) {
		o.issues.fail("invalid_name", o.path("name"), "must be 1 to 64 letters, digits, dashes or underscores, and must not begin with a digit or dash.")
	}
	if in.Type = atelier.InputType(o.choice("type", "", in.Type.Values())); in.Type == "" && !o.has("type") {
		o.issues.fail("invalid_input_type", o.path("type"), "is required.")
	}
	in.Options, in.Multiple = o.options(), o.multiple()
	if schema, ok := o.object("jsonSchema"); ok {
		in.Schema = schema.members
		schema.schema()
	}
	switch {
	case in.Type == atelier.InputSelect && len(in.Options) == 0:
		o.issues.fail("missing_options", o.path("options"), "must have at least one item for a select.")
	case in.Options != nil && (in.Type.Media() || in.Type == atelier.InputBoolean):
		o.issues.fail("invalid_value", o.path("options"), "has no meaning for the type %s.", in.Type)
	}
	if in.Internal && in.Required && in.Default == nil {
		o.issues.fail("invalid_default", o.path("default"), "is required: an internal input is never asked for.")
	}
	if in.Default != nil && in.Type != "" {
		check := valueReader{at: o.path("default"), code: "invalid_default", issues: o.issues}
		check.value(in, in.Default)
	}
	return in
}

// options are the values that an input may have: {value, label}, or the value
// alone.
func (o object) options() []atelier.InputOption {
	list := o.list("options")
	if len(list) > maxOptions {
		o.issues.fail("invalid_value", o.path("options"), "must have at most %d items.", maxOptions)
		return nil
	}
	var out []atelier.InputOption
	for i, v := range list {
		at := index(o.path("options"), i)
		option := atelier.InputOption{Value: v}
		if m, ok := v.(map[string]any); ok {
			entry := object{at, m, o.issues}
			option = atelier.InputOption{Value: m["value"], Label: entry.text("label", 0)}
			at = entry.path("value")
		}
		switch option.Value.(type) {
		case string, float64, bool:
			out = append(out, option)
		default:
			o.issues.fail("invalid_type", at, "must be a string, a number or a boolean.")
		}
	}
	return out
}

// multiple is how many values an input takes: {min, max}, or true for any
// number.
func (o object) multiple() *atelier.Multiple {
	switch v := o.members["multiple"].(type) {
	case nil:
		return nil
	case bool:
		if !v {
			return nil
		}
		return &atelier.Multiple{Max: maxValues}
	}
	in, ok := o.object("multiple")
	if !ok {
		return nil
	}
	m := &atelier.Multiple{Min: in.whole("min", 0, 0, maxValues), Max: in.whole("max", maxValues, 1, maxValues)}
	if m.Max < m.Min {
		o.issues.fail("invalid_value", in.path("max"), "must be at least min.")
	}
	return m
}
