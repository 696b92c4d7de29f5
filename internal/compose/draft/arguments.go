package draft

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/prose"
)

// Arguments are those of a call, checked by the catalog and with their defaults.
type Arguments map[string]any

// Text is a string argument in one line.
func (a Arguments) Text(name string) string {
	s, _ := a[name].(string)
	return strings.Join(strings.Fields(s), " ")
}

// Verbatim is a string argument as it was written.
func (a Arguments) Verbatim(name string) string {
	s, _ := a[name].(string)
	return strings.TrimSpace(s)
}

// Number is a numeric argument, or 0.
func (a Arguments) Number(name string) float64 {
	f, _ := a[name].(float64)
	return f
}

// Whole is a numeric argument as a whole number.
func (a Arguments) Whole(name string) int { return int(a.Number(name)) }

// Flag reports whether a boolean argument is set.
func (a Arguments) Flag(name string) bool { return a[name] == true }

// Object is an argument that has members, or nil.
func (a Arguments) Object(name string) Arguments {
	m, _ := a[name].(map[string]any)
	return m
}

// List is an argument with items, or nil.
func (a Arguments) List(name string) []any { return ListOf(a[name]) }

// Ratio reads an argument such as 16:9; 0 when it is not a ratio.
func (a Arguments) Ratio(name string) float64 {
	width, height, ok := strings.Cut(a.Text(name), ":")
	x, err1 := strconv.ParseFloat(strings.TrimSpace(width), 64)
	y, err2 := strconv.ParseFloat(strings.TrimSpace(height), 64)
	if !ok || err1 != nil || err2 != nil || x <= 0 || y <= 0 {
		return 0
	}
	return x / y
}

// ListOf is a value as a list, or nil.
func ListOf(v any) []any {
	l, _ := v.([]any)
	return l
}

// TextsIn lists the texts in a value.
func TextsIn(v any) (out []string) {
	switch v := v.(type) {
	case string:
		if v = strings.Join(strings.Fields(v), " "); v != "" {
			out = append(out, v)
		}
	case float64:
		out = append(out, prose.Number(v))
	case bool:
		if out = []string{"yes"}; !v {
			out = []string{"no"}
		}
	case []any:
		for _, e := range v {
			out = append(out, TextsIn(e)...)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if inner := TextsIn(v[k]); len(inner) > 0 {
				out = append(out, k+" "+strings.Join(inner, ", "))
			}
		}
	}
	return out
}
