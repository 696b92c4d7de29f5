package catalog

import (
	"slices"

	"github.com/atelier-project/atelier"
)

// Facts is what the caller of Step knows beyond the arguments. With the zero value,
// nothing is refused for missing facts.
type Facts struct {
	// Bound names the arguments that bindings will fill when the step starts,
	// once for each binding.
	Bound []string
	// Uploaded counts the request's own media, which negative indices address; Generated
	// counts the results of earlier steps, which the others address. Nil means unknown.
	Uploaded  *Counts
	Generated *Counts
	// Sources has what is known about the media of each argument, in order, and a zero
	// Source where nothing is.
	Sources map[string][]Source
}

// Source has the known facts about one piece of media; zero fields are unknown.
type Source struct {
	Seconds       float64
	Width, Height int
}

// Need is media that a tool requires. When no argument addresses any, the first upload is
// used, or else the newest result.
type Need struct {
	Kind     Kind     `yaml:"kind"`
	Argument string   `yaml:"argument"`
	Unless   []string `yaml:"unless"`
	Work     string   `yaml:"work"` // what the tool does with it, for the error message
}

// supply addresses required media that no argument addresses.
func (t *Tool) supply(s *scope, f Facts) error {
	for _, n := range t.Needs {
		if s.isGiven(n.Argument) || anyGiven(n.Unless, s) {
			continue
		}
		switch {
		case f.Uploaded != nil && f.Uploaded.Of(n.Kind) > 0:
			t.point(s, n.Argument, -1)
		case f.Generated != nil && f.Generated.Of(n.Kind) > 0:
			t.point(s, n.Argument, f.Generated.Of(n.Kind)-1)
		case f.Uploaded != nil && f.Generated != nil:
			return atelier.Refuse("arguments."+n.Argument,
				"is required: %s works on %s; bind one with dependsOn, or send one in media_references and pass -1", t.Name, n.Work)
		default:
			// It is unknown what media there is; the render will find it.
			s.assumed = append(s.assumed, n.Argument)
		}
	}
	return nil
}

func (t *Tool) point(s *scope, name string, i int) {
	if a := t.byName[name]; a.IsArray() {
		s.args[name] = []any{float64(i)}
	} else {
		s.args[name] = float64(i)
	}
}

func anyGiven(names []string, s *scope) bool {
	for _, n := range names {
		if s.isGiven(n) {
			return true
		}
	}
	return false
}

// count adds up the media of one render, and checks every index.
func (t *Tool) count(s *scope, f Facts) (Counts, error) {
	var c Counts
	for _, a := range t.Arguments {
		inner := a.nested()
		if a.Media == "" && inner == nil {
			continue
		}
		n := s.bound[a.Name]
		if slices.Contains(s.assumed, a.Name) {
			n++
		}
		switch v := s.args[a.Name].(type) {
		case []any:
			n += len(v)
			for i, e := range v {
				field := "arguments." + index(a.Name, i)
				kind := a.Media
				if m, ok := e.(map[string]any); ok && inner != nil {
					e, kind, field = m[inner.Name], inner.Media, field+"."+inner.Name
				}
				if err := f.check(field, kind, e); err != nil {
					return c, err
				}
			}
		case nil:
		default:
			n++
			if err := f.check("arguments."+a.Name, a.Media, v); err != nil {
				return c, err
			}
		}
		if a.FanOut || !a.IsArray() {
			n = min(n, 1)
		}
		switch {
		case a.Aside:
		case inner != nil:
			c.Add(inner.Media, n)
		default:
			c.Add(a.Media, n)
		}
	}
	return c, nil
}

// check refuses an index that addresses nothing.
func (f Facts) check(field string, k Kind, v any) error {
	i, ok := v.(float64)
	if !ok || k == "any" {
		return nil
	}
	if i < 0 {
		if f.Uploaded != nil && -i > float64(f.Uploaded.Of(k)) {
			return atelier.Refuse(field, "is %s, but media_references has %s", formatNumber(i), k.count(f.Uploaded.Of(k)))
		}
		return nil
	}
	if f.Generated != nil && i >= float64(f.Generated.Of(k)) {
		return atelier.Refuse(field, "is %s, but the steps before this one make %s; indices start at 0, and -1 is the first in media_references",
			formatNumber(i), k.count(f.Generated.Of(k)))
	}
	return nil
}
