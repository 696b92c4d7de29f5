package comfyui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/graphimport"
)

// graph is a prompt in ComfyUI's API format: nodes by their id.
type graph map[string]*node

// node is one node of a graph. An input is a literal or a link.
type node struct {
	Class  string         `json:"class_type"`
	Inputs map[string]any `json:"inputs"`
	Meta   *nodeMeta      `json:"_meta,omitempty"`
}

type nodeMeta struct {
	Title string `json:"title"`
}

// link is an input that takes the output of another node.
type link struct {
	node   string
	output int
}

func (l link) value() any { return []any{l.node, json.Number(strconv.Itoa(l.output))} }

func linkOf(input any) (link, bool) {
	id, output, ok := graphimport.LinkOf(input)
	return link{id, output}, ok
}

// parseGraph reads a graph. Numbers keep their spelling.
func parseGraph(data []byte) (graph, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var raw map[string]json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return nil, fmt.Errorf("must be a JSON object of nodes: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("must hold one JSON object, and something follows it")
	}
	if _, ok := raw["nodes"]; ok && raw["links"] != nil {
		return nil, errors.New("is a saved workflow; in ComfyUI choose Workflow, Export (API) and use that file")
	}
	g := graph{}
	for _, id := range slices.Sorted(maps.Keys(raw)) {
		n := new(node)
		d := json.NewDecoder(bytes.NewReader(raw[id]))
		d.UseNumber()
		if err := d.Decode(n); err != nil {
			return nil, fmt.Errorf("node %s: %w", id, err)
		}
		if n.Class == "" {
			return nil, fmt.Errorf("node %s: has no class_type", id)
		}
		if n.Inputs == nil {
			n.Inputs = map[string]any{}
		}
		if strings.Contains(id, ".") {
			return nil, fmt.Errorf("node %s: an id must not hold a dot, which divides it from an input", id)
		}
		g[id] = n
	}
	if len(g) == 0 {
		return nil, errors.New("holds no nodes")
	}
	return g, g.check()
}

// check refuses links to missing nodes, and cycles.
func (g graph) check() error {
	for _, id := range slices.Sorted(maps.Keys(g)) {
		for _, name := range slices.Sorted(maps.Keys(g[id].Inputs)) {
			l, ok := linkOf(g[id].Inputs[name])
			if !ok {
				if list, isList := g[id].Inputs[name].([]any); isList && len(list) == 2 {
					return fmt.Errorf("node %s, input %s: is a list of two values that is not a link", id, name)
				}
				continue
			}
			if g[l.node] == nil {
				return fmt.Errorf("node %s, input %s: is linked to node %s, which is not there", id, name, l.node)
			}
		}
	}
	const walking, done = 1, 2
	state := map[string]int{}
	var walk func(id string) error
	walk = func(id string) error {
		switch state[id] {
		case done:
			return nil
		case walking:
			return fmt.Errorf("node %s: depends on itself", id)
		}
		state[id] = walking
		for _, l := range g[id].links() {
			if err := walk(l.node); err != nil {
				return err
			}
		}
		state[id] = done
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(g)) {
		if err := walk(id); err != nil {
			return err
		}
	}
	return nil
}

// links are the links of a node's inputs, in the order of their names.
func (n *node) links() []link {
	var out []link
	for _, name := range slices.Sorted(maps.Keys(n.Inputs)) {
		if l, ok := linkOf(n.Inputs[name]); ok {
			out = append(out, l)
		}
	}
	return out
}

// title is the name of a node in messages.
func (n *node) title() string {
	if n.Meta != nil && n.Meta.Title != "" && n.Meta.Title != n.Class {
		return n.Meta.Title + " (" + n.Class + ")"
	}
	return n.Class
}

// clone copies a graph so that setting inputs does not change the original.
func (g graph) clone() graph {
	out := make(graph, len(g))
	for id, n := range g {
		c := *n
		c.Inputs = maps.Clone(n.Inputs)
		out[id] = &c
	}
	return out
}

// needs returns a node and everything it depends on.
func (g graph) needs(id string) map[string]bool {
	seen := map[string]bool{}
	todo := []string{id}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[id] || g[id] == nil {
			continue
		}
		seen[id] = true
		for _, l := range g[id].links() {
			todo = append(todo, l.node)
		}
	}
	return seen
}

// uncached are the nodes that have to run when the results of some are known: those that
// nothing reads, and all that they read, except behind known results.
func (g graph) uncached(known []string) map[string]bool {
	rest := maps.Clone(g)
	for _, id := range known {
		delete(rest, id)
	}
	read := map[string]bool{}
	for _, n := range g {
		for _, l := range n.links() {
			read[l.node] = true
		}
	}
	out := map[string]bool{}
	for id := range rest {
		if !read[id] {
			maps.Copy(out, rest.needs(id))
		}
	}
	return out
}

// pruneTo removes every node that the given one does not depend on.
func (g graph) pruneTo(id string) {
	needed := g.needs(id)
	maps.DeleteFunc(g, func(id string, _ *node) bool { return !needed[id] })
}

// insert inserts a node after an output: inputs that read the output then read that
// of the node.
func (g graph) insert(id string, n *node, behind link, output int) {
	for _, other := range g {
		for name, input := range other.Inputs {
			if l, ok := linkOf(input); ok && l == behind && other != n {
				other.Inputs[name] = link{id, output}.value()
			}
		}
	}
	g[id] = n
}
