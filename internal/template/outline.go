package template

import (
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// outline is a template with its stages read and its names indexed: saving checks
// it, and compiling begins with it.
type outline struct {
	catalog *catalog.Catalog
	issues  *issues
	inputs  map[string]atelier.TemplateInput
	stages  []*stage
	byID    map[string]*stage
	makers  map[string][]*stage // by the name of what they produce
}

func outlineOf(c *catalog.Catalog, t atelier.Template, is *issues) *outline {
	o := &outline{catalog: c, issues: is, inputs: map[string]atelier.TemplateInput{}, byID: map[string]*stage{}, makers: map[string][]*stage{}}
	for _, in := range t.Inputs {
		o.inputs[in.Name] = in
	}
	o.stages = readStages(c, t, is)
	for _, s := range o.stages {
		o.byID[s.id] = s
		for _, name := range s.produces {
			if !slices.Contains(o.makers[name], s) {
				o.makers[name] = append(o.makers[name], s)
			}
		}
	}
	for _, s := range o.stages { // results without another name have that of their stage
		if o.makers[s.id] == nil && s.hasTool() {
			o.makers[s.id] = []*stage{s}
		}
	}
	return o
}

// hasTool reports whether a stage has a tool itself.
func (s *stage) hasTool() bool { return s.tool != nil || s.item != nil && s.item.tool != nil }

// toolStage is the part of a stage with the tool and its arguments.
func (s *stage) toolStage() *stage {
	if s.item != nil {
		return s.item
	}
	return s
}

// exists reports whether an input or an artifact has a name.
func (o *outline) exists(root, name string) bool {
	if root == "inputs" {
		_, ok := o.inputs[name]
		return ok
	}
	return o.makers[name] != nil
}

// source finds the stage that a binding names: by its id, or by the id of one of its
// items, whose number it returns.
func (o *outline) source(id string) (s *stage, item int) {
	if s := o.byID[id]; s != nil {
		return s, all
	}
	name, last, _ := cutLast(id, '/')
	s = o.byID[name]
	switch {
	case s == nil:
		return nil, all
	case last == "main" && !s.batch:
		return s, all
	case s.batch:
		r := reference{number: all}
		if r.subscript("["+last+"]") == "" && r.number != all {
			return s, r.number
		}
	}
	return nil, all
}

func cutLast(s string, sep byte) (before, after string, found bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// visit calls f for every binding string of a stage.
func (o *outline) visit(s *stage, f func(at string, parts []part)) {
	if s.over != "" {
		f(s.at+".overBinding", parse(s.over, o.exists))
	}
	d := s.toolStage()
	references(any(d.args), d.argsAt, o.exists, f)
}

// needs lists the stages that a stage takes something from.
func (o *outline) needs(s *stage) (out []*stage) {
	add := func(list ...*stage) {
		for _, n := range list {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	o.visit(s, func(_ string, parts []part) {
		for _, p := range parts {
			if p.ref != nil && p.ref.root == "artifacts" {
				add(o.makers[p.ref.name]...)
			}
		}
	})
	for _, b := range s.toolStage().bindings {
		if from, _ := o.source(b.SourceStepID); from != nil {
			add(from)
		}
	}
	return out
}

// sortStages puts every stage after those it takes results from, and otherwise
// keeps their order. The second result is a stage that waits for itself.
func (o *outline) sortStages(stages []*stage) ([]*stage, *stage) {
	needs := map[*stage][]*stage{}
	for _, s := range stages {
		for _, n := range o.needs(s) {
			if slices.Contains(stages, n) {
				needs[s] = append(needs[s], n)
			}
		}
	}
	var out []*stage
	done := map[*stage]bool{}
	ready := func(s *stage) bool {
		return !done[s] && !slices.ContainsFunc(needs[s], func(n *stage) bool { return !done[n] })
	}
	for len(out) < len(stages) {
		i := slices.IndexFunc(stages, ready)
		if i < 0 {
			return nil, stages[slices.IndexFunc(stages, func(s *stage) bool { return !done[s] && isCyclic(needs, s) })]
		}
		done[stages[i]] = true
		out = append(out, stages[i])
	}
	return out, nil
}

// isCyclic reports whether a stage needs itself, directly or through others.
func isCyclic(needs map[*stage][]*stage, start *stage) bool {
	seen := map[*stage]bool{}
	next := slices.Clone(needs[start])
	for len(next) > 0 {
		s := next[len(next)-1]
		next = next[:len(next)-1]
		if s == start {
			return true
		}
		if !seen[s] {
			seen[s] = true
			next = append(next, needs[s]...)
		}
	}
	return false
}
