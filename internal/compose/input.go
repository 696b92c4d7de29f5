package compose

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
)

var inputName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// readInputs reads the inputs that a caller requests. bad describes a mistake, and
// may be nil.
func readInputs(list []any) (out draft.Inputs, bad *Result) {
	types := atelier.InputType("").Values()
	for i, v := range list {
		in, _ := v.(map[string]any)
		at := fmt.Sprintf("arguments.inputs[%d]", i)
		fail := func(format string, args ...any) (draft.Inputs, *Result) {
			r := failure(draft.ParameterInvalid, at+fmt.Sprintf(format, args...), "correct:inputs")
			return nil, &r
		}
		x := draft.Input(in)
		switch {
		case !inputName.MatchString(x.Name()):
			return fail(".name must be 1 to 64 letters, digits, dashes or underscores, the first no digit or dash.")
		case slices.ContainsFunc(out, func(o draft.Input) bool { return o.Name() == x.Name() }):
			return fail(".name is %q, which another input has already.", x.Name())
		case !slices.Contains(types, x.Kind()):
			return fail(".type must be one of %s.", prose.List(types))
		case x.Kind() == "select" && len(draft.ListOf(x["options"])) == 0:
			return fail(".options must have at least one item for a select.")
		}
		out = append(out, x)
	}
	return out, nil
}

// sample is a value for the plan of a draft: the default, or an example.
func sample(i draft.Input) any {
	if v := i["default"]; v != nil && v != "" {
		return v
	}
	required, _ := i["required"].(bool)
	switch i.Kind() {
	case "select":
		if !required {
			return nil
		}
		first := draft.ListOf(i["options"])
		if len(first) == 0 {
			return nil
		}
		if o, ok := first[0].(map[string]any); ok {
			return o["value"]
		}
		return first[0]
	case "text":
		if d, _ := i["description"].(string); d != "" && required {
			return prose.Unstopped(d)
		}
		if required {
			return i.Name()
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

// isMedia reports whether the input is a file.
func isMedia(i draft.Input) bool {
	return slices.Contains([]string{"image", "video", "audio"}, i.Kind())
}
