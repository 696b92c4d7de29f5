package yamldoc

import (
	"reflect"

	"go.yaml.in/yaml/v3"
)

// Raw is a part of a document that is decoded later, or more than once: an entry that
// first names its base, and is then decoded on top of it. Mistakes in it are reported with
// their place in the whole document.
type Raw struct {
	d    decoder
	node *yaml.Node
}

// Decode reads the part into dst as the package function does.
func (r Raw) Decode(dst any) error {
	if err := r.d.value(r.node, reflect.ValueOf(dst).Elem()); err != nil {
		return r.placed(err)
	}
	return nil
}

// Text returns the scalar under key when the part is a mapping that has it.
func (r Raw) Text(key string) string {
	if _, val := r.pair(key); val != nil {
		return val.Value
	}
	return ""
}

// Fail makes an Error at key of the part, or at the part itself when key is
// empty or absent.
func (r Raw) Fail(key, problem string) error {
	e := &Error{Name: r.d.name, Path: key, Problem: problem}
	if r.node == nil {
		return e
	}
	e.Line = r.node.Line
	if k, _ := r.pair(key); k != nil {
		e.Line = k.Line
	}
	return r.placed(e)
}

func (r Raw) pair(key string) (k, val *yaml.Node) {
	if r.node == nil || r.node.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i < len(r.node.Content); i += 2 {
		if r.node.Content[i].Value == key {
			return r.node.Content[i], r.node.Content[i+1]
		}
	}
	return nil, nil
}

// placed completes the path of an error with the part's own path.
func (r Raw) placed(err error) error {
	parts, _ := pathTo(r.d.root, r.node)
	for _, part := range parts {
		err = prefixPath(part, err)
	}
	return err
}

// pathTo returns the keys and indices that lead from a node to one below it, innermost
// first.
func pathTo(from, to *yaml.Node) ([]string, bool) {
	if from == to {
		return nil, true
	}
	step := 1
	if from.Kind == yaml.MappingNode {
		step = 2
	}
	for i := step - 1; i < len(from.Content); i += step {
		if parts, ok := pathTo(from.Content[i], to); ok {
			if step == 2 {
				return append(parts, from.Content[i-1].Value), true
			}
			return append(parts, bracket(i)), true
		}
	}
	return nil, false
}
