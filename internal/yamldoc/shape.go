package yamldoc

import (
	"reflect"
	"strings"
	"sync"
)

// Line, as the type of a struct field, receives the line on which the mapping of the
// struct begins, so that a caller can report a later mistake with its line. The field
// needs no tag.
type Line int

// shape holds the field of each key of a struct type, and its Line fields.
type shape struct {
	fields map[string][]int
	lines  []int
}

var shapes sync.Map // reflect.Type -> *shape

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := &shape{fields: make(map[string][]int)}
	s.add(t, nil)
	shapes.Store(t, s)
	return s
}

func (s *shape) add(t reflect.Type, prefix []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == lineType {
			if prefix == nil && f.IsExported() {
				s.lines = append(s.lines, i)
			}
			continue
		}
		tag, ok := f.Tag.Lookup("yaml")
		if !ok || tag == "-" {
			continue
		}
		index := append(append([]int(nil), prefix...), i)
		name, opts, _ := strings.Cut(tag, ",")
		if opts == "inline" {
			s.add(f.Type, index)
			continue
		}
		s.fields[name] = index
	}
}
