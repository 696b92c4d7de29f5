package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/atelier-project/atelier/internal/schema"
	"github.com/atelier-project/atelier/internal/wire"
)

// Function is a tool as chat models see it: the content of a function tool.
type Function struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Parameters  wire.Raw `json:"parameters"`
}

// Function returns the tool's name, description and argument schema.
func (t *Tool) Function() Function {
	return Function{Name: t.Name, Description: t.Description, Parameters: t.function()}
}

// CompactFunction returns the tool for models with a short context: a brief description,
// and only the necessary arguments.
func (t *Tool) CompactFunction() Function {
	return Function{Name: t.Name, Description: cmp.Or(t.Brief, t.Description), Parameters: t.compact()}
}

// prepare makes the schemas on first use: a start does not pay for forty of them, and most
// nodes never need them all.
func (t *Tool) prepare() {
	t.function = sync.OnceValue(func() wire.Raw {
		s := offer(t.Arguments)
		if a := t.Models.Argument; a != "" && len(t.offered) > 0 {
			s["properties"].(map[string]any)[a].(map[string]any)["enum"] = t.offered
		}
		return t.marshal(s)
	})
	t.compact = sync.OnceValue(func() wire.Raw {
		return t.marshal(outline(t.Arguments, func(a *Argument) bool {
			return a.Required || t.isNeeded(a.Name) || slices.Contains(t.Main, a.Name)
		}))
	})
	t.compiled = sync.OnceValues(func() (*schema.Schema, error) {
		s := t.schema()
		// Required arguments are checked before: one may be bound later, and
		// an empty one does not count.
		delete(s, "required")
		// The range of the length is checked with the model: one that clamps accepts any.
		if seconds, ok := s["properties"].(map[string]any)[t.Length.Argument].(map[string]any); ok {
			delete(seconds, "minimum")
			delete(seconds, "maximum")
		}
		return schema.Compile(s)
	})
}

func (t *Tool) marshal(schema map[string]any) wire.Raw {
	b, err := wire.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("catalog: schema of %s: %v", t.Name, err))
	}
	return b
}

// isNeeded reports whether the tool works on the media of an argument.
func (t *Tool) isNeeded(name string) bool {
	return slices.ContainsFunc(t.Needs, func(n Need) bool { return n.Argument == name })
}

// offer is a schema of arguments for chat models: further rules are left to the error
// message.
func offer(arguments []*Argument) map[string]any {
	props := make(map[string]any, len(arguments))
	var required []string
	for _, a := range arguments {
		if a.Advanced && !a.Required {
			continue
		}
		props[a.Name] = a.offer()
		if a.Required {
			required = append(required, a.Name)
		}
	}
	s := map[string]any{"type": "object", "properties": props}
	if required != nil {
		s["required"] = required
	}
	return s
}

func (a *Argument) offer() map[string]any {
	s := map[string]any{"type": a.Type}
	if a.Type == "object" && !a.Open {
		s = offer(a.Fields)
	}
	if a.Text != "" && !a.Obvious {
		s["description"] = a.Text
	}
	if a.Enum != nil {
		s["enum"] = a.Enum
	}
	if a.Items != nil {
		s["items"] = a.Items.offer()
	}
	// A limit on one side alone, such as a minimum width of one, tells a model nothing
	// new.
	if a.Min != nil && a.Max != nil && !a.Obvious {
		s["minimum"], s["maximum"] = *a.Min, *a.Max
	}
	return s
}

// outlined is how many values a compact schema lists. Of more it lists none: a wrong value
// is refused with all of them.
const outlined = 9

// outline is the shortest schema of an argument: its type, and its values where
// they are few.
func (a *Argument) outline() map[string]any {
	s := map[string]any{"type": a.Type}
	switch {
	case a.Type == "object" && !a.Open:
		s = outline(a.Fields, func(f *Argument) bool { return f.Required || !f.Advanced && f.Enum == nil })
	case a.Items != nil:
		s["items"] = a.Items.outline()
	case a.Enum != nil && len(a.Enum) <= outlined:
		s["enum"] = a.Enum
	}
	return s
}

// outline is the shortest schema of an object with some of its fields.
func outline(fields []*Argument, has func(*Argument) bool) map[string]any {
	props := map[string]any{}
	var required []string
	for _, f := range fields {
		if f.Required {
			required = append(required, f.Name)
		}
		if has(f) {
			props[f.Name] = f.outline()
		}
	}
	s := map[string]any{"type": "object", "properties": props}
	if required != nil {
		s["required"] = required
	}
	return s
}

// schema is the closed schema of the tool's arguments.
func (t *Tool) schema() map[string]any {
	s := map[string]any{"type": "object"}
	closed(s, t.Arguments)
	return s
}

// ReferenceSchema is the schema of the arguments for people who write requests. It lists
// other spellings, and requires nothing: a binding can set any argument.
func (t *Tool) ReferenceSchema() map[string]any {
	props := make(map[string]any, len(t.Arguments))
	for _, a := range forPeople(t.Arguments) {
		s := a.schema()
		if a.Required {
			s["description"] = strings.TrimSpace(a.Text + " Required, unless a binding sets it.")
		}
		if a.Name == t.Models.Argument {
			selectors := []any{}
			for _, one := range t.offered {
				selectors = append(selectors, one)
			}
			s["examples"] = selectors
		}
		props[a.Name] = s
	}
	for other, name := range t.Aliases {
		props[other] = map[string]any{"allOf": []any{props[name]}, "description": "Another spelling of `" + name + "`."}
	}
	s := map[string]any{"type": "object", "description": t.Description, "properties": props, "additionalProperties": false}
	if t.Example != nil {
		s["examples"] = []any{t.Example}
	}
	return s
}
