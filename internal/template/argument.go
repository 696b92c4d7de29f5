package template

import (
	"math"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// fillArgument fills one argument of the step: with plain values, and with bindings to
// artifacts that do not exist yet.
func (w *stepBuilder) fillArgument(name string, given any) {
	a, _ := w.stage.tool.Argument(name)
	at := w.stage.argsAt + "." + name
	var v any
	switch list, isList := given.([]any); {
	case isList && a.Media != "":
		var found []any
		for i, e := range list {
			found = append(found, flat(w.evaluate(e, index(at, i)))...)
		}
		v = found
	default:
		if text, ok := given.(string); ok {
			v = w.evaluate(text, at)
		} else {
			v = w.fillNested(given, a, at)
		}
	}
	switch {
	case a.Media != "" && a.IsArray():
		w.fillMediaList(a, flat(v), name, at)
		return
	case isArtifact(v):
		list := flat(v)
		if len(list) != 1 {
			w.fail("artifact_kind", at, "takes one artifact, not %d: select one with items[<n>].", len(list))
			return
		}
		w.bind(a, list[0].(plannedArtifact), at)
		return
	}
	if v = w.fitValue(v, a, at); v != nil {
		w.args[name] = v
	}
}

// flat returns a value as a list: nil as an empty one, and nested lists flattened.
func flat(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		var out []any
		for _, e := range v {
			out = append(out, flat(e)...)
		}
		return out
	}
	return []any{v}
}

func isArtifact(v any) bool {
	list := flat(v)
	if len(list) == 0 {
		return false
	}
	_, ok := list[0].(plannedArtifact)
	return ok
}

// evaluate returns the value of what the author wrote, before it is known which
// argument takes it: for a binding, what it is bound to; for a text with bindings,
// the whole text.
func (w *stepBuilder) evaluate(given any, at string) any {
	s, ok := given.(string)
	if !ok {
		return given
	}
	if !w.spend(0, at) {
		return nil
	}
	parts := parse(s, w.exists)
	if ref, ok := whole(parts); ok {
		return w.resolve(ref, at)
	}
	var b strings.Builder
	for _, p := range parts {
		piece := p.text
		if p.ref != nil {
			v := w.resolve(*p.ref, at)
			if isArtifact(v) {
				w.fail("artifact_in_text", at, "has an artifact inside a longer text, but the artifact does not exist yet: bind it alone.")
			}
			piece = formatValue(v)
		}
		if !w.spend(len(piece), at) {
			return nil
		}
		b.WriteString(piece)
	}
	return b.String()
}

// spend counts how much the plan grows, and refuses one that is too large.
func (w *stepBuilder) spend(n int, at string) bool {
	if w.budget -= n; w.budget < 0 {
		w.fail("too_large", at, "grows beyond %d bytes with these inputs.", maxPlan)
		return false
	}
	return true
}

// resolve returns the value of a reference, or nil where it has none.
func (w *stepBuilder) resolve(r reference, at string) any {
	n := r.number
	if r.byItem {
		n = w.item
	}
	switch r.root {
	case "item":
		if r.name == "index" {
			return float64(w.item)
		}
		return w.value
	case "inputs":
		v := w.values[r.name]
		if list, ok := v.([]any); ok && n != all {
			if n >= len(list) {
				return nil
			}
			return list[n]
		}
		return v
	}
	maker := w.compiler.maker(r.name)
	switch {
	case maker == nil && w.isOptional(w.owner, r.name):
		return nil
	case maker == nil:
		w.fail("artifact_missing", at, "takes the artifact %q, whose stage is left out with these inputs.", r.name)
		return nil
	case w.invalid[maker]:
		w.broken = true
		return nil
	}
	list := w.artifacts[maker]
	if n != all {
		if n >= len(list) {
			w.fail("artifact_out_of_range", at, "is %s, but the stage %q makes %d with these inputs.", r, maker.id, len(list))
			return nil
		}
		return list[n]
	}
	out := []any{}
	for _, m := range list {
		out = append(out, m)
	}
	return out
}

// fillMediaList fills an argument that takes a list of media. With an artifact among them
// all are bound, because bindings append to the list.
func (w *stepBuilder) fillMediaList(a *catalog.Argument, list []any, name, at string) {
	bound := false
	for _, v := range list {
		_, ok := v.(plannedArtifact)
		bound = bound || ok
	}
	if !bound {
		var out []any
		for _, v := range list {
			if m, ok := v.(medium); ok {
				v = w.address(m, a, at)
			}
			out = append(out, convert(v, "number"))
		}
		if out != nil && w.spend(16*len(out), at) {
			w.args[name] = out
		}
		return
	}
	for _, v := range list {
		if w.broken {
			return
		}
		switch v := v.(type) {
		case plannedArtifact:
			w.bind(a, v, at)
		case medium:
			w.bindMedia(a, w.nth(v, false)-1, v.kind, at)
		default:
			n, ok := convert(v, "number").(float64)
			if !ok || n >= 0 || n != math.Trunc(n) || -n > float64(w.uploaded.Of(a.Media)) {
				w.fail("invalid_argument", at, "mixes artifacts with numbers: bind every result and every input by its name.")
				return
			}
			w.bindMedia(a, int(-n)-1, string(a.Media), at)
		}
	}
}

// bindMedia binds one of the request's media.
func (w *stepBuilder) bindMedia(a *catalog.Argument, n int, kind, at string) {
	transform, ok := fitting(a, catalog.Kind(kind))
	if !ok {
		w.fail("artifact_kind", at, "takes no %s.", kind)
		return
	}
	w.fill(a, atelier.Binding{SourceStepID: atelier.InputMedia, SourceArtifactIndex: n, TargetArgument: a.Name, Transform: transform, MediaType: kind, Required: true}, at)
}
