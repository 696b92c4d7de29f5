package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/atelier-project/atelier"
)

// validate holds arguments against the tool's schema and tells the first
// mistake, in the order the arguments are declared.
func (t *Tool) validate(args map[string]any) error {
	schema, err := t.compiled()
	if err != nil {
		// The data tests compile every schema and Load checks every overlaid
		// one, so this is not the caller's doing.
		return fmt.Errorf("schema of %s: %w", t.Name, err)
	}
	err = schema.Validate(args)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	return t.refusal(t.first(leaves(invalid, nil)))
}

// leaves collects the errors that have no causes of their own.
func leaves(e *jsonschema.ValidationError, list []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return append(list, e)
	}
	for _, c := range e.Causes {
		list = leaves(c, list)
	}
	return list
}

// first picks the error of the argument declared first, so that one mistake
// always gives one message.
func (t *Tool) first(list []*jsonschema.ValidationError) *jsonschema.ValidationError {
	order := func(e *jsonschema.ValidationError) int {
		if len(e.InstanceLocation) == 0 {
			return -1
		}
		return slices.IndexFunc(t.Arguments, func(a *Argument) bool { return a.Name == e.InstanceLocation[0] })
	}
	return slices.MinFunc(list, func(a, b *jsonschema.ValidationError) int {
		if d := order(a) - order(b); d != 0 {
			return d
		}
		return slices.Compare(a.InstanceLocation, b.InstanceLocation)
	})
}

// refusal words a schema error for the caller.
func (t *Tool) refusal(e *jsonschema.ValidationError) error {
	field, a := t.locate(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
		return t.unknown(field, k.Properties[0], a)
	case *kind.Required:
		return atelier.Refuse(field+"."+k.Missing[0], "is required")
	}
	if a == nil {
		return atelier.Refuse(field, "is not valid for %s", t.Name)
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return atelier.Refuse(field, "must be %s", a.kindOf())
	case *kind.Enum:
		return atelier.Refuse(field, "must be one of %s", a.choices())
	case *kind.Minimum, *kind.Maximum:
		return atelier.Refuse(field, "must be %s", a.bounds())
	case *kind.MinLength:
		return atelier.Refuse(field, "must not be empty")
	case *kind.MaxLength:
		return atelier.Refuse(field, "must be at most %d characters, not %d", k.Want, k.Got)
	case *kind.MinItems:
		return atelier.Refuse(field, "must have at least %s", items(k.Want))
	case *kind.MaxItems:
		return atelier.Refuse(field, "must have at most %s, not %d", items(k.Want), k.Got)
	case *kind.Pattern:
		return atelier.Refuse(field, "must be %s", a.Hint)
	}
	return atelier.Refuse(field, "is not valid for %s", t.Name)
}

// unknown refuses a name that is not in the closed schema.
func (t *Tool) unknown(field, name string, a *Argument) error {
	if a == nil {
		return atelier.Refuse(field+"."+name, "is not an argument of %s; it takes %s", t.Name, names(t.Arguments))
	}
	fields := a.Fields
	if a.Items != nil {
		fields = a.Items.Fields
	}
	return atelier.Refuse(field+"."+name, "is not known there; it takes %s", names(fields))
}

// locate turns a path inside the arguments into the field of a refusal and the
// argument it belongs to.
func (t *Tool) locate(path []string) (string, *Argument) {
	var b strings.Builder
	b.WriteString("arguments")
	var a *Argument
	for i, part := range path {
		switch {
		case i == 0:
			a = t.byName[part]
		case a == nil:
		case a.Items != nil && isIndex(part):
			a = a.Items
		default:
			a = a.field(part)
		}
		if i > 0 && isIndex(part) {
			b.WriteString("[" + part + "]")
		} else {
			b.WriteString("." + part)
		}
	}
	return b.String(), a
}

func isIndex(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

func items(n int) string {
	if n == 1 {
		return "1 item"
	}
	return strconv.Itoa(n) + " items"
}

func names(list []*Argument) string {
	s := make([]string, len(list))
	for i, a := range list {
		s[i] = a.Name
	}
	return strings.Join(s, ", ")
}
