package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/schema"
	"github.com/atelier-project/atelier/internal/tonality"
)

// validate checks arguments against the tool's schema and reports the first mistake, in
// the order of the declared arguments.
func (t *Tool) validate(args map[string]any) error {
	compiled, err := t.compiled()
	if err != nil {
		// The data tests compile every schema and Load checks every overlaid
		// one, so this is not the caller's doing.
		return fmt.Errorf("schema of %s: %w", t.Name, err)
	}
	faults, err := compiled.Check(args)
	if err != nil {
		return err
	}
	if faults = append(faults, t.checkFormats(args)...); len(faults) == 0 {
		return nil
	}
	return t.refusal(t.first(faults))
}

// format is a form of text that no pattern describes.
type format struct {
	has  func(string) bool
	hint string // to complete "must be …"
}

var formats = map[string]format{
	"key": {
		has: func(s string) bool {
			_, ok := tonality.Parse(s)
			return ok
		},
		hint: "a key such as A minor, F# major or Bbm",
	},
}

// checkFormats lists the arguments that are not of their format.
func (t *Tool) checkFormats(args map[string]any) (faults []schema.Fault) {
	for _, a := range t.Arguments {
		if text, given := args[a.Name].(string); given && a.Format != "" && !formats[a.Format].has(text) {
			faults = append(faults, schema.Fault{Path: []string{a.Name}, Keyword: "format"})
		}
	}
	return faults
}

// first picks the fault of the argument that is declared first, so that one mistake always
// gives the same message.
func (t *Tool) first(list []schema.Fault) schema.Fault {
	order := func(f schema.Fault) int {
		if len(f.Path) == 0 {
			return -1
		}
		return slices.IndexFunc(t.Arguments, func(a *Argument) bool { return a.Name == f.Path[0] })
	}
	return slices.MinFunc(list, func(a, b schema.Fault) int { return order(a) - order(b) })
}

// refusal words a schema fault for the caller.
func (t *Tool) refusal(f schema.Fault) error {
	switch f.Keyword {
	case "additionalProperties":
		last := len(f.Path) - 1
		field, a := t.locate(f.Path[:last])
		return t.unknown(field, f.Path[last], a)
	case "required":
		field, _ := t.locate(f.Path)
		return atelier.Refuse(field, "is required")
	}
	field, a := t.locate(f.Path)
	if a == nil {
		return atelier.Refuse(field, "is not valid for %s", t.Name)
	}
	switch f.Keyword {
	case "type":
		return atelier.Refuse(field, "must be %s", a.kindOf())
	case "enum":
		return atelier.Refuse(field, "must be one of %s", a.choices())
	case "minimum", "maximum":
		return atelier.Refuse(field, "must be %s", a.bounds())
	case "minLength":
		return atelier.Refuse(field, "must not be empty")
	case "maxLength":
		return atelier.Refuse(field, "must be at most %d characters, not %d", int(f.Limit), f.Got)
	case "minItems":
		return atelier.Refuse(field, "must have at least %s", items(int(f.Limit)))
	case "maxItems":
		return atelier.Refuse(field, "must have at most %s, not %d", items(int(f.Limit)), f.Got)
	case "pattern":
		return atelier.Refuse(field, "must be %s", a.Hint)
	case "format":
		return atelier.Refuse(field, "must be %s", formats[a.Format].hint)
	}
	return atelier.Refuse(field, "is not valid for %s", t.Name)
}

// unknown refuses a name that is not in the closed schema.
func (t *Tool) unknown(field, name string, a *Argument) error {
	if a == nil {
		known := names(t.Arguments)
		return atelier.Refuse(field+"."+name, "is not an argument of %s%s; it takes %s", t.Name, atelier.DidYouMean(name, known), strings.Join(known, ", "))
	}
	fields := a.Fields
	if a.Items != nil {
		fields = a.Items.Fields
	}
	known := names(fields)
	return atelier.Refuse(field+"."+name, "is not a known field%s; use %s", atelier.DidYouMean(name, known), strings.Join(known, ", "))
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
		case a.Items != nil && schema.IsIndex(part):
			a = a.Items
		default:
			a = a.field(part)
		}
		if i > 0 && schema.IsIndex(part) {
			b.WriteString("[" + part + "]")
		} else {
			b.WriteString("." + part)
		}
	}
	return b.String(), a
}

func items(n int) string {
	if n == 1 {
		return "1 item"
	}
	return strconv.Itoa(n) + " items"
}

func names(list []*Argument) []string {
	s := make([]string, len(list))
	for i, a := range list {
		s[i] = a.Name
	}
	return s
}
