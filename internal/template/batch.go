package template

import (
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
)

// fan makes the steps of a batch, one for each item of what it goes over. How
// many there are is known before anything is made: of an input by its values,
// of artifacts by what the plan orders.
func (k *compiler) fan(s *stage) {
	items, ok := k.items(s)
	if !ok {
		k.spoilt[s] = true
		return
	}
	var chosen []int
	for i, item := range items {
		if k.wanted(s, item, i) {
			chosen = append(chosen, i)
		}
	}
	if len(chosen) == 0 {
		k.issues.warn("empty_batch", s.at, "has no items with these inputs.")
		return
	}
	if n := len(k.steps) + len(chosen); n > atelier.MaxSteps {
		k.issues.fail("too_many_steps", s.at, "makes %d steps, %d in all, but a workflow has at most %d.", len(chosen), n, atelier.MaxSteps)
		k.spoilt[s] = true
		return
	}
	for _, i := range chosen {
		k.step(&shaping{compiler: k, stage: s.item, owner: s, id: s.id + "/" + strconv.Itoa(i), item: i, value: items[i]})
	}
}

// items are what a batch goes over.
func (k *compiler) items(s *stage) ([]any, bool) {
	ref, _ := whole(parse(s.over, k.exists))
	if ref.root == "inputs" {
		list, _ := k.values[ref.name].([]any)
		return list, true
	}
	maker := k.maker(ref.name)
	switch {
	case maker == nil && k.optional(s, ref.name):
		return nil, true
	case maker == nil:
		k.issues.fail("artifact_missing", s.at+".overBinding", "iterates over the artifact %q, whose stage is left out with these inputs.", ref.name)
		return nil, false
	case k.spoilt[maker]:
		return nil, false
	}
	var out []any
	for _, m := range k.made[maker] {
		out = append(out, m)
	}
	return out, true
}

// wanted reports whether the condition of an item holds.
func (k *compiler) wanted(s *stage, item any, number int) bool {
	find := func(path string) any {
		rest, ok := strings.CutPrefix(path, "item")
		switch {
		case !ok:
			return k.valueAt(path)
		case rest == ".index":
			return float64(number)
		}
		return item
	}
	return !slices.ContainsFunc(s.item.when, func(c condition) bool { return c.kind == "expr" && !c.decides.holds(find) })
}

// without reports whether a stage can do without what another makes: because
// it says so, or because the other lets all stages go on without.
func (s *stage) without(from *stage) bool {
	if from.loose {
		return true
	}
	accepts := s.accepts
	if s.item != nil {
		accepts = slices.Concat(accepts, s.item.accepts)
	}
	return slices.ContainsFunc(accepts, func(name string) bool { return name == from.id || slices.Contains(from.produces, name) })
}

// optional reports whether a stage can do without an artifact.
func (k *compiler) optional(s *stage, name string) bool {
	return slices.ContainsFunc(k.makers[name], s.without)
}
