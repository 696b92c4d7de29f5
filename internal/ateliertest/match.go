package ateliertest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
)

// matchJSON holds a JSON document against an expected one.
func (w *world) matchJSON(want string, got []byte) error {
	var expected, actual any
	if err := json.Unmarshal([]byte(want), &expected); err != nil {
		return fmt.Errorf("the expected JSON is broken: %w", err)
	}
	if err := json.Unmarshal(got, &actual); err != nil {
		return fmt.Errorf("the answer is not JSON: %w", err)
	}
	return w.match("", expected, actual, true)
}

func (w *world) match(at string, want, got any, present bool) error {
	if s, ok := want.(string); ok && strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") {
		return w.matchPattern(at, s[1:len(s)-1], got, present)
	}
	if !present {
		return fmt.Errorf("%s is missing", at)
	}
	switch want := want.(type) {
	case map[string]any:
		members, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: got %v, want an object", at, got)
		}
		for name, value := range want {
			member, present := members[name]
			if err := w.match(at+"."+name, value, member, present); err != nil {
				return err
			}
		}
		return nil
	case []any:
		items, ok := got.([]any)
		if ok && len(want) > 0 && want[0] == "<any order>" {
			return w.matchAnyOrder(at, want[1:], items)
		}
		if !ok || len(items) != len(want) {
			return fmt.Errorf("%s: got %v, want %d items", at, got, len(want))
		}
		for i := range want {
			if err := w.match(fmt.Sprintf("%s[%d]", at, i), want[i], items[i], true); err != nil {
				return err
			}
		}
		return nil
	}
	if want != got {
		return fmt.Errorf("%s: got %#v, want %#v", at, got, want)
	}
	return nil
}

// matchAnyOrder holds a list against items of which each stands for the first that it
// matches.
func (w *world) matchAnyOrder(at string, want, got []any) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s: got %v, want %d items", at, got, len(want))
	}
	left := slices.Clone(got)
	for i := range want {
		at := fmt.Sprintf("%s[%d]", at, i)
		found := slices.IndexFunc(left, func(item any) bool { return w.match(at, want[i], item, true) == nil })
		if found < 0 {
			return fmt.Errorf("%s: none of %v is %v", at, left, want[i])
		}
		left = slices.Delete(left, found, found+1)
	}
	return nil
}

// matchText holds a plain string, such as a header, against an expected one.
func (w *world) matchText(want, got string) error {
	if strings.HasPrefix(want, "<") && strings.HasSuffix(want, ">") {
		return w.matchPattern("", want[1:len(want)-1], got, got != "")
	}
	if want != got {
		return fmt.Errorf("got %q, want %q", got, want)
	}
	return nil
}

func (w *world) matchPattern(at, pattern string, got any, present bool) error {
	verb, rest, _ := strings.Cut(pattern, " ")
	if verb == "absent" {
		if present {
			return fmt.Errorf("%s: got %v, want nothing", at, got)
		}
		return nil
	}
	if !present {
		return fmt.Errorf("%s is missing", at)
	}
	text, isText := got.(string)
	ok := true
	switch verb {
	case "any":
	case "string":
		ok = isText
	case "number":
		_, ok = got.(float64)
	case "boolean":
		_, ok = got.(bool)
	case "uuid":
		ok = isText && atelier.IsUUID(text)
	case "time":
		_, err := time.Parse(time.RFC3339, text)
		ok = err == nil
	case "save":
		if n, isNumber := got.(float64); isNumber {
			w.saved[rest] = strconv.FormatFloat(n, 'f', -1, 64)
			break
		}
		w.saved[rest] = fmt.Sprint(got)
	case "match":
		ok = isText && regexp.MustCompile(rest).MatchString(text)
	default:
		return fmt.Errorf("what is <%s>?", pattern)
	}
	if !ok {
		return fmt.Errorf("%s: got %#v, want <%s>", at, got, pattern)
	}
	return nil
}
