package catalog

import (
	"fmt"
	"slices"

	"github.com/atelier-project/atelier/internal/yamldoc"
)

// gather makes the entries of one section from every document, in order. A new entry is
// decoded on top of its bases, a known one on top of itself: that is the whole merge.
func gather[T any](l *loader, key string, section func(*document) []yamldoc.Raw) ([]*T, error) {
	var list []*T
	known := make(map[string]*T)
	for _, d := range l.docs {
		seen := make(map[string]bool)
		for _, raw := range section(d) {
			id := raw.Text(key)
			if id == "" {
				return nil, raw.Fail(key, "must name the entry")
			}
			if seen[id] {
				return nil, raw.Fail(key, fmt.Sprintf("%s is written twice in this file", id))
			}
			seen[id] = true
			e, ok := known[id]
			if raw.Text("removed") == "true" {
				if !ok {
					return nil, raw.Fail("removed", fmt.Sprintf("%s is not in the catalog", id))
				}
				delete(known, id)
				l.removed[id] = true
				list = slices.DeleteFunc(list, func(x *T) bool { return x == e })
				continue
			}
			if !ok {
				e = new(T)
				if err := l.base(e, raw, 0); err != nil {
					return nil, err
				}
				known[id] = e
				list = append(list, e)
			}
			if err := raw.Decode(e); err != nil {
				return nil, err
			}
			l.at[e] = raw
		}
	}
	return list, nil
}

// base decodes the chain of partial entries that an entry names.
func (l *loader) base(dst any, raw yamldoc.Raw, depth int) error {
	name := raw.Text("base")
	if name == "" {
		return nil
	}
	from, ok := l.bases[name]
	if !ok {
		return raw.Fail("base", fmt.Sprintf("%s is not among the bases", name))
	}
	if depth > 8 {
		return raw.Fail("base", "bases refer to each other in a circle")
	}
	if err := l.base(dst, from, depth+1); err != nil {
		return err
	}
	return from.Decode(dst)
}
