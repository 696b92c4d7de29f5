package yamldoc

import (
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

func (d decoder) scalar(n *yaml.Node, v reflect.Value) error {
	wrong := func(want string) error { return d.fail(n, "must be %s", want) }
	switch v.Kind() {
	case reflect.String:
		// A bare number is taken as it is written: a key, an id or a version
		// such as 1.10 is text to its author even without quotes.
		switch n.Tag {
		case "!!str", "!!int", "!!float", "!!timestamp":
			v.SetString(n.Value)
			return nil
		}
		return wrong("a string")
	case reflect.Bool:
		if n.Tag != "!!bool" {
			return wrong("true or false")
		}
		v.SetBool(strings.EqualFold(n.Value, "true"))
		return nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if n.Tag != "!!int" {
			return wrong("a whole number")
		}
		i, err := strconv.ParseInt(n.Value, 0, v.Type().Bits())
		if err != nil {
			return d.badInt(n, err)
		}
		v.SetInt(i)
		return nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if n.Tag != "!!int" || strings.HasPrefix(n.Value, "-") {
			return wrong("a whole number of at least 0")
		}
		u, err := strconv.ParseUint(n.Value, 0, v.Type().Bits())
		if err != nil {
			return d.badInt(n, err)
		}
		v.SetUint(u)
		return nil
	case reflect.Float32, reflect.Float64:
		f, err := d.number(n)
		if err == nil {
			v.SetFloat(f)
		}
		return err
	}
	panic("yamldoc: cannot decode into " + v.Type().String())
}

func (d decoder) badInt(n *yaml.Node, err error) error {
	if errors.Is(err, strconv.ErrRange) {
		return d.fail(n, "is too large a number")
	}
	return d.fail(n, "must be a whole number")
}

func (d decoder) number(n *yaml.Node) (float64, error) {
	if n.Tag != "!!int" && n.Tag != "!!float" {
		return 0, d.fail(n, "must be a number")
	}
	// ParseInt reads the spellings of whole numbers that ParseFloat does not,
	// such as 0x10.
	if i, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
		return float64(i), nil
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return 0, d.fail(n, "must be a finite number")
	}
	return f, nil
}

func (d decoder) duration(n *yaml.Node, v reflect.Value) error {
	t, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		return d.fail(n, "must be a duration such as 15s, 5m or 48h")
	}
	v.SetInt(int64(t))
	return nil
}

// free reads a part without a declared shape, the way encoding/json would.
func (d decoder) free(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		err := d.pairs(n, func(key, val *yaml.Node) (err error) {
			m[key.Value], err = d.free(val)
			return err
		})
		return m, err
	case yaml.SequenceNode:
		s := make([]any, len(n.Content))
		for i, item := range n.Content {
			var err error
			if s[i], err = d.free(item); err != nil {
				return nil, prefixPath(bracket(i), err)
			}
		}
		return s, nil
	case yaml.AliasNode:
		return nil, d.fail(n, "must be written out: YAML aliases are not supported")
	}
	switch n.Tag {
	case "!!null":
		return nil, nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!int", "!!float":
		return d.number(n)
	}
	return n.Value, nil
}
