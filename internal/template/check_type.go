package template

import (
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// checkTypes reports arguments that are bound to an input whose values they cannot take.
func (o *outline) checkTypes(s *stage) {
	for _, name := range sortedKeys(s.args) {
		text, isText := s.args[name].(string)
		a, known := s.tool.Argument(name)
		if !isText || !known || a.Media != "" {
			continue
		}
		ref, ok := whole(parse(text, o.exists))
		in, there := o.inputs[ref.name]
		if !ok || ref.root != "inputs" || !there {
			continue
		}
		if a.IsArray() && a.Items != nil {
			a = a.Items
		}
		at := s.argsAt + "." + name
		switch canFill(in, a) {
		case never:
			o.issues.fail("input_type", at, "must be %s, which no value of the input %q is.", typeName(a), in.Name)
		case perhaps:
			o.issues.warn("input_type", at, "must be %s, but the input %q is text: the template starts only with a text that is one.", typeName(a), in.Name)
		}
	}
}

type chance int

const (
	always chance = iota
	perhaps
	never
)

// canFill tells whether the values of an input can fill an argument.
func canFill(in atelier.TemplateInput, a *catalog.Argument) chance {
	fits := func(v any) bool {
		switch v := convert(v, a.Type); a.Type {
		case "number", "integer":
			_, ok := v.(float64)
			return ok
		case "boolean":
			_, ok := v.(bool)
			return ok
		}
		return a.Type == "string" || a.Type == "array"
	}
	switch {
	case len(in.Options) > 0:
		if slices.ContainsFunc(in.Options, func(o atelier.InputOption) bool { return fits(o.Value) }) {
			return always
		}
		return never
	case in.Type == atelier.InputNumber && fits(1.0), in.Type == atelier.InputBoolean && fits(true), in.Type == atelier.InputText && fits("text"):
		return always
	case in.Type == atelier.InputText && (fits("1") || fits("true")):
		return perhaps
	case in.Type == atelier.InputNumber, in.Type == atelier.InputBoolean, in.Type == atelier.InputText:
		return never
	}
	return always // files have a check of their own
}

func typeName(a *catalog.Argument) string {
	switch a.Type {
	case "integer":
		return "a whole number"
	case "boolean":
		return "true or false"
	case "object":
		return "an object"
	}
	return "a " + a.Type
}
