package yamldoc

import (
	"encoding"
	"iter"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Scalars visits every scalar that the struct dst points to can take by a fixed path, such
// as limits.active_workflows, in the order of its fields. Lists and maps have no fixed
// paths and are skipped. Calling set decodes text as the document would, so that a value
// from elsewhere, such as an environment variable, obeys the same rules.
func Scalars(dst any) iter.Seq2[string, func(text string) error] {
	return func(yield func(string, func(string) error) bool) {
		walk(reflect.ValueOf(dst).Elem(), "", yield)
	}
}

func walk(v reflect.Value, path string, yield func(string, func(string) error) bool) bool {
	if !isScalar(v) {
		if v.Kind() != reflect.Struct || v.Type() == rawType {
			return true
		}
		t := v.Type()
		for i := range t.NumField() {
			tag, ok := t.Field(i).Tag.Lookup("yaml")
			if !ok || tag == "-" {
				continue
			}
			p := path
			if tag != ",inline" {
				p = strings.TrimPrefix(path+"."+tag, ".")
			}
			if !walk(v.Field(i), p, yield) {
				return false
			}
		}
		return true
	}
	return yield(path, func(text string) error {
		n := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
		n.Tag = "!!str"
		if v.Kind() != reflect.String {
			n.Tag = (&yaml.Node{Kind: yaml.ScalarNode, Value: text}).ShortTag()
		}
		if err := (decoder{}).concrete(n, v); err != nil {
			return prefixPath(path, err)
		}
		return nil
	})
}

func isScalar(v reflect.Value) bool {
	if _, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return true
	}
	switch v.Kind() {
	case reflect.String, reflect.Bool, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return v.Type() != lineType
	}
	return v.Type() == reflect.TypeFor[time.Duration]()
}
