package template

import (
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// object is a JSON object and the path that leads to it. A member of the wrong
// type is reported and read as absent; null is absent.
type object struct {
	at      string
	members map[string]any
	issues  *issues
}

// path is where a member is.
func (o object) path(name string) string {
	if o.at == "" {
		return name
	}
	return o.at + "." + shorten(name, 64)
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func (o object) has(name string) bool { return o.members[name] != nil }

// text reads a string of at most `most` characters; 0 is no limit.
func (o object) text(name string, most int) string {
	s, ok := o.members[name].(string)
	switch {
	case !ok && o.has(name):
		o.issues.fail("invalid_type", o.path(name), "must be a string.")
	case most > 0 && utf8.RuneCountInString(s) > most:
		o.issues.fail("too_long", o.path(name), "must be at most %d characters long.", most)
		return shorten(s, most)
	}
	return s
}

// choice reads one of certain strings.
func (o object) choice(name, otherwise string, values []string) string {
	if !o.has(name) {
		return otherwise
	}
	s := o.text(name, 0)
	if _, ok := o.members[name].(string); ok && !slices.Contains(values, s) {
		o.issues.fail("invalid_value", o.path(name), "is %q, but must be one of %s.", shorten(s, 64), strings.Join(values, ", "))
		return otherwise
	}
	if s == "" {
		return otherwise
	}
	return s
}

func (o object) flag(name string, otherwise bool) bool {
	b, ok := o.members[name].(bool)
	if !ok {
		if o.has(name) {
			o.issues.fail("invalid_type", o.path(name), "must be true or false.")
		}
		return otherwise
	}
	return b
}

func (o object) number(name string, otherwise float64) float64 {
	f, ok := o.members[name].(float64)
	if !ok {
		if o.has(name) {
			o.issues.fail("invalid_type", o.path(name), "must be a number.")
		}
		return otherwise
	}
	return f
}

// whole reads a whole number between bounds.
func (o object) whole(name string, otherwise, least, most int) int {
	f := o.number(name, float64(otherwise))
	if f != math.Trunc(f) || f < float64(least) || f > float64(most) {
		o.issues.fail("invalid_value", o.path(name), "must be a whole number between %d and %d.", least, most)
		return otherwise
	}
	return int(f)
}

// list reads an array.
func (o object) list(name string) []any {
	l, ok := o.members[name].([]any)
	if !ok && o.has(name) {
		o.issues.fail("invalid_type", o.path(name), "must be an array.")
	}
	return l
}

// texts reads an array of strings; nil when the member is missing.
func (o object) texts(name string) []string {
	l := o.list(name)
	if l == nil {
		return nil
	}
	out := []string{}
	for i, v := range l {
		s, ok := v.(string)
		if !ok {
			o.issues.fail("invalid_type", index(o.path(name), i), "must be a string.")
			continue
		}
		out = append(out, s)
	}
	return out
}

// object reads a member that is an object itself.
func (o object) object(name string) (object, bool) {
	if !o.has(name) {
		return object{}, false
	}
	return o.issues.object(o.members[name], o.path(name))
}

// object reads a value as an object.
func (s *issues) object(v any, at string) (object, bool) {
	m, ok := v.(map[string]any)
	if !ok {
		s.fail("invalid_type", at, "must be an object.")
	}
	return object{at, m, s}, ok
}

// web reads an http or https URL.
func (o object) web(name string) string {
	s := o.text(name, 0)
	if s != "" && !isWeb(s) {
		o.issues.fail("invalid_value", o.path(name), "must be an http or https URL.")
	}
	return s
}

// maxURL is the longest URL, in bytes; signed ones are long.
const maxURL = 8192

func isWeb(s string) bool {
	if len(s) > maxURL || strings.ContainsAny(s, " \t\r\n\x00") {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// others warns of members that the service does not read. They are kept.
func (o object) others(known []string) {
	for _, name := range slices.Sorted(maps.Keys(o.members)) {
		if !slices.Contains(known, name) {
			o.issues.warn("unknown_field", o.path(name), "is not a field of this service; it is stored and has no effect.")
		}
	}
}

// nests reports whether a value nests deeper than a number of levels.
func nests(v any, levels int) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if levels == 0 || nests(e, levels-1) {
				return true
			}
		}
	case []any:
		for _, e := range v {
			if levels == 0 || nests(e, levels-1) {
				return true
			}
		}
	}
	return false
}
