package graphimport

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// converted is a workflow as a graph, with what else the editor knows.
type converted struct {
	graph   graph
	origins map[string]properties // of the nodes
}

// ErrNeedsNodes says that the editor's format cannot be read alone.
var ErrNeedsNodes = errors.New("the workflow is in the format of ComfyUI's editor, which has the values of nodes without their names: " +
	"a running ComfyUI is needed to read it; or choose Workflow, Export (API) in ComfyUI and use that file")

// convert makes a graph of a workflow in the editor's format.
func convert(d *drawing, nodes *Nodes, say *findings) (*converted, error) {
	if nodes == nil {
		return nil, ErrNeedsNodes
	}
	kinds := map[string]*drawing{}
	for _, s := range d.Definitions.Subgraphs {
		if s != nil && s.ID != "" {
			kinds[s.ID] = s
		}
	}
	top, err := open(d, kinds, nil, nil, 0, &work{})
	if err != nil {
		return nil, err
	}
	c := &converted{graph: graph{}, origins: map[string]properties{}}
	if err := c.add(top, nodes, say); err != nil {
		return nil, err
	}
	// A link to a node that was left out stands for nothing.
	for _, n := range c.graph {
		maps.DeleteFunc(n.Inputs, func(_ string, v any) bool { l, ok := linkOf(v); return ok && c.graph[l.node] == nil })
	}
	if len(c.graph) == 0 {
		return nil, errors.New("the workflow has no active nodes")
	}
	return c, nil
}

// add adds the nodes of a scope and of those inside it.
func (c *converted) add(s *scope, nodes *Nodes, say *findings) error {
	for _, n := range s.drawing.Nodes {
		if n == nil || n.Mode == muted || n.Mode == bypassed || isVirtual(n.Type) {
			continue
		}
		if inner := s.inside[string(n.ID)]; inner != nil {
			if err := c.add(inner, nodes, say); err != nil {
				return err
			}
			if err := inner.promote(c.graph); err != nil {
				return err
			}
			continue
		}
		id := s.prefix + string(n.ID)
		if strings.HasPrefix(n.Type, "workflow") && nodes.kind(n.Type) == nil {
			return fmt.Errorf("node %s is a group node (%s), an older form of subgraphs: in ComfyUI choose Convert to nodes for it, or Export (API)", id, shorten(n.Type))
		}
		made := &node{Class: n.Type, Inputs: map[string]any{}}
		if n.Title != "" && n.Title != n.Type {
			made.Meta = &meta{shorten(n.Title)}
		}
		if k := nodes.kind(n.Type); k != nil {
			made.Inputs = assign(k, n)
		} else {
			made.Inputs = assignBySockets(n)
		}
		for _, in := range n.Inputs {
			if in.Link == nil || in.Name == "" {
				continue
			}
			from, err := s.follow(in.Link.String(), 0)
			switch {
			case err != nil:
				return fmt.Errorf("node %s: its input %s: %w", id, shorten(in.Name), err)
			case from.link != nil:
				made.Inputs[in.Name] = from.link.value()
			case from.value != nil:
				made.Inputs[in.Name] = from.value
			}
		}
		if err := s.work.keep(made.Inputs); err != nil {
			return err
		}
		c.graph[id], c.origins[id] = made, n.Props
	}
	return nil
}

// promote writes the values that a use of a subgraph shows at its own node into the nodes inside.
func (s *scope) promote(g graph) error {
	values, _ := s.host.Values.([]any)
	if len(values) == 0 || len(values) != len(s.host.Props.Shown) {
		return nil // the values are at the nodes inside
	}
	set := func(id, input string, v any) {
		n := g[s.prefix+id]
		if n == nil || v == nil {
			return
		}
		if old, ok := n.Inputs[input]; ok && sameKind(old, v) {
			n.Inputs[input] = v
		}
	}
	for i, shown := range s.host.Props.Shown {
		if len(shown) < 2 {
			continue
		}
		id, _ := shown[0].(string)
		name, _ := shown[1].(string)
		if id != "-1" {
			if err := s.work.keep(values[i]); err != nil {
				return err
			}
			set(id, name, values[i])
			continue
		}
		if err := s.work.look(len(s.drawing.Inputs) + len(s.drawing.Links)); err != nil {
			return err
		}
		at := slices.IndexFunc(s.drawing.Inputs, func(t terminal) bool { return t.Name == name })
		for _, w := range s.drawing.Links {
			if to := s.nodes[w.to]; w.from == insideInputs && w.output == at && to != nil && w.at >= 0 && w.at < len(to.Inputs) {
				if err := s.work.keep(values[i]); err != nil {
					return err
				}
				set(w.to, to.Inputs[w.at].Name, values[i])
			}
		}
	}
	return nil
}

