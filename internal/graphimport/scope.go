package graphimport

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// scope is a workflow or one use of a subgraph, with its nodes and links.
type scope struct {
	drawing *drawing
	prefix  string // of the ids of its nodes
	parent  *scope
	host    *drawn // the node of the parent that is this subgraph

	nodes  map[string]*drawn
	wires  map[string]wire
	inside map[string]*scope // uses of subgraphs, by the ids of their nodes

	work *work
}

// work counts what a workflow takes to read. A subgraph counts as often as it is used.
type work struct {
	nodes, links int
	steps        int // of links that are followed: nodes, inputs and links that were looked at
	bytes        int // of the values of inputs: one of many uses or links is in the graph as often
}

// keep counts values that come into the graph.
func (w *work) keep(values ...any) error {
	for _, v := range values {
		if w.bytes += length(v, MaxBytes-w.bytes); w.bytes > MaxBytes {
			return fmt.Errorf("the values of the workflow have more than %d bytes, with those of its subgraphs", MaxBytes)
		}
	}
	return nil
}

// perValue is what a value takes besides its text, such as its quotes, a comma and a line.
const perValue = 16

// length is about how long a value is as JSON. It looks no further than some bytes.
func length(v any, most int) int {
	n := perValue
	switch v := v.(type) {
	case string:
		n += len(v)
	case json.Number:
		n += len(v)
	case []any:
		for i := 0; i < len(v) && n <= most; i++ {
			n += length(v[i], most-n)
		}
	case map[string]any:
		for name, x := range v {
			if n > most {
				break
			}
			n += len(name) + length(x, most-n)
		}
	}
	return n
}

// maxSteps is far beyond what a workflow takes whose links lead to where they end.
const maxSteps = 5_000_000

// look counts what is looked at to follow a link.
func (w *work) look(n int) error {
	if w.steps += n + 1; w.steps > maxSteps {
		return errors.New("the workflow's links pass too many reroutes and subgraphs")
	}
	return nil
}

// count counts the nodes and links of a scope. Several inputs may name one link, so both ends count.
func (w *work) count(d *drawing) error {
	if w.nodes += len(d.Nodes); w.nodes > maxNodes {
		return fmt.Errorf("the workflow has more than %d nodes, with those of its subgraphs", maxNodes)
	}
	linked := 0
	for _, n := range d.Nodes {
		if n == nil {
			continue
		}
		for _, in := range n.Inputs {
			if in.Link != nil {
				linked++
			}
		}
	}
	if w.links += max(linked, len(d.Links)); w.links > maxLinks {
		return errManyLinks
	}
	return nil
}

