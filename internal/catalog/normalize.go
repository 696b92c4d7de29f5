package catalog

import (
	"maps"
	"slices"
	"strconv"

	"github.com/atelier-project/atelier"
)

// normalize copies the caller's arguments into plain values under their own names. Null
// and the empty string count as absent, also for required arguments; aliases become the
// names they stand for; unknown names are refused.
func (t *Tool) normalize(args map[string]any) (map[string]any, error) {
	out := make(map[string]any, len(args)+4)
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if why, ok := t.Refused[name]; ok {
			return nil, atelier.Refuse("arguments."+name, "%s", why)
		}
		v := tidy(args[name])
		if v == nil || v == "" {
			continue
		}
		to := name
		if alias, ok := t.Aliases[name]; ok {
			if to = alias; args[alias] != nil {
				return nil, atelier.Refuse("arguments."+name, "is another name of %s; send only one of the two", alias)
			}
		}
		a, ok := t.byName[to]
		if !ok {
			return nil, t.unknown("arguments", name, nil)
		}
		out[to] = a.coerce(v)
	}
	return out, nil
}

// require reports the first required argument that is missing. A binding counts: it sets
// the argument when the step starts.
func (t *Tool) require(s *scope) error {
	for _, a := range t.Arguments {
		if a.Required && !s.isGiven(a.Name) {
			return atelier.Refuse("arguments."+a.Name, "is required for %s", t.Name)
		}
	}
	return nil
}

// fill sets every missing argument that has a default. Arguments with a binding are left
// alone.
func (t *Tool) fill(s *scope) {
	for _, a := range t.Arguments {
		if _, ok := s.args[a.Name]; !ok && a.Default != nil && s.bound[a.Name] == 0 {
			s.args[a.Name] = a.Default
		}
	}
}

// tidy copies a decoded JSON value, turning every number into a float64 and
// leaving out object members that are null.
func tidy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			if e = tidy(e); e != nil {
				m[k] = e
			}
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = tidy(e)
		}
		return l
	case []string:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = e
		}
		return l
	case int:
		return float64(v)
	case int64:
		return float64(v)
	}
	return v
}

func index(name string, i int) string { return name + "[" + strconv.Itoa(i) + "]" }
