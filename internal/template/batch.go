package template

import (
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
)

// expandBatch makes the steps of a batch, one for each item. Their number is known at
// compile time: it is the number of an input's values, or of the artifacts that the
// plan orders.
func (k *compiler) expandBatch(s *stage) {
	items, ok := k.items(s)
	if !ok {
		k.invalid[s] = true
		return
	}
	var chosen []int
	for i, item := range items {
		if k.includesItem(s, item, i) {
			chosen = append(chosen, i)
		}
	}
	if len(chosen) == 0 {
		k.issues.warn("empty_batch", s.at, "has no items with these inputs.")
		return
	}
	if n := len(k.steps) + len(chosen); n > atelier.MaxSteps {
		k.issues.fail("too_many_steps", s.at, "makes %d steps, %d in all, but a workflow has at most %d.", len(chosen), n, atelier.MaxSteps)
		k.invalid[s] = true
		return
	}
	for _, i := range chosen {
		k.step(&stepBuilder{compiler: k, stage: s.item, owner: s, id: s.id + "/" + strconv.Itoa(i), item: i, value: items[i]})
	}
}

// items lists the items of a batch.
func (k *compiler) items(s *stage) ([]any, bool) {
	ref, _ := whole(parse(s.over, k.exists))
	if ref.root == "inputs" {
		list, _ := k.values[ref.name].([]any)
		return list, true
	}
	maker := k.maker(ref.name)
	switch {
	case maker == nil && k.isOptional(s, ref.name):
		return nil, true
	case maker == nil:
		k.issues.fail("artifact_missing", s.at+".overBinding", "iterates over the artifact %q, whose stage is left out with these inputs.", ref.name)
		return nil, false
	case k.invalid[maker]:
		return nil, false
	}
	var out []any
	for _, m := range k.artifacts[maker] {
		out = append(out, m)
	}
	return out, true
}

// includesItem reports whether the condition of an item holds.
func (k *compiler) includesItem(s *stage, item any, number int) bool {
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

// canRunWithout reports whether a stage can run without the results of another: because
// it declares them optional, or because the other stage's onError lets all others continue.
func (s *stage) canRunWithout(from *stage) bool {
	if from.optionalResults {
		return true
	}
	accepts := s.accepts
	if s.item != nil {
		accepts = slices.Concat(accepts, s.item.accepts)
	}
	return slices.ContainsFunc(accepts, func(name string) bool { return name == from.id || slices.Contains(from.produces, name) })
}

// isOptional reports whether a stage can run without an artifact.
func (k *compiler) isOptional(s *stage, name string) bool {
	return slices.ContainsFunc(k.makers[name], s.canRunWithout)
}
