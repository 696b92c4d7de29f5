package yamldoc

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Decode reads the one document in data into dst, which must be a pointer.
// Struct fields are matched by their `yaml:"name"` tag; a field without a tag
// is never set. `yaml:",inline"` takes the keys of an embedded struct as its
// parent's own.
//
// Structs and maps are merged into what dst already holds; every other value,
// slices included, is replaced. A type with UnmarshalText is handed the text
// of a scalar as it was written, quoted or bare, so 0.10 never becomes a
// float. A string takes the text of a number too. An interface receives what
// encoding/json would give: map[string]any, []any, string, float64, bool, nil.
//
// The first mistake found is returned as an *Error.
func Decode(name string, data []byte, dst any) error {
	root, err := parse(name, data)
	if err != nil || root == nil {
		return err
	}
	v := reflect.ValueOf(dst)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		panic(fmt.Sprintf("yamldoc: Decode into %T, want a pointer", dst))
	}
	return decoder{name, root}.value(root, v.Elem())
}

// parse returns the root node of the only document, or nil for an empty one.
func parse(name string, data []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, rest yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, syntax(name, err)
	}
	switch err := dec.Decode(&rest); {
	case err == nil:
		return nil, &Error{Name: name, Line: rest.Line, Problem: "must hold one document, found a second"}
	case !errors.Is(err, io.EOF):
		return nil, syntax(name, err)
	}
	return doc.Content[0], nil
}

var syntaxLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// syntax turns the library's text, "yaml: line 3: did not find …", into ours.
func syntax(name string, err error) error {
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	line := 0
	if m := syntaxLine.FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		line, _ = strconv.Atoi(m[1])
	}
	return &Error{Name: name, Line: line, Problem: text, Cause: err}
}

// decoder reads the nodes of one document. It does not track the path on the way down: an
// error collects it on the way back up, so that a correct document does not pay for it.
type decoder struct {
	name string
	root *yaml.Node
}

func (d decoder) fail(n *yaml.Node, format string, args ...any) error {
	return &Error{Name: d.name, Line: n.Line, Problem: fmt.Sprintf(format, args...)}
}

// prefixPath prefixes the path of an error with a key or an index.
func prefixPath(part string, err error) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	if e.Path != "" && !strings.HasPrefix(e.Path, "[") {
		part += "."
	}
	e.Path = part + e.Path
	return e
}

func bracket(i int) string { return "[" + strconv.Itoa(i) + "]" }

var (
	durationType = reflect.TypeFor[time.Duration]()
	rawType      = reflect.TypeFor[Raw]()
	lineType     = reflect.TypeFor[Line]()
)

func (d decoder) value(n *yaml.Node, v reflect.Value) error {
	if n.Kind == yaml.AliasNode {
		return d.fail(n, "must be written out: YAML aliases are not supported")
	}
	if v.Type() == rawType {
		v.Set(reflect.ValueOf(Raw{d, n}))
		return nil
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		if k := v.Kind(); k == reflect.Pointer || k == reflect.Interface {
			v.SetZero()
		}
		return nil
	}
	if v.Kind() == reflect.Pointer {
		// The target of the pointer may be shared with the value this one was copied from,
		// so it is merged into a copy.
		c := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			c.Elem().Set(v.Elem())
		}
		v.Set(c)
		return d.value(n, c.Elem())
	}
	return d.concrete(n, v)
}

func (d decoder) concrete(n *yaml.Node, v reflect.Value) error {
	if v.Type() == durationType {
		return d.duration(n, v)
	}
	if n.Kind == yaml.ScalarNode && v.CanAddr() {
		if t, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
			if err := t.UnmarshalText([]byte(n.Value)); err != nil {
				return &Error{Name: d.name, Line: n.Line, Problem: err.Error(), Cause: err}
			}
			return nil
		}
	}
	switch v.Kind() {
	case reflect.Struct:
		return d.structure(n, v)
	case reflect.Map:
		return d.mapping(n, v)
	case reflect.Slice:
		return d.slice(n, v)
	case reflect.Interface:
		x, err := d.free(n)
		if err == nil && x != nil {
			v.Set(reflect.ValueOf(x))
		}
		return err
	}
	return d.scalar(n, v)
}

func (d decoder) structure(n *yaml.Node, v reflect.Value) error {
	if n.Kind != yaml.MappingNode {
		return d.fail(n, "must be a mapping of keys to values")
	}
	s := shapeOf(v.Type())
	for _, i := range s.lines {
		v.Field(i).SetInt(int64(n.Line))
	}
	return d.pairs(n, func(key, val *yaml.Node) error {
		index, ok := s.fields[key.Value]
		if !ok {
			return d.fail(key, UnknownKey)
		}
		return d.value(val, v.FieldByIndex(index))
	})
}

func (d decoder) mapping(n *yaml.Node, v reflect.Value) error {
	if n.Kind != yaml.MappingNode {
		return d.fail(n, "must be a mapping of keys to values")
	}
	t := v.Type()
	m := reflect.MakeMapWithSize(t, len(n.Content)/2)
	for it := v.MapRange(); it.Next(); {
		m.SetMapIndex(it.Key(), it.Value())
	}
	err := d.pairs(n, func(key, val *yaml.Node) error {
		k := reflect.New(t.Key()).Elem()
		if err := d.concrete(key, k); err != nil {
			return err
		}
		e := reflect.New(t.Elem()).Elem()
		if old := m.MapIndex(k); old.IsValid() {
			e.Set(old)
		}
		if err := d.value(val, e); err != nil {
			return err
		}
		m.SetMapIndex(k, e)
		return nil
	})
	v.Set(m)
	return err
}

// pairs calls a function for each key of a mapping, and refuses duplicate keys.
func (d decoder) pairs(n *yaml.Node, visit func(key, val *yaml.Node) error) error {
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return d.fail(key, "must have plain keys")
		}
		for j := 0; j < i; j += 2 {
			if n.Content[j].Value == key.Value {
				return prefixPath(key.Value, d.fail(key, "is written twice, first on line %d", n.Content[j].Line))
			}
		}
		if err := visit(key, n.Content[i+1]); err != nil {
			return prefixPath(key.Value, err)
		}
	}
	return nil
}

func (d decoder) slice(n *yaml.Node, v reflect.Value) error {
	if n.Kind != yaml.SequenceNode {
		return d.fail(n, "must be a list")
	}
	s := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		if err := d.value(item, s.Index(i)); err != nil {
			return prefixPath(bracket(i), err)
		}
	}
	v.Set(s)
	return nil
}
