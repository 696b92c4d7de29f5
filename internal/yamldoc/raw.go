package yamldoc

import (
	"reflect"

	"go.yaml.in/yaml/v3"
)

// Raw is a part of a document that is decoded later, or more than once: an
// entry that first names what it is based on, and is then decoded on top of
// that. Mistakes in it are told with their place in the whole document.
type Raw struct {
	node *yaml.Node
	name string
	path string
}

// Decode reads the part into dst as the package function does.
func (r Raw) Decode(dst any) error {
	return decoder{r.name}.value(r.node, reflect.ValueOf(dst).Elem(), r.path)
}

// Text returns the scalar under key when the part is a mapping that has it.
func (r Raw) Text(key string) string {
	if r.node == nil || r.node.Kind != yaml.MappingNode {
		return ""
	}
	for i := 0; i < len(r.node.Content); i += 2 {
		if r.node.Content[i].Value == key {
			return r.node.Content[i+1].Value
		}
	}
	return ""
}

// Fail makes an Error at key of the part, or at the part itself when key is
// empty or absent.
func (r Raw) Fail(key, problem string) error {
	e := &Error{Name: r.name, Path: r.path, Problem: problem}
	if key != "" {
		e.Path = join(r.path, key)
	}
	if r.node == nil {
		return e
	}
	e.Line = r.node.Line
	if r.node.Kind == yaml.MappingNode {
		for i := 0; i < len(r.node.Content); i += 2 {
			if r.node.Content[i].Value == key {
				e.Line = r.node.Content[i].Line
			}
		}
	}
	return e
}
