package graphimport

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
)

// Bounds of a workflow.
const (
	MaxBytes = 8 << 20 // of a file
	maxNodes = 2000    // with those in its subgraphs
	maxLinks = 10000   // and inputs that are linked, with those in its subgraphs
	maxDepth = 16      // of subgraphs in subgraphs
)

// graph is a prompt in ComfyUI's API format: nodes by their id.
type graph map[string]*node

// node is one node of a graph. An input is a literal or a link.
type node struct {
	Class  string         `json:"class_type"`
	Inputs map[string]any `json:"inputs"`
	Meta   *meta          `json:"_meta,omitempty"`
}

type meta struct {
	Title string `json:"title"`
}

// title is the name of a node that its author gave it.
func (n *node) title() string {
	if n.Meta == nil {
		return ""
	}
	return n.Meta.Title
}

// link is an input that takes the output of another node.
type link struct {
	node   string
	output int
}

func (l link) value() any { return []any{l.node, json.Number(strconv.Itoa(l.output))} }

// LinkOf reads an input of a node in ComfyUI's API format, decoded with its numbers as they were
// written, as a link: the id of another node and the number of an output of it.
func LinkOf(input any) (node string, output int, ok bool) {
	pair, isList := input.([]any)
	if !isList || len(pair) != 2 {
		return "", 0, false
	}
	node, isText := pair[0].(string)
	number, isNumber := pair[1].(json.Number)
	output, err := strconv.Atoi(string(number))
	if !isText || !isNumber || err != nil || output < 0 {
		return "", 0, false
	}
	return node, output, true
}

func linkOf(input any) (link, bool) {
	id, output, ok := LinkOf(input)
	return link{id, output}, ok
}

// links are the links of a node by the names of its inputs, in their order.
func (n *node) links() (names []string, out []link) {
	for _, name := range sortedKeys(n.Inputs) {
		if l, ok := linkOf(n.Inputs[name]); ok {
			names, out = append(names, name), append(out, l)
		}
	}
	return names, out
}

// decode reads one JSON value. Numbers keep their spelling.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON object")
	}
	return nil
}

// readGraph reads a workflow in the API format.
func readGraph(raw map[string]json.RawMessage) (graph, error) {
	if len(raw) > maxNodes {
		return nil, fmt.Errorf("the workflow has %d nodes; at most %d can be read", len(raw), maxNodes)
	}
	g := graph{}
	for _, id := range sortedKeys(raw) {
		n := new(node)
		if err := decode(raw[id], n); err != nil || n.Class == "" {
			return nil, fmt.Errorf("its entry %q is not a node, which has class_type and inputs. Save it in ComfyUI with Export (API)", shorten(id))
		}
		if id == "" || strings.ContainsAny(id, ". \n") || len(id) > 100 {
			return nil, fmt.Errorf("node %q: an id must be a short word without a dot", shorten(id))
		}
		if n.Inputs == nil {
			n.Inputs = map[string]any{}
		}
		g[id] = n
	}
	total := 0
	for _, id := range sortedKeys(g) {
		names, links := g[id].links()
		if total += len(links); total > maxLinks {
			return nil, errManyLinks
		}
		for i, l := range links {
			if g[l.node] == nil {
				return nil, fmt.Errorf("node %s: its input %s is linked to node %s, which is not there", id, shorten(names[i]), shorten(l.node))
			}
		}
	}
	return g, nil
}

// errManyLinks refuses a graph that is too dense: every walk through it takes every link.
var errManyLinks = fmt.Errorf("the workflow has more than %d links, with those of its subgraphs", maxLinks)

// circle is a node that depends on itself; empty without one. The walk keeps its own stack: a chain may be as long as
// the graph.
func (g graph) circle() string {
	const walking, done = 1, 2
	state := map[string]int{}
	type step struct {
		id   string
		left []link
	}
	for _, start := range sortedKeys(g) {
		if state[start] == done {
			continue
		}
		_, links := g[start].links()
		stack := []step{{start, links}}
		state[start] = walking
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.left) == 0 {
				state[top.id] = done
				stack = stack[:len(stack)-1]
				continue
			}
			next := top.left[0].node
			top.left = top.left[1:]
			switch {
			case g[next] == nil || state[next] == done:
			case state[next] == walking:
				return next
			default:
				_, links := g[next].links()
				state[next] = walking
				stack = append(stack, step{next, links})
			}
		}
	}
	return ""
}

// needs are a node and everything that it depends on.
func (g graph) needs(id string) map[string]bool {
	seen := map[string]bool{}
	for todo := []string{id}; len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[id] || g[id] == nil {
			continue
		}
		seen[id] = true
		_, links := g[id].links()
		for _, l := range links {
			todo = append(todo, l.node)
		}
	}
	return seen
}

// reader is an input that reads an output.
type reader struct{ node, input string }

// readers are the inputs that read each output, in their order.
func (g graph) readers() map[link][]reader {
	out := map[link][]reader{}
	for _, id := range sortedIDs(g) {
		names, links := g[id].links()
		for i, l := range links {
			out[l] = append(out[l], reader{id, names[i]})
		}
	}
	return out
}

// sortedIDs are the ids of nodes, numbers by their value.
func sortedIDs(g graph) []string {
	return slices.SortedFunc(maps.Keys(g), func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// shorten makes a text of a file fit for a message.
func shorten(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}