// open makes the scopes of a workflow. Subgraphs may hold each other.
func open(d *drawing, kinds map[string]*drawing, parent *scope, host *drawn, depth int, w *work) (*scope, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("subgraphs are in each other, more than %d deep", maxDepth)
	}
	s := &scope{drawing: d, parent: parent, host: host, nodes: map[string]*drawn{}, wires: map[string]wire{}, inside: map[string]*scope{}, work: w}
	if parent != nil {
		s.prefix = parent.prefix + string(host.ID) + ":"
	}
	if err := w.count(d); err != nil {
		return nil, err
	}
	for _, l := range d.Links {
		s.wires[l.id] = l
	}
	for _, n := range d.Nodes {
		if n == nil {
			continue
		}
		s.nodes[string(n.ID)] = n
		if inner := kinds[n.Type]; inner != nil && n.Mode != muted && n.Mode != bypassed {
			var err error
			if s.inside[string(n.ID)], err = open(inner, kinds, s, n, depth+1, w); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// source is where the value of an input comes from: an output of a node, a value, or nothing.
type source struct {
	link  *link
	value any
}

var errCircle = errors.New("links lead in a circle")

// maxHops is how many reroutes and borders of subgraphs a link may pass.
const maxHops = 200

// follow finds what is at the other end of a link.
func (s *scope) follow(id string, hops int) (source, error) {
	if hops > maxHops {
		return source{}, errCircle
	}
	if err := s.work.look(0); err != nil {
		return source{}, err
	}
	w, ok := s.wires[id]
	if !ok {
		return source{}, nil
	}
	if w.from == insideInputs {
		return s.outside(w.output, hops)
	}
	n := s.nodes[w.from]
	if n == nil || n.Mode == muted || w.output < 0 {
		return source{}, nil
	}
	if n.Mode == bypassed {
		return s.through(n, w.output, hops)
	}
	if inner := s.inside[w.from]; inner != nil {
		if err := s.work.look(len(inner.drawing.Links)); err != nil {
			return source{}, err
		}
		for _, x := range inner.drawing.Links {
			if x.to == insideOutputs && x.at == w.output {
				return inner.follow(x.id, hops+1)
			}
		}
		return source{}, nil
	}
	switch n.Type {
	case "Reroute":
		return s.input(n, 0, hops)
	case "PrimitiveNode":
		if values, ok := n.Values.([]any); ok && len(values) > 0 {
			return source{value: values[0]}, nil
		}
		return source{}, nil
	case "GetNode":
		return s.named(n, hops)
	}
	return source{link: &link{s.prefix + w.from, w.output}}, nil
}

// outside is what feeds an input of a subgraph, in the workflow that uses it.
func (s *scope) outside(at, hops int) (source, error) {
	if s.parent == nil || at < 0 || at >= len(s.drawing.Inputs) {
		return source{}, nil
	}
	if err := s.work.look(len(s.host.Inputs)); err != nil {
		return source{}, err
	}
	for _, in := range s.host.Inputs {
		if in.Name == s.drawing.Inputs[at].Name && in.Link != nil {
			return s.parent.follow(in.Link.String(), hops+1)
		}
	}
	return source{}, nil
}

// through is the input that a bypassed node passes on: the one at the place of the output if it has
// the same type, or else the first that has.
func (s *scope) through(n *drawn, output, hops int) (source, error) {
	if output >= len(n.Outputs) {
		return source{}, nil
	}
	if err := s.work.look(len(n.Inputs)); err != nil {
		return source{}, err
	}
	want := n.Outputs[output].kind()
	if output < len(n.Inputs) && n.Inputs[output].kind() == want {
		return s.input(n, output, hops)
	}
	for i, in := range n.Inputs {
		if in.kind() == want || in.kind() == "*" {
			return s.input(n, i, hops)
		}
	}
	return source{}, nil
}

// input follows the link of one input of a node.
func (s *scope) input(n *drawn, at, hops int) (source, error) {
	if at >= len(n.Inputs) || n.Inputs[at].Link == nil {
		return source{}, nil
	}
	return s.follow(n.Inputs[at].Link.String(), hops+1)
}

// named is what the node that sets a name gets, for one that reads it.
func (s *scope) named(n *drawn, hops int) (source, error) {
	name := firstText(n.Values)
	for at := s; at != nil && name != ""; at = at.parent {
		if err := s.work.look(len(at.drawing.Nodes)); err != nil {
			return source{}, err
		}
		for _, other := range at.drawing.Nodes {
			if other != nil && other.Type == "SetNode" && other.Mode != muted && firstText(other.Values) == name {
				return at.input(other, 0, hops)
			}
		}
	}
	return source{}, nil
}

func firstText(values any) string {
	if list, ok := values.([]any); ok && len(list) > 0 {
		text, _ := list[0].(string)
		return text
	}
	return ""
}

// isVirtual reports whether a node is only in the editor.
func isVirtual(class string) bool {
	switch class {
	case "Reroute", "PrimitiveNode", "Note", "MarkdownNote", "GetNode", "SetNode", "":
		return true
	}
	return strings.HasPrefix(class, "Label (") || strings.HasPrefix(class, "Fast ")
}
