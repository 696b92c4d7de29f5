package wire

import (
	"fmt"
	"net/http"
	"reflect"
	"sync"

	"github.com/atelier-project/atelier"
)

// Shape is the compiled declaration of one request type with one name policy. It is safe
// for concurrent use.
type Shape struct {
	typ    reflect.Type
	policy NamePolicy
	fields []*field
	names  map[string]*field // every accepted spelling
	camels map[string]string // with Lenient: refused spelling to the right one
	extra  *field

	example string // a valid value in JSON, or empty
}

// Exampled is a request, or an object inside one, with a valid example: for the OpenAPI
// document, and for callers that send another shape.
type Exampled interface{ WireExample() string }

// Example is a valid value of the shape in JSON, or empty.
func (s *Shape) Example() string { return s.example }

// field is one declared field of a shape.
type field struct {
	tag
	index []int
	pos   int // position in Shape.fields
	codec codec
	typ   reflect.Type
}

type shapeKey struct {
	typ    reflect.Type
	policy NamePolicy
}

var (
	shapes    sync.Map // shapeKey to *Shape: those that are complete
	compiling sync.Mutex
	pending   map[shapeKey]*Shape // those in progress, for recursive types
)

// ShapeOf compiles the declaration of a struct type. A wrong declaration
// panics: it is a mistake in our own source.
func ShapeOf(t reflect.Type, m NamePolicy) *Shape {
	if s, ok := shapes.Load(shapeKey{t, m}); ok {
		return s.(*Shape)
	}
	compiling.Lock()
	defer compiling.Unlock()
	pending = map[shapeKey]*Shape{}
	s := shapeOf(t, m)
	for key, done := range pending {
		shapes.Store(key, done)
	}
	return s
}

// shapeOf is ShapeOf during compilation.
func shapeOf(t reflect.Type, m NamePolicy) *Shape {
	key := shapeKey{t, m}
	if s, ok := shapes.Load(key); ok {
		return s.(*Shape)
	}
	if s, ok := pending[key]; ok {
		return s
	}
	s := &Shape{typ: t, policy: m, names: map[string]*field{}, camels: map[string]string{}}
	if e, ok := reflect.Zero(t).Interface().(Exampled); ok {
		s.example = e.WireExample()
	}
	pending[key] = s
	s.compile(t, nil)
	return s
}

// Type is the struct type the shape was compiled from.
func (s *Shape) Type() reflect.Type { return s.typ }

// Empty reports whether the type declares no field at all.
func (s *Shape) Empty() bool { return len(s.fields) == 0 && s.extra == nil }

func (s *Shape) compile(t reflect.Type, above []int) {
	for i := range t.NumField() {
		sf := t.Field(i)
		index := append(append([]int(nil), above...), i)
		if sf.Anonymous && sf.Tag.Get("wire") == "" {
			s.compile(sf.Type, index)
			continue
		}
		tg, ok := parseTag(sf)
		if !ok {
			continue
		}
		f := &field{tag: tg, index: index, typ: sf.Type}
		if f.extra {
			s.extra = f
			continue
		}
		nested := s.policy
		if f.hasPolicy {
			nested = f.policy
		}
		f.codec = codecOf(sf.Type, &f.tag, nested)
		f.pos = len(s.fields)
		s.fields = append(s.fields, f)
		for _, name := range append([]string{f.name}, f.aliases...) {
			s.accept(name, f)
			switch s.policy {
			case AnyCase:
				s.accept(camel(name), f)
				s.accept(snake(name), f)
			case Lenient:
				if c := camel(name); c != name {
					s.camels[c] = name
				}
			}
		}
	}
	for name := range s.names {
		delete(s.camels, name)
	}
}

func (s *Shape) accept(name string, f *field) {
	if other, ok := s.names[name]; ok && other != f {
		panic(fmt.Sprintf("wire: %v: two fields are called %q", s.typ, name))
	}
	s.names[name] = f
}

// finish sets the defaults of missing fields and checks that required ones are there.
// given says, by position, which fields the request had.
func (s *Shape) finish(v reflect.Value, given []bool, h http.Header, p *path) error {
	for i, f := range s.fields {
		if given[i] {
			continue
		}
		at := p.member(f.name)
		if f.header != "" && h != nil {
			if text := h.Get(f.header); text != "" {
				if err := f.codec.fromText(v.FieldByIndex(f.index), []string{text}, &at); err != nil {
					return err
				}
				continue
			}
		}
		if f.required {
			return at.refuse("is required%s", s.exampleHint())
		}
		if f.def != nil {
			if err := f.codec.fromText(v.FieldByIndex(f.index), []string{*f.def}, &at); err != nil {
				panic(fmt.Sprintf("wire: %v: default of %q: %v", s.typ, f.name, err))
			}
			continue
		}
		// A nested object left out still has its defaults.
		if nested := f.codec.shape; nested != nil && f.typ.Kind() == reflect.Struct && !nested.anyRequired() {
			if err := nested.finish(v.FieldByIndex(f.index), make([]bool, len(nested.fields)), nil, &at); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Shape) anyRequired() bool {
	for _, f := range s.fields {
		if f.required {
			return true
		}
	}
	return false
}

// unknown handles a name that no field declares: nil when it is allowed.
func (s *Shape) unknown(name string, p *path) error {
	at := p.member(name)
	if s.policy != Lenient {
		known := make([]string, len(s.fields))
		for i, f := range s.fields {
			known[i] = f.name
		}
		return at.refuse("is not a field of this request%s%s", atelier.DidYouMean(name, known), s.exampleHint())
	}
	if right, ok := s.camels[name]; ok {
		return at.refuse("is not accepted: write it as %q", right)
	}
	return nil
}

// exampleHint ends the refusal of a wrong shape with a valid one.
func (s *Shape) exampleHint() string {
	if s.example == "" {
		return ""
	}
	return ": send an object like " + s.example
}

func (s *Shape) check(dst any) reflect.Value {
	v := reflect.ValueOf(dst)
	if v.Kind() != reflect.Pointer || v.Elem().Type() != s.typ {
		panic(fmt.Sprintf("wire: have a shape of %v, was given a %T", s.typ, dst))
	}
	return v.Elem()
}
