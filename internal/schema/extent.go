package schema

import "strings"

// IsWithin reports whether the values of a schema that was decoded from JSON, with those that references repeat, are
// within a limit. References to references multiply: a few of them can take longer to check than anyone can wait. A
// schema has no bound if a reference in it leads back to itself, or where it leads is not known.
func IsWithin(document any, limit int) bool {
	m := measure{root: document, left: limit, open: map[string]bool{}}
	return m.add(document)
}

// measure is a measurement under way.
type measure struct {
	root any
	left int
	open map[string]bool // references that are being followed
}

// add counts a value. It reports false when it is too much.
func (m *measure) add(value any) bool {
	if m.left--; m.left < 0 {
		return false
	}
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if !m.add(item) {
				return false
			}
		}
	case map[string]any:
		for name, member := range v {
			if !m.addMember(name, member) {
				return false
			}
		}
	}
	return true
}

func (m *measure) addMember(name string, member any) bool {
	text, isText := member.(string)
	switch {
	case isText && name == "$ref":
		return m.follow(text)
	case isText && (name == "$dynamicRef" || name == "$recursiveRef" || name == "$id" || name == "id"):
		return false
	}
	return m.add(member)
}

// follow counts what a reference repeats.
func (m *measure) follow(reference string) bool {
	target, ok := m.find(reference)
	if !ok || m.open[reference] {
		return false
	}
	m.open[reference] = true
	defer delete(m.open, reference)
	return m.add(target)
}

// find finds the value that a reference such as #/$defs/town names.
func (m *measure) find(reference string) (value any, ok bool) {
	path, ok := strings.CutPrefix(reference, "#/")
	if !ok || strings.Contains(path, "%") {
		return nil, false
	}
	value = m.root
	for part := range strings.SplitSeq(path, "/") {
		object, _ := value.(map[string]any)
		if value, ok = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]; !ok {
			return nil, false
		}
	}
	return value, true
}
