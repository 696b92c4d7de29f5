package compose

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/atelier-project/atelier"
)

// input is an input of a template draft, as the template endpoint takes it.
type input map[string]any

// inputs are those of a draft, in order.
type inputs []input

// maxInputs is the most inputs of a template.
const maxInputs = 16

var inputName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

func (i input) name() string {
	s, _ := i["name"].(string)
	return s
}

func (i input) kind() string {
	s, _ := i["type"].(string)
	return s
}

// first is the first input of a type, or nil.
func (l inputs) first(kind string) input {
	for _, in := range l {
		if in.kind() == kind {
			return in
		}
	}
	return nil
}

// readInputs reads the inputs that a caller requests. bad describes a mistake, and
// is nil when there is none.
func readInputs(list []any) (out inputs, bad *Result) {
	types := atelier.InputType("").Values()
	for i, v := range list {
		in, _ := v.(map[string]any)
		at := fmt.Sprintf("arguments.inputs[%d]", i)
		fail := func(format string, args ...any) (inputs, *Result) {
			r := failure(parameterInvalid, at+fmt.Sprintf(format, args...), "correct:inputs")
			return nil, &r
		}
		x := input(in)
		switch {
		case !inputName.MatchString(x.name()):
			return fail(".name must be 1 to 64 letters, digits, dashes or underscores, the first no digit or dash.")
		case slices.ContainsFunc(out, func(o input) bool { return o.name() == x.name() }):
			return fail(".name is %q, which another input has already.", x.name())
		case !slices.Contains(types, x.kind()):
			return fail(".type must be one of %s.", listed(types))
		case x.kind() == "select" && len(listOf(x["options"])) == 0:
			return fail(".options must have at least one item for a select.")
		}
		out = append(out, x)
	}
	return out, nil
}

// sample is a value for the plan of a draft: the default, or an example.
func (i input) sample() any {
	if v := i["default"]; v != nil && v != "" {
		return v
	}
	required, _ := i["required"].(bool)
	switch i.kind() {
	case "select":
		if !required {
			return nil
		}
		first := listOf(i["options"])
		if len(first) == 0 {
			return nil
		}
		if o, ok := first[0].(map[string]any); ok {
			return o["value"]
		}
		return first[0]
	case "text":
		if d, _ := i["description"].(string); d != "" && required {
			return unstopped(d)
		}
		if required {
			return i.name()
		}
	case "number":
		if schema, ok := i["jsonSchema"].(map[string]any); ok && required {
			return schema["minimum"]
		}
		if required {
			return 5.0
		}
	}
	return nil
}

// media reports whether the input is a file.
func (i input) media() bool { return slices.Contains([]string{"image", "video", "audio"}, i.kind()) }