// sameKind reports whether a value may stand in the place of another.
func sameKind(a, b any) bool {
	switch a.(type) {
	case string:
		_, ok := b.(string)
		return ok
	case bool:
		_, ok := b.(bool)
		return ok
	case json.Number:
		_, ok := b.(json.Number)
		return ok
	}
	return false
}

// controls are the values of the widget beside a seed, which says what becomes of it after a run. The
// editor keeps it among the values; the API has no such input.
var controls = []string{"fixed", "increment", "decrement", "randomize", "increment-wrap"}

// reader of widget values.
type valueList struct {
	values []any
	at     int
}

func (v *valueList) next() (any, bool) {
	if v.at >= len(v.values) {
		return nil, false
	}
	v.at++
	return v.values[v.at-1], true
}

// skipControl passes the widget beside a seed.
func (v *valueList) skipControl() {
	if v.at < len(v.values) {
		if word, ok := v.values[v.at].(string); ok && slices.Contains(controls, word) {
			v.at++
		}
	}
}

// assign gives the values of a node's widgets the names of its inputs.
func assign(k *kind, n *drawn) map[string]any {
	out := map[string]any{}
	switch values := n.Values.(type) {
	case map[string]any:
		for _, f := range k.fields {
			if v, ok := values[f.name]; ok && f.isWidget() && v != nil {
				out[f.name] = v
			}
		}
		fill(out, k.fields, "")
	case []any:
		k.assign(out, k.fields, "", &valueList{values: values}, n)
	default:
		fill(out, k.fields, "")
	}
	return out
}

func (k *kind) assign(out map[string]any, fields []field, prefix string, values *valueList, n *drawn) {
	for _, f := range fields {
		if !f.isWidget() && !n.hasWidget(prefix+f.name) {
			continue
		}
		v, ok := values.next()
		if !ok || v == nil || !f.takes(v) {
			v = f.standard
			if v == nil {
				v = f.zero()
			}
		}
		if v != nil {
			out[prefix+f.name] = v
		}
		if f.control || f.kind == "INT" && (f.name == "seed" || f.name == "noise_seed") {
			values.skipControl()
		}
		if key, isText := v.(string); isText && f.cases != nil {
			k.assign(out, f.cases[key], prefix+f.name+".", values, n)
		}
	}
}

// fill adds what a node requires and the workflow does not say.
func fill(out map[string]any, fields []field, prefix string) {
	for _, f := range fields {
		if _, given := out[prefix+f.name]; !given && f.required && f.isWidget() && f.standard != nil {
			out[prefix+f.name] = f.standard
		}
	}
}

// takes reports whether a value is one of a field's type.
func (f field) takes(v any) bool {
	switch f.kind {
	case "INT", "FLOAT":
		_, ok := v.(json.Number)
		return ok
	case "BOOLEAN":
		_, ok := v.(bool)
		return ok
	case "STRING":
		_, ok := v.(string)
		return ok
	}
	return true
}

// zero is the value of a field that has no default; nil for a choice.
func (f field) zero() any {
	switch f.kind {
	case "STRING":
		return ""
	case "BOOLEAN":
		return false
	case "INT", "FLOAT":
		return json.Number("0")
	}
	return nil
}

// hasWidget reports whether the editor shows an input as a widget, also one of a type that only an extension knows.
func (n *drawn) hasWidget(name string) bool {
	return slices.ContainsFunc(n.Inputs, func(s socket) bool { return s.Widget != nil && s.Widget.Name == name })
}

// assignBySockets names the values of a node that the ComfyUI does not have, as far as the editor says.
func assignBySockets(n *drawn) map[string]any {
	out := map[string]any{}
	switch values := n.Values.(type) {
	case map[string]any:
		for name, v := range values {
			switch v.(type) {
			case string, bool, json.Number:
				out[name] = v
			}
		}
	case []any:
		list := &valueList{values: values}
		for _, s := range n.Inputs {
			if s.Widget == nil {
				continue
			}
			if v, ok := list.next(); ok && v != nil {
				out[s.Widget.Name] = v
			}
			list.skipControl()
		}
	}
	return out
}
