package catalog

import (
	"slices"

	"github.com/atelier-project/atelier"
)

// Rule is a condition between several arguments, which a schema cannot express. It applies
// when its conditions hold and is broken when a demand is not met; the error is then
// Message about Field.
type Rule struct {
	// Conditions. In applies the rule inside each entry of a list of objects.
	In    string              `yaml:"in"`
	When  map[string][]string `yaml:"when"`  // these arguments have one of these values
	Given []string            `yaml:"given"` // all of these are given

	// Demands.
	Needs      []string       `yaml:"needs"`      // all of these are given
	AnyOf      []string       `yaml:"anyOf"`      // at least one is given
	Without    []string       `yaml:"without"`    // none of these is given
	SameLength []string       `yaml:"sameLength"` // these lists are equally long
	Ascending  []string       `yaml:"ascending"`  // the first number is below the second
	AtMost     map[string]int `yaml:"atMost"`     // these lists have no more entries

	Field   string `yaml:"field"`
	Message string `yaml:"message"`
}

// scope is where a rule looks up arguments: the whole call, or one entry of a list with
// the call around it.
type scope struct {
	args  map[string]any
	outer *scope
	bound map[string]int // how often each argument is bound
	tool  *Tool

	assumed  []string // required media that is not counted yet
	rendered int      // pixels of a result that follows its source, before the scale, which is a separate factor
}

// isGiven reports whether an argument has a value now or will be bound one.
func (s *scope) isGiven(name string) bool {
	if v, ok := s.args[name]; ok && !Empty(v) {
		return true
	}
	if s.outer != nil {
		return s.outer.isGiven(name)
	}
	return s.bound[name] > 0
}

// value returns an argument's value as text, or its default.
func (s *scope) value(name string) string {
	if v, ok := s.args[name]; ok {
		return formatValue(v)
	}
	if s.outer != nil {
		return s.outer.value(name)
	}
	if a, ok := s.tool.byName[name]; ok && s.bound[name] == 0 {
		return formatValue(a.Default)
	}
	return ""
}

func (s *scope) number(name string) (float64, bool) {
	f, ok := s.args[name].(float64)
	return f, ok
}

func (s *scope) list(name string) []any {
	l, _ := s.args[name].([]any)
	return l
}

// checkRules reports the first broken rule of the tool.
func (t *Tool) checkRules(s *scope) error {
	for i := range t.Rules {
		r := &t.Rules[i]
		if r.In == "" {
			if r.broken(s) {
				return atelier.Refuse("arguments."+r.Field, "%s", r.Message)
			}
			continue
		}
		for i, item := range s.list(r.In) {
			entry, ok := item.(map[string]any)
			if ok && r.broken(&scope{args: entry, outer: s, tool: t}) {
				return atelier.Refuse("arguments."+index(r.In, i)+"."+r.Field, "%s", r.Message)
			}
		}
	}
	return nil
}

func (r *Rule) broken(s *scope) bool {
	if !matches(r.When, s.value, false) || !allGiven(r.Given, s.isGiven) {
		return false
	}
	if !allGiven(r.Needs, s.isGiven) || slices.ContainsFunc(r.Without, s.isGiven) {
		return true
	}
	if len(r.AnyOf) > 0 && !slices.ContainsFunc(r.AnyOf, s.isGiven) {
		return true
	}
	for i := 1; i < len(r.SameLength); i++ {
		a, b := r.SameLength[0], r.SameLength[i]
		// Lists that bindings add to have no length yet.
		if s.bound[a] == 0 && s.bound[b] == 0 && len(s.list(a)) != len(s.list(b)) {
			return true
		}
	}
	if len(r.Ascending) == 2 {
		lo, ok1 := s.number(r.Ascending[0])
		hi, ok2 := s.number(r.Ascending[1])
		if ok1 && ok2 && lo >= hi {
			return true
		}
	}
	for name, n := range r.AtMost {
		if len(s.list(name)) > n {
			return true
		}
	}
	return false
}

// matches reports whether every named argument has one of its listed values.
// With lenient set, an argument without a value matches anything.
func matches(when map[string][]string, value func(string) string, lenient bool) bool {
	for name, values := range when {
		v := value(name)
		if v == "" && lenient {
			continue
		}
		if !slices.Contains(values, v) {
			return false
		}
	}
	return true
}

func allGiven(names []string, given func(string) bool) bool {
	for _, n := range names {
		if !given(n) {
			return false
		}
	}
	return true
}

// Empty reports whether an argument counts as not given: null, "" and [].
func Empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	}
	return false
}
