package remote

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/worker"
)

// scope finds the value of a slot; false when the job has none.
type scope func(slot string) (any, bool)

// text is a string with slots, such as "{{targetResolution}}p".
type text []piece

// piece is a part of a text: plain text, or a slot.
type piece struct {
	literal  string
	slot     string
	optional bool // {{slot?}}
}

var slotName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*\??$`)

func parseText(s string) (text, error) {
	var t text
	for s != "" {
		before, rest, found := strings.Cut(s, "{{")
		if before != "" {
			t = append(t, piece{literal: before})
		}
		if !found {
			break
		}
		name, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return nil, errors.New("has a {{ without its }}")
		}
		if name = strings.TrimSpace(name); !slotName.MatchString(name) {
			return nil, fmt.Errorf("has {{%s}}, which is not the name of a slot", worker.Shorten(name, 40))
		}
		bare := strings.TrimSuffix(name, "?")
		t, s = append(t, piece{slot: bare, optional: bare != name}), after
	}
	return t, nil
}

// fill puts values into a text, each through escape. It returns the name of a slot
// without a value.
func (t text) fill(of scope, escape func(string) string) (filled, missing string) {
	var b strings.Builder
	for _, p := range t {
		if p.slot == "" {
			b.WriteString(p.literal)
			continue
		}
		v, ok := of(p.slot)
		if !ok {
			return "", p.slot
		}
		b.WriteString(escape(formatList(v)))
	}
	return b.String(), ""
}

func same(s string) string { return s }

// formatList formats a value inside a text; the items of a list are joined by
// commas.
func formatList(v any) string {
	if list, ok := v.([]any); ok {
		var words []string
		for _, item := range list {
			words = append(words, formatValue(item))
		}
		return strings.Join(words, ",")
	}
	return formatValue(v)
}

// shape is a JSON body with slots. A slot without a value is left out: a key of an
// object, or a whole entry of a list, unless the slot is written {{slot?}}.
type shape struct {
	value any // of a shape without slots
	text  text
	keys  []string
	items []shape // of keys, or of a list
	list  bool
	each  string // a list slot: the one item is repeated for each value, which is {{item}}
}

// maxDepth is how deeply a body may nest.
const maxDepth = 24

func parseShape(v any, depth int) (shape, error) {
	if depth > maxDepth {
		return shape{}, errors.New(": is too deep")
	}
	switch x := v.(type) {
	case string:
		t, err := parseText(x)
		if err != nil {
			return shape{}, fmt.Errorf(": %w", err)
		}
		if len(t) == 0 || len(t) == 1 && t[0].slot == "" {
			return shape{value: x}, nil
		}
		return shape{text: t}, nil
	case map[string]any:
		if each, ok := x["each"].(string); ok && len(x) == 2 && x["item"] != nil {
			item, err := parseShape(x["item"], depth+1)
			if err != nil {
				return shape{}, fmt.Errorf(".item%w", err)
			}
			return shape{each: each, items: []shape{item}}, nil
		}
		if len(x) == 0 {
			return shape{value: x}, nil
		}
		s := shape{keys: slices.Sorted(maps.Keys(x))}
		for _, k := range s.keys {
			item, err := parseShape(x[k], depth+1)
			if err == nil && item.each != "" {
				err = errors.New(": each must be an entry of a list")
			}
			if err != nil {
				return shape{}, fmt.Errorf(".%s%w", k, err)
			}
			s.items = append(s.items, item)
		}
		return s, nil
	case []any:
		s := shape{list: true}
		for i, v := range x {
			item, err := parseShape(v, depth+1)
			if err != nil {
				return shape{}, fmt.Errorf("[%d]%w", i, err)
			}
			s.items = append(s.items, item)
		}
		return s, nil
	}
	return shape{value: v}, nil
}

// slots visits every slot, with its path.
func (s shape) slots(at string, visit func(at, slot string, inEach bool)) { s.walk(at, false, visit) }

func (s shape) walk(at string, inEach bool, visit func(at, slot string, inEach bool)) {
	for _, p := range s.text {
		if p.slot != "" {
			visit(at, p.slot, inEach)
		}
	}
	if s.each != "" {
		visit(at+".each", s.each, inEach)
		s.items[0].walk(at+".item", true, visit)
		return
	}
	for i, item := range s.items {
		below := fmt.Sprintf("%s[%d]", at, i)
		if !s.list {
			below = at + "." + s.keys[i]
		}
		item.walk(below, inEach, visit)
	}
}

// fill makes the body. ok is false when nothing is left of it; lacking says that
// a slot inside had no value and was not optional.
func (s shape) fill(of scope) (v any, ok, lacking bool) {
	switch {
	case s.text != nil:
		return s.fillText(of)
	case s.list:
		list := []any{}
		for _, item := range s.items {
			if item.each == "" {
				if v, ok, lacking := item.fill(of); ok && !lacking {
					list = append(list, v)
				}
				continue
			}
			values, _ := of(item.each)
			many, _ := values.([]any)
			for _, one := range many {
				inner := func(slot string) (any, bool) {
					if slot == "item" {
						return one, true
					}
					return of(slot)
				}
				if v, ok, lacking := item.items[0].fill(inner); ok && !lacking {
					list = append(list, v)
				}
			}
		}
		return list, len(list) > 0 || len(s.items) == 0, false
	case s.keys != nil:
		object := map[string]any{}
		for i, k := range s.keys {
			v, ok, lacks := s.items[i].fill(of)
			if ok {
				object[k] = v
			}
			lacking = lacking || lacks
		}
		return object, len(object) > 0, lacking
	}
	return s.value, true, false
}

func (s shape) fillText(of scope) (v any, ok, lacking bool) {
	for _, p := range s.text {
		if p.slot == "" {
			continue
		}
		if _, given := of(p.slot); !given {
			return nil, false, !p.optional
		}
	}
	if len(s.text) == 1 {
		v, _ = of(s.text[0].slot)
		return v, true, false
	}
	filled, _ := s.text.fill(of, same)
	return filled, true, false
}
