package config

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/yamldoc"
)

// Value is one key of a configuration as it is in effect, for people to read.
type Value struct {
	Key  string `json:"key"`
	Text string `json:"value"` // without secrets
	From string `json:"from"`  // default, the file, or an environment variable
}

// hidden stands for a secret.
const hidden = "(hidden)"

// Values lists the keys of a configuration that was loaded from a file, if one is named, and the
// environment. Secrets, and passwords in URLs, are hidden.
func (c *Config) Values(file string, environ []string) ([]Value, error) {
	var written map[string]any
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := yamldoc.Decode(file, data, &written); err != nil {
			return nil, err
		}
	}
	set := map[string]bool{}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		set[name] = true
	}
	var list []Value
	visit(reflect.ValueOf(c).Elem(), "", false, func(key, text string, index bool) {
		from := "default"
		switch {
		case !index && set[Variable(key)]:
			from = Variable(key)
		case isWritten(written, key):
			from = file
		}
		list = append(list, Value{key, text, from})
	})
	return list, nil
}

// isWritten reports whether a document has a key. A list is written as a whole.
func isWritten(document map[string]any, key string) bool {
	key, _, _ = strings.Cut(key, "[")
	var at any = document
	for part := range strings.SplitSeq(key, ".") {
		members, ok := at.(map[string]any)
		if !ok {
			return false
		}
		if at, ok = members[part]; !ok {
			return false
		}
	}
	return true
}

// visit calls a function for each scalar below a value, and for each empty list or map. index says
// that the scalar belongs to a list or a map, which the environment cannot set.
func visit(v reflect.Value, key string, index bool, do func(key, text string, index bool)) {
	if text, ok := scalarText(v); ok {
		do(key, text, index)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, ok := f.Tag.Lookup("yaml")
			if !ok || name == "-" {
				continue
			}
			path := strings.TrimPrefix(key+"."+name, ".")
			switch {
			case f.Tag.Get("secret") == "" || v.Field(i).IsZero():
				visit(v.Field(i), path, index, do)
			default:
				do(path, hidden, index)
			}
		}
	case reflect.Slice:
		if v.Len() == 0 {
			do(key, "[]", index)
		}
		for i := range v.Len() {
			visit(v.Index(i), fmt.Sprintf("%s[%d]", key, i), true, do)
		}
	case reflect.Map:
		if v.Len() == 0 {
			do(key, "{}", index)
		}
		names := v.MapKeys()
		slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, name := range names {
			visit(v.MapIndex(name), key+"."+name.String(), true, do)
		}
	}
}

// scalarText writes a scalar as a configuration file would have it.
func scalarText(v reflect.Value) (string, bool) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "null", true
		}
		return scalarText(v.Elem())
	}
	if s, ok := v.Interface().(fmt.Stringer); ok {
		return s.String(), true
	}
	switch v.Kind() {
	case reflect.Struct, reflect.Slice, reflect.Map:
		return "", false
	case reflect.String:
		return strconv.Quote(withoutPasswords(v.String())), true // quotes show an empty text
	}
	return fmt.Sprint(v.Interface()), true
}

// signed is the part of a query that carries a credential.
var signed = regexp.MustCompile(`(?i)key|secret|token|password|signature`)

// withoutPasswords hides the passwords of a URL, or of a list of them.
func withoutPasswords(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	parts := strings.Split(text, ",")
	for i, part := range parts {
		u, err := url.Parse(part)
		if err != nil {
			parts[i] = hidden
			continue
		}
		q := u.Query()
		for _, name := range slices.Sorted(maps.Keys(q)) {
			if signed.MatchString(name) {
				q.Set(name, "hidden")
				u.RawQuery = q.Encode()
			}
		}
		if _, has := u.User.Password(); u.User != nil && !has {
			u.User = url.User("hidden") // the token of a NATS server
		}
		parts[i] = u.Redacted()
	}
	return strings.Join(parts, ",")
}
