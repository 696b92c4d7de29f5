package template

import (
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// address is how an argument takes a file: by its index among the media, or by
// its URL.
func (w *stepBuilder) address(m medium, a *catalog.Argument, at string) any {
	switch {
	case a == nil || a.Media == "" && a.Type == "string", a.URL && (a.Media == "any" || string(a.Media) == m.kind):
		return m.url
	case a.URL || a.Media == "" || a.Media != "any" && string(a.Media) != m.kind:
		w.fail("input_kind", at, "does not take the input's %s.", m.kind)
		return nil
	}
	return float64(-w.nth(m, a.Media == "any"))
}

// fillNested fills lists and objects within an argument.
func (w *stepBuilder) fillNested(given any, a *catalog.Argument, at string) any {
	switch v := given.(type) {
	case string:
		return w.fillValue(w.evaluate(v, at), a, at)
	case []any:
		var of *catalog.Argument
		if a != nil {
			of = a.Items
		}
		out := []any{}
		for i, e := range v {
			values := []any{nil}
			if text, ok := e.(string); ok {
				values = flat(w.evaluate(text, index(at, i))) // one, none, or a binding to a list
				for k, found := range values {
					values[k] = w.fillValue(found, of, index(at, i))
				}
			} else {
				values[0] = w.fillNested(e, of, index(at, i))
			}
			for _, got := range values {
				if got != nil {
					out = append(out, got)
				}
			}
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for _, name := range sortedKeys(v) {
			if got := w.fillNested(v[name], member(a, name), at+"."+shorten(name, 64)); got != nil {
				out[name] = got
			}
		}
		return out
	}
	return given
}

// fillValue gives an evaluated value the form that it must have inside an argument.
func (w *stepBuilder) fillValue(v any, a *catalog.Argument, at string) any {
	if isArtifact(v) {
		return w.artifactNumber(flat(v), a, at)
	}
	return w.fitValue(v, a, at)
}

// member is the field of an object argument, or nil where any value is allowed.
func member(a *catalog.Argument, name string) *catalog.Argument {
	if a == nil {
		return nil
	}
	for _, f := range a.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// artifactNumber addresses artifacts inside an argument by their numbers among all
// results of their kind, because a binding can only fill a whole argument.
func (w *stepBuilder) artifactNumber(list []any, a *catalog.Argument, at string) any {
	if len(list) != 1 {
		w.fail("artifact_kind", at, "takes one artifact, not %d: select one with items[<n>].", len(list))
		return nil
	}
	m := list[0].(plannedArtifact)
	kind := w.outputs[m.step].Kind
	switch {
	case a == nil || a.URL || a.Media != kind:
		w.fail("artifact_kind", at, "cannot be bound to the %s that the stage %q makes.", kind, m.from.id)
		return nil
	case !w.requires(m.from):
		w.fail("unsupported_condition", at, "takes the result of the stage %q, which may be missing, but this argument is required.", m.from.id)
		return nil
	}
	w.taken[m.from] = true
	n := m.artifact
	for _, o := range w.outputs[:m.step] {
		if o.Kind == kind {
			n += o.Count
		}
	}
	return float64(n)
}

// fitValue converts a value to the type of its argument. A text input "5" can fill a
// number, and the other way round.
func (w *stepBuilder) fitValue(v any, a *catalog.Argument, at string) any {
	list, isList := v.([]any)
	switch m, isMedium := v.(medium); {
	case v == nil:
		return nil
	case isMedium:
		v = w.address(m, a, at)
	case isList && (a == nil || a.IsArray()):
		var of *catalog.Argument
		if a != nil {
			of = a.Items
		}
		out := []any{}
		for _, e := range list {
			out = append(out, w.fitValue(e, of, at))
		}
		if !w.spend(16*len(out), at) {
			return nil
		}
		return out
	case isList && len(list) == 1:
		return w.fitValue(list[0], a, at)
	case isList && a.Type == "string":
		v = formatValue(v)
	case isList:
		w.fail("invalid_argument", at, "takes one value, not %d.", len(list))
		return nil
	case a != nil && a.IsArray() && isScalar(v):
		return []any{w.fitValue(v, a.Items, at)}
	}
	if s, ok := v.(string); ok && !w.spend(len(s), at) {
		return nil
	}
	if a == nil {
		return v
	}
	return convert(v, a.Type)
}

// convert reads a value as another type, where it is one.
func convert(v any, as string) any {
	s, isText := v.(string)
	switch as {
	case "string":
		if isScalar(v) && v != nil {
			return formatValue(v)
		}
	case "number", "integer":
		if f, err := strconv.ParseFloat(s, 64); isText && err == nil && strings.IndexByte("-0123456789", s[0]) >= 0 {
			return f
		}
	case "boolean":
		if s == "true" || s == "false" {
			return s == "true"
		}
	}
	return v
}

// isScalar reports whether a value is neither a list nor an object.
func isScalar(v any) bool {
	switch v.(type) {
	case string, float64, bool, nil:
		return true
	}
	return false
}
